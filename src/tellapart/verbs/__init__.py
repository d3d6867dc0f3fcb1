"""The verbs of the command line, one module each: declare options, call the library, print."""
