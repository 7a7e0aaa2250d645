-- Statistics of an audit's tables. The statements are fixed: what is asked for, and every name, comes in tables.
--
-- Given: games_rows and turns_rows (the tables `games` and `turns` of fastscore.audit.schema), and the tables
-- chosen_rules(name): only games of these rulesets count, all if there is none;
-- left_out(source, member, game): games that do not count;
-- known_rules(name, rack_size, double_letter, triple_letter, double_word, triple_word, power_tiles, e_tiles, blanks).
--
-- A play that was taken back is a turn, and nothing else of it counts.

-- Tiles of several letters stand in brackets. Few texts have any, and patterns are slow.
CREATE TEMP MACRO with_brackets_as(tiles, sign) AS
    CASE WHEN contains(tiles, '[') THEN regexp_replace(tiles, '\[[^\]]*\]', sign, 'g') ELSE tiles END;
CREATE TEMP MACRO count_of(tiles, tile) AS length(tiles) - length(replace(tiles, tile, ''));

CREATE TEMP MACRO total_of(number) AS coalesce(sum(number), 0)::BIGINT;

CREATE TEMP TABLE game AS
SELECT
    (row_number() OVER (ORDER BY source, member, game))::INTEGER AS id,
    source, member, game, title, rules, players, nicks, names, totals, winner, tie, finished, first_player,
    comments AS game_comments
FROM games_rows
WHERE
    ((SELECT count(*) FROM chosen_rules) = 0 OR rules IN (SELECT name FROM chosen_rules))
    AND (source, member, game) NOT IN (SELECT (source, member, game) FROM left_out);

-- One row for each player of each game.
CREATE TEMP TABLE seat AS
SELECT
    id,
    slot - 1 AS player,
    coalesce(nullif(names[slot], ''), nicks[slot]) AS name,
    players = 2 AS of_two,
    totals[slot] AS total,
    totals[slot] - list_max(list_concat(totals[1:slot - 1], totals[slot + 1:])) AS spread,
    coalesce(winner = slot - 1, false) AS won,
    coalesce(tie AND totals[slot] = list_max(totals), false) AS tied,
    coalesce(finished AND (winner <> slot - 1 OR (tie AND totals[slot] < list_max(totals))), false) AS lost,
    coalesce(first_player = slot - 1, false) AS first,
    CASE WHEN row_number() OVER (PARTITION BY id ORDER BY slot) = 1 THEN game_comments ELSE 0 END AS game_comments
FROM (SELECT *, unnest(range(1, players + 1)) AS slot FROM game)
WHERE nicks[slot] <> '';

CREATE TEMP VIEW turn_of AS
SELECT
    game.id,
    turns.turn,
    turns.player,
    turns.kind,
    turns.kind IN ('place', 'exchange', 'exchange_count', 'pass') AS is_turn,
    turns.kind = 'place' AND NOT turns.withdrawn AS stands,
    turns.kind = 'place' AND turns.withdrawn AS phony,
    coalesce(turns.computed, turns.recorded, 0) AS points,
    coalesce(turns.recorded, 0) AS recorded,
    turns.direction,
    turns.tiles_placed,
    turns.blanks_placed,
    turns.bingo,
    turns.word_length,
    turns.double_letter, turns.triple_letter, turns.quadruple_letter,
    turns.double_word, turns.triple_word, turns.quadruple_word,
    turns.comments,
    with_brackets_as(turns.tiles, '') AS tiles,
    -- (ABC): a small letter shows the tile here, no blank.
    CASE
        WHEN turns.kind IN ('end_points', 'end_penalty')
        THEN upper(with_brackets_as(substring(turns.move, 2, length(turns.move) - 2), ''))
    END AS end_tiles,
    coalesce(turns.rack_tiles >= coalesce(known_rules.rack_size, 7), false) AS full_rack
FROM turns_rows AS turns
JOIN game ON turns.source = game.source AND turns.member = game.member AND turns.game = game.game
LEFT JOIN known_rules ON known_rules.name = game.rules
WHERE turns.player IS NOT NULL;

CREATE TEMP TABLE played AS
SELECT
    id,
    player,
    count(*) FILTER (is_turn) AS turns,
    coalesce(sum(points) FILTER (stands), 0) AS points,
    max(points) FILTER (stands) AS highest_turn,
    count(*) FILTER (stands) AS placements,
    count(*) FILTER (stands AND tiles_placed > 1 AND direction = 'across') AS turns_across,
    count(*) FILTER (stands AND tiles_placed > 1 AND direction = 'down') AS turns_down,
    count(*) FILTER (stands AND tiles_placed = 1) AS one_tile_turns,
    count(*) FILTER (stands AND bingo) AS bingos,
    coalesce(sum(tiles_placed) FILTER (stands), 0) AS tiles_played,
    coalesce(sum(blanks_placed) FILTER (stands), 0) AS blanks_played,
    count(*) FILTER (stands AND blanks_placed > 0) AS turns_with_blank,
    coalesce(sum(count_of(tiles, 'J')) FILTER (stands), 0) AS j_played,
    coalesce(sum(count_of(tiles, 'Q')) FILTER (stands), 0) AS q_played,
    coalesce(sum(count_of(tiles, 'X')) FILTER (stands), 0) AS x_played,
    coalesce(sum(count_of(tiles, 'Z')) FILTER (stands), 0) AS z_played,
    coalesce(sum(count_of(tiles, 'S')) FILTER (stands), 0) AS s_played,
    coalesce(sum(count_of(tiles, 'E')) FILTER (stands), 0) AS e_played,
    count(*) FILTER (kind IN ('exchange', 'exchange_count')) AS exchanges,
    count(*) FILTER (kind = 'pass') AS passes,
    count(*) FILTER (is_turn AND full_rack) AS full_rack_turns,
    count(*) FILTER (phony) AS phonies_challenged_off,
    count(*) FILTER (kind = 'challenge_bonus' AND recorded >= 0) AS bonuses,
    -- Points that a challenger loses stand on a line of the challenger.
    count(*) FILTER (kind = 'challenge_bonus' AND recorded < 0) AS fines,
    coalesce(sum(double_letter) FILTER (stands), 0) AS double_letter,
    coalesce(sum(triple_letter) FILTER (stands), 0) AS triple_letter,
    coalesce(sum(quadruple_letter) FILTER (stands), 0) AS quadruple_letter,
    coalesce(sum(double_word) FILTER (stands), 0) AS double_word,
    coalesce(sum(triple_word) FILTER (stands), 0) AS triple_word,
    coalesce(sum(quadruple_word) FILTER (stands), 0) AS quadruple_word,
    count(*) FILTER (stands AND triple_word > 1) AS triple_triples,
    sum(comments) AS comments,
    string_agg(end_tiles, '') FILTER (kind = 'end_penalty') AS own_left,
    string_agg(end_tiles, '') FILTER (kind = 'end_points') AS others_left
FROM turn_of
GROUP BY id, player;

-- The first play of a game that was not taken back. Which way a single tile was laid nobody can say.
CREATE TEMP TABLE opening AS
SELECT id, arg_min(player, turn) AS player, arg_min(direction = 'down' AND tiles_placed > 1, turn) AS vertical
FROM turn_of
WHERE stands AND tiles_placed > 0
GROUP BY id;

-- Bingos of a player in turns that follow one another: `run` is the same for those of one such row.
CREATE TEMP TABLE streak AS
WITH marked AS (
    SELECT id, player, turn, stands AND bingo AS is_bingo FROM turn_of WHERE is_turn
),
numbered AS (
    SELECT
        id, player, is_bingo,
        row_number() OVER (PARTITION BY id, player ORDER BY turn)
        - row_number() OVER (PARTITION BY id, player, is_bingo ORDER BY turn) AS run
    FROM marked
),
runs AS (
    SELECT id, player, run, count(*) AS bingos FROM numbered WHERE is_bingo GROUP BY id, player, run
)
SELECT id, player, max(bingos) AS longest, sum(bingos - 1) AS following FROM runs GROUP BY id, player;

CREATE TEMP TABLE seat_played AS
WITH joined AS (
    SELECT
        seat.*,
        played.* EXCLUDE (id, player),
        coalesce(opening.vertical, false) AS opened_down,
        coalesce(streak.longest, 0) AS bingo_streak,
        coalesce(streak.following, 0) AS consecutive_bingos,
        CASE WHEN of_two THEN coalesce(other.phonies_challenged_off, 0) END AS challenges_won,
        CASE WHEN of_two THEN coalesce(other.bonuses, 0) ELSE 0 END + coalesce(played.fines, 0) AS challenges_lost,
        coalesce(played.bonuses, 0) + CASE WHEN of_two THEN coalesce(other.fines, 0) ELSE 0 END AS plays_upheld,
        -- A record has the tiles left over in a line of their owner, or of the other player, or in both.
        coalesce(played.own_left, CASE WHEN of_two THEN other.others_left END, '') AS tiles_left
    FROM seat
    LEFT JOIN played ON played.id = seat.id AND played.player = seat.player
    LEFT JOIN played AS other ON other.id = seat.id AND other.player = 1 - seat.player AND seat.of_two
    LEFT JOIN opening ON opening.id = seat.id AND opening.player = seat.player
    LEFT JOIN streak ON streak.id = seat.id AND streak.player = seat.player
)
SELECT
    *,
    coalesce(sum(turns) OVER (PARTITION BY id), 0) > 0 AS begun,
    coalesce(sum(bingos) OVER (PARTITION BY id), 0) AS game_bingos,
    count_of(tiles_left, 'J') AS j_stuck,
    count_of(tiles_left, 'Q') AS q_stuck,
    count_of(tiles_left, 'X') AS x_stuck,
    count_of(tiles_left, 'Z') AS z_stuck,
    count_of(tiles_left, 'S') AS s_stuck,
    count_of(tiles_left, '?') AS blanks_stuck
FROM joined;

CREATE TEMP TABLE bingo_length AS
WITH counted AS (
    SELECT seat.name, seat.id, turn_of.word_length AS length, count(*) AS bingos
    FROM turn_of
    JOIN seat ON seat.id = turn_of.id AND seat.player = turn_of.player
    WHERE stands AND bingo
    GROUP BY GROUPING SETS ((turn_of.word_length), (seat.name, turn_of.word_length), (seat.id, turn_of.word_length))
)
SELECT name, id, list({'length': length, 'bingos': bingos} ORDER BY length) AS bingos_by_length
FROM counted
GROUP BY name, id;

-- The same columns for the collection (name and id are null), each player (name) and each game (id).
CREATE TEMP TABLE summed AS
SELECT
    name,
    id,
    count(DISTINCT id) AS games,
    count(DISTINCT id) FILTER (won) AS wins,
    count(DISTINCT id) FILTER (lost) AS losses,
    count(DISTINCT id) FILTER (tied) AS ties,
    count(DISTINCT id) FILTER (first) AS firsts,
    count(DISTINCT id) FILTER (first AND won) AS first_wins,
    sum(total)::BIGINT AS score,
    avg(total) FILTER (begun) AS score_mean,
    max(total) FILTER (begun) AS score_high,
    min(total) FILTER (begun) AS score_low,
    -- Of games: by how much they were won.
    CASE WHEN grouping(name) = 0 THEN avg(spread) FILTER (begun) ELSE avg(spread) FILTER (won) END AS spread_mean,
    total_of(turns) AS turns,
    sum(points)::DOUBLE / nullif(sum(turns), 0) AS points_per_turn,
    max(highest_turn) AS highest_turn,
    total_of(placements) AS placements,
    total_of(turns_across) AS turns_across,
    total_of(turns_down) AS turns_down,
    total_of(one_tile_turns) AS one_tile_turns,
    count(*) FILTER (opened_down) AS vertical_openings,
    total_of(bingos) AS bingos,
    -- Of a player: games without an own bingo; of games: those without any.
    CASE
        WHEN grouping(name) = 0 THEN count(DISTINCT id) FILTER (bingos = 0 AND turns > 0)
        ELSE count(DISTINCT id) FILTER (begun AND game_bingos = 0)
    END AS bingoless_games,
    coalesce(max(bingo_streak), 0) AS bingo_streak,
    total_of(consecutive_bingos) AS consecutive_bingos,
    total_of(tiles_played) AS tiles_played,
    total_of(j_played + q_played + x_played + z_played + s_played + blanks_played) AS power_tiles_played,
    total_of(j_played) AS j_played,
    total_of(q_played) AS q_played,
    total_of(x_played) AS x_played,
    total_of(z_played) AS z_played,
    total_of(s_played) AS s_played,
    total_of(blanks_played) AS blanks_played,
    total_of(j_stuck + q_stuck + x_stuck + z_stuck + s_stuck + blanks_stuck) AS power_tiles_stuck,
    total_of(j_stuck) AS j_stuck,
    total_of(q_stuck) AS q_stuck,
    total_of(x_stuck) AS x_stuck,
    total_of(z_stuck) AS z_stuck,
    total_of(s_stuck) AS s_stuck,
    total_of(blanks_stuck) AS blanks_stuck,
    total_of(e_played) AS e_played,
    total_of(turns_with_blank) AS turns_with_blank,
    total_of(exchanges) AS exchanges,
    total_of(passes) AS passes,
    total_of(full_rack_turns) AS full_rack_turns,
    total_of(phonies_challenged_off) AS phonies_challenged_off,
    total_of(challenges_won) AS challenges_won,
    total_of(challenges_lost) AS challenges_lost,
    total_of(phonies_challenged_off) + total_of(plays_upheld) AS plays_challenged,
    total_of(double_letter) AS double_letter,
    total_of(triple_letter) AS triple_letter,
    total_of(quadruple_letter) AS quadruple_letter,
    total_of(double_word) AS double_word,
    total_of(triple_word) AS triple_word,
    total_of(quadruple_word) AS quadruple_word,
    total_of(triple_triples) AS triple_triples,
    -- Those before the first event are nobody's.
    CASE WHEN grouping(name) = 0 THEN total_of(comments) ELSE total_of(game_comments) END AS comments
FROM seat_played
GROUP BY GROUPING SETS ((), (name), (id));

CREATE TEMP VIEW collection_statistics AS
SELECT summed.* EXCLUDE (name, id), coalesce(lengths.bingos_by_length, []) AS bingos_by_length
FROM summed
LEFT JOIN bingo_length AS lengths ON lengths.name IS NULL AND lengths.id IS NULL
WHERE summed.name IS NULL AND summed.id IS NULL;

CREATE TEMP VIEW player_statistics AS
SELECT summed.* EXCLUDE (id), coalesce(lengths.bingos_by_length, []) AS bingos_by_length
FROM summed
LEFT JOIN bingo_length AS lengths ON lengths.name = summed.name
WHERE summed.name IS NOT NULL
ORDER BY games DESC, score DESC, summed.name;

CREATE TEMP VIEW game_statistics AS
SELECT
    game.source, game.member, game.game, game.title, game.rules, game.nicks, game.names, game.totals,
    game.winner, game.finished,
    summed.* EXCLUDE (name, id, games, wins, losses, firsts, first_wins),
    coalesce(lengths.bingos_by_length, []) AS bingos_by_length
FROM summed
JOIN game ON game.id = summed.id
LEFT JOIN bingo_length AS lengths ON lengths.id = summed.id
ORDER BY game.id;

-- What is worth telling of a game; how much is known of a ruleset decides what can be said.
CREATE TEMP TABLE notable AS
WITH whole AS (
    SELECT
        summed.*,
        game.finished,
        list_sum(game.totals) AS combined,
        known_rules.double_letter AS double_letters,
        known_rules.triple_letter AS triple_letters,
        known_rules.double_word AS double_words,
        known_rules.triple_word AS triple_words,
        known_rules.blanks
    FROM summed
    JOIN game ON game.id = summed.id
    LEFT JOIN known_rules ON known_rules.name = game.rules
),
alone AS (
    SELECT
        seat_played.id,
        seat_played.name,
        total,
        j_played + q_played + x_played + z_played + s_played + blanks_played AS power,
        e_played,
        known_rules.power_tiles,
        known_rules.e_tiles
    FROM seat_played
    JOIN game ON game.id = seat_played.id
    LEFT JOIN known_rules ON known_rules.name = game.rules
)
SELECT id, NULL AS name, 'all-triple-words' AS notable, triple_word AS value
FROM whole WHERE triple_words > 0 AND triple_word >= triple_words
UNION ALL
SELECT id, NULL, 'all-triple-letters', triple_letter
FROM whole WHERE triple_letters > 0 AND triple_letter >= triple_letters
UNION ALL
-- The numbers below are those of a board with 24 double letters and 17 double words.
SELECT id, NULL, 'many-double-letters', double_letter FROM whole WHERE double_letters = 24 AND double_letter >= 20
UNION ALL
SELECT id, NULL, 'many-double-words', double_word FROM whole WHERE double_words = 17 AND double_word >= 15
UNION ALL
SELECT id, NULL, 'combined-score-high', combined FROM whole WHERE combined >= 1100
UNION ALL
-- A game that was broken off has a low score as well.
SELECT id, NULL, 'combined-score-low', combined FROM whole WHERE finished AND combined <= 200
UNION ALL
SELECT id, name, 'score-high', total FROM alone WHERE total >= 700
UNION ALL
SELECT id, name, 'every-power-tile', power FROM alone WHERE power_tiles > 0 AND power >= power_tiles
UNION ALL
SELECT id, name, 'every-e', e_played FROM alone WHERE e_tiles > 0 AND e_played >= e_tiles
UNION ALL
SELECT id, NULL, 'many-challenges', plays_challenged FROM whole WHERE plays_challenged >= 5
UNION ALL
SELECT id, NULL, 'no-blanks', 0 FROM whole WHERE finished AND blanks > 0 AND blanks_played = 0;

CREATE TEMP VIEW notables AS
SELECT game.source, game.member, game.game, notable.notable, notable.name, notable.value::BIGINT AS value
FROM notable
JOIN game ON game.id = notable.id
ORDER BY game.id, notable.notable, notable.name;

-- For drawings.
CREATE TEMP VIEW score_histogram AS
SELECT (floor(total / 25) * 25)::BIGINT AS low, count(*) AS count
FROM seat_played
WHERE begun AND total IS NOT NULL
GROUP BY low
ORDER BY low;

CREATE TEMP VIEW turn_histogram AS
SELECT (floor(points / 5) * 5)::BIGINT AS low, count(*) AS count
FROM turn_of
WHERE stands
GROUP BY low
ORDER BY low;
