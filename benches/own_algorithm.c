/*
 * fastscore's own algorithm for many candidates a position (fastscore/slot_kernels.py) once more in C, so that it can be
 * measured what compiling it by numba costs. It reads the arrays that fastscore makes of a ruleset, and takes batches that
 * are sorted by position, with rows of tiles eight wide.
 */
#include <stdint.h>
#include <string.h>

enum { SIDE = 16, AREA = SIDE * SIDE, LANE = 56, CROSS = 36, EXPONENTS = 26, SQUARES = 20 };
enum { PRODUCTS = 256, BONUSES = 512 };
#define SUM_MASK ((UINT64_C(1) << 20) - 1)
#define ONE_LANE (UINT64_C(1) << LANE)

typedef struct {
    uint32_t sums[4 * AREA];
    uint64_t lanes[3 * AREA];
    uint64_t slots[3 * (2 * AREA + 2 * SIDE + 17)];
    uint16_t spots[2048];
} Tables;

static uint64_t fill_direction(Tables *restrict t, int direction, int count, int length, uint64_t *slot_at, uint64_t reach,
                               uint64_t barred, const uint64_t *restrict premiums)
{
    const uint32_t *values = t->sums + direction * AREA;
    uint32_t *before = t->sums + 2 * AREA, *after = t->sums + 3 * AREA;
    const uint64_t *premium = premiums + 3 * AREA * direction;
    uint64_t *factor = t->lanes, *step = t->lanes + AREA, *mask = t->lanes + 2 * AREA;
    memset(before, 0, SIDE * sizeof *before);
    memset(after + (count - 1) * SIDE, 0, SIDE * sizeof *after);
    for (int lane = 0; lane < count - 1; lane++) {
        const int at = lane * SIDE, up = (count - 1 - lane) * SIDE;
        for (int k = 0; k < SIDE; k++)
            before[at + SIDE + k] = values[at + k] ? before[at + k] + values[at + k] : 0;
        for (int k = 0; k < SIDE; k++)
            after[up - SIDE + k] = values[up + k] ? after[up + k] + values[up + k] : 0;
    }
    for (int at = 0; at < count * SIDE; at++) {
        const uint64_t value = values[at], crossing = before[at] + after[at], tile = value ? ~UINT64_C(0) : 0;
        const uint64_t empty_step = (crossing & SUM_MASK) * premium[AREA + at] + premium[2 * AREA + at];
        factor[at] = (premium[at] & 0xFFFF) + (crossing ? premium[at] & (UINT64_C(0xFFFF) << CROSS) : 0);
        step[at] = (value & tile) | (empty_step & ~tile);
        mask[at] = tile;
    }
    uint64_t first = *slot_at;
    for (int lane = 0; lane < count; lane++) {
        uint64_t block = 0, slot = first;
        for (int k = 0; k < length; k++) {
            const int at = lane * SIDE + k;
            const uint64_t tile = mask[at];
            t->slots[slot] = reach;
            t->slots[slot + 1] = reach - block;
            t->slots[slot + 2] = factor[at];
            t->spots[direction ? 1024 + (k << 5) + lane : (lane << 5) + k] = (uint16_t)((slot & ~tile) | (barred & tile));
            reach += step[at];
            block = (block + step[at]) & tile;
            slot += 3 & ~tile;
        }
        t->slots[slot] = reach;
        t->slots[slot + 1] = reach - block;
        t->slots[slot + 2] = 0;
        reach = ((reach >> LANE) + 2) << LANE;
        for (int beyond = 1; beyond <= 8; beyond++)
            t->slots[slot + 3 * beyond] = reach;
        first += 3 * (length + 1);
    }
    *slot_at = first;
    return reach;
}

static void fill(Tables *restrict t, const uint8_t *restrict board, int rows, int cols, uint64_t barred,
                 const uint64_t *restrict lookup, const uint64_t *restrict premiums)
{
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) {
            const uint8_t code = board[row * cols + col];
            t->sums[row * SIDE + col] = (uint32_t)lookup[code] + (code ? 1u << SQUARES : 0);
        }
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++)
            t->sums[AREA + col * SIDE + row] = t->sums[row * SIDE + col];
    uint64_t slot = 0;
    const uint64_t reach = fill_direction(t, 0, rows, cols, &slot, 0, barred, premiums);
    fill_direction(t, 1, cols, rows, &slot, reach, barred, premiums);
}

void own_score(int32_t rows, int32_t cols, int32_t rack_size, const uint64_t *restrict lookup,
               const uint64_t *restrict premiums, const uint8_t *restrict boards, int64_t count,
               const int32_t *restrict position, const uint8_t *restrict row, const uint8_t *restrict col,
               const uint8_t *restrict direction, const uint64_t *restrict words, int32_t *restrict scores)
{
    static Tables t;
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    const uint64_t barred = 3 * (uint64_t)(2 * rows * cols + rows + cols + 8);
    memset(&t, 0, sizeof t);
    t.slots[barred + 1] = ONE_LANE;
    for (int k = 0; k < 2048; k++)
        t.spots[k] = (uint16_t)barred;
    int32_t filled = -1;
    for (int64_t play = 0; play < count; play++) {
        if (position[play] != filled) {
            filled = position[play];
            fill(&t, boards + (int64_t)filled * rows * cols, rows, cols, barred, lookup, premiums);
        }
        const uint64_t word = words[play], r = row[play], c = col[play], d = direction[play];
        const uint64_t laid = ((((word & low) + low) | word) >> 7 & ones) * ones >> 56;
        scores[play] = 0;
        if (laid - 1 >= (uint64_t)rack_size || (r | c | d << 4) >= 32 || word >> (8 * laid - 8) >> 8)
            continue;
        const uint64_t *slot = t.slots + t.spots[d << 10 | r << 5 | c];
        uint64_t total = slot[3 * laid] - slot[1];
        total += lookup[word & 255] * slot[2] + lookup[word >> 8 & 255] * slot[5];
        total += lookup[word >> 16 & 255] * slot[8] + lookup[word >> 24 & 255] * slot[11];
        if (laid > 4) {
            total += lookup[word >> 32 & 255] * slot[14] + lookup[word >> 40 & 255] * slot[17];
            total += lookup[word >> 48 & 255] * slot[20] + lookup[word >> 56] * slot[23];
        }
        if (total >= ONE_LANE)
            continue;
        const uint64_t product = (total >> SQUARES & 63) == 1 ? 0 : lookup[PRODUCTS + (total >> EXPONENTS & 255)];
        scores[play] = (int32_t)((total & SUM_MASK) * product + (total >> CROSS) + lookup[BONUSES + laid]);
    }
}
