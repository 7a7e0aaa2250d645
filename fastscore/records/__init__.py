"""How a game record is examined: its facts, what is wrong with each turn, how the game ended.

`fastscore.replays`, `fastscore.repairs` and `fastscore.ruleset_choice` are what is made of it.
"""
