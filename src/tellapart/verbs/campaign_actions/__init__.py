"""What `tellapart campaign` does: a module for each subject, with its actions at the end."""
