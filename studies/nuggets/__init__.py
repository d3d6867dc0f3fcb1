"""Liu, Mitamura and Hovy (2015): three ways to combine the scores of event nuggets."""
