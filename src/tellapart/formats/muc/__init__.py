"""Template scoring as the Message Understanding Conferences did it."""
