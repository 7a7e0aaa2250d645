"""The text of a result slip."""

from __future__ import annotations

from dataclasses import replace

from fastscore.adjustments import EndRack
from fastscore.endings import Ending, EndLine, GameEnd
from fastscore.records.settlement import RecordedEnd, settle
from fastscore.result_slip import result_slip
from fastscore.rules.ruleset import load_rules

CLASSIC = load_rules("classic/english")
OUT = [GameEnd(Ending.PLAYED_OUT, out=player) for player in range(4)]


def slip_lines(text: str) -> list[str]:
    """The lines of a slip with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_slip_without_a_record() -> None:
    racks = [EndRack(0), EndRack(8, "J")]
    result = settle((223, 231), CLASSIC, OUT[0], racks=racks, times={1: 61}, players=["Ann", "Bob"])
    assert result_slip(result.signed(1)) == "\n".join(
        [
            "result slip, rules classic/english",
            "1. Ann",
            "   play                                  223",
            "   tiles of others (J)                   +16",
            "   total                                 239",
            "2. Bob",
            "   play                                  231",
            "   time penalty (61 s over)              -20",
            "   total                                 211",
            "end: played out by Ann",
            "winner: Ann, spread +28",
            "signed: Bob",
        ]
    )


def test_slip_of_a_record_that_lacks_a_line() -> None:
    record = RecordedEnd((10, 18), (10, 12), (EndLine(1, "end_penalty", -6, 6, "ANNZZZ?"),))
    racks = [EndRack(17, "FHIKOPU", derived=True), EndRack(6, "ANNZZZ?")]
    result = settle((10, 18), CLASSIC, GameEnd(Ending.ZERO_TURNS), racks=racks, record=record)
    assert slip_lines(result_slip(result)) == [
        "result slip, rules classic/english",
        "recorded computed",
        "1. player 1",
        "play 10 10",
        "own tiles (FHIKOPU), derived - -17",
        "total 10 -7",
        "2. player 2",
        "play 18 18",
        "own tiles (ANNZZZ?) -6 -6",
        "total 12 12",
        "end: scoreless turns",
        "end lines: incomplete",
        "missing: own tiles (FHIKOPU), derived of player 1, -17",
        "end rack: derived from the distribution",
        "winner: player 2, spread +19",
        "signed: nobody",
    ]


def test_verdicts() -> None:
    nothing = [EndRack(0), EndRack(0)]
    tie = settle((384, 376), replace(CLASSIC, end_adjustment="transfer"), OUT[1], racks=[EndRack(4), EndRack(0)])
    assert "tie: player 1, player 2" in result_slip(tie)
    assert "winner: player 1, spread +0" in result_slip(tie, box_rule=True)
    forfeit = slip_lines(result_slip(settle((300, 500), CLASSIC, OUT[0], racks=nothing, times={1: 600})))
    assert "forfeit: player 2" in forfeit
    assert "winner: player 1, spread -100" in forfeit
    both = settle((300, 500), CLASSIC, OUT[0], racks=nothing, times={0: 600, 1: 600})
    assert "winner: nobody" in result_slip(both)
    unfinished = slip_lines(result_slip(settle((3, 5), CLASSIC, GameEnd(Ending.NOT_ENDED))))
    assert unfinished[-3:] == ["end: not ended", "winner: not decided", "signed: nobody"]
    challenge = result_slip(settle((3, 5), CLASSIC, GameEnd(Ending.CHALLENGE, awarded_to=0)))
    assert "end: decided by a challenge, not played out" in challenge
    assert "winner: player 1, spread -2" in challenge
    three = settle((300, 250, 280), CLASSIC, OUT[0], racks=[EndRack(0)] * 3, players=["A", "B", "C"])
    assert "places: 1. A 300; 2. C 280; 3. B 250" in result_slip(three)


def test_unknown_rack() -> None:
    text = slip_lines(result_slip(settle((40, 30), CLASSIC, GameEnd(Ending.PASSES), racks=[EndRack(6), EndRack(None)])))
    assert "own tiles ?" in text
    assert text[-4:] == ["end: passes", "end rack unknown", "winner: not decided", "signed: nobody"]


def test_what_is_wrong_with_the_end_lines() -> None:
    record = RecordedEnd((393, 515), (393, 529), (EndLine(1, "end_points", 14, 12, "RELATCH"),))
    text = slip_lines(result_slip(settle((393, 515), CLASSIC, OUT[1], record=record)))
    assert "tiles of others (RELATCH) +14 +24" in text
    assert "end lines: the player who went out gets 14, the tiles give 12 or 24" in text


def test_corrections_and_signatures() -> None:
    result = settle((380, 412), CLASSIC, OUT[1], racks=[EndRack(0)] * 2, players=["Ann", "Bob"]).signed(0).signed(1)
    assert result_slip(result).endswith("signed: Ann, Bob; final")
    text = result_slip(result.submit().reversal("the wrong\nway round"))
    assert "corrected (reversal): the wrong way round; before: Ann 380, Bob 412" in text
    assert text.endswith("signed: Ann, Bob; submitted")


def test_names_and_tiles_are_harmless() -> None:
    players = ["\x1b[31mAnn\u202e\x07", "B\r\nob" + "b" * 100]
    racks = [EndRack(0), EndRack(8, "J\x1b[2J\u2066")]
    text = result_slip(settle((1, 2), CLASSIC, OUT[0], racks=racks, players=players).reversal("\x9b2Jturned"))
    assert all(line.isprintable() for line in text.split("\n"))
    lines = text.split("\n")
    assert lines[2] == "1. Ann"
    assert "2. B  ob" + "b" * 52 + "..." in lines
    assert "(J)" in text
