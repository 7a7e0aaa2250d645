from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fastscore.errors import RulesError
from fastscore.rules import (
    Ruleset,
    load_distribution,
    load_layout,
    load_rules,
    read_rules,
    ruleset_names,
)

MINIMAL = 'layout = "standard15"\ndistribution = "english"\n'


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def table(entries: dict[int, int], rest: int = 0) -> tuple[int, ...]:
    return tuple(entries.get(tiles, rest) for tiles in range(16))


class TestBundled:
    @pytest.mark.parametrize("name", ruleset_names())
    def test_every_ruleset_loads(self, name: str) -> None:
        rules = load_rules(name)
        assert rules.name == name
        assert (rules.rows, rules.cols) == rules.layout.word_multiplier.shape
        assert load_rules(name) is rules

    def test_names(self) -> None:
        names = set(ruleset_names())
        assert {"duel", "words-with-friends", "crossplay", "kelimelik", "letter-league", "literaki"} <= names
        assert {"hong-kong", "wordsmog", "super/english", "super/catalan", "super/romanian"} <= names
        languages = "catalan dutch english french german greek korean mandarin norwegian persian pinyin polish romanian"
        languages += " russian slovene spanish swedish turkish tuvan zhuyin"
        assert {f"classic/{language}" for language in languages.split()} <= names
        assert ruleset_names() == sorted(names)

    # layout, letters, rack, bonus by tiles placed
    @pytest.mark.parametrize(
        ("name", "layout", "letters", "rack", "bonus"),
        [
            ("classic/english", "standard15", "english", 7, {7: 50}),
            ("classic/polish", "standard15", "polish", 7, {7: 50}),
            ("super/english", "standard21", "english_super", 7, {7: 50}),
            ("super/catalan", "standard21", "super_catalan", 7, {7: 50}),
            ("duel", "scrabble_duel11", "english", 7, {7: 50}),
            ("words-with-friends", "words_with_friends15", "words_with_friends_english", 7, {7: 35}),
            ("crossplay", "crossplay15", "crossplay_english", 7, {7: 40}),
            ("kelimelik", "kelimelik15", "turkish", 7, {7: 30}),
            ("letter-league", "letter_league27x19", "letter_league_english", 7, {}),
            ("literaki", "literaki15", "polish_literaki", 7, {7: 50}),
            ("hong-kong", "standard15", "hong_kong_english", 9, {9: 50}),
            ("wordsmog", "standard15", "english", 7, {7: 50}),
        ],
    )
    def test_variant(self, name: str, layout: str, letters: str, rack: int, bonus: dict[int, int]) -> None:
        rules = load_rules(name)
        assert rules.layout == load_layout(layout)
        assert rules.letters == load_distribution(letters)
        assert rules.rack_size == rack
        assert rules.bingo_bonus == table(bonus)
        assert rules.bingo_multiplier == table({7: 2} if name == "letter-league" else {}, 1)
        assert rules.anagram_words == (name == "wordsmog")

    def test_federations(self) -> None:
        def endings(name: str) -> tuple[object, ...]:
            rules = load_rules(name)
            return rules.zero_turn_limit, rules.pass_limit, rules.exchange_is_scoreless, rules.exchange_limit

        assert endings("classic/english") == (6, None, True, 7)
        assert endings("classic/spanish") == (12, 4, True, 1)
        assert endings("classic/german") == (None, 4, True, 7)
        assert endings("classic/polish") == (6, 4, False, 7)
        assert endings("hong-kong") == (6, None, True, 9)

    def test_defaults(self) -> None:
        rules = load_rules("classic/english")
        assert (rules.end_adjustment, rules.challenge) == ("double", "double")
        assert (rules.overtime_step, rules.overtime_amount, rules.overtime_limit) == (60, 10, 600)
        assert (rules.end_blank_value, rules.zero_score_is_scoreless) == (None, False)

    @pytest.mark.parametrize(
        ("name", "suggested"),
        [
            ("clasic/english", "classic/english"),
            ("Classic/English", "classic/english"),
            ("words with friends", "words-with-friends"),
            ("super/catalán", "super/catalan"),
        ],
    )
    def test_unknown_name(self, name: str, suggested: str) -> None:
        with pytest.raises(RulesError, match=f"unknown ruleset '{name}', did you mean '{suggested}'"):
            load_rules(name)

    def test_unknown_name_like_no_other(self) -> None:
        with pytest.raises(RulesError, match=r"unknown ruleset 'zzzzz', expected one of classic/catalan, .*\.toml"):
            load_rules("zzzzz")

    def test_loading_one_reads_only_what_it_needs(self) -> None:
        code = (
            "import fastscore.rules as r, sys; r.load_rules('classic/english');"
            "from fastscore.rules import letters, layouts;"
            "print(letters.load_distribution.cache_info().currsize, layouts.load_layout.cache_info().currsize,"
            "'numba' in sys.modules, 'difflib' in sys.modules)"
        )
        root = Path(__file__).resolve().parents[1]
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
        assert done.stdout.split() == ["1", "1", "False", "False"]


class TestRuleset:
    def test_default_tables(self) -> None:
        rules = replace(load_rules("classic/english"), rack_size=9, bingo_bonus=())
        assert rules.bingo_bonus == table({9: 50})
        assert rules.bingo_multiplier == (1,) * 16

    def test_equal_by_value(self) -> None:
        rules = load_rules("classic/english")
        copy = pickle.loads(pickle.dumps(rules))
        assert copy == rules
        assert hash(copy) == hash(rules)
        assert replace(rules, rack_size=8) != rules

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"name": ""}, "name: '', expected 1 to 100 printable characters"),
            ({"name": "a\x1b[31m"}, "name: .*expected 1 to 100 printable characters"),
            ({"rack_size": 0}, "rack_size: 0, expected a whole number from 1 to 15"),
            ({"rack_size": 16}, "rack_size: 16, expected a whole number from 1 to 15"),
            ({"rack_size": True}, "rack_size: True, expected a whole number"),
            ({"rack_size": 1.0}, "rack_size: 1.0, expected a whole number"),
            ({"rack_size": None}, "rack_size: None, expected a whole number"),
            ({"zero_turn_limit": 0}, "zero_turn_limit: 0, expected a whole number from 1 to 10000 or none"),
            ({"exchange_limit": -1}, "exchange_limit: -1, expected a whole number from 0 to 10000"),
            ({"overtime_step": 0}, "overtime_step: 0, expected a whole number from 1"),
            ({"overtime_amount": 2.5}, "overtime_amount: 2.5, expected a whole number from 0"),
            ({"end_blank_value": -4}, "end_blank_value: -4, expected a whole number from 0 to 1000000 or none"),
            ({"end_adjustment": "half"}, "end_adjustment: 'half', expected one of double, transfer, standard"),
            ({"challenge": "7pt"}, "challenge: '7pt', expected one of void, single, double, 5pt, 10pt, triple"),
            ({"anagram_words": 1}, "anagram_words: 1, expected true or false"),
            ({"bingo_bonus": (0,) * 8}, "bingo_bonus: 8 entries, expected 16"),
            ({"bingo_bonus": table({0: 1})}, "bingo_bonus: 1 for 0 tiles, expected 0"),
            ({"bingo_bonus": table({7: -50})}, "bingo_bonus: -50 for 7 tiles, expected a whole number from 0"),
            ({"bingo_multiplier": table({1: 2}, 1)}, "bingo_multiplier: 2 for 1 tile, expected 1"),
            ({"bingo_multiplier": table({7: 10}, 1)}, "bingo_multiplier: 10 for 7 tiles, expected a whole .* 1 to 9"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(RulesError, match=message):
            replace(load_rules("classic/english"), **changes)


class TestFiles:
    def test_minimal(self, tmp_path: Path) -> None:
        rules = load_rules(write(tmp_path, MINIMAL))
        assert rules == replace(load_rules("classic/english"), name="mine")
        assert load_rules(str(tmp_path / "mine.toml")) == rules
        (tmp_path / "mine.toml").rename(tmp_path / "mine.TOML")
        assert load_rules(str(tmp_path / "mine.TOML")) == rules
        with pytest.raises(RulesError, match=r"unknown ruleset './noext', .* \(the name of a file ends in \.toml\)"):
            load_rules("./noext")

    def test_every_setting(self, tmp_path: Path) -> None:
        text = """
            name = "house rules"
            layout = "boards/small.txt"
            distribution = "letters.csv"
            rack_size = 8
            bingo = {7 = 40, 8 = 50}
            bingo_multiplier = {8 = 2}
            end_adjustment = "standard"
            zero_turn_limit = "none"
            pass_limit = 4
            exchange_is_scoreless = false
            zero_score_is_scoreless = true
            exchange_limit = 1
            challenge = "5pt"
            overtime_step = 30
            overtime_amount = 5
            overtime_limit = 300
            end_blank_value = 4
            anagram_words = true
        """
        (tmp_path / "boards").mkdir()
        write(tmp_path / "boards", "0, 1\n.-.\n", "small.txt")
        write(tmp_path, "tile,count,value\nA,9,1\n", "letters.csv")
        rules = load_rules(write(tmp_path, text))
        assert rules == Ruleset(
            name="house rules",
            layout=rules.layout,
            letters=rules.letters,
            rack_size=8,
            bingo_bonus=table({7: 40, 8: 50}),
            bingo_multiplier=table({8: 2}, 1),
            end_adjustment="standard",
            zero_turn_limit=None,
            pass_limit=4,
            exchange_is_scoreless=False,
            zero_score_is_scoreless=True,
            exchange_limit=1,
            challenge="5pt",
            overtime_step=30,
            overtime_amount=5,
            overtime_limit=300,
            end_blank_value=4,
            anagram_words=True,
        )
        assert (rules.layout.name, rules.layout.start, rules.cols) == ("small", (0, 1), 3)
        assert rules.letters.tiles == ("?", "A")

    def test_one_bonus_is_for_a_whole_rack(self, tmp_path: Path) -> None:
        rules = read_rules(write(tmp_path, MINIMAL + "rack_size = 9\nbingo = 35\nbingo_multiplier = 2\n"))
        assert rules.bingo_bonus == table({9: 35})
        assert rules.bingo_multiplier == table({9: 2}, 1)

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("", None, "no layout, expected layout = a bundled name or a file"),
            ('layout = "standard15"\n', None, "no distribution, expected distribution ="),
            (MINIMAL + "rack_sise = 8\n", 3, "'rack_sise': unknown setting, did you mean 'rack_size'"),
            (MINIMAL + "[bingos]\n7 = 1\n", 3, "'bingos': unknown setting, did you mean 'bingo'"),
            (MINIMAL + "rack_size = 16\n", 3, "rack_size: 16, expected a whole number from 1 to 15"),
            (MINIMAL + "\nrack_size = true\n", 4, "rack_size: True, expected a whole number"),
            (MINIMAL + "rack_size = 'none'\n", 3, "rack_size: 'none', expected a whole number"),
            (MINIMAL + "rack_size = 0x" + "f" * 9000, 3, "rack_size: a number of more than 12 digits, expected"),
            (MINIMAL + "rack_size = [7]\n", 3, "rack_size: an array, expected a whole number"),
            (MINIMAL + "pass_limit = {a = 1}\n", 3, "pass_limit: a table, expected a whole number .* or none"),
            (MINIMAL + "challenge = ['5pt']\n", 3, "challenge: an array, expected one of void"),
            (MINIMAL + "anagram_words = 'yes'\n", 3, "anagram_words: 'yes', expected true or false"),
            (MINIMAL + "bingo = -1\n", 3, "bingo: -1, expected a whole number from 0 to 1000000, or a table"),
            (MINIMAL + "bingo = 'fifty'\n", 3, "bingo: 'fifty', expected a whole number .* or a table by tiles placed"),
            (MINIMAL + "bingo = {7 = -1}\n", 3, "bingo: -1 for 7 tiles, expected a whole number from 0"),
            (MINIMAL + "bingo = {8 = 50}\n", 3, r"bingo: '8' tiles placed, expected 1 to 7 \(the rack size\)"),
            (MINIMAL + "bingo = {0 = 50}\n", 3, "bingo: '0' tiles placed, expected 1 to 7"),
            (MINIMAL + "bingo.seven = 50\n", 3, "bingo: 'seven' tiles placed, expected 1 to 7"),
            (MINIMAL + "bingo_multiplier = {1 = 2}\n", 3, "bingo_multiplier: 2 for 1 tile, expected 1"),
            (MINIMAL + "[bingo_multiplier]\n7 = 10\n", 3, "bingo_multiplier: 10 for 7 tiles, expected .* 1 to 9"),
            (MINIMAL + 'name = "\\u001b[31m"\n', 3, "name: .*expected 1 to 100 printable"),
            ("layout = 15\n" + MINIMAL.splitlines()[1], 1, "layout: 15, expected a text"),
            ('layout = "standart15"\ndistribution = "english"', 1, "layout: 'standart15' is no file .*'standard15'"),
            ('layout = "standard15"\ndistribution = "englsh"', 2, "distribution: 'englsh' is no file .*'english'"),
            ("layout = \n", 1, "malformed TOML: invalid value"),
            ('layout = "a"\nlayout = "b"\n', 2, "malformed TOML: cannot overwrite a value"),
            ("rack_size = " + "9" * 9000, None, "malformed TOML: number of too many digits"),
            ("a = " + "[" * 100_000, None, "malformed TOML: nested too deeply"),
            (MINIMAL + "a" + ".a" * 100_000 + " = 1", 3, "more than 50 dots"),
        ],
    )
    def test_refused(self, tmp_path: Path, text: str, line: int | None, message: str) -> None:
        path = write(tmp_path, text)
        with pytest.raises(RulesError, match=message) as caught:
            load_rules(path)
        assert caught.value.source == str(path)
        assert caught.value.line == line

    def test_faults_of_named_files_name_that_file(self, tmp_path: Path) -> None:
        board = write(tmp_path, "0, 0\n.x\n", "board.txt")
        path = write(tmp_path, 'layout = "board.txt"\ndistribution = "english"\n')
        with pytest.raises(RulesError, match="unknown premium symbol 'x'") as caught:
            load_rules(path)
        assert (caught.value.source, caught.value.line, caught.value.column) == (str(board), 2, 2)

    @pytest.mark.parametrize(
        "name",
        [
            "/etc/hostname",
            "../board.txt",
            "boards/../../board.txt",
            "C:\\\\board.txt",
            "\\\\\\\\host\\\\board",
            "..\\\\x",
        ],
    )
    @pytest.mark.parametrize("key", ["layout", "distribution"])
    def test_no_file_outside_of_the_folder(self, tmp_path: Path, key: str, name: str) -> None:
        folder = tmp_path / "inner"
        folder.mkdir()
        write(tmp_path, "0, 0\n..\n", "board.txt")
        other = 'distribution = "english"' if key == "layout" else 'layout = "standard15"'
        with pytest.raises(RulesError, match=f"{key}: .* leads out of the folder"):
            load_rules(write(folder, f'{key} = "{name}"\n{other}\n'))

    @pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="links need rights there")
    def test_no_link_outside_of_the_folder(self, tmp_path: Path) -> None:
        folder = tmp_path / "inner"
        folder.mkdir()
        (folder / "board.txt").symlink_to(write(tmp_path, "0, 0\n..\n", "board.txt"))
        path = write(folder, 'layout = "board.txt"\ndistribution = "english"\n')
        with pytest.raises(RulesError, match=r"layout: 'board\.txt' leads out of the folder"):
            load_rules(path)

    @pytest.mark.parametrize("name", ["", "boards", "a\\u0000b", "a" * 5000])
    def test_what_is_no_file(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "boards").mkdir()
        path = write(tmp_path, f'layout = "{name}"\ndistribution = "english"\n')
        with pytest.raises(RulesError, match="layout: "):
            load_rules(path)

    def test_too_large(self, tmp_path: Path) -> None:
        with pytest.raises(RulesError, match="is larger than 1000000 bytes"):
            load_rules(write(tmp_path, "#" * 1_000_001))

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(RulesError, match="cannot be read: no such file") as caught:
            load_rules(tmp_path / "none.toml")
        assert caught.value.source == str(tmp_path / "none.toml")
