"""The pages of a campaign: people log in by a link, judge, send submissions, and see the board."""
