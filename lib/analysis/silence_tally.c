/*
 * Silence tally (tables host_silence, pause_owner): the silences of silence.h, and which line of
 * the program owns them. Ranges of the user and Python frames say nothing of what the host does,
 * but where it is. Of nested ones that are around more than half of a silence the innermost ends
 * first. Of all pauses together it is the one with the least time within pauses that still has
 * more than half of it; of slices of one name within each other the outermost counts.
 *
 *   pauses     ~~~~~~~~~~~~~~~~     ~~~~~~~~~~~~~~~~
 *   main      |------------------------------------------|   owns all of them
 *   prepare     |-------------|       |-------------|        owns more than half: this one
 *   resize      |---|                 |---|                  owns less
 */
#include "analysis/host_sweep.h"
#include "core/array.h"
#include "core/saturate.h"

/* The part of all pauses that a label owns. */
struct owned {
	int64_t ns;
	uint32_t open_count; /* slices of it that are open */
};

struct silences {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	const struct tc_silences *all;
	uint32_t *owners;   /* by silence: a label, or TC_LABEL_ABSENT */
	int64_t *before_ns; /* by silence: the pauses before it; one more for all of them */
	size_t at;          /* the first that is not over */
	size_t *unowned;    /* those that are over and have no owner yet, in order */
	size_t unowned_count;
	struct tc_paged rows; /* struct owned, by label; not used without silences */
};

static void clear_silences(void *self)
{
	struct silences *tally = self;

	tc_paged_clear(&tally->rows);
	tc_arena_clear(&tally->arena);
}

static void begin_silences(void *self, const struct tc_host_sweep *sweep)
{
	struct silences *tally = self;
	struct tc_ctx *ctx = sweep->timeline->ctx;

	*tally = (struct silences){
		.arena.ctx = ctx, .sweep = sweep, .all = &sweep->survey->silences};
	size_t count = tally->all->count;
	TC_ARENA(&tally->arena, tally->owners, count);
	TC_ARENA(&tally->arena, tally->unowned, count);
	TC_ARENA(&tally->arena, tally->before_ns, count + 1);
	for (size_t i = 0; i < count && !tc_ctx_failed(ctx); i++) {
		const struct tc_silence *silence = &tally->all->items[i];
		bool is_pause = silence->kind == TC_SILENCE_PAUSE;
		tally->owners[i] = TC_LABEL_ABSENT;
		tally->before_ns[i + 1] = tc_add_saturated(
			tally->before_ns[i], is_pause ? silence->until_ns - silence->from_ns : 0);
	}
	if (tally->all->count > 0)
		tc_paged_init(&tally->rows, ctx, sweep->timeline->label_count, sizeof(struct owned),
			NULL);
}

static bool is_step(const struct tc_timeline *timeline, const struct tc_span *span)
{
	size_t at;

	TC_BISECT(at, timeline->step_count, timeline->steps[at].ts_ns < span->ts_ns);
	while (at < timeline->step_count && timeline->steps[at].ts_ns == span->ts_ns)
		if (timeline->steps[at++].slice_id == span->slice_id)
			return true;
	return false;
}

/* A range of the user or a Python frame on a thread that launches. A step owns all that is in it.
 */
static bool is_owner(const struct silences *tally, const struct tc_host_open *host)
{
	const struct tc_label *label = &tally->sweep->timeline->labels[host->open.span.label];

	return tally->all->count > 0 && host->role == TC_ROLE_NONE && !label->is_op &&
	       label->mark != TC_MARK_RECORDING &&
	       tally->sweep->survey->threads[host->thread].is_launching &&
	       !is_step(tally->sweep->timeline, &host->open.span);
}

static void start(void *self, struct tc_host_open *host)
{
	const struct silences *tally = self;

	if (is_owner(tally, host))
		TC_PAGED_AT(&tally->rows, struct owned, host->open.span.label)->open_count++;
}

/* A slice owns a silence when it is around more than half of it. */
static bool owns(const struct silences *tally, size_t i, const struct tc_open *open, uint32_t label)
{
	const struct tc_silence *silence = &tally->all->items[i];
	struct tc_interval all = {silence->from_ns, silence->until_ns};
	struct tc_interval within =
		tc_interval_cut(all, (struct tc_interval){open->start_ns, open->end_ns});

	if (tc_interval_measure(within) <= tc_interval_measure(all) / 2)
		return false;
	tally->owners[i] = label;
	return true;
}

/* A slice has ended. The silences since it began have it as their owner, but for the first, of
 * which it may have missed more, and the one that goes on. */
static void own_silences(struct silences *tally, const struct tc_open *open, uint32_t label)
{
	const struct tc_silence *items = tally->all->items;
	size_t *unowned = tally->unowned;

	for (; tally->at < tally->all->count && items[tally->at].until_ns <= open->end_ns;
		tally->at++)
		if (tally->owners[tally->at] == TC_LABEL_ABSENT)
			unowned[tally->unowned_count++] = tally->at;
	if (tally->at < tally->all->count && tally->owners[tally->at] == TC_LABEL_ABSENT)
		owns(tally, tally->at, open, label);
	while (tally->unowned_count > 0 &&
		items[unowned[tally->unowned_count - 1]].until_ns > open->start_ns &&
		owns(tally, unowned[tally->unowned_count - 1], open, label))
		tally->unowned_count--;
}

/* How long the pauses last in all until a time. */
static int64_t paused_until(const struct silences *tally, int64_t time_ns)
{
	const struct tc_silence *items = tally->all->items;
	size_t at;

	TC_BISECT(at, tally->all->count, items[at].until_ns <= time_ns);
	if (at == tally->all->count || items[at].kind != TC_SILENCE_PAUSE ||
		items[at].from_ns > time_ns)
		return tally->before_ns[at];
	return tc_add_saturated(tally->before_ns[at], time_ns - items[at].from_ns);
}

static void end(void *self, struct tc_host_open *host)
{
	struct silences *tally = self;
	uint32_t label = host->open.span.label;

	if (!is_owner(tally, host))
		return;
	struct owned *row = TC_PAGED_AT(&tally->rows, struct owned, label);
	own_silences(tally, &host->open, label);
	if (--row->open_count == 0)
		row->ns =
			tc_add_saturated(row->ns, paused_until(tally, host->open.end_ns) -
							  paused_until(tally, host->open.start_ns));
}

static struct tc_sql_value label_id(const struct silences *tally, uint32_t label)
{
	return tc_sql_int_if(label != TC_LABEL_ABSENT, tally->sweep->timeline->label_base + label);
}

static void write_silence(const struct silences *tally, size_t i)
{
	const struct tc_silence *silence = &tally->all->items[i];
	const struct tc_sql_value values[] = {tc_sql_int(tally->sweep->timeline->trace_id),
		tc_sql_int(silence->from_ns), tc_sql_int(silence->until_ns - silence->from_ns),
		tc_sql_string(tc_silence_name(silence->kind)),
		tc_sql_int(tally->sweep->thread_ids[silence->thread]),
		label_id(tally, silence->before), label_id(tally, silence->after),
		label_id(tally, tally->owners[i])};

	TC_TABLES_PUT(tally->sweep->tables,
		"host_silence (trace_id, ts, dur, kind, thread_id, before_label_id,"
		" after_label_id, owner_label_id)",
		values);
}

static void write_owner(const struct silences *tally)
{
	const struct tc_timeline *timeline = tally->sweep->timeline;
	uint32_t owner = TC_LABEL_ABSENT;
	int64_t least_ns = INT64_MAX, pause_ns = tally->before_ns[tally->all->count];

	for (size_t i = 0; i < timeline->label_count; i++) {
		int64_t ns = TC_PAGED_AT(&tally->rows, struct owned, i)->ns;
		if (ns > pause_ns / 2 && ns < least_ns) {
			owner = (uint32_t)i;
			least_ns = ns;
		}
	}
	const struct tc_sql_value values[] = {tc_sql_int(timeline->trace_id),
		label_id(tally, owner), tc_sql_int(least_ns), tc_sql_int(pause_ns)};
	if (owner != TC_LABEL_ABSENT)
		TC_TABLES_PUT(tally->sweep->tables,
			"pause_owner (trace_id, label_id, owned_ns, pause_ns)", values);
}

static void finish(void *self)
{
	const struct silences *tally = self;

	for (size_t i = 0; i < tally->all->count; i++)
		write_silence(tally, i);
	if (tally->before_ns[tally->all->count] > 0)
		write_owner(tally);
}

const struct tc_host_visitor tc_silence_visitor = {
	.size = sizeof(struct silences),
	.begin = begin_silences,
	.clear = clear_silences,
	.start = start,
	.end = end,
	.finish = finish,
};
