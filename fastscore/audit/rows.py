"""The rows of games, by the tolerant reader: whatever stands in a record, it has its row for each game and each turn.

A way to the rows is a function from record texts and rules to `Rows`, like `rows_of_games`. `fastscore.audit.tables`
puts the rows of several such ways together, so that a faster one can take the games that it is sure of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fastscore.audit.ruling import Rules
from fastscore.audit.schema import ARROW_SCHEMAS, PREMIUMS, TABLES
from fastscore.coordinates import Direction
from fastscore.errors import NotationError, RulesError
from fastscore.game import TURN_KINDS, Event, Game
from fastscore.gcg.reader import read_game_text
from fastscore.gcg.text import GameBytes, decode_game
from fastscore.records.moves import Laid, fingerprint, lay_moves, tile_texts
from fastscore.records.rules import names_rules
from fastscore.replays import Replay, Turn, replay_many
from fastscore.rules.ruleset import Ruleset, for_each_ruleset
from fastscore.ruleset_choice import RulesChoice, choose_rules_of_each

if TYPE_CHECKING:
    from fastscore.lexicon import Lexicon

__all__ = [
    "KEYS",
    "OwnedRows",
    "RecordText",
    "Rows",
    "SquareRules",
    "read_text",
    "rows_of_games",
    "square_rules",
]

KEYS: Final = ("source", "member", "game")
"""The columns that are no part of `Rows`: they come from the record text that a row belongs to."""

_BLANK: Final = 0x80
_LETTER: Final = 0x7F
_DIRECTIONS: Final = {Direction.ACROSS: "across", Direction.DOWN: "down"}
_COUNTED: Final = {
    "place": "placements",
    "exchange": "exchanges",
    "exchange_count": "exchanges",
    "pass": "passes",
    "withdraw": "withdrawals",
    "challenge_bonus": "challenges",
    "end_points": "end_lines",
    "end_penalty": "end_lines",
    "time_penalty": "time_penalties",
    "malformed": "malformed",
}


class RecordText(NamedTuple):
    """The text of one game, and where it comes from.

    `source`, `member`, `game`: the key of its rows. `first_line`: number of its first line in the file. `cut`: its end
    was left out. `encoding`: what the game before it in the file declared. `is_text`: `data` is UTF-8 made of text that
    was read elsewhere, whatever it declares. `fastscore.audit.tables.record_texts` makes them.
    """

    source: str
    data: bytes
    member: str = ""
    game: int = 1
    first_line: int = 1
    cut: bool = False
    encoding: str | None = None
    is_text: bool = False


class OwnedRows(NamedTuple):
    """Rows of one table without their key: `owners` int64[n], ascending, the index of the text each belongs to."""

    owners: NDArray[np.int64]
    batch: Any


Rows = Mapping[str, OwnedRows]
"""The rows of some games, by table: `games`, `turns`, `findings` and `errors`."""


def read_text(text: RecordText) -> Game:
    """The game of a record text."""
    part = GameBytes(text.data, text.first_line, text.cut)
    source = f"{text.source}:{text.member}" if text.member else text.source
    return read_game_text(decode_game(part, text.encoding, as_text=text.is_text), source=source)


def rows_of_games(
    texts: Sequence[RecordText],
    rules: Rules = None,
    indices: Sequence[int] | None = None,
    lexicon: Lexicon | None = None,
) -> Rows:
    """The rows of games.

    Parameters
    ----------
    texts
        Record texts.
    rules
        What they are replayed by.
    indices
        Which of the texts to take, ascending; None = all.
    lexicon
        The good words, see `fastscore.replays.replay`.
    """
    chosen = range(len(texts)) if indices is None else indices
    columns = _Columns()
    try:
        for index, judged in zip(chosen, _judge([texts[index] for index in chosen], rules, lexicon), strict=True):
            columns.add(index, *judged)
    except (MemoryError, OSError, RulesError):
        raise
    except Exception:
        # One record that this package fails on must cost no more than its own row.
        columns = _Columns()
        for index in chosen:
            columns.add_alone(index, texts[index], rules, lexicon)
    return columns.rows()


class _Judged(NamedTuple):
    replay: Replay
    rules_from: str
    choice: RulesChoice | None


def _judge(texts: Sequence[RecordText], rules: Rules, lexicon: Lexicon | None) -> Iterator[_Judged]:
    games = [read_text(text) for text in texts]
    if rules is None or isinstance(rules, Ruleset):
        for game, replayed in zip(games, replay_many(games, rules, lexicon), strict=True):
            named = "record" if names_rules(game) else "default"
            yield _Judged(replayed, named if rules is None else "given", None)
        return
    choices = list(choose_rules_of_each(games, rules))
    for game, choice in zip(games, choices, strict=True):
        best = choice.best[0]
        name = "recognised" if 2 * best.explained >= best.placements else "unrecognised"
        yield _Judged(next(replay_many([game], choice.rules, lexicon)), name, choice)


class _Columns:
    """The columns of all tables, as lists that grow game by game."""

    def __init__(self) -> None:
        self.owners: dict[str, list[int]] = {table: [] for table in TABLES}
        self.columns: dict[str, dict[str, list[Any]]] = {
            table: {name: [] for name in ARROW_SCHEMAS[table].names if name not in KEYS} for table in TABLES
        }

    def add_alone(self, index: int, text: RecordText, rules: Rules, lexicon: Lexicon | None) -> None:
        before = {table: len(owners) for table, owners in self.owners.items()}
        try:
            self.add(index, *next(_judge([text], rules, lexicon)))
        except (MemoryError, OSError, RulesError):
            raise
        except Exception as error:
            for table, length in before.items():
                del self.owners[table][length:]
                for column in self.columns[table].values():
                    del column[length:]
            detail = f"game {text.game} cannot be judged: {type(error).__name__}: {error}"
            self._extend("errors", index, [{"line": text.first_line, "code": "game-failed", "detail": detail}])

    def add(self, index: int, replayed: Replay, rules_from: str, choice: RulesChoice | None) -> None:
        found = [finding.as_dict() for finding in replayed.findings]
        at_turn = Counter(finding["turn"] for finding in found)
        for number, finding in enumerate(found):
            finding["finding"] = number
        self._extend("findings", index, found)
        laid = self._add_turns(index, replayed, at_turn)
        ties = [] if choice is None else [fit.rules.name for fit in choice.best[1:]]
        game = {"rules_from": rules_from, "rules_ties": ties, **_game_row(replayed, laid)}
        self._extend("games", index, [game])

    def _extend(self, table: str, index: int, rows: Sequence[Mapping[str, Any]]) -> None:
        self.owners[table] += [index] * len(rows)
        for name, column in self.columns[table].items():
            column += [row[name] for row in rows]

    def _add_turns(self, index: int, replayed: Replay, at_turn: Mapping[int | None, int]) -> Sequence[Laid | None]:
        """What the turns lay is returned."""
        game, turns, rules = replayed.game, replayed.turns, replayed.rules
        events, columns = game.events, self.columns["turns"]
        names = [player.name or player.nick for player in game.players]
        self.owners["turns"] += [index] * len(events)
        for name, column in columns.items():
            if name in _FROM_TURN:
                place = _FROM_TURN[name]
                column += [turn[place] for turn in turns]
        columns["turn"] += range(len(events))
        columns["name"] += [None if event.player is None else names[event.player] for event in events]
        columns["difference"] += [turn.difference for turn in turns]
        columns["comments"] += [len(event.notes) for event in events]
        columns["findings"] += [at_turn.get(place, 0) for place in range(len(events))]
        walk = _Walk(rules)
        walk.take(events, turns)
        for name, values in walk.columns.items():
            columns[name] += values
        return walk.laid

    def rows(self) -> Rows:
        """Everything as Arrow."""
        made: dict[str, OwnedRows] = {}
        for table, columns in self.columns.items():
            schema = ARROW_SCHEMAS[table]
            fields = [schema.field(name) for name in columns]
            arrays = [pa.array(columns[field.name], field.type) for field in fields]
            batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
            made[table] = OwnedRows(np.array(self.owners[table], np.int64), batch)
        return made


_FROM_TURN: Final = {
    name: Turn._fields.index("text" if name == "move" else name)
    for name in ARROW_SCHEMAS["turns"].names
    if name in Turn._fields or name == "move"
}
"""Columns of `turns` that are an attribute of Turn, and its place."""


def _game_row(replayed: Replay, laid: Sequence[Laid | None]) -> dict[str, Any]:
    game, result = replayed.game, replayed.result
    findings = replayed.findings
    counts = Counter(_COUNTED[event.kind] for event in game.events)
    has_players = bool(game.players)
    return {
        "line": game.first_line,
        "title": game.title,
        "id": game.pragma("id"),
        "lexicon": game.lexicon,
        "rules": replayed.rules.name,
        "players": len(game.players),
        "nicks": [player.nick for player in game.players],
        "names": [player.name for player in game.players],
        "totals_recorded": result.totals_recorded if has_players else None,
        "totals_computed": result.totals_computed,
        "totals": result.totals,
        "winner": result.winner if has_players else None,
        "tie": has_players and result.tie,
        "spread": result.spread if has_players else None,
        "finished": result.finished,
        "ending": result.end.ending.value,
        "out": result.end.out,
        "style": None if result.recorded_style is None else result.recorded_style.value,
        "first_player": next((event.player for event in game.events if event.kind in TURN_KINDS), None),
        "events": len(game.events),
        **{name: counts[name] for name in _COUNTED.values()},
        "comments": len(game.notes) + sum(len(event.notes) for event in game.events),
        "findings": len(findings),
        "faults": sum(finding.severity == "error" and not finding.consequence for finding in findings),
        "misscored": sum(finding.code == "misscored" for finding in findings),
        "problems": sum(problem.severity != "note" for problem in game.problems),
        "encoding": game.encoding,
        "fingerprint": fingerprint(game.events, laid, replayed.rules),
    }


class SquareRules(NamedTuple):
    """What a ruleset says about squares and numbers of tiles."""

    premium: bytes
    """The premium of each square, as place in PREMIUMS from 1; 0 = none of them."""
    bonus: frozenset[int]
    """How many tiles placed give a bonus."""


@for_each_ruleset
def square_rules(rules: Ruleset) -> SquareRules:
    """Made once for each ruleset."""
    layout = rules.layout
    numbers = {multipliers: number for number, multipliers in enumerate(PREMIUMS.values(), start=1)}
    squares = zip(layout.letter_multiplier.ravel().tolist(), layout.word_multiplier.ravel().tolist(), strict=True)
    return SquareRules(
        bytes(numbers.get(square, 0) for square in squares),
        frozenset(count for count in range(16) if rules.bingo_bonus[count] != 0 or rules.bingo_multiplier[count] != 1),
    )


class _Walk:
    """What the moves of a game lay, on which squares, and what stays on the racks."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.ruled = square_rules(rules)
        self.shown = tile_texts(rules).shown
        self.laid: list[Laid | None] = []
        names = ("row", "col", "direction", "tiles", "blanks_placed", "word_length", "rack_tiles")
        self.columns: dict[str, list[Any]] = {name: [] for name in (*names, *PREMIUMS, "bingo", "withdrawn", "leave")}

    def take(self, events: Sequence[Event], turns: Sequence[Turn]) -> None:
        """Go through all events."""
        columns = self.columns
        moves = lay_moves(events, [turn.status for turn in turns], self.rules)
        for event, turn, (laid, back) in zip(events, turns, moves, strict=True):
            self.laid.append(laid)
            squares, fresh = ([], []) if laid is None else laid
            if back is not None:
                columns["withdrawn"][back] = True
            row, col, direction = (None, None, None) if event.at is None else event.at
            columns["row"].append(row)
            columns["col"].append(col)
            columns["direction"].append(None if direction is None else _DIRECTIONS[direction])
            columns["tiles"].append(None if laid is None else self._format(fresh))
            columns["blanks_placed"].append(sum(code >= _BLANK for code in fresh))
            columns["word_length"].append(self._length(turn.words[0]) if turn.words else 0)
            kinds = [self.ruled.premium[square] for square in squares]
            for number, name in enumerate(PREMIUMS, start=1):
                columns[name].append(kinds.count(number))
            columns["bingo"].append(laid is not None and len(fresh) in self.ruled.bonus)
            columns["withdrawn"].append(False)
            rack = self._rack(event)
            columns["rack_tiles"].append(None if rack is None else sum(rack))
            used = None if laid is None and event.kind == "place" else fresh
            columns["leave"].append(None if rack is None or used is None else self._leave(event, rack, used))

    def _format(self, codes: list[int]) -> str:
        shown = self.shown
        return "".join([shown[code] for code in codes]) if shown else self.rules.letters.format(codes)

    def _length(self, word: str) -> int:
        return len(word) if self.shown else len(self.rules.letters.encode(word))

    def _rack(self, event: Event) -> list[int] | None:
        """How many there are of each tile; None where that is not known."""
        try:
            return None if event.rack is None else list(self.rules.letters.rack(event.rack))
        except NotationError:
            return None

    def _leave(self, event: Event, counts: list[int], used: list[int]) -> str | None:
        """The rack without the tiles of the move; None where one of them is not known or is not on it."""
        if event.kind not in ("place", "exchange", "pass"):
            return None
        if event.kind == "exchange":
            try:
                # A small letter shows the tile here, not a blank.
                used = [code if code == _BLANK else code & _LETTER for code in self.rules.letters.encode(event.text)]
            except NotationError:
                return None
        for code in used:
            counts[0 if code & _BLANK else code] -= 1
        if min(counts) < 0:
            return None
        left = [_BLANK] * counts[0]
        for code, count in enumerate(counts[1:], start=1):
            left += [code] * count
        return self._format(left)
