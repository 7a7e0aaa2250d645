"""Rules by path: which records are replayed by which ruleset."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path

import pytest

import fastscore as fs
from fastscore.audit.failures import AuditError
from fastscore.audit.ruling import RulesByPath, digest_of, rules_given, rulesets_of
from fastscore.audit.run import run_audit
from fastscore.audit.tables import RecordText, audit_texts, record_texts
from fastscore.cli import main
from tests.audits import SHORT, WRONG, folder_of, rows, tables

ENGLISH = fs.load_rules("classic/english")
FRIENDS = fs.load_rules("words-with-friends")
SPANISH = fs.load_rules("classic/spanish")


def names_of(*pairs: tuple[str, str], rules: dict[str, fs.Ruleset | str]) -> list[str | None]:
    ruled = rules_given(dict(rules))
    assert isinstance(ruled, RulesByPath)
    found = [ruled.of(*pair) for pair in pairs]
    return [each.name if isinstance(each, fs.Ruleset) else None for each in found]


def test_the_longest_path_counts() -> None:
    rules: dict[str, fs.Ruleset | str] = {"games": FRIENDS, "./games//club/": SPANISH, "": "classic/english"}
    assert names_of(
        ("games/a.gcg", ""),
        ("./games/b.gcg", ""),
        ("games/club/a.gcg", ""),
        ("games/clubs/a.gcg", ""),
        ("games", ""),
        ("other.gcg", ""),
        ("/games/a.gcg", ""),
        rules=rules,
    ) == [
        "words-with-friends",
        "words-with-friends",
        "classic/spanish",
        "words-with-friends",
        "words-with-friends",
        "classic/english",
        "classic/english",
    ]


def test_folders_in_archives_and_paths_upwards() -> None:
    assert names_of(
        ("old.zip", "club/a.gcg"),
        ("old.zip", "a.gcg"),
        ("../old/a.gcg", ""),
        ("../../old/a.gcg", ""),
        ("-", ""),
        rules={"old.zip/club": FRIENDS, "../old": SPANISH, "-": ENGLISH},
    ) == ["words-with-friends", None, "classic/spanish", None, "classic/english"]


def test_the_working_folder() -> None:
    assert names_of(("a.gcg", ""), ("x/a.gcg", ""), ("../a.gcg", ""), ("/x", ""), rules={".": FRIENDS}) == [
        "words-with-friends",
        "words-with-friends",
        None,
        None,
    ]


def test_paths_that_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ruled = RulesByPath({"games/club": FRIENDS})
    ruled.check(["games", "x.gcg"])
    ruled.check(["games/club/a.gcg"])
    with pytest.raises(AuditError, match=r"^rules for 'games/club', which is none of the sources and leads to none"):
        ruled.check(["games/other", "club"])
    # In a folder a path has to be there; of an archive nobody knows before it is read.
    monkeypatch.chdir(tmp_path)
    folder_of(tmp_path / "games", 1)
    RulesByPath({"games/game000.gcg": FRIENDS}).check(["games"])
    with pytest.raises(AuditError, match=r"^rules for 'games/clbu/a', which is not there, expected a path in 'games'$"):
        RulesByPath({"games/clbu/a": FRIENDS}).check(["games"])
    (tmp_path / "old.zip").touch()
    RulesByPath({"old.zip/club": FRIENDS}).check(["old.zip"])
    with pytest.raises(AuditError, match=r"two rules for 'games/', expected one"):
        RulesByPath({"games": FRIENDS, "games/": SPANISH})


def test_digests_tell_rules_apart() -> None:
    given = [
        None,
        ENGLISH,
        [ENGLISH, FRIENDS],
        RulesByPath({"a": ENGLISH}),
        RulesByPath({"b": ENGLISH}),
        RulesByPath({"a": [ENGLISH]}),
        RulesByPath({"a": FRIENDS, "": ENGLISH}),
        RulesByPath({"a": ENGLISH, "": FRIENDS}),
    ]
    assert digest_of(None) == "record"
    # One ruleset to choose from is that ruleset.
    assert len({digest_of(each) for each in given}) == len(given) - 1
    assert digest_of(RulesByPath({"a": ENGLISH})) == digest_of(pickle.loads(pickle.dumps(RulesByPath({"a": ENGLISH}))))
    assert [each.name for each in rulesets_of(given[6])] == ["classic/english", "words-with-friends"]


def test_rows_are_those_of_the_rules_alone() -> None:
    texts = [RecordText(source, data) for source in ("a/x", "b/x", "a/y") for data in (SHORT, WRONG)]
    mixed = audit_texts(texts, {"a": FRIENDS, "b": "classic/english"})
    for table in mixed._fields:
        of_friends = getattr(audit_texts(texts, FRIENDS), table).to_pylist()
        of_english = getattr(audit_texts(texts, ENGLISH), table).to_pylist()
        expected = [
            row
            for name in ("a/x", "b/x", "a/y")
            for row in (of_english if name == "b/x" else of_friends)
            if row["source"] == name
        ]
        assert getattr(mixed, table).to_pylist() == expected
    assert mixed.games.column("rules_from").unique().to_pylist() == ["given"]


def test_what_is_not_named_is_as_without() -> None:
    texts = list(record_texts("c.gcg", b"#tile-distribution spanish\n" + SHORT))
    found = audit_texts(texts, {"a": FRIENDS}).games.to_pylist()[0]
    assert (found["rules"], found["rules_from"]) == ("classic/spanish", "record")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder_of(tmp_path / "games", 3)
    with zipfile.ZipFile("old.zip", "w") as archive:
        archive.writestr("club/a.gcg", SHORT)
        archive.writestr("b.gcg", SHORT)
    arguments = ["audit", "games", "old.zip", "--workers", "1", "--format", "json"]
    options = ["--rules", "games=words-with-friends", "--rules", "old.zip/club=auto", "--rules", "classic/english"]
    assert main([*arguments, "-o", "out", *options]) == 1
    found = json.loads(capsys.readouterr().out)
    by_rules = [(each["rules"], each["rules_from"], each["games"]) for each in found["rules"]]
    assert by_rules == [
        ("words-with-friends", "given", 3),
        ("classic/english", "given", 1),
        ("classic/english", "recognised", 1),
    ]
    # The same run goes on, and no other.
    assert main([*arguments, "-o", "out", *options, "--resume"]) == 1
    assert main([*arguments, "-o", "out", *options[:-2], "--resume"]) == 2
    assert main([*arguments, "-o", "new", "--rules", "club=classic/english"]) == 2
    assert "rules for 'club', which is none of the sources" in capsys.readouterr().err
    assert not Path("new").exists()


def test_workers_have_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        folder_of(tmp_path / name, 8)
    rules = {"a": FRIENDS, "b": [FRIENDS, ENGLISH]}
    for workers in (1, 2):
        run_audit(["a", "b"], f"out{workers}", rules=rules, workers=workers, chunk_games=3)
    assert tables(Path("out1")) == tables(Path("out2"))
    assert {row["rules"] for row in rows(Path("out1"), "games") if row["source"].startswith("a")} == {FRIENDS.name}
