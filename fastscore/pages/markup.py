"""A game as one HTML page: the board after each turn, why the turn scores what it scores, totals, findings, notes.

The page is one file that needs nothing else, no network either. Its policy (Content-Security-Policy) lets the browser
run the one script in it, which moves between turns and knows no text of the game; without scripts the page shows all
turns below each other. Names, notes and everything else from a record are text and never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from fastscore.board import Board
from fastscore.breakdown import Breakdown, WordScore
from fastscore.errors import NotationError
from fastscore.markup import element, written
from fastscore.pages.assets import PLAYER_COLOURS, POLICY, SCRIPT, STYLE
from fastscore.pages.charts import Series, totals_chart, totals_key
from fastscore.pages.data import PageFinding, PageGame, PageTurn, lying_tiles
from fastscore.palettes import VARIABLES
from fastscore.pictures import empty_board, picture_size, svg, tile, words_on
from fastscore.rules.letters import LetterDistribution
from fastscore.status import reasons

__all__ = ["PAGE_START", "page"]

PAGE_START: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content=\""""
"""What every page begins with, so that an earlier one can be told from other people's files."""

_BLANK = 0x80


def page(game: PageGame) -> str:
    """The page of a game, an HTML document."""
    articles = [_start(game), *(_turn(game, step, turn) for step, turn in enumerate(game.turns, 1))]
    side = [
        element("div", "".join(articles), class_="turns", aria_live="polite"),
        _card("Totals", element("div", _chart(game), class_="plot")) if len(game.turns) else "",
        _table(game),
        _card("Findings", _findings(game.findings, linked=True)) if game.findings else "",
        _card("Result", element("pre", _lines(game.result, "\n"))) if game.result else "",
        _spelling(game.spelling),
    ]
    stage = element("div", _board(game), class_="board") + _steps(len(game.turns))
    main = element("section", stage, class_="stage", aria_label="Board") + element("div", "".join(side), class_="side")
    return "\n".join(
        (
            f'{PAGE_START}{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            element("title", written(game.title)),
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            element("header", _header(game)),
            element("main", main),
            f"<script>{SCRIPT}</script>",
            "</body>",
            "</html>",
            "",
        )
    )


def _header(game: PageGame) -> str:
    """The title, and what each player has in the end: settled as in the result, where the game has one."""
    scores = []
    for player, played in enumerate(_last_totals(game)):
        settled = game.totals[player] if player < len(game.totals) else played
        shown = f"{_player(game, player)} {element('b', '?' if settled is None else str(settled))}"
        if settled != played:
            shown += element("span", f" ({played} after the last turn)", class_="faint")
        scores.append(element("li", shown))
    title = element("h1", element("bdi", written(game.title)))
    return title + element("ul", "".join(scores), class_="scores")


def _last_totals(game: PageGame) -> list[int]:
    """The computed totals of the players after the last turn."""
    totals = [0] * len(game.players)
    for turn in game.turns:
        if turn.player is not None and turn.player < len(totals) and turn.total_computed is not None:
            totals[turn.player] = turn.total_computed
    return totals


def _board(game: PageGame) -> str:
    """The squares once, and every tile of the game once, with the steps between which it lies there as data.

    What lies there is said in words by the article of the step that is shown.
    """
    rules = game.board.rules
    parts = [empty_board(rules.layout, VARIABLES)]
    last = len(game.turns)
    for lying in lying_tiles([game.board, *(turn.board for turn in game.turns)]):
        # What scripts do later is done here for the last step.
        classes = ["tile"] + ["blank"] * bool(lying.code & _BLANK) + ["gone"] * (lying.end is not None)
        classes += ["fresh"] * (lying.first == last > 0 and lying.end is None)
        parts.append(
            tile(
                rules.letters,
                lying.code,
                lying.row,
                lying.col,
                VARIABLES,
                class_=" ".join(classes),
                data_from=lying.first,
                data_to=lying.end,
            )
        )
    title = f"Board of {rules.rows} rows and {rules.cols} columns"
    units = picture_size(rules.layout)
    return svg(units, "".join(parts), VARIABLES, width=None, title=title, described_by=_name_of_words(last))


def _name_of_words(step: int) -> str:
    return f"board-{step}"


def _steps(last: int) -> str:
    """The buttons; they show up when the script runs."""
    buttons = [
        element("button", _sign(shape), type="button", id=name, aria_label=label, title=f"{label} ({key})")
        for name, shape, label, key in (
            ("first", "M3 2h2v12h-2zM14 2v12l-8 -6z", "Start", "Home"),
            ("previous", "M12 2v12l-9 -6z", "Turn before", "left arrow"),
            ("next", "M4 2v12l9 -6z", "Next turn", "right arrow"),
            ("last", "M11 2h2v12h-2zM2 2v12l8 -6z", "Last turn", "End"),
        )
    ]
    buttons.insert(2, element("output", ""))
    return element("nav", "".join(buttons), class_="steps", aria_label="Turns", data_last=last, hidden="")


def _sign(shape: str) -> str:
    return element("svg", element("path", d=shape), viewBox="0 0 16 16", aria_hidden="true")


def _start(game: PageGame) -> str:
    facts = [(name, element("bdi", written(value))) for name, value in game.facts]
    return _article(0, "Start", _terms(facts) + _notes(game.notes), game.board)


def _turn(game: PageGame, step: int, turn: PageTurn) -> str:
    terms: list[tuple[str, str]] = []
    if turn.rack is not None:
        terms.append(("Rack", _rack(game.board.rules.letters, turn.rack)))
    terms.append(("Points", _points(turn)))
    terms.append(("Total", _total(turn)))
    if turn.line:
        terms.append(("Record", f"line {turn.line}"))
    title = f"{step}. {_player(game, turn.player)} {element('bdi', written(turn.what))}"
    parts = [_terms(terms)]
    if turn.words is not None:
        parts.append(element("h3", "Words") + _words(turn.words))
    if turn.remark:
        parts.append(element("p", written(turn.remark)))
    if turn.findings:
        parts.append(element("h3", "Findings") + _findings(turn.findings))
    parts.append(_notes(turn.notes))
    return _article(step, title, "".join(parts), turn.board)


def _article(step: int, title: str, content: str, board: Board) -> str:
    words = ", ".join(words_on(board.rules.letters, board.tiles.tolist())) or "no tile"
    # Not to be seen: it is there for those who cannot see the board.
    alternative = element("p", written(f"On the board: {words}."), id=_name_of_words(step), hidden="")
    inner = element("h2", title) + content + alternative
    return element("article", inner, class_="card turn", id=f"turn-{step}", data_step=step)


def _terms(terms: Iterable[tuple[str, str]]) -> str:
    """Names, which are text, with values, which are markup."""
    pairs = "".join(element("dt", written(name)) + element("dd", value) for name, value in terms)
    return element("dl", pairs) if pairs else ""


def _player(game: PageGame, player: int | None) -> str:
    if player is None or player >= len(game.players):
        return ""
    swatch = element("span", "", class_=f"swatch player-{player % PLAYER_COLOURS + 1}", aria_hidden="true")
    return swatch + element("bdi", written(game.players[player]))


def _rack(letters: LetterDistribution, rack: str) -> str:
    try:
        codes = letters.encode(rack)
    except NotationError:
        return element("bdi", written(rack))
    tiles = []
    for code in codes:
        blank = bool(code & _BLANK)
        name = written(letters.decode(code).strip("[]")) + element("sub", str(letters.value(code)))
        tiles.append(element("li", name, class_="blank" if blank else None))
    return element("ul", "".join(tiles), class_="rack")


def _points(turn: PageTurn) -> str:
    """What is recorded and what is computed, once where they are equal."""
    recorded, computed = turn.recorded, turn.computed
    if recorded is None or computed is None or recorded == computed:
        return _same(recorded, computed, "+")
    differs = element("span", f"difference {recorded - computed:+}", class_="bad")
    return f"recorded {recorded:+}, computed {computed:+}, {differs}"


def _total(turn: PageTurn) -> str:
    recorded, computed = turn.total_recorded, turn.total_computed
    if recorded is None or computed is None or recorded == computed:
        return _same(recorded, computed, "")
    return f"recorded {recorded}, computed {element('span', str(computed), class_='bad')}"


def _same(recorded: int | None, computed: int | None, form: str) -> str:
    """Two equal numbers once, or the one that there is, with what it is."""
    if recorded is None and computed is None:
        return "not known"
    if computed is None:
        return f"recorded {recorded:{form}}, not computed"
    return f"{computed:{form}}" if recorded is not None else f"computed {computed:{form}}, not recorded"


def _words(breakdown: Breakdown) -> str:
    """Each word with its sum, then the bonus and the total."""
    items = [_word(word) for word in breakdown.words]
    if breakdown.bonus:
        items.append(f"bonus for {breakdown.tiles_laid} tiles = {element('b', str(breakdown.bonus))}")
    if len(items) > 1:
        parts = [word.score for word in breakdown.words] + ([breakdown.bonus] if breakdown.bonus else [])
        addition = " + ".join(map(str, parts))
        items.append(f"total {element('span', addition, class_='sum')} = {element('b', str(breakdown.total))}")
    flagged = [written(reason) for reason in reasons(breakdown.status)]
    items += [element("span", f"flagged: {reason}", class_="bad") for reason in flagged]
    return element("ul", "".join(element("li", item) for item in items), class_="words")


def _word(word: WordScore) -> str:
    """`8H QUIZ: (10 + 1 + 1 + 10) x 2 = 44`, with the names of premium squares in small print."""
    start = f"{word.position} {word.text}: "
    text = str(word)
    # In brackets stand names of squares, so each piece after the first begins with one.
    first, *rest = text[len(start) :].split(" [")
    pieces = [written(first.removesuffix(f"= {word.score}"))]
    for piece in rest:
        name, _, after = piece.partition("]")
        pieces.append(
            f" {element('span', written(name), class_='premium')}{written(after.removesuffix(f'= {word.score}'))}"
        )
    total = element("b", str(word.score))
    shown = element("bdi", element("b", written(word.text)))
    return f"{written(word.position)} {shown}: {element('span', ''.join(pieces), class_='sum')}= {total}"


def _findings(findings: Sequence[PageFinding], *, linked: bool = False) -> str:
    items = []
    for finding in findings:
        text = written(finding.text)
        if finding.code:
            text = f"{element('b', written(finding.code))}: {text}"
        if linked and finding.step is not None:
            text = element("a", f"Turn {finding.step}", href=f"#turn-{finding.step}") + f": {text}"
        if finding.line:
            text += element("span", f" (line {finding.line})", class_="faint")
        if finding.consequence:
            text += element("span", " follows from an earlier one", class_="faint")
        items.append(element("li", text, class_=f"finding{' consequence' * finding.consequence}"))
    return element("ul", "".join(items), class_="findings")


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(element("li", element("bdi", _lines(note, "<br>"))) for note in notes)
    return element("h3", "Notes") + element("ul", items, class_="notes")


def _lines(text: str, between: str) -> str:
    return between.join(map(written, text.splitlines()))


def _card(title: str, content: str) -> str:
    return element("section", element("h2", title) + content, class_="card")


def _spelling(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    items = element("ul", "".join(element("li", written(problem)) for problem in problems), class_="notes")
    summary = element("summary", f"Spelling of the record: {len(problems)}")
    return element("details", summary + items, class_="card")


def _table(game: PageGame) -> str:
    """All turns in a table, a way to each."""
    head = (("No.", "number"), ("Player", None), ("Turn", None), ("Points", "number"), ("Total", "number"))
    columns = element("tr", "".join(element("th", name, class_=kind, scope="col") for name, kind in head))
    rows = [
        element("tr", f"<td></td><td></td><td>{_link(0, 'start')}</td><td></td><td></td>", data_step=0, class_=None)
    ]
    for step, turn in enumerate(game.turns, 1):
        wrong = turn.recorded is not None and turn.computed is not None and turn.recorded != turn.computed
        mark = element("span", " !", class_="bad", title="has findings") if turn.findings else ""
        cells = (
            element("td", str(step), class_="number faint"),
            element("td", _player(game, turn.player), class_="name"),
            element("td", _link(step, turn.move, mark)),
            element("td", _cell(turn.recorded, turn.computed, "+"), class_=f"number{' bad' * wrong}"),
            element("td", _cell(turn.total_recorded, turn.total_computed, ""), class_="number"),
        )
        rows.append(element("tr", "".join(cells), data_step=step))
    body = element("thead", columns) + element("tbody", "".join(rows))
    return _card("Turns", element("div", element("table", body), class_="wide"))


def _cell(recorded: int | None, computed: int | None, form: str) -> str:
    """What is computed; a dash where only the record has a number."""
    if computed is not None:
        return f"{computed:{form}}"
    return "" if recorded is None else "\u2013"


def _link(step: int, text: str, mark: str = "") -> str:
    return element("a", element("bdi", written(text)) + mark, href=f"#turn-{step}")


def _chart(game: PageGame) -> str:
    """The chart of totals, and the key to it."""
    series: list[Series] = []
    for player in range(len(game.players)):
        computed, recorded = [0], [0]
        for turn in game.turns:
            mine = turn.player == player
            computed.append(turn.total_computed if mine and turn.total_computed is not None else computed[-1])
            recorded.append(turn.total_recorded if mine and turn.total_recorded is not None else recorded[-1])
        series.append(Series(player, computed))
        if recorded != computed:
            series.append(Series(player, recorded, recorded=True))
    marks = {step for step, turn in enumerate(game.turns, 1) if turn.findings}
    played = _last_totals(game)
    description = f"Totals of the players after each turn. After the last: {_by_player(game, played)}."
    if game.totals and list(game.totals) != played:
        description += f" Settled: {_by_player(game, game.totals)}."
    chart = element("div", totals_chart(series, marks, description), class_="wide")
    return chart + totals_key(game.players, series, marks)


def _by_player(game: PageGame, totals: Sequence[int | None]) -> str:
    pairs = zip(game.players, totals, strict=True)
    return ", ".join(f"{name} {'?' if total is None else total}" for name, total in pairs)
