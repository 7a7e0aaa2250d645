"""What the commands do; `fastscore.cli` says how they are called. Heavy packages are imported where they are used."""
