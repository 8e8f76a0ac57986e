/* What host threads are doing; see host_state.h. */
#include "analysis/host/host_state.h"

static const struct tc_host_track no_track = {.next_track = UINT32_MAX};
static const struct tc_host_thread no_thread = {.first_track = UINT32_MAX};

enum tc_status tc_host_state_init(struct tc_host_state *state, const struct tc_timeline *timeline,
	const struct tc_survey *survey)
{
	*state = (struct tc_host_state){.timeline = timeline, .survey = survey};
	enum tc_status status = tc_paged_init(
		&state->tracks, timeline->ctx, timeline->track_count, sizeof(no_track), &no_track);
	if (!status)
		status = tc_paged_init(&state->threads, timeline->ctx, survey->thread_count,
			sizeof(no_thread), &no_thread);
	for (int i = 0; !status && i < TC_ROLE_COUNT; i++)
		if (!tc_first_set_init(&state->launching[i], survey->thread_count))
			status = tc_no_memory(timeline->ctx);
	if (status) {
		tc_host_state_clear(state);
		return status;
	}
	for (size_t i = 0; i < TC_ROLE_COUNT; i++)
		state->runtime_start_ns[i] = INT64_MIN;
	for (size_t i = survey->track_count; i-- > 0;) {
		struct tc_host_track *track = tc_host_track_at(state, survey->tracks[i]);
		track->thread = timeline->tracks[survey->tracks[i]].host_thread;
		struct tc_host_thread *thread = tc_host_thread_at(state, track->thread);
		track->next_track = thread->first_track;
		thread->first_track = survey->tracks[i];
	}
	return tc_host_state_status(state);
}

enum tc_status tc_host_state_status(const struct tc_host_state *state)
{
	enum tc_status status = tc_paged_status(&state->tracks);

	return status ? status : tc_paged_status(&state->threads);
}

void tc_host_state_clear(struct tc_host_state *state)
{
	tc_paged_clear(&state->tracks);
	tc_paged_clear(&state->threads);
	for (int i = 0; i < TC_ROLE_COUNT; i++)
		tc_first_set_clear(&state->launching[i]);
	*state = (struct tc_host_state){0};
}

/* Changes a count, and the bit that says whether it is above 0. */
static void count_role(uint32_t *counts, uint32_t *bits, enum tc_role role, int by)
{
	counts[role] += (uint32_t)by;
	if (counts[role] > 0)
		*bits |= UINT32_C(1) << role;
	else
		*bits &= ~(UINT32_C(1) << role);
}

/* For a launching thread: whether it is in a role, or for TC_ROLE_NONE whether it has an open
 * slice. */
static void note_launching(
	struct tc_host_state *state, int32_t thread, enum tc_role role, bool is_in)
{
	struct tc_first_set *set = &state->launching[role];

	if (!state->survey->threads[thread].is_launching)
		return;
	tc_first_set_put(set, (size_t)thread, is_in);
	if (role == TC_ROLE_NONE)
		return;
	if (tc_first_set_first(set) != TC_FIRST_SET_NONE)
		state->launching_roles |= UINT32_C(1) << role;
	else
		state->launching_roles &= ~(UINT32_C(1) << role);
}

static void count_track(
	struct tc_host_state *state, struct tc_host_track *track, enum tc_role role, int by)
{
	struct tc_host_thread *thread = tc_host_thread_at(state, track->thread);
	uint32_t before = thread->roles;

	if (role == TC_ROLE_NONE)
		return;
	count_role(thread->tracks_in_role, &thread->roles, role, by);
	if (thread->roles != before)
		note_launching(state, track->thread, role, by > 0);
}

static void set_track_role(
	struct tc_host_state *state, struct tc_host_track *track, enum tc_role role)
{
	if (track->role == role)
		return;
	count_track(state, track, track->role, -1);
	count_track(state, track, role, 1);
	track->role = role;
}

/* The slice that gives a track its role; NULL for none. */
static const struct tc_open *role_slice(const struct tc_host_track *track)
{
	const struct tc_open *last = track->lists[TC_HOST_ROLES].last;

	return last ? last : track->lists[TC_HOST_DISPATCH].last;
}

/* A launch that is held up does what a wait does. */
static void update_track_role(struct tc_host_state *state, struct tc_host_track *track)
{
	const struct tc_open *last = role_slice(track);
	enum tc_role role = last ? tc_host_of(last)->role : TC_ROLE_NONE;

	set_track_role(state, track, last && tc_host_of(last)->is_held_up ? TC_ROLE_SYNC : role);
}

bool tc_host_state_is_outermost(const struct tc_host_state *state, const struct tc_host_open *host)
{
	if (tc_host_thread_at(state, host->thread)->open_in_role[host->role] > 0)
		return false;
	if (state->counted_in_role[host->role] == 0)
		return true;
	return !state->survey->threads[host->thread].is_synapse &&
	       state->runtime_start_ns[host->role] != host->open.start_ns;
}

static void enter_role(struct tc_host_state *state, struct tc_host_open *host)
{
	host->is_outermost = tc_host_state_is_outermost(state, host);
	tc_host_thread_at(state, host->thread)->open_in_role[host->role]++;
	if (state->survey->threads[host->thread].is_synapse)
		state->runtime_start_ns[host->role] = host->open.start_ns;
	if (!state->survey->threads[host->thread].is_counted)
		return;
	count_role(state->counted_in_role, &state->counted_roles, host->role, 1);
	state->held_up_count += host->is_held_up;
	if (host->role == TC_ROLE_COMPILE)
		tc_open_list_append(&state->compiles, TC_HOST_COMPILE, &host->open);
}

static void leave_role(struct tc_host_state *state, struct tc_host_open *host)
{
	tc_host_thread_at(state, host->thread)->open_in_role[host->role]--;
	if (!state->survey->threads[host->thread].is_counted)
		return;
	count_role(state->counted_in_role, &state->counted_roles, host->role, -1);
	state->held_up_count -= host->is_held_up;
	if (host->role == TC_ROLE_COMPILE)
		tc_open_list_remove(&state->compiles, TC_HOST_COMPILE, &host->open);
}

/* The lists of its track that hold a slice, as bits. */
static uint32_t lists_of(const struct tc_host_state *state, const struct tc_host_open *host)
{
	const struct tc_label *label = &state->timeline->labels[host->open.span.label];
	bool is_dispatch = host->role == TC_ROLE_DISPATCH;
	bool says_more = host->role != TC_ROLE_NONE && !is_dispatch;
	bool is_carrier =
		label->mark == TC_MARK_COPY_CARRIER || label->mark == TC_MARK_READ_CARRIER;

	return 1U << TC_HOST_ALL | (uint32_t)says_more << TC_HOST_ROLES |
	       (uint32_t)is_dispatch << TC_HOST_DISPATCH | (uint32_t)label->is_op << TC_HOST_OPS |
	       (uint32_t)(label->is_op && !is_carrier) << TC_HOST_CALLERS |
	       (uint32_t)label->is_python << TC_HOST_PYTHON;
}

static enum tc_mark mark_of(const struct tc_host_state *state, const struct tc_host_open *host)
{
	return state->timeline->labels[host->open.span.label].mark;
}

void tc_host_state_start(struct tc_host_state *state, struct tc_host_open *host)
{
	struct tc_host_track *track = tc_host_track_at(state, host->open.span.track);
	uint32_t lists = lists_of(state, host);

	if (tc_host_thread_at(state, host->thread)->open_count++ == 0)
		note_launching(state, host->thread, TC_ROLE_NONE, true);
	host->is_outermost_of_mark = track->open_of_mark[mark_of(state, host)]++ == 0;
	for (int i = 0; i < TC_HOST_COMPILE; i++)
		if (lists & 1U << i)
			tc_open_list_append(&track->lists[i], i, &host->open);
	if (host->role == TC_ROLE_NONE)
		return;
	enter_role(state, host);
	update_track_role(state, track);
}

void tc_host_state_end(struct tc_host_state *state, struct tc_host_open *host)
{
	struct tc_host_track *track = tc_host_track_at(state, host->open.span.track);
	uint32_t lists = lists_of(state, host);

	if (--tc_host_thread_at(state, host->thread)->open_count == 0)
		note_launching(state, host->thread, TC_ROLE_NONE, false);
	track->open_of_mark[mark_of(state, host)]--;
	for (int i = 0; i < TC_HOST_COMPILE; i++)
		if (lists & 1U << i)
			tc_open_list_remove(&track->lists[i], i, &host->open);
	if (host->role == TC_ROLE_NONE)
		return;
	leave_role(state, host);
	update_track_role(state, track);
}

int32_t tc_host_state_launching(const struct tc_host_state *state)
{
	enum tc_role role = tc_role_first(state->launching_roles);
	size_t thread = tc_first_set_first(&state->launching[role]);

	return thread == TC_FIRST_SET_NONE ? -1 : (int32_t)thread;
}

enum tc_role tc_role_first(uint32_t roles)
{
	return roles ? (enum tc_role)__builtin_ctz(roles) : TC_ROLE_NONE;
}

const struct tc_host_open *tc_host_state_role_slice(
	const struct tc_host_state *state, int32_t thread, enum tc_role *role)
{
	*role = tc_role_first(tc_host_thread_at(state, thread)->roles);
	if (*role == TC_ROLE_NONE)
		return NULL;
	for (uint32_t i = tc_host_thread_at(state, thread)->first_track; i != UINT32_MAX;) {
		const struct tc_host_track *track = tc_host_track_at(state, i);
		if (track->role == *role)
			return tc_host_of(role_slice(track));
		i = track->next_track;
	}
	return NULL;
}

const struct tc_host_open *tc_host_state_innermost(
	const struct tc_host_state *state, int32_t thread, int list)
{
	const struct tc_open *best = NULL;

	for (uint32_t i = tc_host_thread_at(state, thread)->first_track; i != UINT32_MAX;) {
		const struct tc_host_track *track = tc_host_track_at(state, i);
		const struct tc_open *last = track->lists[list].last;
		if (last && (!best || last->sequence > best->sequence))
			best = last;
		i = track->next_track;
	}
	return best ? tc_host_of(best) : NULL;
}
