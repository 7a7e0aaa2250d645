/*
 * Two plain scorers to measure fastscore against. Both read plays in the word form that move generators hold: the
 * square of the main word's first tile, a direction, a length, and the word's tile codes with 0 where a tile lies on
 * the board already. Tile codes: 0 none, 1..n letters, code | 0x80 a blank. Both trust their input and check nothing.
 *
 *   walk   no set-up: at each fresh tile it walks the crossing word on the board.
 *   cross  a set-up per position sums the crossing tiles of every empty square in both directions; then a play costs
 *          one pass over its word. `marked` is the same with one trick more.
 *
 * They are what a careful C programmer would write without further tricks, for a board of any size, and they are
 * never made slower on purpose: a yardstick that is easy to beat measures nothing.
 */
#include <stdint.h>

typedef struct {
    int32_t rows, cols;
    const uint8_t *letter_multiplier; /* [rows * cols] */
    const uint8_t *word_multiplier;   /* [rows * cols] */
    const int32_t *values;            /* [256] points by tile code, blanks included */
    const int32_t *bonus;             /* [16] by tiles placed */
} Rules;

typedef struct {
    int64_t count;
    int64_t width;           /* bytes from one play's tiles to the next one's */
    const int32_t *position; /* which board */
    const uint8_t *row, *col, *direction, *length;
    const uint8_t *tiles; /* [count, width] */
} Plays;

/* ------------------------------------------------------------------------------------------------------------ walk */

/* Sum of the run of tiles from the square after `square` on, at most `left` squares long; `found` counts its tiles. */
static inline int32_t walk_run(const uint8_t *board, const int32_t *values, int square, int step, int left, int *found)
{
    int32_t sum = 0;
    for (square += step; left > 0 && board[square] != 0; square += step, left--) {
        sum += values[board[square]];
        ++*found;
    }
    return sum;
}

void walk_score(const Rules *rules, const uint8_t *boards, const Plays *plays, int32_t *restrict scores)
{
    const int rows = rules->rows, cols = rules->cols;
    const uint8_t *const letter_multiplier = rules->letter_multiplier;
    const uint8_t *const word_multiplier = rules->word_multiplier;
    const int32_t *const values = rules->values;

    for (int64_t play = 0; play < plays->count; play++) {
        const uint8_t *board = boards + (int64_t)plays->position[play] * rows * cols;
        const uint8_t *tiles = plays->tiles + play * plays->width;
        const int row = plays->row[play], col = plays->col[play], length = plays->length[play];
        const int down = plays->direction[play];
        const int along = down ? cols : 1, across = down ? 1 : cols;
        const int before = down ? col : row;
        const int after = (down ? cols : rows) - 1 - before;
        int square = row * cols + col;
        int placed = 0;
        int32_t word = 0, factor = 1, crossing = 0;

        for (int k = 0; k < length; k++, square += along) {
            const uint8_t tile = tiles[k];
            if (tile == 0) {
                word += values[board[square]];
                continue;
            }
            const int32_t points = values[tile] * letter_multiplier[square];
            int found = 0;
            int32_t sum = walk_run(board, values, square, -across, before, &found);
            sum += walk_run(board, values, square, across, after, &found);
            if (found)
                crossing += (sum + points) * word_multiplier[square];
            word += points;
            factor *= word_multiplier[square];
            placed++;
        }
        scores[play] = (length > 1 ? word * factor : 0) + crossing + rules->bonus[placed];
    }
}

/* ----------------------------------------------------------------------------------------------------------- cross */

#define NO_CROSS (-1)

static inline int32_t joined(int32_t sum, int32_t run)
{
    return sum == NO_CROSS ? run : sum + run;
}

/*
 * Cross sums of one board: sums[direction][square] is what the tiles crossing an empty square add to a play of that
 * direction, NO_CROSS where no tile is next to the square (a lone blank makes a word of sum 0). Occupied squares are
 * never asked for. A word that crosses an across play lies down, so sums[0] runs over columns and sums[1] over rows.
 */
static void cross_sums(const uint8_t *restrict board, int rows, int cols, const int32_t *restrict values,
                       int32_t *restrict sums)
{
    for (int direction = 0; direction < 2; direction++, sums += rows * cols) {
        const int lanes = direction ? rows : cols, length = direction ? cols : rows;
        const int step = direction ? 1 : cols;
        for (int lane = 0; lane < lanes; lane++) {
            const int first = direction ? lane * cols : lane;
            /* One sweep: a run of tiles counts for the empty square before it and for the one after it. */
            int gap = -1; /* the last empty square, if any */
            int32_t run = NO_CROSS;
            for (int k = 0, square = first; k < length; k++, square += step) {
                const uint8_t tile = board[square];
                if (tile != 0) {
                    run = joined(run, values[tile]);
                    continue;
                }
                if (run != NO_CROSS && gap >= 0)
                    sums[gap] = joined(sums[gap], run);
                sums[square] = run;
                gap = square;
                run = NO_CROSS;
            }
            if (run != NO_CROSS && gap >= 0)
                sums[gap] = joined(sums[gap], run);
        }
    }
}

/* The set-up: sums is [positions, 2, rows * cols]. */
void cross_setup(const Rules *rules, const uint8_t *boards, int64_t positions, int32_t *restrict sums)
{
    const int squares = rules->rows * rules->cols;
    for (int64_t position = 0; position < positions; position++)
        cross_sums(boards + position * squares, rules->rows, rules->cols, rules->values, sums + position * 2 * squares);
}

/*
 * The plays, with the sums that cross_setup made; they may come in any order of positions. Whether a word crosses a
 * fresh tile is seen from the squares beside it, as MAGPIE does, or, with `marked`, from the sum itself, which spares two
 * looks at the board.
 */
static inline void score_plays(const Rules *rules, const uint8_t *boards, const int32_t *sums, const Plays *plays,
                               int32_t *restrict scores, const int marked)
{
    const int rows = rules->rows, cols = rules->cols;
    const uint8_t *const letter_multiplier = rules->letter_multiplier;
    const uint8_t *const word_multiplier = rules->word_multiplier;
    const int32_t *const values = rules->values;

    for (int64_t play = 0; play < plays->count; play++) {
        const int64_t first = (int64_t)plays->position[play] * rows * cols;
        const uint8_t *board = boards + first;
        const uint8_t *tiles = plays->tiles + play * plays->width;
        const int down = plays->direction[play], length = plays->length[play];
        const int32_t *crossing_sums = sums + 2 * first + (down ? rows * cols : 0);
        const int along = down ? cols : 1, across = down ? 1 : cols;
        const int before = down ? plays->col[play] : plays->row[play];
        const int after = (down ? cols : rows) - 1 - before;
        int square = plays->row[play] * cols + plays->col[play];
        int placed = 0;
        int32_t word = 0, factor = 1, crossing = 0;

        for (int k = 0; k < length; k++, square += along) {
            const uint8_t tile = tiles[k];
            if (tile == 0) {
                word += values[board[square]];
                continue;
            }
            const int32_t points = values[tile] * letter_multiplier[square];
            const int crosses = marked ? crossing_sums[square] != NO_CROSS
                                       : (before > 0 && board[square - across] != 0) ||
                                             (after > 0 && board[square + across] != 0);
            if (crosses)
                crossing += (crossing_sums[square] + points) * word_multiplier[square];
            word += points;
            factor *= word_multiplier[square];
            placed++;
        }
        scores[play] = (length > 1 ? word * factor : 0) + crossing + rules->bonus[placed];
    }
}

void cross_plays(const Rules *rules, const uint8_t *boards, const int32_t *sums, const Plays *plays,
                 int32_t *restrict scores)
{
    score_plays(rules, boards, sums, plays, scores, 0);
}

/*
 * Set-up and plays; sums is room for [positions, 2, rows * cols]. Making all sums first was a twentieth faster than
 * making a position's sums when its plays begin, and takes the plays in any order.
 */
void cross_score(const Rules *rules, const uint8_t *boards, int64_t positions, int32_t *restrict sums,
                 const Plays *plays, int32_t *restrict scores)
{
    cross_setup(rules, boards, positions, sums);
    score_plays(rules, boards, sums, plays, scores, 0);
}

void marked_score(const Rules *rules, const uint8_t *boards, int64_t positions, int32_t *restrict sums,
                  const Plays *plays, int32_t *restrict scores)
{
    cross_setup(rules, boards, positions, sums);
    score_plays(rules, boards, sums, plays, scores, 1);
}
