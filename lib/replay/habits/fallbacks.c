#include "replay/habits/fallbacks.h"

static const struct tc_label *label_of(
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice)
{
	return &timeline->labels[slice->span.label];
}

void tc_within_itself(struct tc_within *within, const struct tc_timeline *timeline,
	const struct tc_walk_slice *slice)
{
	enum tc_role role = tc_span_role(timeline, &slice->span);

	within->reads = within->reads || role == TC_ROLE_OUTPUT_COPY;
	within->writes = within->writes || role == TC_ROLE_INPUT_COPY;
	within->kernels =
		within->kernels || label_of(timeline, slice)->mark == TC_MARK_KERNEL_LAUNCH;
	if (role == TC_ROLE_SYNC && !within->copy_wait_count && within->is_in_copy)
		within->copy_wait_count = 1;
}

void tc_within_join(struct tc_within *around, const struct tc_within *within)
{
	around->launches = around->launches || within->launches;
	around->is_round_trip =
		around->is_round_trip || within->is_round_trip || (around->reads && within->writes);
	around->reads = around->reads || within->reads;
	around->writes = around->writes || within->writes;
	around->kernels = around->kernels || within->kernels;
	if (!within->reads && !within->writes)
		around->copy_wait_count += within->copy_wait_count;
}

bool tc_is_read(const struct tc_label *label, const struct tc_within *within)
{
	return label->mark == TC_MARK_COPY_CARRIER && within->reads && !within->writes;
}

/* It reads its input, computes on the host, and writes the result back, in this order. One that
 * launches kernels computes on the device: indexing with a mask reads a size and sends indices.
 * Where the calls do not show the directions of copies, two waits within copying operations show
 * it. */
static bool is_round_trip(const struct tc_label *label, const struct tc_within *within)
{
	return label->is_op && label->role == TC_ROLE_DISPATCH && !within->kernels &&
	       label->mark != TC_MARK_COPY_CARRIER && label->mark != TC_MARK_READ_CARRIER &&
	       (within->is_round_trip || within->copy_wait_count >= 2);
}

static bool is_device_call(const struct tc_label *label, enum tc_role role)
{
	return label->is_launch || role == TC_ROLE_INPUT_COPY || role == TC_ROLE_OUTPUT_COPY ||
	       role == TC_ROLE_GRAPH_BUILD;
}

static bool is_computing(
	const struct tc_label *label, const struct tc_span *span, const struct tc_within *within)
{
	return label->is_op && span->dur_ns >= TC_ON_CPU_MIN_NS && !within->launches &&
	       !within->reads && !within->writes;
}

/* An outermost framework copy has ended. */
static void note_copy(struct tc_slice_facts *facts, struct tc_on_cpu *thread, int64_t id,
	const struct tc_within *within)
{
	if (within->writes && thread->has_computed)
		tc_slice_bits_set(&facts->fallbacks, &facts->arena, id);

	if (within->launches || within->writes || within->reads)
		*thread = (struct tc_on_cpu){
			.has_read = within->reads && !within->writes, .read_id = id};
}

static void note_on_cpu(struct tc_slice_facts *facts, struct tc_on_cpu *thread,
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice,
	const struct tc_within *within)
{
	const struct tc_label *label = label_of(timeline, slice);
	enum tc_role role = tc_span_role(timeline, &slice->span);

	if (within->is_in_copy)
		return;
	if (label->mark == TC_MARK_COPY_CARRIER) {
		note_copy(facts, thread, slice->span.slice_id, within);
		return;
	}
	if (is_device_call(label, role))
		thread->has_read = thread->has_computed = false;
	if (!thread->has_read || role != TC_ROLE_DISPATCH ||
		!is_computing(label, &slice->span, within))
		return;
	thread->has_computed = true;
	tc_slice_bits_set(&facts->fallbacks, &facts->arena, slice->span.slice_id);
	tc_slice_bits_set(&facts->fallbacks, &facts->arena, thread->read_id);
}

void tc_fallbacks_note(struct tc_slice_facts *facts, struct tc_on_cpu *thread,
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice,
	const struct tc_within *within)
{
	if (is_round_trip(label_of(timeline, slice), within))
		tc_slice_bits_set(&facts->fallbacks, &facts->arena, slice->span.slice_id);
	note_on_cpu(facts, thread, timeline, slice, within);
}
