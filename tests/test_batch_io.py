"""Candidates in files and tables: they come back as they were, whatever wrote them, and there is no half file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastscore as fs
from fastscore import batch_io, form_kernels
from fastscore.batch_io import (
    Candidates,
    CandidateWriter,
    ScoreWriter,
    csv_files,
    from_arrow,
    npz_files,
    to_arrow,
    words_to_arrow,
)
from fastscore.commands import inputs
from tests.candidate_files import FORMS, PLACEMENT, arrays, assert_same, make_folder, saved, some

CLASSIC = fs.load_rules("classic/english")
COMPILED = hasattr(form_kernels.compact_from_word_form, "signatures")
DATA = Path(__file__).parent / "data" / "legal_plays.npz"


# --- what is written comes back ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [0, 1, 60])
def test_round_trip(tmp_path: Path, form: str, n: int) -> None:
    wanted = some(n)
    path = tmp_path / f"some.{form}"
    fs.write_candidates(path, wanted)
    found = fs.read_candidates(path)
    assert os.listdir(tmp_path) == [path.name]
    if n == 0 and form != "npz":
        # A table without rows has no boards.
        assert len(found) == 0
        return
    assert_same(found, wanted, numbers=n != 1)
    assert found.rules == (None if form == "csv" else "classic/english")


@pytest.mark.parametrize("form", FORMS)
def test_rows_without_a_board(tmp_path: Path, form: str) -> None:
    whole = some(9)
    position = np.array([0, 0, -1, 1, 3, 1, 2, 2, 1000])
    batch = fs.PlacementBatch(position=position, **{name: getattr(whole.batch, name) for name in PLACEMENT[1:]})
    path = tmp_path / f"some.{form}"
    fs.write_candidates(path, Candidates(batch, whole.boards, whole.racks))
    found = fs.read_candidates(path)
    assert found.boards is not None
    none = (position < 0) | (position > 2)
    assert np.array_equal((found.batch.position < 0) | (found.batch.position >= len(found.boards)), none)
    assert whole.boards is not None
    assert np.array_equal(found.boards[found.batch.position[~none]], whole.boards[position[~none]])


@pytest.mark.parametrize("form", FORMS)
def test_placements_alone(tmp_path: Path, form: str) -> None:
    wanted = Candidates(some(20).batch)
    path = tmp_path / f"some.{form}"
    fs.write_candidates(path, wanted)
    assert_same(fs.read_candidates(path), wanted)


def test_arrow_round_trip() -> None:
    for wanted in (some(60), some(60, rack=False, score=False), some(1), Candidates(some(5).batch)):
        assert_same(from_arrow(to_arrow(wanted)), wanted)
    assert len(from_arrow(to_arrow(some(0)))) == 0
    # Boards that no row names keep their numbers too.
    table = to_arrow(some(60))
    assert from_arrow(table.slice(50)).batch.position.tolist() == some(60).batch.position[50:].tolist()
    assert table.schema.field("board").type == pa.dictionary(pa.int32(), pa.binary())
    assert table.schema.field("tiles").type == pa.binary(7)


@pytest.mark.parametrize("form", FORMS)
def test_pieces_are_the_whole(tmp_path: Path, form: str) -> None:
    wanted = some(60)
    path = tmp_path / f"some.{form}"
    fs.write_candidates(path, wanted)
    with fs.open_candidates(path) as reader:
        assert reader.rows == (None if form == "csv" else 60)
        assert reader.has_boards
        parts = list(reader.chunks(7))
    assert [(part.first, len(part)) for part in parts] == [(first, min(7, 60 - first)) for first in range(0, 60, 7)]
    for part in parts:
        rows = slice(part.first, part.first + len(part))
        assert wanted.score is not None
        assert_same(
            part, Candidates(wanted.batch[rows], wanted.boards, wanted.racks, wanted.score[rows]), numbers=False
        )


@pytest.mark.parametrize("form", FORMS)
def test_written_in_pieces(tmp_path: Path, form: str) -> None:
    first, second = some(60), some(30)
    path = tmp_path / f"some.{form}"
    with CandidateWriter(path) as writer:
        writer.append(first)
        writer.append(second)
    found = fs.read_candidates(path)
    wanted = batch_io.joined([first, second])
    assert_same(found, wanted, numbers=False)
    if form == "npz":
        # The second three boards follow the first three.
        assert found.batch.position.tolist() == [*first.batch.position, *(3 + second.batch.position)]


def test_all_legal_plays(tmp_path: Path) -> None:
    """The file of legal plays, in the word form, with scores: read, written in our form, read again."""
    source = DATA
    with np.load(DATA) as file:
        data = {name: file[name] for name in file.files}
    if not COMPILED:
        source = tmp_path / "first.npz"
        data = {name: array if name in ("boards", "racks") else array[:2000] for name, array in data.items()}
        np.savez(source, **data)
    plays = fs.read_candidates(source, CLASSIC)
    assert len(plays) == (456_193 if COMPILED else 2000)
    assert not plays.batch.flagged
    assert np.array_equal(plays.batch.position, data["position"])
    # The tiles of the word form without its zeros are those that are laid.
    assert np.array_equal(plays.batch.tiles[plays.batch.tiles != 0], data["tiles"][data["tiles"] != 0])
    assert np.array_equal(plays.score, data["score"])
    for form in ("npz", "parquet"):
        path = tmp_path / f"plays.{form}"
        fs.write_candidates(path, plays)
        assert_same(fs.read_candidates(path), plays, numbers=form == "npz")
    assert (tmp_path / "plays.parquet").stat().st_size < 3_000_000
    table = pq.read_table(tmp_path / "plays.parquet")
    assert table["score"].to_numpy().tolist() == plays.score.tolist()  # type: ignore[union-attr]


def test_compressed(tmp_path: Path) -> None:
    wanted = some(3000)
    for compress in (False, True):
        fs.write_candidates(tmp_path / f"{compress}.npz", wanted, compress=compress)
        assert_same(fs.read_candidates(tmp_path / f"{compress}.npz"), wanted)
    assert (tmp_path / "True.npz").stat().st_size < (tmp_path / "False.npz").stat().st_size
    # numpy reads what is written here.
    with np.load(tmp_path / "True.npz", allow_pickle=False) as file:
        assert np.array_equal(file["tiles"], wanted.batch.tiles)
        assert str(file["rules"]) == "classic/english"


def test_equal_candidates_make_equal_files(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        fs.write_candidates(tmp_path / name, some(10))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_words_as_an_arrow_table() -> None:
    board = fs.Board(CLASSIC).play("8F EnERGID").play("F3 IPOMO.A").play("K5 HAB.TUdE")
    batch = fs.PlacementBatch.parse(["J6 HA.", "15A Q"], board)
    table = words_to_arrow(fs.formed_words_batch(board, batch))
    # H and A are tiles 8 and 1, B and G 2 and 7. The lone Q forms no word.
    assert table.to_pylist() == [
        {
            "words": [
                {"tiles": [8, 1, 7], "row": 5, "col": 9, "direction": 1, "main": True},
                {"tiles": [8, 1], "row": 5, "col": 9, "direction": 0, "main": False},
                {"tiles": [1, 2], "row": 6, "col": 9, "direction": 0, "main": False},
            ]
        },
        {"words": []},
    ]


def test_scores_of_each_form(tmp_path: Path) -> None:
    score, status = np.array([7, -1, 2**31 - 1], np.int32), np.array([0, 1, 2**32 - 1], np.uint32)
    for form in FORMS:
        with ScoreWriter(tmp_path / f"s.{form}") as writer:
            writer.append(score[:1], status[:1])
            writer.append(score[1:], status[1:])
    with np.load(tmp_path / "s.npz") as file:
        assert {name: file[name].tolist() for name in file.files} == {
            "score": score.tolist(),
            "status": status.tolist(),
        }
    assert pq.read_table(tmp_path / "s.parquet").to_pydict() == {"score": score.tolist(), "status": status.tolist()}
    assert (tmp_path / "s.csv").read_text() == "score,status\n7,0\n-1,1\n2147483647,4294967295\n"


# --- other kinds of arrays and columns --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["<i8", ">i4", "<u2", "i1"])
def test_arrays_of_other_integers(tmp_path: Path, dtype: str) -> None:
    found = fs.read_candidates(saved(tmp_path, **{name: array.astype(dtype) for name, array in arrays().items()}))
    assert fs.score_batch(found.boards, found.batch, CLASSIC).tolist() == [8, 14]  # (1 + 3) x 2, (3 + 1 + 3) x 2


def test_one_board_needs_no_position(tmp_path: Path) -> None:
    found = fs.read_candidates(saved(tmp_path, position=None, boards=np.zeros((15, 15), np.uint8)))
    assert found.boards is not None
    assert found.boards.shape == (1, 15, 15)
    assert found.batch.position.tolist() == [0, 0]


def test_values_out_of_range_are_bad_placements(tmp_path: Path) -> None:
    found = fs.read_candidates(saved(tmp_path, row=np.array([7, 263]), position=np.array([0, 2**40])))
    assert found.batch.row.tolist() == [7, 255]
    assert found.batch.position.tolist() == [0, -1]
    status = fs.check_batch(found.boards, found.batch, CLASSIC)
    assert status.tolist() == [0, fs.Status.BAD_ROW | fs.Status.BAD_POSITION]


def test_word_form(tmp_path: Path) -> None:
    board = fs.Board(CLASSIC).play("8H CAB")
    # CABS from H8: the first three lie there.
    word = {
        "boards": board.tiles[None],
        "row": [7, 7],
        "col": [7, 7],
        "length": np.array([4, 4]),
        "tiles": [[0, 0, 0, 19], [3, 1, 3, 19]],
        "status": np.array([0, int(fs.Status.NOT_IN_LINE)]),
    }
    found = fs.read_candidates(saved(tmp_path, **{name: np.array(array) for name, array in word.items()}), CLASSIC)
    assert found.batch[0] == fs.Placement(7, 10, 0, (19,))
    # C A C S differs in the third letter; what stands in the file is added.
    assert found.batch.status.tolist() == [0, fs.Status.THROUGH_DIFFERS | fs.Status.NOT_IN_LINE]


@pytest.mark.parametrize(
    "kind",
    [pa.binary(), pa.large_binary(), pa.list_(pa.uint8()), pa.list_(pa.int64()), pa.large_list(pa.int16()), "fixed"],
    ids=str,
)
@pytest.mark.parametrize("in_a_file", [False, True])
def test_columns_of_codes_in_other_types(tmp_path: Path, kind: Any, in_a_file: bool) -> None:
    wanted = some(40)
    table = to_arrow(wanted)
    for name in ("tiles", "board", "rack"):
        rows = [bytes(row) for row in table[name].to_pylist()]
        if kind == "fixed":
            column = pa.array([list(row) for row in rows], pa.list_(pa.uint8(), len(rows[0])))
        elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            column = pa.array(rows, kind)
        else:
            column = pa.array([list(row) for row in rows], kind)
        table = table.set_column(table.schema.get_field_index(name), name, column)
    if in_a_file:
        pq.write_table(table, tmp_path / "some.parquet", row_group_size=15)
        found = fs.read_candidates(tmp_path / "some.parquet")
    else:
        found = from_arrow(table)
    assert_same(found, wanted, numbers=False)


def test_shorter_rows_of_tiles_are_filled_up() -> None:
    rows = {"row": [7, 7], "col": [7, 7], "direction": [0, 0], "tiles": [[1, 2], [3, 1, 2, 300]]}
    found = from_arrow(pa.table(rows))
    # 300 is no tile code, nor is what it becomes.
    assert found.batch.tiles.tolist() == [[1, 2, 0, 0], [3, 1, 2, 127]]
    as_bytes = from_arrow(pa.table({**rows, "tiles": [b"\1\2", b""]}))
    assert as_bytes.batch.tiles.tolist() == [[1, 2], [0, 0]]


def test_boards_that_are_no_squares_need_rules_or_metadata() -> None:
    rows = {"row": [0], "col": [0], "direction": [0], "tiles": [b"\1\2"], "board": [bytes(6)]}
    with pytest.raises(fs.TableError, match="'board': 6 squares, expected those of 2 rows and 2 columns"):
        from_arrow(pa.table(rows))
    sized = pa.table(rows, metadata={"fastscore.rows": "2", "fastscore.cols": "3"})
    assert from_arrow(sized).boards.shape == (1, 2, 3)  # type: ignore[union-attr]
    with pytest.raises(fs.TableError, match="6 squares, expected those of 15 rows"):
        from_arrow(pa.table(rows), CLASSIC)


def test_the_same_board_with_two_racks() -> None:
    rows = {"row": [0, 0, 0], "col": [0, 0, 0], "direction": [0, 0, 0], "tiles": [b"\1"] * 3}
    sheets = {"board": [bytes(4), bytes(4), b"\1\0\0\0"], "rack": [b"\1\2", b"\2\1", b"\1\2"]}
    found = from_arrow(pa.table({**rows, **sheets}))
    assert found.boards is not None
    assert found.racks is not None
    assert [bytes(found.boards[at].ravel()) for at in found.batch.position] == sheets["board"]
    assert [bytes(found.racks[at]) for at in found.batch.position] == sheets["rack"]


def test_csv_that_a_person_wrote(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(b"\xef\xbb\xbftiles, row,note,col,direction\r\n0102,7,AB,7,0\r\n\r\n9101,7,,8,1\r\n")
    found = fs.read_candidates(path)
    assert list(found.batch) == [fs.Placement(7, 7, 0, (1, 2)), fs.Placement(7, 8, 1, (0x91, 1))]


def test_plays_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "plays.csv"
    path.write_text('play,score\n8H QUIZ,44\n\n"8H (QU)IZ",1\n', encoding="utf-8")
    assert batch_io.read_play_texts(path) == [(2, "8H QUIZ"), (4, "8H (QU)IZ")]
    with pytest.raises(fs.TableError, match="'play': texts, expected placements as numbers"):
        fs.read_candidates(path)
    other = tmp_path / "other.csv"
    fs.write_candidates(other, some(3))
    assert batch_io.read_play_texts(other) is None
    assert batch_io.read_play_texts(tmp_path / "nothing.npz") is None


def test_endings_are_those_of_the_commands() -> None:
    assert batch_io.SUFFIXES == inputs.TABLE_ENDINGS


# --- boards that do not fit into memory -------------------------------------------------------------------------------


def test_boards_in_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz_files, "_SMALL", 0)
    rng = np.random.default_rng(5)
    n, boards = 200, rng.integers(0, 27, (100, 15, 15)).astype(np.uint8)
    racks = rng.integers(0, 3, (100, 27)).astype(np.uint8)
    # Ascending but for near neighbours; some boards are never named, some rows name none.
    position = np.clip(np.sort(rng.integers(0, 80, n)), 3, None)
    position[::17] = [-1, 100, 2**31 - 1, -5] * 3
    batch = fs.PlacementBatch(
        position=position, row=np.arange(n), col=np.zeros(n, int), direction=0, tiles=np.ones((n, 7), int)
    )
    path = tmp_path / "some.npz"
    fs.write_candidates(path, Candidates(batch, boards, racks))
    for size in (1, 9, 64, 1000):
        with fs.open_candidates(path) as reader:
            parts = list(reader.chunks(size))
        for part in parts:
            assert part.boards is not None
            assert part.racks is not None
            real = position[part.first : part.first + len(part)]
            good = (real >= 0) & (real < 100)
            assert np.array_equal(part.batch.position >= 0, good)
            assert np.array_equal(part.boards[part.batch.position[good]], boards[real[good]])
            assert np.array_equal(part.racks[part.batch.position[good]], racks[real[good]])
        assert sum(map(len, parts)) == n
        if size == 9:
            assert max(len(part.boards) for part in parts if part.boards is not None) < 30


@pytest.mark.parametrize(
    ("position", "span"), [([50, 2], 1 << 20), ([0, 99], 20_000)], ids=["backwards", "too many at once"]
)
def test_boards_in_a_window_have_to_ascend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: list[int], span: int
) -> None:
    path = saved(tmp_path, boards=np.zeros((100, 15, 15), np.uint8), position=np.array(position))
    monkeypatch.setattr(npz_files, "_SMALL", 0)
    monkeypatch.setattr(npz_files, "_SPAN", span)
    with (
        fs.open_candidates(path) as reader,
        pytest.raises(fs.TableError, match=r"'boards': 100 rows .* expected `position` in ascending order"),
    ):
        list(reader.chunks(1 if position[0] else 2))


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reason", [KeyboardInterrupt, ValueError])
def test_no_half_file(tmp_path: Path, form: str, reason: type[BaseException]) -> None:
    path = tmp_path / f"s.{form}"
    path.write_text("what was there")

    def fail() -> None:
        with ScoreWriter(path) as writer:
            writer.append(np.zeros(5, np.int32), np.zeros(5, np.uint32))
            raise reason

    with pytest.raises(reason):
        fail()
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() == "what was there"


@pytest.mark.parametrize("form", FORMS)
def test_nothing_to_write(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"s.{form}"
    with ScoreWriter(path) as writer:
        writer.append(np.zeros(0, np.int32), np.zeros(0, np.uint32))
    assert path.stat().st_size > 0
    path.unlink()
    with pytest.raises(fs.TableError, match="not one piece was added"), ScoreWriter(path):
        pass
    assert os.listdir(tmp_path) == []


def test_rows_of_other_columns(tmp_path: Path) -> None:
    wide = fs.PlacementBatch(row=[0], col=[0], direction=0, tiles=np.ones((1, 9), int))
    for form in FORMS:
        with CandidateWriter(tmp_path / f"some.{form}") as writer:
            writer.append(some(3, score=form == "npz"))
            other = Candidates(wide, some(3).boards, some(3).racks, np.zeros(1, np.int32))
            with pytest.raises(fs.TableError, match="after"):
                writer.append(other)
        assert len(fs.read_candidates(tmp_path / f"some.{form}")) == 3


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(fs.TableError, match="there is no folder"):
        fs.write_candidates(tmp_path / "nowhere" / "some.npz", some(3))
    with pytest.raises(fs.TableError, match="is no regular file"):
        fs.write_candidates(make_folder(tmp_path / "folder.npz"), some(3))
    (tmp_path / "link.npz").symlink_to(tmp_path / "real.npz")
    (tmp_path / "real.npz").write_bytes(b"")
    fs.write_candidates(tmp_path / "link.npz", some(3))
    # The file behind the link is replaced, not the link.
    assert (tmp_path / "link.npz").is_symlink()
    assert len(fs.read_candidates(tmp_path / "real.npz")) == 3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"boards": np.zeros((15, 15), np.uint8)}, "boards are uint8 of shape"),
        ({"racks": np.zeros((3, 27))}, "racks are float64"),
        ({"racks": np.zeros((2, 27), np.uint8)}, "2 racks and 3 boards"),
        ({"score": np.zeros(3)}, "score is float64"),
        ({"score": np.zeros(2, np.int32)}, "score is int32 of shape"),
    ],
)
def test_candidates_that_do_not_go_together(changed: dict[str, Any], message: str) -> None:
    whole = some(3)
    fields = {"batch": whole.batch, "boards": whole.boards, "racks": whole.racks, "score": whole.score, **changed}
    with pytest.raises(fs.ShapeError, match=message):
        Candidates(**fields)


def test_lines_are_as_long_as_a_full_board_needs() -> None:
    # 32 x 32 squares and 31 bars, a rack of 126 letters, 20 tiles, numbers.
    assert csv_files._LONGEST_LINE > 32 * 32 * 2 + 31 + 127 * 2 + 40 + 100
