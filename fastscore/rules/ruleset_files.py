"""Rulesets from TOML: the bundled ones, and files of the user, which may come from strangers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from fastscore.errors import RulesError, quote
from fastscore.rules.layouts import BoardLayout, layout_names, load_layout, read_layout
from fastscore.rules.letters import LetterDistribution, distribution_names, load_distribution, read_distribution
from fastscore.rules.ruleset import OPTIONAL, SETTINGS, TABLES, Ruleset, check_setting, table_by_tiles
from fastscore.rules.sources import bundled_text, described, display_name, is_whole, name_of, nearest, read_text
from fastscore.sanitise import printable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["bundled_rules", "bundled_settings", "read_rules"]

_TABLES = {"bingo": "bingo_bonus", "bingo_multiplier": "bingo_multiplier"}
# Key of a file and the field that it fills.
_KEYS = ("name", "layout", "distribution", *_TABLES, *SETTINGS)
_NONE = "none"
# TOML has no null.
_MOST_DOTS = 50


def read_rules(path: str | os.PathLike[str]) -> Ruleset:
    """The ruleset of a TOML file.

    `layout` and `distribution` name a bundled one or a file, relative to the TOML file and not outside its folder; the
    other keys are `name`, `bingo` (points by tiles placed, or points for a whole rack), `bingo_multiplier` and the
    settings of Ruleset, where "none" is no limit. Raises RulesError.
    """
    shown = display_name(path)
    text = read_text(path)
    settings = _parse_toml(text, shown)
    try:
        return _ruleset(settings, name_of(path), Path(path).parent)
    except RulesError as error:
        if error.source is not None:
            raise
        raise RulesError(error.detail, source=shown, line=_line_of(error.detail, text)) from None


def _line_of(detail: str, text: str) -> int | None:
    """Line of the key that a message begins with; the TOML parser keeps no places."""
    key = re.match(r"'?([\w-]{1,40})'?:", detail)
    if key is None:
        return None
    word = rf"[\"']?{key[1]}[\"']?"
    found = re.search(rf"^[ \t]*(?:{word}[ \t]*[=.]|\[{word}\])", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _parse_toml(text: str, source: str) -> dict[str, Any]:
    for number, line in enumerate(text.split("\n"), 1):
        # The memory that the parser takes grows with the square of the parts of a dotted key.
        if line.count(".") > _MOST_DOTS:
            raise RulesError(f"more than {_MOST_DOTS} dots, expected no such line", source=source, line=number)
    try:
        settings: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise RulesError("malformed TOML: nested too deeply", source=source) from None
    except ValueError as error:
        # TOMLDecodeError is one. The only plain one is for a number of thousands of digits.
        decoding = isinstance(error, tomllib.TOMLDecodeError)
        message = printable(str(error))[:200] if decoding else "number of too many digits"
        place = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        at = [int(part) if part else None for part in place.groups()] if place else [None, None]
        message = message[: place.start()] if place else message
        detail = f"malformed TOML: {message[:1].lower()}{message[1:]}"
        raise RulesError(detail, source=source, line=at[0], column=at[1]) from None
    return settings


def _ruleset(settings: Mapping[str, Any], name: str, folder: Path | None) -> Ruleset:
    """The ruleset of the settings; files are looked for in `folder`, and nowhere if it is None."""
    for key in settings:
        if key not in _KEYS:
            raise RulesError(f"{quote(key)}: unknown setting, {nearest(key, _KEYS)}")
    for key in ("layout", "distribution"):
        if key not in settings:
            raise RulesError(f"no {key}, expected {key} = a bundled name or a file")
    for key in ("name", "layout", "distribution"):
        if not isinstance(settings.get(key, ""), str):
            raise RulesError(f"{key}: {described(settings[key])}, expected a text")
    values: dict[str, Any] = {}
    for key in SETTINGS:
        if key in settings:
            value = settings[key]
            values[key] = None if value == _NONE and key in OPTIONAL else value
            check_setting(key, values[key])
    rack_size = values.get("rack_size", Ruleset.rack_size)
    for key, field in _TABLES.items():
        if key in settings:
            values[field] = table_by_tiles(_entries(key, settings[key], rack_size), TABLES[field][2])
    return Ruleset(
        settings.get("name", name),
        _layout(settings["layout"], folder),
        _letters(settings["distribution"], folder),
        **values,
    )


def _entries(key: str, value: object, rack_size: int) -> dict[int, int]:
    """Entries of a table by tiles placed; a number alone is the entry of a whole rack."""
    least, most, _ = TABLES[_TABLES[key]]
    given = value if isinstance(value, dict) else {str(rack_size): value}
    entries: dict[int, int] = {}
    for tiles, entry in given.items():
        if not re.fullmatch("[1-9][0-9]?", tiles) or int(tiles) > rack_size:
            raise RulesError(f"{key}: {quote(tiles)} tiles placed, expected 1 to {rack_size} (the rack size)")
        if not is_whole(entry) or not least <= entry <= most:
            where = f" for {tiles} {'tile' if tiles == '1' else 'tiles'}" if given is value else ""
            form = "" if given is value else f", or a table by tiles placed such as {{{rack_size} = {most}}}"
            raise RulesError(f"{key}: {described(entry)}{where}, expected a whole number from {least} to {most}{form}")
        entries[int(tiles)] = entry
    return entries


def _layout(name: str, folder: Path | None) -> BoardLayout:
    file = _file("layout", name, folder, layout_names())
    return load_layout(name) if file is None else read_layout(file)


def _letters(name: str, folder: Path | None) -> LetterDistribution:
    file = _file("distribution", name, folder, distribution_names())
    return load_distribution(name) if file is None else read_distribution(file)


def _file(key: str, name: str, folder: Path | None, bundled: list[str]) -> Path | None:
    """The file that a name means, None for the name of a bundled one.

    A ruleset file may come from a stranger: it must not make this program open, or quote in a message, a file
    elsewhere, nor wait for a device or pipe.
    """
    if folder is None or name in bundled:
        return None
    if not name or not name.isprintable():
        raise RulesError(f"{key}: {quote(name)}, expected a bundled name or a file name")
    for kind in (PurePosixPath(name), PureWindowsPath(name)):
        if kind.is_absolute() or kind.anchor or ".." in kind.parts:
            raise RulesError(f"{key}: {quote(name)} leads out of the folder, expected a file in the ruleset's folder")
    file = folder / name
    try:
        found = file.is_file()
        inside = file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        found = inside = False  # too long a name, or a circle of links
    if not found:
        raise RulesError(
            f"{key}: {quote(name)} is no file in the ruleset's folder and no bundled name, {nearest(name, bundled)}"
        )
    if not inside:
        raise RulesError(f"{key}: {quote(name)} leads out of the folder, expected a file in the ruleset's folder")
    return file


@cache
def bundled_settings() -> dict[str, dict[str, Any]]:
    """Settings of every bundled ruleset by name.

    In the data file a table with `languages` stands for one ruleset for each, `table/language`, with the settings of
    that language's federation, if any, where the table does not say otherwise.
    """
    source = "rulesets.toml"
    tables = _parse_toml(bundled_text(source), source)
    federations = tables.pop("federation")
    found = {}
    for name, table in tables.items():
        languages = table.pop("languages", None)
        if languages is None:
            found[name] = table
            continue
        for language, distribution in languages.items():
            federation = federations.get(language, {})
            found[f"{name}/{language}"] = {**federation, **table, "distribution": distribution}
    return found


@cache
def bundled_rules(name: str) -> Ruleset:
    """A bundled ruleset by its name. Raises RulesError for an unknown name, with the nearest known one."""
    settings = bundled_settings().get(name)
    if settings is None:
        known = bundled_settings()
        raise RulesError(f"unknown ruleset {quote(name)}, {nearest(name, known)} (the name of a file ends in .toml)")
    return _ruleset(settings, name, None)
