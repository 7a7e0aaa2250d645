"""Text <-> plain data: plays (`plays`) and CGP positions (`cgp`). Nothing here knows a board."""
