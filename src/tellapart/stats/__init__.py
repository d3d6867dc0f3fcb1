"""Statistics on arrays: tests, intervals and corrections that know no files, options or words."""
