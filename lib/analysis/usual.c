/*
 * Durations are counted in bins of an eighth of an octave, so a call costs a count and a name less
 * than a kilobyte. What one of ten calls does not exceed is what a call takes that waits for
 * nothing.
 */
#include "analysis/usual.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"

#define USUAL_TENTH 10

static size_t bin_of(int64_t dur_ns)
{
	int octave = 63 - __builtin_clzll((unsigned long long)dur_ns | 1);
	int64_t rest = octave >= 3 ? (dur_ns >> (octave - 3)) & 7 : 0;

	return (size_t)(octave * TC_DURATIONS_PER_OCTAVE + rest);
}

static int64_t bin_start(size_t bin)
{
	int octave = (int)bin / TC_DURATIONS_PER_OCTAVE;
	int64_t rest = (int64_t)bin % TC_DURATIONS_PER_OCTAVE, one = INT64_C(1) << octave;

	return octave >= 3 ? one + (rest << (octave - 3)) : one;
}

void tc_durations_add(struct tc_durations *durations, int64_t dur_ns)
{
	size_t bin = bin_of(dur_ns);

	durations->count++;
	if (bin < TC_DURATIONS_BINS)
		durations->counts[bin]++;
}

int64_t tc_durations_lowest(const struct tc_durations *durations, uint32_t part)
{
	uint32_t rank = durations->count / part, seen = 0;

	for (size_t i = 0; i < TC_DURATIONS_BINS; i++) {
		seen += durations->counts[i];
		if (seen > rank)
			return bin_start(i);
	}
	return bin_start(TC_DURATIONS_BINS);
}

void tc_usual_init(struct tc_usual *usual, struct tc_ctx *ctx, size_t label_count)
{
	*usual = (struct tc_usual){.ctx = ctx, .label_count = label_count};
	tc_paged_init(&usual->numbers, ctx, label_count, sizeof(uint32_t), NULL);
	tc_paged_init(&usual->usual_ns, ctx, label_count, sizeof(int64_t), NULL);
}

static void clear_durations(struct tc_usual *usual)
{
	for (size_t i = 0; i < usual->count; i++)
		tc_free(usual->durations[i]);
	tc_free(usual->durations);
	tc_paged_clear(&usual->numbers);
	usual->durations = NULL;
	usual->count = usual->capacity = 0;
}

void tc_usual_clear(struct tc_usual *usual)
{
	clear_durations(usual);
	tc_paged_clear(&usual->usual_ns);
	*usual = (struct tc_usual){0};
}

/* NULL when memory is out. */
static struct tc_durations *durations_of(struct tc_usual *usual, uint32_t label)
{
	uint32_t *number = TC_PAGED_AT(&usual->numbers, uint32_t, label);

	if (*number > 0)
		return usual->durations[*number - 1];
	struct tc_durations *durations = tc_new(usual->ctx, 1, sizeof(*durations));
	if (!durations)
		return NULL;
	if (!TC_PUSH(usual->ctx, usual->durations, usual->count, usual->capacity, durations)) {
		tc_free(durations);
		return NULL;
	}
	*number = (uint32_t)usual->count;
	return durations;
}

void tc_usual_add(struct tc_usual *usual, uint32_t label, int64_t dur_ns)
{
	struct tc_durations *durations = durations_of(usual, label);

	if (durations)
		tc_durations_add(durations, dur_ns);
}

void tc_usual_find(struct tc_usual *usual)
{
	for (size_t i = 0; i < usual->label_count && !tc_ctx_failed(usual->ctx); i++) {
		uint32_t number = *TC_PAGED_AT(&usual->numbers, uint32_t, i);
		if (number == 0)
			continue;
		*TC_PAGED_AT(&usual->usual_ns, int64_t, i) =
			tc_durations_lowest(usual->durations[number - 1], USUAL_TENTH);
	}
	clear_durations(usual);
}

void tc_blocking_see(struct tc_blocking *blocking, const struct tc_timeline *timeline,
	const struct tc_span *span)
{
	if (span->launch_slice_id == TC_NO_ID || span->dur_ns < TC_BLOCKED_NS ||
		timeline->labels[span->label].kind != TC_OP_KERNEL ||
		timeline->labels[span->launch_label].mark != TC_MARK_KERNEL_LAUNCH)
		return;
	int64_t start_ns = tc_sub_saturated(span->ts_ns, span->launch_ts_ns);
	if (blocking->kernel_count++ == 0 || start_ns < blocking->start_ns)
		blocking->start_ns = start_ns;
	/* The clock of the device may be early; no call is too short for a kernel that it waits
	 * for. */
	blocking->blocked_count +=
		span->launch_end_ns >= tc_span_end_ns(span) &&
		tc_sub_saturated(span->launch_end_ns, span->launch_ts_ns) >= span->dur_ns;
}

/* A Gaudi's copies show no direction. Before anything computes there is nothing to read back; those
 * of a graph move what is there. */
static bool is_upload(const struct tc_label *label, const struct tc_span *span)
{
	return label->kind == TC_OP_MEMCPY &&
	       (label->direction == TC_DIRECTION_HTOD ||
		       (label->direction == TC_DIRECTION_NONE && span->recipe == TC_STRTAB_NONE));
}

static struct tc_loading_device *device_of(
	struct tc_loading *loading, const struct tc_timeline *timeline, const struct tc_span *span)
{
	int32_t device = timeline->tracks[span->track].device;

	if (device < 0)
		device = 0;
	return &loading->devices[device < TC_LOADING_DEVICES ? device : TC_LOADING_DEVICES - 1];
}

static void see_compute(
	struct tc_loading *loading, struct tc_loading_device *device, int64_t start_ns)
{
	if (!device->computes)
		device->first_count = device->run_count;
	else if (device->run_count > device->again_count)
		device->again_count = device->run_count;
	device->computes = true;
	device->run_count = 0;
	if (!loading->computes || start_ns < loading->compute_ns)
		loading->compute_ns = start_ns;
	loading->computes = true;
}

void tc_loading_see(
	struct tc_loading *loading, const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];

	if (timeline->step_count > 0)
		return;
	if (is_upload(label, span))
		device_of(loading, timeline, span)->run_count++;
	else if (label->kind == TC_OP_KERNEL)
		see_compute(loading, device_of(loading, timeline, span), span->ts_ns);
}

void tc_server_see(struct tc_server *server, const struct tc_label *label)
{
	server->has_loop |= label->phase != TC_PHASE_NONE || label->role == TC_ROLE_DATALOADER;
	bool is_work = label->is_op || label->kind == TC_OP_KERNEL;
	server->has_layers |=
		is_work && (tc_label_is_matrix(label) || label->name_class == TC_CLASS_EMBEDDING);
}

/*
 * A loop that pauses about as long between most of its turns does work of its own there: it
 * schedules, samples, answers. Only a pause that is longer than those waits for a request.
 */
static void find_usual_pause(struct tc_server *server, const struct tc_timeline *timeline)
{
	const struct tc_step *steps = timeline->steps;
	size_t count = 0;

	server->no_work_min_ns = TC_NO_WORK_MIN_NS;
	if (!server->is_server || timeline->step_count < TC_USUAL_PAUSE_TURNS)
		return;
	int64_t *pauses = tc_new(timeline->ctx, timeline->step_count, sizeof(*pauses));
	if (!pauses)
		return;
	for (size_t i = 1; i < timeline->step_count; i++)
		pauses[count++] = steps[i].ts_ns - (steps[i - 1].ts_ns + steps[i - 1].dur_ns);
	TC_SORT(pauses, count, tc_compare_numbers);
	int64_t usual_ns = pauses[count / 2];
	if (usual_ns <= TC_USUAL_PAUSE_MAX_NS && 2 * usual_ns > server->no_work_min_ns)
		server->no_work_min_ns = 2 * usual_ns;
	tc_free(pauses);
}

/* A loop over batches has steps, a loader, or what only training has. Inference without any of them
 * is a server: layers of a model without a loop. */
void tc_server_find(struct tc_server *server, const struct tc_timeline *timeline)
{
	server->has_loop |= timeline->step_count > 0 && !timeline->steps_are_iterations;
	server->is_server = server->has_layers && !server->has_loop;
	find_usual_pause(server, timeline);
}
