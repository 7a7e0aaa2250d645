"""The `fastscore` command.

Exit codes: 0 good, 1 something was found (a bad play, a finding), 2 bad input (a position, a file, an option), 130
interrupted, 141 the reader of the output went away. Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO, TypeVar

import click

from fastscore import __version__
from fastscore.commands.output import warn
from fastscore.errors import FastscoreError, quote

__all__ = ["commands", "main"]

BAD_INPUT = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells count."""
READER_GONE = 141
"""128 + SIGPIPE, as shells count."""
_LONGEST_PATH = 500

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _output_option(*formats: str) -> Callable[[_Command], _Command]:
    return click.option(
        "--format", "output", type=click.Choice(formats), default=formats[0], show_default=True, help="How to write it."
    )


_rules_option = click.option(
    "--rules", "rules_name", metavar="NAME", help="A ruleset, or a file of one; else the position or record says which."
)


_record_rules_option = click.option(
    "--rules", "rules_name", metavar="NAME", help="A ruleset, or a file of one; else the record says which."
)


_lexicon_option = click.option(
    "--lexicon", metavar="FILE", help="The good words: a .kwg word graph, or a text with a word a line; else any word."
)


_force_option = click.option(
    "--force", is_flag=True, help="Replace whatever file is there already, but never one that is read."
)


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fastscore", message="%(prog)s %(version)s")
def commands() -> None:
    """Score plays of crossword games: main word, cross words, premiums, bingo.

    POSITION is a CGP line in quotes, a file that holds one, or a turn of a record: game.gcg:14 is the position before
    the 14th placement, exchange or pass (one more than the game has: after the last), games.gcgs:3:14 that of the third
    game of a file. PLAYS are texts such as "8H QUIZ" (across) or
    "H8 QU.Z" (down) in quotes, files with a play a line, or - for standard input.

    Exit code: 0 good, 1 a play is bad or a record has findings, 2 bad input.
    """


@commands.command()
@click.argument("position")
@click.argument("plays", nargs=-1)
@_output_option("text", "json", "csv")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N best plays, the best first.")
@click.option("--explain", is_flag=True, help="Show every word, tile and premium square of each play.")
@click.option("--out", metavar="FILE", help="For POSITION as .npz, .parquet or .csv: where the scores go.")
@click.option("--chunk", type=click.IntRange(1, 1 << 30), metavar="N", help="With --out: candidates at a time.")
@_rules_option
def score(
    position: str,
    plays: tuple[str, ...],
    output: str,
    top: int | None,
    explain: bool,
    out: str | None,
    chunk: int | None,
    rules_name: str | None,
) -> int:
    """Score plays on a position, or a file of many positions and plays.

    PLAYS: texts in quotes, files with a play a line, placements as .npz, .parquet or .csv, - or nothing for standard
    input. Bad plays are listed with their reasons; so are plays that the rack of the position does not hold.

    A POSITION that is an .npz, .parquet or .csv with boards and placements is scored in pieces, however large it is;
    scores and statuses go to the file of --out, in the same order.
    """
    from fastscore.commands.inputs import TABLE_ENDINGS
    from fastscore.commands.plays import score_plays

    if position.lower().endswith(TABLE_ENDINGS):
        if plays or top is not None or explain or output != "text":
            raise click.UsageError("a file of positions goes with --out, --chunk and --rules only, and has the plays")
        if out is None:
            raise click.UsageError("a file of positions needs --out FILE, where the scores go")
        from fastscore.commands.streaming import CHUNK, score_file

        return score_file(position, out, rules_name=rules_name, chunk=chunk or CHUNK)
    if out is not None or chunk is not None:
        raise click.UsageError("--out and --chunk go with a file of positions (.npz, .parquet, .csv)")

    if explain and output == "csv":
        raise click.UsageError("--explain goes with --format text or json, not csv")
    return score_plays(position, plays, output=output, top=top, explain=explain, rules_name=rules_name)


@commands.command()
@click.argument("position")
@click.argument("play", nargs=-1, required=True)
@_output_option("text", "json")
@_rules_option
def explain(position: str, play: tuple[str, ...], output: str, rules_name: str | None) -> int:
    """Show why a play scores what it scores.

    Every word with its tiles and premium squares; PLAY needs no quotes here.
    """
    from fastscore.commands.plays import explain_play

    return explain_play(position, " ".join(play), output=output, rules_name=rules_name)


@commands.command()
@click.argument("position")
@click.argument("plays", nargs=-1)
@click.option("--rack", metavar="LETTERS", help='The tiles of the player, "?" = blank; else those of the position.')
@_lexicon_option
@_output_option("text", "json", "csv")
@_rules_option
def check(
    position: str,
    plays: tuple[str, ...],
    rack: str | None,
    lexicon: str | None,
    output: str,
    rules_name: str | None,
) -> int:
    """Show every reason why plays are bad.

    PLAYS as for score; no scores are shown.
    """
    from fastscore.commands.plays import check_plays

    return check_plays(position, plays, rack=rack, lexicon_file=lexicon, output=output, rules_name=rules_name)


@commands.command()
@click.argument("position")
@click.argument("play", nargs=-1)
@click.option("--svg", metavar="FILE", help="Also write a picture, SVG; - writes only that, to standard output.")
@click.option(
    "--theme", type=click.Choice(("light", "dark")), default="light", show_default=True, help="Colours of the picture."
)
@_force_option
@_rules_option
def show(position: str, play: tuple[str, ...], svg: str | None, theme: str, force: bool, rules_name: str | None) -> int:
    """Show a position, coloured on a terminal.

    With PLAY, which needs no quotes here, it is laid on the board, and its score is shown. --svg replaces no file that
    is there already but an earlier picture.
    """
    from fastscore.commands.showing import show_position

    return show_position(position, " ".join(play), svg=svg, theme=theme, force=force, rules_name=rules_name)


@commands.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--bonus", is_flag=True, help="All tiles of the rack were laid: add the bonus for that.")
@_output_option("text", "json", "csv")
@click.option(
    "--rules",
    "rules_name",
    metavar="NAME",
    help="A ruleset, or a file of one, for values, bonus and the longest word; else classic/english.",
)
def word(words: tuple[str, ...], bonus: bool, output: str, rules_name: str | None) -> int:
    """Count words by themselves, without a board.

    Letters of WORDS are upper case, blanks lower case. Behind a letter stand the premiums of its square: 2 or 3 for a
    double or triple letter, :2 or :3 for a double or triple word.

    \b
      CAT        no premium                    5
      C2AT       C on a double letter          8
      C2AT:2     and T on a double word        16
      QUIz3      Z a blank on a triple letter  12
      [CH]ICO    CH one tile, in Spanish and the like

    No dictionary is asked whether there is such a word.
    """  # noqa: D301 (click wants the character itself where lines are to be left as they are)
    from fastscore.commands.calculator import count_words

    return count_words(words, bonus=bonus, output=output, rules_name=rules_name)


@commands.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_output_option("text", "json", "csv")
@click.option("--boards", is_flag=True, help="Show the board after each turn that changes it.")
@click.option("--strict", is_flag=True, help="Refuse departures from the format; ask for a lexicon and an end.")
@click.option(
    "--html",
    metavar="FILE",
    help="Also write the page of the game; further games get numbered files; - writes only the page, of one game.",
)
@_force_option
@_lexicon_option
@_record_rules_option
def replay(
    files: tuple[str, ...],
    output: str,
    boards: bool,
    strict: bool,
    html: str | None,
    force: bool,
    lexicon: str | None,
    rules_name: str | None,
) -> int:
    """Replay game records (GCG), turn by turn.

    Recorded and computed scores, words, running totals, everything that is wrong, and the result slip. A FILE may hold
    many games; - is standard input. JSON is an object a line for each game (the turn of a finding is an index into its
    turns, from 0), CSV a row for each turn (names that a spreadsheet would run as formulas have a ' before them). With
    --lexicon, plays that stand and form a word that is not in it are found as well. --html replaces no files that are
    there already but earlier pages. Notes alone do not make the exit code 1.
    """
    from fastscore.commands.records import replay_files

    if boards and output != "text":
        raise click.UsageError(f"--boards goes with --format text, not {output}")
    return replay_files(
        files,
        output=output,
        rules_name=rules_name,
        strict=strict,
        boards=boards,
        html=html,
        force=force,
        lexicon_file=lexicon,
    )


@commands.command()
@click.argument("file")
@click.option("--out", metavar="FILE", help="Where the copy goes; else FILE with .corrected before its ending.")
@click.option("--force", is_flag=True, help="Replace a file that is there already, but never the record itself.")
@click.option("--comments/--no-comments", default=True, help="Say at each corrected line of the copy what it was.")
@_output_option("text", "json", "csv")
@click.option(
    "--rules",
    "rules_name",
    metavar="NAME",
    help='A ruleset, a file of one, or "auto": the one that explains most scores; else the record says which.',
)
def repair(file: str, out: str | None, force: bool, comments: bool, output: str, rules_name: str | None) -> int:
    """Write a corrected copy of game records (GCG), and say what was changed in it and why.

    Scores, running totals, challenge and end lines are put right as the rules and the rest of the record have it. What
    nobody can know is left and listed. The record itself is never touched. FILE is - for standard input, with --out.

    Exit code: 0 nothing was corrected and nothing is wrong, beyond notes, 1 something was corrected, or is wrong and
    was left, 2 for bad input, where no copy is written.
    """
    from fastscore.commands.repairing import repair_file

    return repair_file(file, out=out, rules_name=rules_name, comments=comments, force=force, output=output)


@commands.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--out", required=True, metavar="FOLDER", help="Where the tables go.")
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes; else one a processor.")
@click.option("--scheduler", metavar="ADDRESS", help="Do the work on a Dask cluster: tcp://host:port.")
@click.option("--column", metavar="NAME", help="Of Parquet files: the column that has the records.")
@_output_option("text", "json")
@_lexicon_option
@click.option(
    "--rules",
    "rules_names",
    multiple=True,
    metavar="[PATH=]NAME",
    help='A ruleset, or a file of one, for all; else each record says which. Of several, and with "auto" of all that '
    "come with fastscore, the one that explains most of a game's scores. With PATH= only for the records of that "
    "source or folder, also one in an archive (old.zip/club); the longest PATH counts. May be repeated.",
)
def audit(
    paths: tuple[str, ...],
    out: str,
    resume: bool,
    workers: int | None,
    scheduler: str | None,
    column: str | None,
    output: str,
    lexicon: str | None,
    rules_names: tuple[str, ...],
) -> int:
    """Read, replay and check many records, into tables.

    PATH: files of records (.gcg, .gcgs), folders with all that is in them, archives (.zip, .tar, .tar.gz, .tar.zst,
    .gz, .zst), a .parquet with a column of records, - for standard input. FOLDER gets Parquet files: games, turns,
    findings, errors, duplicates. Whatever is wrong with a source is a row of errors, and the others go on.

    A lexicon is read for the tiles of the first ruleset of --rules, else the English ones.

    Exit code: 0 nothing found beyond notes, 1 there are findings, 2 something could not be read.
    """
    from fastscore.commands.auditing import audit_files

    return audit_files(
        paths,
        out,
        output=output,
        rules_names=rules_names,
        lexicon_file=lexicon,
        workers=workers,
        scheduler=scheduler,
        resume=resume,
        column=column,
    )


@commands.command()
@click.argument("folder", metavar="DIR")
@_output_option("text", "json", "csv")
@click.option("--plot", metavar="FILE", help="Also draw them: .png, .svg or .pdf.")
@click.option("--games", is_flag=True, help="Every game as well; with csv, a row for each game.")
@click.option("--once", is_flag=True, help="Count games with the same moves once, whoever is said to have played.")
@click.option("--player", "players", multiple=True, metavar="NAME", help="List only this player; may be repeated.")
@click.option(
    "--top", type=click.IntRange(min=0), metavar="N", default=9, show_default=True, help="Players shown as text."
)
@click.option(
    "--rules",
    "rules_names",
    multiple=True,
    metavar="NAME",
    help="Only games replayed by this ruleset, or the one of a file; may be repeated.",
)
def stats(
    folder: str,
    output: str,
    plot: str | None,
    games: bool,
    once: bool,
    players: tuple[str, ...],
    top: int,
    rules_names: tuple[str, ...],
) -> int:
    """Show statistics of an audit's folder DIR, of the collection and of each player.

    Of a play that was taken back nothing counts but the turn. Needs the extra fastscore[records], --plot also
    fastscore[plot].
    """
    from fastscore.commands.counting import show_statistics

    return show_statistics(
        folder, output=output, rules=rules_names, players=players, once=once, games=games, top=top, plot=plot
    )


@commands.command()
@click.argument("name", required=False)
@_output_option("text", "json")
def rules(name: str | None, output: str) -> int:
    """List the rulesets, or show one.

    NAME is a bundled ruleset or a .toml file.
    """
    from fastscore.commands.about import list_rulesets, show_ruleset

    return list_rulesets(output) if name is None else show_ruleset(name, output)


@commands.command()
@_output_option("text", "json")
def info(output: str) -> int:
    """Show versions, cache and threads."""
    from fastscore.commands.about import show_info

    return show_info(output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; `arguments` None = those of the process."""
    # A caller may close them; python has None then.
    sys.stdout, sys.stderr = streams = _whole(sys.stdout or _nowhere()), sys.stderr or _nowhere()
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a letter gets its code, and the command goes on.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = commands.main(arguments, prog_name="fastscore", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx is not None:
            sys.stderr.write(f"{error.ctx.get_usage()}\n")
        warn(_lower_first(error.format_message()))
        return BAD_INPUT
    except FastscoreError as error:
        warn(str(error))
        return BAD_INPUT
    except (BrokenPipeError, SystemExit):
        # click itself exits, with 1, where it sees the pipe break, and leaves other streams in place of these.
        sys.stdout, sys.stderr = streams
        _leave_stdout()
        return READER_GONE
    except OSError as error:
        if error.filename is None:
            # It came from writing: the disk is full, or the like.
            _leave_stdout()
        warn(_of_the_system(error))
        return BAD_INPUT
    return code if isinstance(code, int) else 0


def _lower_first(message: str) -> str:
    """A message of click as the others are: `missing argument 'PATH...'`."""
    return message[:1].lower() + message[1:].rstrip(".")


def _of_the_system(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return reason if error.filename is None else f"{quote(error.filename, _LONGEST_PATH)}: {reason}"


def _whole(stream: TextIO) -> TextIO:
    """The stream, one that writes all or raises: an unbuffered one (PYTHONUNBUFFERED) drops what the system leaves."""
    if not isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        return stream
    return open(stream.fileno(), "w", buffering=1, encoding=stream.encoding, closefd=False)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _leave_stdout() -> None:
    """Let nothing more be written to standard output: python would try, and fail, when it ends."""
    try:
        stdout = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stdout)
    os.close(nowhere)
