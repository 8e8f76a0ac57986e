/* Sequence numbers of autograd; see forwards.h. */
#include "analysis/operators/forwards.h"

#include <string.h>

#include "core/alloc.h"

enum {
	FIRST_PLACES = 1 << 12,
	MAX_PLACES = 1 << 18, /* operators that a step differentiates: hundreds to 100,000 */
	MAX_THREADS = 256,    /* that count: one, or one a device */
	MAX_NUMBER = 1 << 16, /* of the profiler's threads */
};

void tc_forwards_clear(struct tc_forwards *forwards)
{
	tc_free(forwards->places);
	tc_free(forwards->threads);
	tc_free(forwards->known);
	*forwards = (struct tc_forwards){0};
}

static struct tc_forward *place_of(
	const struct tc_forwards *forwards, int64_t sequence, int32_t thread)
{
	uint64_t number = (uint64_t)sequence + (uint64_t)thread * UINT64_C(0x9e3779b1);

	return &forwards->places[number & (forwards->place_count - 1)];
}

/* More places; of two operators that meet in one the later number stays. */
static bool grow(struct tc_forwards *forwards)
{
	struct tc_forwards old = *forwards;

	forwards->place_count = old.place_count ? 2 * old.place_count : FIRST_PLACES;
	forwards->places = tc_malloc(forwards->place_count * sizeof(*forwards->places));
	if (!forwards->places) {
		*forwards = old;
		return false;
	}
	memset(forwards->places, 0xff, forwards->place_count * sizeof(*forwards->places));
	for (size_t i = 0; i < old.place_count; i++) {
		const struct tc_forward *forward = &old.places[i];
		if (forward->thread < 0)
			continue;
		struct tc_forward *place = place_of(forwards, forward->sequence, forward->thread);
		if (place->thread < 0 || place->sequence < forward->sequence)
			*place = *forward;
	}
	tc_free(old.places);
	return true;
}

static bool know_thread(struct tc_forwards *forwards, int32_t thread)
{
	for (size_t i = forwards->thread_count; i-- > 0;)
		if (forwards->threads[i] == thread)
			return true;
	if (forwards->thread_count >= MAX_THREADS)
		return true;
	if (!TC_GROW(forwards->threads, forwards->thread_capacity, forwards->thread_count + 1))
		return false;
	forwards->threads[forwards->thread_count++] = thread;
	return true;
}

bool tc_forwards_add(struct tc_forwards *forwards, int64_t sequence, int32_t thread, uint32_t node)
{
	const struct tc_forward forward = {sequence, node, thread, false};

	if ((!forwards->places && !grow(forwards)) || !know_thread(forwards, thread))
		return false;
	struct tc_forward *place = place_of(forwards, sequence, thread);
	while (place->thread >= 0 && !place->is_differentiated &&
		(place->thread != thread || place->sequence != sequence) &&
		forwards->place_count < MAX_PLACES) {
		if (!grow(forwards))
			return false;
		place = place_of(forwards, sequence, thread);
	}
	*place = forward;
	return true;
}

static struct tc_forward *find_on(
	const struct tc_forwards *forwards, int64_t sequence, int32_t thread)
{
	struct tc_forward *place = place_of(forwards, sequence, thread);

	return place->thread == thread && place->sequence == sequence ? place : NULL;
}

/* The only thread that has the number, or NULL. */
static struct tc_forward *find_anywhere(const struct tc_forwards *forwards, int64_t sequence)
{
	struct tc_forward *found = NULL;

	for (size_t i = 0; i < forwards->thread_count; i++) {
		struct tc_forward *place = find_on(forwards, sequence, forwards->threads[i]);
		if (place && found)
			return NULL;
		if (place)
			found = place;
	}
	return found;
}

bool tc_forwards_find(
	uint32_t *node, struct tc_forwards *forwards, int64_t sequence, int32_t forward_thread)
{
	struct tc_forward *found = NULL;

	if (!forwards->places || forward_thread < 0 || forward_thread >= MAX_NUMBER)
		return true;
	size_t number = (size_t)forward_thread;
	if (!TC_GROW(forwards->known, forwards->known_capacity, number + 1))
		return false;
	while (forwards->known_count <= number)
		forwards->known[forwards->known_count++] = -1;
	if (forwards->known[number] >= 0) {
		found = find_on(forwards, sequence, forwards->known[number]);
	} else {
		found = find_anywhere(forwards, sequence);
		if (found)
			forwards->known[number] = found->thread;
	}
	if (found) {
		found->is_differentiated = true;
		*node = found->node;
	}
	return true;
}
