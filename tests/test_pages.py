"""The page of a game: what stands on it, that texts stay texts, and how it works in a real browser."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fastscore.board import Board
from fastscore.cli import main
from fastscore.gcg import read_game
from fastscore.pages import game_page
from fastscore.pages.assets import PAGE_COLOURS, PLAYER_COLOURS, POLICY, SCRIPT, STYLE
from fastscore.pages.charts import Series, totals_chart, totals_key
from fastscore.pages.data import Lying, PageFinding, PageGame, PageTurn, lying_tiles
from fastscore.pages.markup import page
from fastscore.replays import Replay, replay
from fastscore.rules.ruleset import load_rules
from tests.browser import KEYS, Browser, missing, open_browser
from tests.test_pictures import contrast

GAMES = sorted((Path(__file__).parent / "data" / "games").glob("*.gcg"))
CLASSIC = load_rules("classic/english")

NAME = "<script>document.title = 'hacked'</script>\u202egpj.exe\u2028\x1b[31m & \"co\" 'x'"
# A bidirectional override, a control sequence and the separator that ends lines in JavaScript are not shown.
NAME_SHOWN = "<script>document.title = 'hacked'</script>gpj.exe & \"co\" 'x'"
NOTE = "</script><img src=x onerror=document.title='hacked'> <!-- ]]> {{x}} ${x} `x` \\u2028 &lt; </style></title>"
HOSTILE = f"""#character-encoding UTF-8
#player1 a<b> {NAME}
#player2 B{"w" * 300} {"Wolfeschlegelsteinhausen" * 12}
#title {NOTE}
#description "><svg onload=document.title='hacked'>
#note {NOTE}
>a<b>: QUIZ?AB 8G QUIZ +44 44
#note first {NOTE}
>B{"w" * 300}: <>"'&&& -<>& +0 0
"""

# Player 1: QUIZ over the start square (10 + 1 + 1 + 10) x 2 = 44, recorded as 45. Player 2 makes QUIZzES of it, with a
# blank and the E on a double letter: 22 + 0 + 2 x 1 + 1 = 25, and takes it back.
SMALL = """#character-encoding UTF-8
#player1 ann Ann Example
#player2 ben Ben Example
#title A small game
#note before the game
>ann: QUIZABC 8G QUIZ +45 45
#note a note
of two lines
>ben: ?ESABCD 8G ....zES +25 25
>ben: ?ESABCD -- -25 0
>ann: ABCDEFG -3 +0 45
>ben: ABCDEFG - +0 0
"""


def replayed(text: str, **options: Any) -> Replay:
    return replay(read_game(io.StringIO(text)), **options)


def elements(text: str) -> tuple[list[tuple[str, dict[str, str | None]]], str]:
    """Every element that a browser would make of a page, and its text."""
    found: list[tuple[str, dict[str, str | None]]] = []
    words: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

        def handle_data(self, data: str) -> None:
            words.append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(text)
    reader.close()
    return found, "".join(words)


def body(text: str) -> ElementTree.Element:
    """The body as XML, without the script: every element closed, every special character written as one."""
    inner = re.search(r"<body>.*</body>", text, re.DOTALL)
    assert inner is not None
    return ElementTree.fromstring(inner[0].replace(SCRIPT, "").replace("<br>", "<br/>"))


def said(node: ElementTree.Element | None) -> str:
    assert node is not None
    return " ".join("".join(node.itertext()).split())


def test_what_a_page_says() -> None:
    game = replayed(SMALL)
    root = body(game_page(game))
    assert said(root.find(".//h1")) == "A small game"
    assert [said(item) for item in root.findall(".//ul[@class='scores']/li")] == ["Ann Example 44", "Ben Example 0"]
    articles = root.findall(".//article")
    assert [article.get("id") for article in articles] == [f"turn-{step}" for step in range(6)]
    assert [said(article.find("h2")) for article in articles] == [
        "Start",
        "1. Ann Example plays 8G QUIZ",
        "2. Ben Example plays 8G ....zES",
        "3. Ben Example takes the play back",
        "4. Ann Example exchanges 3 tiles",
        "5. Ben Example passes",
    ]
    first = articles[1]
    assert [said(item) for item in first.findall(".//ul[@class='words']/li")] == [
        "8G QUIZ: (10 + 1 + 1 + 10) x 2 H8 double word = 44"
    ]
    terms = dict(zip(map(said, first.findall("dl/dt")), map(said, first.findall("dl/dd")), strict=True))
    assert terms == {
        "Rack": "Q10U1I1Z10A1B3C3",
        "Points": "recorded +45, computed +44, difference +1",
        "Total": "recorded 45, computed 44",
        "Record": "line 6",
    }
    assert [item.get("class") for item in first.findall(".//li[@class='finding']")] == ["finding"]
    assert "misscored" in said(first.find(".//li[@class='finding']"))
    assert [said(note) for note in first.findall(".//ul[@class='notes']/li")] == ["a noteof two lines"]
    assert said(articles[0].find(".//ul[@class='notes']")) == "before the game"
    racks = [item.get("class") for item in articles[2].findall(".//ul[@class='rack']/li")]
    assert racks == ["blank", None, None, None, None, None, None]


def test_the_sum_of_a_play_with_several_words() -> None:
    # See tests/test_cli.py: E3 HUGE beside IPOMOEA, 35 points.
    moves = ["8F EnERGID", "F3 IPOMO.A", "K5 HAB.TUdE", "E3 HUGE"]
    lines = [f">{'ann' if number % 2 == 0 else 'ben'}: A {move} +0 0" for number, move in enumerate(moves)]
    root = body(game_page(replayed("\n".join([*SMALL.splitlines()[:4], *lines]))))
    last = root.findall(".//article")[-1]
    assert [said(item) for item in last.findall(".//ul[@class='words']/li")] == [
        "E3 HUGE: (4 + 1 + 2 + 1) x 2 E5 double word = 16",
        "3E HI: 4 + 1 = 5",
        "4E UP: 1 + 3 = 4",
        "5E GO: (2 + 1) x 2 E5 double word = 6",
        "6E EM: 1 + 3 = 4",
        "total 16 + 5 + 4 + 6 + 4 = 35",
    ]
    # Seven tiles: (1 + 0 + 1 + 1 + 2 + 1 + 2 x 2) x 2 = 20 and 50.
    first = root.findall(".//article")[1]
    assert [said(item) for item in first.findall(".//ul[@class='words']/li")][1:] == [
        "bonus for 7 tiles = 50",
        "total 20 + 50 = 70",
    ]


def test_a_play_without_a_score_says_why() -> None:
    lines = [*SMALL.splitlines()[:4], ">ann: A 8M QUIZ +5 5", ">ben: A 8G Q4 +0 0"]
    root = body(game_page(replayed("\n".join(lines))))
    articles = root.findall(".//article")
    assert "No score: runs off the board" in said(articles[1])
    assert "Not readable: " in said(articles[2])
    # Its points are the record's only, as on the terminal.
    assert "recorded +5, not computed" in said(articles[1])
    rows = [[said(cell) for cell in row.findall("td")] for row in root.findall(".//tbody/tr")]
    assert rows[1] == ["1", "Ann Example", "8M QUIZ !", "\u2013", "5"]


def test_totals_at_the_end() -> None:
    turns = (
        PageTurn("plays", "8G QUIZ", 0, Board(CLASSIC), recorded=44, computed=44, total_recorded=44, total_computed=44),
        PageTurn("passes", "-", 1, Board(CLASSIC), recorded=0, total_recorded=0, computed=0, total_computed=0),
    )
    game = PageGame("Settled", ("Ann", "Ben"), Board(CLASSIC), turns, totals=(50, None))
    root = body(page(game))
    assert [said(item) for item in root.findall(".//ul[@class='scores']/li")] == [
        "Ann 50 (44 after the last turn)",
        "Ben ? (0 after the last turn)",
    ]
    chart = next(node for node in root.iter("svg") if node.get("class") == "chart")
    assert said(chart.find("desc")) == (
        "Totals of the players after each turn. After the last: Ann 44, Ben 0. Settled: Ann 50, Ben ?."
    )
    without = body(page(dataclasses.replace(game, totals=())))
    assert [said(item) for item in without.findall(".//ul[@class='scores']/li")] == ["Ann 44", "Ben 0"]


def test_the_board_in_words() -> None:
    root = body(game_page(replayed(SMALL)))
    words = [root.find(f".//p[@id='board-{step}']") for step in range(6)]
    assert all(each is not None and each.get("hidden") is not None for each in words)
    quiz, both = "On the board: 8G QUIZ.", "On the board: 8G QUIZzES."
    assert [said(each) for each in words] == ["On the board: no tile.", quiz, both, quiz, quiz, quiz]
    picture = root.find(".//{http://www.w3.org/2000/svg}svg")
    assert picture is not None
    assert picture.get("aria-describedby") == "board-5"


def test_a_meaning_is_said_once() -> None:
    assert [said(item) for item in body(game_page(replayed(""))).findall(".//li[@class='finding']")] == [
        "empty-file: nothing but white space, expected a game"
    ]


def test_tiles_lie_from_their_turn_until_they_are_taken_back() -> None:
    game = replayed(SMALL)
    blank = 26 | 0x80
    row = [Lying(7, 6 + place, code, 1, None) for place, code in enumerate((17, 21, 9, 26))]
    withdrawn = [Lying(7, 10 + place, code, 2, 3) for place, code in enumerate((blank, 5, 19))]
    assert lying_tiles(game.positions) == [*row, *withdrawn]


def test_another_tile_on_the_same_square() -> None:
    boards = [Board(CLASSIC), Board(CLASSIC).play("8H AT"), Board(CLASSIC).play("8H aT")]
    assert lying_tiles(boards) == [Lying(7, 7, 1, 1, 2), Lying(7, 8, 20, 1, None), Lying(7, 7, 0x81, 2, None)]


def test_without_a_script_the_last_board_is_shown() -> None:
    root = body(game_page(replayed(SMALL)))
    shown = [group for group in root.iter("{http://www.w3.org/2000/svg}g") if "tile" in (group.get("class") or "")]
    assert [group.get("class") for group in shown] == ["tile"] * 4 + ["tile blank gone"] + ["tile gone"] * 2
    assert root.find(".//nav") is not None
    assert "hidden" in (root.find(".//nav").attrib)  # type: ignore[union-attr]


def test_the_last_play_is_highlighted_where_it_is_the_last_turn() -> None:
    root = body(game_page(replayed("\n".join(SMALL.splitlines()[:8]))))
    shown = [group.get("class") for group in root.iter("{http://www.w3.org/2000/svg}g") if group.get("data-from")]
    assert shown == ["tile fresh"] * 4


@pytest.mark.parametrize("path", GAMES, ids=[path.stem for path in GAMES])
def test_every_record_has_a_page(path: Path) -> None:
    game = replay(read_game(path))
    text = game_page(game)
    root = body(text)
    steps = [article.get("data-step") for article in root.findall(".//article")]
    assert steps == [str(step) for step in range(len(game.turns) + 1)]
    found, _ = elements(text)
    assert [tag for tag, _ in found].count("script") == 1
    # Nothing comes from elsewhere: links lead to turns of the page itself.
    for tag, attributes in found:
        assert not {"src", "style", "srcset", "action", "onclick", "onload"} & set(attributes), tag
        assert re.fullmatch(r"#turn-\d+", attributes.get("href") or "#turn-0")
    marked = len(root.findall(".//section/ul[@class='findings']/li"))
    assert marked == len(game.findings)
    # What stands above the board is what the result says below.
    shown = [said(item.find("b")) for item in root.findall(".//ul[@class='scores']/li")]
    settled = game.result.totals_settled if game.game.players else ()
    assert shown == ["?" if total is None else str(total) for total in settled]
    assert [heading for heading in root.findall(".//th") if not said(heading)] == []


def test_the_policy_allows_this_page_and_nothing_else() -> None:
    found, _ = elements(game_page(replayed(HOSTILE)))
    (policy,) = (attributes["content"] for tag, attributes in found if "http-equiv" in attributes and tag == "meta")
    assert policy == POLICY
    digests = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (("script", SCRIPT), ("style", STYLE))
    }
    rules = dict(part.strip().partition(" ")[::2] for part in POLICY.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digests['script']}'"
    assert rules["style-src"] == f"'sha256-{digests['style']}'"
    assert "unsafe" not in POLICY
    text = game_page(replayed(HOSTILE))
    assert text.count(f"<script>{SCRIPT}</script>") == 1
    assert text.count(f"<style>{STYLE}</style>") == 1
    assert "</" not in SCRIPT
    assert "</" not in STYLE


def test_texts_of_a_record_are_never_markup() -> None:
    text = game_page(replayed(HOSTILE))
    found, words = elements(text)
    tags = {tag for tag, _ in found}
    assert {"img", "svg onload", "iframe", "object"} & tags == set()
    assert all(not name.startswith("on") for _, attributes in found for name in attributes)
    assert NAME_SHOWN in words
    for character in ("\u202e", "\u2028", "\x1b"):
        assert character not in text
    root = body(text)
    assert [said(root.find(".//h1"))] == [" ".join(NOTE.split())]
    notes = [said(item) for item in root.findall(".//ul[@class='notes']/li/bdi")]
    assert notes == [" ".join(NOTE.split()), f"first {' '.join(NOTE.split())}"]


def test_every_text_of_a_page_is_escaped() -> None:
    bad = "<b>&amp;\"'</b>"
    finding = PageFinding(bad, bad, 1, 1, True)
    turn = PageTurn(
        bad, bad, 0, Board(CLASSIC), rack=bad, remark=bad, findings=(finding,), notes=(bad, f"{bad}\n{bad}")
    )
    game = PageGame(bad, (bad,), Board(CLASSIC), (turn,), (finding,), (bad,), (bad,), ((bad, bad),), f"{bad}\n{bad}")
    text = page(game)
    assert "<b>&amp;" not in text
    assert body(text).find(".//h1") is not None
    written = text.count("&lt;b&gt;&amp;amp;&quot;&#x27;&lt;/b&gt;")
    # title and h1, name: scores, heading, table, chart and its key; move twice, rack, remark; two texts of a finding,
    # twice; notes of the turn (3) and of the game, spelling, name and value of a fact, two lines of the result.
    assert written == 2 + 5 + 2 + 2 + 4 + 4 + 1 + 2 + 2


def test_a_game_without_turns_or_players() -> None:
    root = body(page(PageGame("Empty", (), Board(CLASSIC), ())))
    assert [article.get("data-step") for article in root.findall(".//article")] == ["0"]
    assert root.find(".//*[@class='chart']") is None
    assert said(body(game_page(replayed(""))).find(".//h1")) == "Game"


def test_tiles_of_a_rack_are_escaped_too() -> None:
    from fastscore.rules.letters import LetterDistribution

    letters = LetterDistribution("odd", ("?", "<", "&B"), (0, 1, 2), blank_forms=("?", ">", "&b"))
    rules = dataclasses.replace(CLASSIC, letters=letters)
    turn = PageTurn("plays", "8H <&B", 0, Board(rules).play("8H <&B"), rack="<[&B]?")
    root = body(page(PageGame("Odd", ("A",), Board(rules), (turn,))))
    assert [said(item) for item in root.findall(".//ul[@class='rack']/li")] == ["<1", "&B2", "?0"]


# ---------------------------------------------------------------- the chart


def test_chart() -> None:
    root = ElementTree.fromstring(
        totals_chart([Series(0, [0, 10, None, 400])], {2}, "what & why").replace("class", "id")
    )
    assert [node.text for node in root][:2] == ["Totals", "what & why"]
    numbers = [node.text for node in root if node.tag == "text"]
    # 0 to 400 in steps of 100, then the three turns.
    assert numbers == ["0", "100", "200", "300", "400", "1", "2", "3"]
    # 640 units wide, 44 and 12 left free: 584 for three steps; 240 high, 12 and 26 left free: 202 for 400 points.
    (line,) = (node.get("d") for node in root if node.get("id") == "line s1")
    assert line == "M44.0 214.0 L238.67 208.95 M628.0 12.0"
    (mark,) = (node.get("d") for node in root if node.get("id") == "mark")
    assert mark == "M433.33 12l5 -9h-10z"
    assert (root.get("data-left"), root.get("data-step")) == ("44", "194.6667")


def test_chart_below_zero_and_far_above() -> None:
    low = totals_chart([Series(0, [0, -6]), Series(1, [0, -16], recorded=True)], (), "")
    assert re.findall(r">(-?\d+)</text>", low) == ["-20", "0", "20", "40", "60", "80", "100", "1"]
    high = totals_chart([Series(3, [0, 123_456_789])], (), "")
    assert re.findall(r">(\d+)</text>", high)[:2] == ["0", "50000000"]
    assert len(totals_chart([Series(0, list(range(3000)))], (), "")) < 100_000


def test_players_differ_in_more_than_colours() -> None:
    series = [Series(player, [0, player]) for player in range(12)] + [Series(1, [0, 9], recorded=True)]
    root = ElementTree.fromstring(totals_chart(series, {1}, ""))
    markers = [node for node in root if (node.get("class") or "").startswith("marker")]
    # Before the second step; each shape follows its place.
    shapes = [re.sub(r"^M\S+ [\d.]+", "", (node.get("d") or "").rpartition("M")[2].join(("M", ""))) for node in markers]
    assert len(markers) == 12
    assert len(set(shapes[:5])) == 5
    assert len(set(zip(shapes, [node.get("class") for node in markers], strict=True))) == 12
    names = [f"<Player {player}>" for player in range(12)]
    key = ElementTree.fromstring(totals_key(names, series, {1}))
    assert [said(item) for item in key] == [*names, "as recorded", "a turn with findings"]
    # The key shows each line as the chart does.
    for player, item in enumerate(list(key)[:12]):
        line, marker = item[0]
        assert line.get("class") == f"line s{player % 6 + 1}"
        assert (marker.get("d") or "").endswith(shapes[player])
        assert marker.get("class") == markers[player].get("class")
    assert [said(item) for item in ElementTree.fromstring(totals_key(["A"], series[:1], ()))] == ["A"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_can_be_read(theme: str) -> None:
    colours = PAGE_COLOURS[theme]
    pairs = [(ink, ground) for ink in ("text", "faint") for ground in ("page", "card", "current")]
    pairs += [("bad", "card"), ("bad", "current"), ("accent", "card")]
    pairs += [(ink, ground) for ink in ("text", "faint") for ground in ("bad-back", "hint-back")]
    assert [pair for pair in pairs if contrast(colours[pair[0]], colours[pair[1]]) < 4.5] == []
    players = [f"player-{number}" for number in range(1, PLAYER_COLOURS + 1)]
    assert len({colours[name] for name in players}) == 6
    assert [name for name in players if contrast(colours[name], colours["card"]) < 3] == []


# ---------------------------------------------------------------- the command


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = tmp_path / "small.gcg", tmp_path / "game.html"
    record.write_text(SMALL, encoding="utf-8")
    assert main(["replay", str(record), "--html", str(file)]) == 1  # there are findings
    assert file.read_text(encoding="utf-8") == game_page(replay(read_game(record)))
    assert "misscored" in capsys.readouterr().out


def test_the_command_numbers_the_pages_of_several_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, other = tmp_path / "two.gcg", tmp_path / "one.gcg"
    record.write_text(SMALL + SMALL.replace("A small game", "Another"), encoding="utf-8")
    other.write_text(SMALL.replace("A small game", "A third"), encoding="utf-8")
    folder = tmp_path / "pages"
    folder.mkdir()
    assert main(["replay", str(record), str(other), "--html", str(folder / "g.html")]) == 1
    titles = {path.name: said(body(path.read_text(encoding="utf-8")).find(".//h1")) for path in folder.iterdir()}
    assert titles == {"g.html": "A small game", "g-2.html": "Another", "g-3.html": "A third"}
    capsys.readouterr()


def test_the_command_cannot_write_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "small.gcg"
    record.write_text(SMALL, encoding="utf-8")
    assert main(["replay", str(record), "--html", str(tmp_path / "no" / "game.html")]) == 2
    shown = capsys.readouterr().err
    assert "game.html" in shown
    assert "no such file or directory" in shown


# ---------------------------------------------------------------- in a browser

in_browser = pytest.mark.skipif(missing() is not None, reason=missing() or "")

SHOWN_TILES = """
return [...document.querySelectorAll(".board g.tile")].filter((tile) => tile.getClientRects().length).map((tile) => {
  const box = tile.querySelector("rect");
  const place = (name) => Math.floor(Number(box.getAttribute(name)) / 40);
  const texts = [...tile.querySelectorAll("text")].map((text) => text.textContent);
  return [place("y"), place("x"), texts[0], tile.classList.contains("blank"), tile.classList.contains("fresh")];
});
"""
STEP = """
const shown = [...document.querySelectorAll("article")].filter((article) => article.getClientRects().length);
return [shown.map((article) => Number(article.dataset.step)), document.querySelector("output").textContent,
        [...document.querySelectorAll("tr.current, [aria-current]")].map((node) => node.textContent).length,
        location.hash];
"""


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def browser(running: Browser) -> Iterator[Browser]:
    """The browser with a page of usual size; nothing may be complained about in the end."""
    running.view(1280, 900)
    running.complaints()
    yield running
    assert running.complaints() == []


def shown_on(board: Board, before: Board | None) -> list[list[object]]:
    """What SHOWN_TILES gives for a board that a turn has left."""
    letters = board.rules.letters
    return sorted(
        [row, col, letters.tiles[code & 0x7F], code >= 0x80, before is not None and not before.tiles[row, col]]
        for row, line in enumerate(board.tiles.tolist())
        for col, code in enumerate(line)
        if code
    )


def write(tmp_path: Path, game: Replay | str) -> Path:
    file = tmp_path / "game.html"
    file.write_text(game if isinstance(game, str) else game_page(game), encoding="utf-8")
    return file


@in_browser
@pytest.mark.parametrize("name", ["h39_withdrawn_phony_misscored", "h05_four_players_crlf"])
def test_every_board_is_shown(browser: Browser, tmp_path: Path, name: str) -> None:
    game = replay(read_game(next(path for path in GAMES if path.stem == name)))
    browser.open(write(tmp_path, game))
    last = len(game.turns)
    browser.press("Home")
    for step, board in enumerate(game.positions):
        shown = sorted(browser.run(SHOWN_TILES))
        assert shown == shown_on(board, game.positions[step - 1] if step else None), step
        text = f"{step} of {last}" if step else "start"
        assert browser.run(STEP) == [[step], text, 2, f"#turn-{step}"]
        browser.press("ArrowRight")
    assert browser.run(STEP)[0] == [last]


@in_browser
def test_keys_buttons_links_and_addresses(browser: Browser, tmp_path: Path) -> None:
    file = write(tmp_path, replayed(SMALL))
    browser.open(file)

    def step() -> int:
        ((number,), *_) = browser.run(STEP)
        assert isinstance(number, int)
        return number

    assert step() == 5
    for action, expected in (
        ("ArrowRight", 5),
        ("ArrowLeft", 4),
        ("ArrowLeft", 3),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("End", 5),
        ("#first", 0),
        ("#next", 1),
        ("#next", 2),
        ("#previous", 1),
        ("#last", 5),
        ("tr[data-step='2'] a", 2),
        (".finding a", 1),
    ):
        if action in KEYS:
            browser.press(action)
        else:
            browser.click(action)
        assert step() == expected, action
    disabled = "return [...document.querySelectorAll('button')].filter((button) => button.disabled).map(({id}) => id)"
    assert browser.run(disabled) == []
    browser.press("Home")
    assert browser.run(disabled) == ["first", "previous"]
    browser.press("End")
    assert browser.run(disabled) == ["next", "last"]
    # Keys with Ctrl and the like belong to the browser.
    browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', ctrlKey: true}))")
    assert step() == 5
    browser.run("location.hash = '#turn-3'")
    assert step() == 3
    browser.run("location.hash = '#turn-999999'")
    assert step() == 5
    browser.run("location.hash = '#turn-x'")
    assert step() == 5
    # In the middle of the chart: half of the five turns, rounded.
    browser.run(
        "const chart = document.querySelector('.chart'), box = chart.getBoundingClientRect();"
        "const x = box.left + box.width * (44 + 584 * 2 / 5) / 640;"
        "chart.dispatchEvent(new MouseEvent('click', {clientX: x, clientY: box.top + 9}));"
    )
    assert step() == 2


@in_browser
def test_an_address_opens_its_turn(browser: Browser, tmp_path: Path) -> None:
    file = write(tmp_path, replayed(SMALL))
    browser.open(file, "turn-2")
    assert browser.run(STEP) == [[2], "2 of 5", 2, "#turn-2"]
    assert browser.run("return scrollY") == 0


@in_browser
def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path, replayed(HOSTILE)))
    assert browser.run("return document.title") == " ".join(NOTE.split())
    assert browser.run("return document.querySelector('.scores li bdi').textContent") == NAME_SHOWN
    assert browser.run("return [document.scripts.length, document.querySelectorAll('img, iframe, object').length]") == [
        1,
        0,
    ]
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    browser.press("Home")
    notes = "return [...document.querySelectorAll('article:not([hidden]) .notes li')].map((note) => note.textContent)"
    assert browser.run(notes) == [NOTE]


@in_browser
def test_the_policy_is_in_force(running: Browser, tmp_path: Path) -> None:
    text = game_page(replayed(SMALL))
    # As if a text had got through as markup.
    smuggled = "<script>document.title = 'hacked'</script><p id=red style='color: red'>x</p><img src=x.png onerror=y()>"
    running.complaints()
    running.open(write(tmp_path, text.replace("<header>", f"<header>{smuggled}")))
    assert running.run("return document.title") == "A small game"
    assert running.run("return getComputedStyle(document.querySelector('#red')).color") != "rgb(255, 0, 0)"
    complaints = running.complaints()
    assert len(complaints) >= 3
    assert all("Content Security Policy" in complaint for complaint in complaints)


@in_browser
def test_without_scripts_everything_is_there(browser: Browser, tmp_path: Path) -> None:
    game = replayed(SMALL)
    browser.view(1280, 900, scripts=False)
    browser.open(write(tmp_path, game))
    browser.view(1280, 900)
    assert browser.run(STEP)[0] == [0, 1, 2, 3, 4, 5]
    assert browser.run("return document.querySelector('nav').getClientRects().length") == 0
    assert [tile[:4] for tile in sorted(browser.run(SHOWN_TILES))] == [
        tile[:4] for tile in shown_on(game.positions[-1], None)
    ]


@in_browser
@pytest.mark.parametrize("text", [SMALL, HOSTILE], ids=["small", "hostile"])
def test_a_phone(browser: Browser, tmp_path: Path, text: str) -> None:
    browser.view(360, 740)
    browser.open(write(tmp_path, replayed(text)))
    # Nothing is wider than the screen, and what is pressed is as large as a finger.
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    sizes = browser.run(
        "return [...document.querySelectorAll('button')].map((button) => button.getBoundingClientRect())"
        ".map(({width, height}) => Math.min(width, height))"
    )
    assert min(sizes) >= 44
    assert browser.run("return document.querySelector('.board').getBoundingClientRect().width") > 320
    # Whoever presses a turn in the table sees the board then.
    browser.click("tr[data-step='1'] a")
    top, bottom = browser.run(
        "const {top, bottom} = document.querySelector('.stage').getBoundingClientRect(); return [top, bottom]"
    )
    # Browsers scroll by whole pixels.
    assert -1 < top < bottom <= 740
    assert browser.run(STEP)[0] == [1]
    assert browser.run("return document.querySelector('.board svg').getAttribute('aria-describedby')") == "board-1"


@in_browser
def test_the_board_and_its_buttons_fit_a_window(browser: Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path, replay(read_game(next(path for path in GAMES if path.stem.startswith("s1_"))))))
    bottom = browser.run("return document.querySelector('.steps').getBoundingClientRect().bottom + scrollY")
    assert bottom < 900
    columns = browser.run(
        "return ['.stage', '.side'].map((name) => document.querySelector(name).getBoundingClientRect().left)"
    )
    assert columns[1] > columns[0] + 400


@in_browser
def test_light_and_dark(browser: Browser, tmp_path: Path) -> None:
    file = write(tmp_path, replayed(SMALL))
    seen = []
    for dark in (False, True):
        browser.view(1280, 900, dark=dark)
        browser.open(file)
        seen.append(
            browser.run(
                "return [getComputedStyle(document.body).backgroundColor,"
                "getComputedStyle(document.querySelector('.board rect:nth-of-type(2)')).fill]"
            )
        )
    assert seen == [["rgb(246, 244, 238)", "rgb(236, 232, 221)"], ["rgb(20, 23, 26)", "rgb(38, 43, 49)"]]


@in_browser
@pytest.mark.parametrize(
    "name", ["super/catalan", "classic/pinyin", "classic/spanish", "classic/polish", "classic/english"]
)
def test_names_of_tiles_stay_within_them(browser: Browser, tmp_path: Path, name: str) -> None:
    rules = load_rules(name)
    codes = [code | mark for mark in (0, 0x80) for code in range(1, rules.letters.n_letters + 1)]
    codes += [0] * (rules.rows * rules.cols - len(codes))
    board = Board(rules, [codes[first : first + rules.cols] for first in range(0, len(codes), rules.cols)])
    browser.open(write(tmp_path, f"<!doctype html><meta charset='utf-8'>{board.to_svg()}"))
    outside = browser.run(
        "return [...document.querySelectorAll('g:not([aria-hidden])')].filter((tile) => {"
        "  const around = tile.querySelector('rect').getBBox();"
        "  const inside = tile.querySelector('text').getBBox();"
        "  return inside.x < around.x || inside.x + inside.width > around.x + around.width;"
        "}).map((tile) => tile.textContent)"
    )
    assert outside == []


@in_browser
def test_pictures_alone(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    file.write_text(Board(CLASSIC).play("8F EnERGID").to_svg(), encoding="utf-8")
    browser.open(file)
    assert browser.run("return document.documentElement.getBBox().width") > 600
    assert browser.run("return document.documentElement.getBoundingClientRect().width") == 505
