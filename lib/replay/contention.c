/*
 * An operation is sorted in when it has ended: alone, where a collective ran beside it for a third
 * of its time at most, beside one, where that was two thirds or more, or neither. Medians count,
 * and only where both ways are so much alike that they show one operation: kernels of one name and
 * launch may still compute different things.
 */
#include "replay/contention.h"

#include "core/array.h"
#include "core/saturate.h"
#include "replay/pipeline.h"

/* Our defaults, no published source. */
enum {
	SAMPLES_LEAST = 3, /* of each way */
	NAMES_LEAST = 3,   /* that show what is usual */
	SHOWN_PART = 2,    /* of the time beside collectives, one part of so many shows it */
	SPREAD_PART = 8,   /* half of the times lie within this part of the median */
	WAYS_APART = 3,
	ROUNDS = 6,
	SURE_TIMES = 4, /* the difference's square in squares of what chance may do */
};
#define MOST_PPM INT64_C(400000) /* more is another operation */
#define LEAST_PPM INT64_C(-50000)
#define ALL_SHAPES UINT32_MAX
#define OTHER_THREAD (1U << 30) /* beside the 17 bits for the blocks */

struct sample {
	int64_t dur_ns, beside_ns;
};

/* Times of an operation that ran for a third of them beside a collective at most, or two thirds. */
enum way { ALONE, BESIDE, WAYS };

struct tc_contention_kind {
	uint32_t label, shape;
	int64_t counts[WAYS];
	struct sample samples[WAYS][TC_CONTENTION_SAMPLES];
	int64_t beside_ns; /* of all its time */
	int64_t ppm;
	bool is_seen;  /* both ways, so no other share counts */
	bool is_shown; /* and alike enough for a share, of 0 or more */
};

static uint32_t shape_of(const struct tc_contention *contention, const struct tc_span *span)
{
	bool is_other = span->launch_slice_id != TC_NO_ID &&
			tc_slice_bits_get(&contention->other, span->launch_slice_id);

	return (uint32_t)span->shape | (is_other ? OTHER_THREAD : 0);
}

/* The place of a kind in the table: its own, or a free one. */
static struct tc_contention_kind **place_of(
	const struct tc_contention *contention, uint32_t label, uint32_t shape)
{
	uint64_t hash = ((uint64_t)label << 20 ^ shape) * UINT64_C(0x9E3779B97F4A7C15) >> 40;
	struct tc_contention_kind **kinds = contention->kinds;
	size_t at = hash % TC_CONTENTION_SLOTS;

	while (kinds[at] && (kinds[at]->label != label || kinds[at]->shape != shape))
		at = (at + 1) % TC_CONTENTION_SLOTS;
	return &kinds[at];
}

/* NULL where memory is out or the table is nearly full. */
static struct tc_contention_kind *kind_of(
	struct tc_contention *contention, const struct tc_contention_op *op)
{
	struct tc_contention_kind **place = place_of(contention, op->label, op->shape);

	if (*place || contention->kind_count >= TC_CONTENTION_SLOTS / 4 * 3)
		return *place;
	*place = tc_arena_take(contention->arena, 1, sizeof(**place));
	if (!*place)
		return NULL;
	contention->kind_count++;
	(*place)->label = op->label;
	(*place)->shape = op->shape;
	return *place;
}

static void sort_in(struct tc_contention *contention, const struct tc_contention_op *op)
{
	int64_t dur_ns = op->end_ns - op->ts_ns;
	struct tc_contention_kind *kind = op->is_shared ? NULL : kind_of(contention, op);
	int way = op->beside_ns <= dur_ns / WAYS_APART              ? ALONE
		  : op->beside_ns >= dur_ns - (dur_ns / WAYS_APART) ? BESIDE
								    : WAYS;

	if (!kind)
		return;
	kind->beside_ns = tc_add_saturated(kind->beside_ns, op->beside_ns);
	if (way < WAYS)
		kind->samples[way][kind->counts[way]++ % TC_CONTENTION_SAMPLES] =
			(struct sample){dur_ns, op->beside_ns};
}

static void end_until(struct tc_contention *contention, int64_t time_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < contention->open_count; i++)
		if (contention->open[i].end_ns <= time_ns)
			sort_in(contention, &contention->open[i]);
		else
			contention->open[kept++] = contention->open[i];
	contention->open_count = kept;
}

/* Time with several collectives counts once. */
static void cover(struct tc_contention_op *op, int64_t from_ns, int64_t until_ns)
{
	if (from_ns < op->covered_ns)
		from_ns = op->covered_ns;
	if (until_ns > op->end_ns)
		until_ns = op->end_ns;
	if (until_ns <= from_ns)
		return;
	op->beside_ns += until_ns - from_ns;
	op->covered_ns = until_ns;
}

static void see_collective(struct tc_contention *contention, const struct tc_span *span)
{
	int64_t end_ns = tc_span_known_end_ns(span);

	if (!contention->kinds)
		TC_ARENA(contention->arena, contention->kinds, TC_CONTENTION_SLOTS);
	for (size_t i = 0; i < contention->open_count; i++)
		cover(&contention->open[i], span->ts_ns, end_ns);
	if (end_ns > contention->collective_until_ns)
		contention->collective_until_ns = end_ns;
}

static void see_compute(struct tc_contention *contention, const struct tc_span *span)
{
	struct tc_contention_op op = {.label = span->label,
		.shape = shape_of(contention, span),
		.ts_ns = span->ts_ns,
		.end_ns = span->ts_ns + span->dur_ns,
		.covered_ns = span->ts_ns};

	if (span->dur_ns % 1000 != 0)
		contention->unit_ns = 1;
	for (size_t i = 0; i < contention->open_count; i++)
		if (contention->open[i].end_ns - span->ts_ns > TC_JITTER_NS)
			op.is_shared = contention->open[i].is_shared = true;
	if (contention->open_count == TC_CONTENTION_OPEN)
		return;
	cover(&op, span->ts_ns, contention->collective_until_ns);
	contention->open[contention->open_count++] = op;
}

/* The engines of a graph wait for each other within their nodes, and collectives have engines of
 * their own there. */
static void see(struct tc_contention *contention, const struct tc_span *span, enum tc_engine engine)
{
	bool is_collective = tc_engine_is_collective(engine);

	if ((!contention->kinds && !is_collective) || span->dur_ns <= 0)
		return;
	end_until(contention, span->ts_ns);
	if (is_collective)
		see_collective(contention, span);
	else if (engine == TC_ENGINE_COMPUTE && span->recipe == TC_STRTAB_NONE)
		see_compute(contention, span);
}

/* ---- shares */

static size_t kept_of(const struct tc_contention_kind *kind, enum way way)
{
	return kind->counts[way] < TC_CONTENTION_SAMPLES ? (size_t)kind->counts[way]
							 : TC_CONTENTION_SAMPLES;
}

/* What an operation takes alone, by those that ran so, with a share of the time beside; *spread_ns
 * is what the middle half of them covers. */
static int64_t middle_alone(
	const struct tc_contention_kind *kind, enum way way, int64_t ppm, int64_t *spread_ns)
{
	int64_t durs_ns[TC_CONTENTION_SAMPLES];
	size_t count = kept_of(kind, way);

	for (size_t i = 0; i < count; i++)
		durs_ns[i] = kind->samples[way][i].dur_ns -
			     tc_part_of(kind->samples[way][i].beside_ns, ppm);
	int64_t alone_ns = tc_median(durs_ns, count);
	*spread_ns = tc_middle_half(durs_ns, count);
	return alone_ns;
}

/* The share with which those beside take as long as those alone. */
static int64_t middle_share(const struct tc_contention_kind *kind, int64_t alone_ns)
{
	int64_t shares_ppm[TC_CONTENTION_SAMPLES];
	size_t count = kept_of(kind, BESIDE);

	for (size_t i = 0; i < count; i++)
		shares_ppm[i] = tc_ppm_of(kind->samples[BESIDE][i].dur_ns - alone_ns,
			kind->samples[BESIDE][i].beside_ns);
	return tc_median(shares_ppm, count);
}

/* The share of a kind is known where half of the times of either way lie close together. One that
 * chance may explain, or the rounding of both times, is none. What ran beside a collective for a
 * part of its time is counted back by the share, which then is found again. */
static void find_share(struct tc_contention_kind *kind, int64_t unit_ns)
{
	size_t alone = kept_of(kind, ALONE), beside = kept_of(kind, BESIDE);
	double least = (double)(alone < beside ? alone : beside);
	int64_t alone_ns = 0, ppm = 0, spreads_ns[WAYS];

	kind->is_seen = least >= SAMPLES_LEAST;
	if (!kind->is_seen)
		return;
	for (int i = 0; i < ROUNDS && ppm <= MOST_PPM && ppm >= LEAST_PPM; i++) {
		alone_ns = middle_alone(kind, ALONE, ppm, &spreads_ns[ALONE]);
		ppm = middle_share(kind, alone_ns);
	}
	int64_t more_ns = middle_alone(kind, BESIDE, 0, &spreads_ns[BESIDE]) - alone_ns;
	int64_t most_ns = alone_ns / SPREAD_PART;
	if (spreads_ns[ALONE] > most_ns || spreads_ns[BESIDE] > most_ns || ppm > MOST_PPM ||
		ppm < LEAST_PPM)
		return;
	double chance = (double)spreads_ns[ALONE] * (double)spreads_ns[ALONE] +
			(double)spreads_ns[BESIDE] * (double)spreads_ns[BESIDE];
	kind->is_shown = true;
	if (ppm > 0 && more_ns > unit_ns &&
		(double)more_ns * (double)more_ns * least > SURE_TIMES * chance)
		kind->ppm = ppm;
}

struct shown {
	uint32_t label;
	int64_t ppm, beside_ns;
};

TC_ORDER(by_share, struct shown, TC_UP(label) TC_UP(ppm) TC_UP(beside_ns));

/* The median by time of shares, which are sorted. */
static int64_t median_of(const struct shown *shown, size_t count)
{
	int64_t all_ns = 0, until_ns = 0;
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		all_ns = tc_add_saturated(all_ns, shown[i].beside_ns);
	while (at + 1 < count &&
		(until_ns = tc_add_saturated(until_ns, shown[at].beside_ns)) <= all_ns / 2)
		at++;
	return shown[at].ppm;
}

/* What operations of a name have in common, whatever the blocks of their launches, is a kind of its
 * own. Returns how many names there are. */
static size_t find_of_names(struct tc_contention *contention, struct shown *shown, size_t count)
{
	size_t names = 0;

	for (size_t i = 0, next; i < count; i = next, names++) {
		for (next = i + 1; next < count && shown[next].label == shown[i].label;)
			next++;
		const struct tc_contention_op name = {.label = shown[i].label, .shape = ALL_SHAPES};
		struct tc_contention_kind *kind = kind_of(contention, &name);
		if (!kind)
			return 0;
		kind->ppm = median_of(&shown[i], next - i);
		kind->is_seen = true;
	}
	return names;
}

/* What tells the share of a kind: itself, others of its name, or nothing: NULL. */
static const struct tc_contention_kind *known_of(
	const struct tc_contention *contention, const struct tc_contention_kind *kind)
{
	return kind->is_seen ? kind : *place_of(contention, kind->label, ALL_SHAPES);
}

/* Shares of what was not seen both ways. */
static void find_usual(struct tc_contention *contention, struct shown *shown)
{
	int64_t all_ns = 0, shown_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < TC_CONTENTION_SLOTS; i++) {
		const struct tc_contention_kind *kind = contention->kinds[i];
		if (!kind)
			continue;
		all_ns = tc_add_saturated(all_ns, kind->beside_ns);
		if (!kind->is_shown)
			continue;
		shown[count++] = (struct shown){kind->label, kind->ppm, kind->beside_ns};
		contention->any |= kind->ppm > 0;
	}
	TC_SORT(shown, count, by_share);
	size_t names = find_of_names(contention, shown, count);
	for (size_t i = 0; i < TC_CONTENTION_SLOTS; i++)
		if (contention->kinds[i] && known_of(contention, contention->kinds[i]))
			shown_ns = tc_add_saturated(shown_ns, contention->kinds[i]->beside_ns);
	if (names < NAMES_LEAST || shown_ns < all_ns / SHOWN_PART)
		return;
	for (size_t i = 0; i < count; i++)
		shown[i].label = 0;
	TC_SORT(shown, count, by_share);
	contention->usual_ppm = median_of(shown, count);
}

static void find(struct tc_contention *contention)
{
	if (!contention->kinds)
		return;
	struct shown *shown = tc_arena_take(contention->arena, TC_CONTENTION_SLOTS, sizeof(*shown));
	if (!shown)
		return;
	for (size_t i = 0; i < TC_CONTENTION_SLOTS; i++)
		if (contention->kinds[i])
			find_share(contention->kinds[i], contention->unit_ns);
	find_usual(contention, shown);
}

/* ---- surveys */

void tc_contention_launch(
	struct tc_contention *contention, int64_t slice_id, int32_t thread, int32_t main_thread)
{
	if (contention->thread < 0)
		contention->thread = main_thread >= 0 ? main_thread : thread;
	if (thread == contention->thread)
		return;
	contention->has_other = true;
	tc_slice_bits_set(&contention->other, contention->arena, slice_id);
}

static void survey_device(struct tc_contention *contention, const struct tc_timeline *timeline,
	const uint32_t *lanes, size_t lane_count)
{
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, lanes, lane_count);
	const struct tc_span *span;

	contention->open_count = 0; /* no collective shows whether any follows these */
	contention->collective_until_ns = INT64_MIN;
	while (!tc_ctx_failed(timeline->ctx) && (span = tc_cursor_next(cursor)))
		see(contention, span, tc_span_engine(timeline, span));
	tc_cursor_close(cursor);
}

void tc_contention_survey(struct tc_contention *contention, const struct tc_timeline *timeline)
{
	struct tc_arena *arena = contention->arena;
	int64_t *lanes = tc_arena_take(arena, timeline->track_count, sizeof(*lanes));
	uint32_t *tracks = tc_arena_take(arena, timeline->track_count, sizeof(*tracks));
	size_t count = 0;

	if (!contention->has_other || !lanes || !tracks)
		return;
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].kind == TC_TRACK_LANE)
			lanes[count++] =
				(int64_t)(timeline->tracks[i].device + 1) << 32 | (int64_t)i;
	TC_SORT(lanes, count, tc_compare_numbers);
	for (size_t i = 0, at = 0; i < count; i++) {
		tracks[i] = (uint32_t)lanes[i];
		if (i + 1 < count && lanes[i + 1] >> 32 == lanes[i] >> 32)
			continue;
		survey_device(contention, timeline, &tracks[at], i + 1 - at);
		at = i + 1;
	}
	find(contention);
}

int64_t tc_contention_ppm(const struct tc_contention *contention, const struct tc_span *span)
{
	if (!contention->any)
		return 0;
	const struct tc_contention_kind *kind =
		*place_of(contention, span->label, shape_of(contention, span));
	if (!kind || !kind->is_seen)
		kind = *place_of(contention, span->label, ALL_SHAPES);
	return kind && kind->is_seen ? kind->ppm : contention->usual_ppm;
}
