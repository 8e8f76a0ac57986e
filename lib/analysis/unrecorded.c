/*
 * Launches whose work is not recorded. A launch may be several nested calls, and work names one of
 * them, so the outermost call of a thread decides when it ends. What the next launch with recorded
 * work launches waits behind the unrecorded work:
 *
 *   host     |graph launch||kernel launch|  |------- item() -------|
 *   device                                   (graph)         |kernel|
 *            lost           behind it: the time until the kernel starts is no idle time
 */
#include "analysis/unrecorded.h"

#include "core/alloc.h"
#include "core/saturate.h"

/* A wait of at least this length, and of so many times the length of the work at its end, waits for
 * more than that work. Our defaults, no published source. */
#define LONG_WAIT_MIN_NS INT64_C(1000000)
enum { LONG_WAIT_TIMES = 10 };

/* So many of the latest launches are known; queues of devices hold 1024. */
enum { LAUNCHES_HELD = 4096 };

struct launching {
	uint32_t depth;        /* open launch calls */
	bool has_work;         /* one of them has launched recorded work */
	int64_t start_ns;      /* of the outermost */
	int64_t lost_since_ns; /* the first launch without recorded work since one with it */
};

struct tc_unrecorded {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	bool links_work;           /* most work of the trace names its launch */
	bool is_capturing;         /* calls launch nothing now, but become nodes of a graph */
	struct launching *threads; /* by host thread */
	int64_t *behind;           /* slice ids of launches that came next after lost ones */
	int64_t launch_count;      /* of lost ones */
};

struct tc_unrecorded *tc_unrecorded_new(const struct tc_host_sweep *sweep)
{
	const struct tc_busy *all = tc_device_tally_all(sweep->devices);
	struct tc_unrecorded *unrecorded = tc_new(sweep->timeline->ctx, 1, sizeof(*unrecorded));

	if (!unrecorded)
		return NULL;
	*unrecorded = (struct tc_unrecorded){
		.arena.ctx = sweep->timeline->ctx,
		.sweep = sweep,
		.links_work = all && all->launched_count > 0 &&
			      all->launched_count >=
				      all->op_count - all->before_count - all->launched_count,
	};
	TC_ARENA(&unrecorded->arena, unrecorded->threads, sweep->survey->thread_count);
	TC_ARENA(&unrecorded->arena, unrecorded->behind, LAUNCHES_HELD);
	if (tc_ctx_failed(sweep->timeline->ctx))
		return unrecorded;
	for (size_t i = 0; i < sweep->survey->thread_count; i++)
		unrecorded->threads[i].lost_since_ns = TC_TIME_LAST;
	for (size_t i = 0; i < LAUNCHES_HELD; i++)
		unrecorded->behind[i] = TC_NO_ID;
	return unrecorded;
}

void tc_unrecorded_free(struct tc_unrecorded *unrecorded)
{
	if (!unrecorded)
		return;
	tc_arena_clear(&unrecorded->arena);
	tc_free(unrecorded);
}

static const struct tc_label *label_of(
	const struct tc_unrecorded *unrecorded, const struct tc_host_open *host)
{
	return &unrecorded->sweep->timeline->labels[host->open.span.label];
}

static int64_t *place_of(const struct tc_unrecorded *unrecorded, int64_t slice_id)
{
	return &unrecorded->behind[(uint64_t)slice_id % LAUNCHES_HELD];
}

void tc_unrecorded_start(struct tc_unrecorded *unrecorded, const struct tc_host_open *host)
{
	const struct tc_label *label = label_of(unrecorded, host);
	struct launching *thread = &unrecorded->threads[host->thread];

	if (label->mark == TC_MARK_GRAPH_BEGIN || label->mark == TC_MARK_GRAPH_CAPTURE)
		unrecorded->is_capturing = label->mark == TC_MARK_GRAPH_BEGIN;
	if (!label->is_launch)
		return;
	if (thread->depth++ == 0) {
		thread->has_work = false;
		thread->start_ns = host->open.start_ns;
	}
	if (host->first_work_ns == INT64_MIN)
		return;
	thread->has_work = true;
	if (thread->lost_since_ns < TC_TIME_LAST)
		*place_of(unrecorded, host->open.span.slice_id) = host->open.span.slice_id;
}

/* Copies and sets between memories of the host have no work on the device, so only calls that
 * launch kernels and graphs can be known to have lost theirs. */
void tc_unrecorded_end(struct tc_unrecorded *unrecorded, const struct tc_host_open *host)
{
	const struct tc_label *label = label_of(unrecorded, host);
	struct launching *thread = &unrecorded->threads[host->thread];

	if (!label->is_launch || --thread->depth > 0)
		return;
	if (thread->has_work) {
		thread->lost_since_ns = TC_TIME_LAST;
		return;
	}
	bool is_work = label->mark == TC_MARK_KERNEL_LAUNCH || label->mark == TC_MARK_GRAPH_LAUNCH;
	if (!is_work || !unrecorded->links_work || unrecorded->is_capturing)
		return;
	unrecorded->launch_count++;
	if (thread->lost_since_ns == TC_TIME_LAST)
		thread->lost_since_ns = thread->start_ns;
}

/* The call waits for the device: it reads from it, or lets it finish. A copy to the device is none,
 * because the first one of a process sets the runtime up. */
static bool is_wait(const struct tc_host_open *host)
{
	return host->role == TC_ROLE_SYNC || host->role == TC_ROLE_OUTPUT_COPY;
}

/* Whether the first recorded work starts only long after a time from which nothing but the device
 * can have held it up. Of several devices one may wait for another. */
static bool is_late(
	const struct tc_unrecorded *unrecorded, const struct tc_gap *gap, int64_t from_ns)
{
	const struct tc_device_tally *devices = unrecorded->sweep->devices;
	int64_t start_ns = tc_time_clamp(unrecorded->sweep->timeline->start_ns);
	int64_t late_ns = gap->end_ns - (from_ns > start_ns ? from_ns : start_ns);

	return devices->tally_count == 1 && gap->place == TC_GAP_BEFORE &&
	       late_ns >= LONG_WAIT_MIN_NS && gap->work_ns <= late_ns / LONG_WAIT_TIMES;
}

/* The first recorded work starts while the host waits, and was launched by the wait or before. */
static bool began_at_work(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap,
	const struct tc_host_open *host)
{
	bool is_own = gap->launch_slice_id == TC_NO_ID || gap->is_queued ||
		      gap->launch_slice_id == host->open.span.slice_id ||
		      gap->launch_ts_ns <= host->open.start_ns;

	return is_own && gap->end_ns <= host->open.end_ns &&
	       is_late(unrecorded, gap, host->open.start_ns);
}

bool tc_unrecorded_in_wait(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap,
	const struct tc_host_open *host)
{
	return host && is_wait(host) &&
	       (began_at_work(unrecorded, gap, host) ||
		       unrecorded->threads[host->thread].lost_since_ns < host->open.start_ns);
}

/* A call that copies blocks until the work before it is done. */
bool tc_unrecorded_in_call(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap)
{
	return gap->waits && is_late(unrecorded, gap, gap->launch_ts_ns);
}

bool tc_unrecorded_in_queue(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap,
	int64_t since_ns, int64_t from_ns)
{
	const struct tc_host_sweep *sweep = unrecorded->sweep;

	/* That work without a call was launched before the recording may be a guess. */
	if (gap->launch_slice_id == TC_NO_ID)
		return false;
	if (is_late(unrecorded, gap, from_ns) ||
		*place_of(unrecorded, gap->launch_slice_id) == gap->launch_slice_id)
		return true;
	return sweep->devices->has_holes && gap->place == TC_GAP_WITHIN &&
	       sweep->timeline->labels[gap->launch_label].mark == TC_MARK_GRAPH_LAUNCH &&
	       tc_add_saturated(gap->launch_end_ns, TC_LAUNCH_LATENCY_NS) <= since_ns;
}

int64_t tc_unrecorded_launch_count(const struct tc_unrecorded *unrecorded)
{
	return unrecorded->launch_count;
}
