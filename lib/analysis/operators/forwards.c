/* Sequence numbers of autograd; see forwards.h. */
#include "analysis/operators/forwards.h"

#include <string.h>

#include "core/alloc.h"

enum {
	FIRST_SLOTS = 1 << 12,
	MAX_SLOTS = 1 << 18,  /* operators that a step differentiates: hundreds to 100,000 */
	MAX_THREADS = 256,    /* threads that count: one, or one per device */
	MAX_NUMBER = 1 << 16, /* of the profiler's threads */
};

void tc_forwards_clear(struct tc_forwards *forwards)
{
	tc_free(forwards->slots);
	tc_free(forwards->threads);
	tc_free(forwards->known);
	*forwards = (struct tc_forwards){0};
}

static struct tc_forward *slot_of(
	const struct tc_forwards *forwards, int64_t sequence, int32_t thread)
{
	uint64_t number = (uint64_t)sequence + (uint64_t)thread * UINT64_C(0x9e3779b1);

	return &forwards->slots[number & (forwards->slot_count - 1)];
}

/* Doubles the slots. If two operators share a slot, the later number stays. */
static bool grow(struct tc_forwards *forwards)
{
	struct tc_forwards old = *forwards;

	forwards->slot_count = old.slot_count ? 2 * old.slot_count : FIRST_SLOTS;
	forwards->slots = tc_malloc(forwards->slot_count * sizeof(*forwards->slots));
	if (!forwards->slots) {
		*forwards = old;
		return false;
	}
	memset(forwards->slots, 0xff, forwards->slot_count * sizeof(*forwards->slots));
	for (size_t i = 0; i < old.slot_count; i++) {
		const struct tc_forward *forward = &old.slots[i];
		if (forward->thread < 0)
			continue;
		struct tc_forward *slot = slot_of(forwards, forward->sequence, forward->thread);
		if (slot->thread < 0 || slot->sequence < forward->sequence)
			*slot = *forward;
	}
	tc_free(old.slots);
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

	if ((!forwards->slots && !grow(forwards)) || !know_thread(forwards, thread))
		return false;
	struct tc_forward *slot = slot_of(forwards, sequence, thread);
	while (slot->thread >= 0 && !slot->is_differentiated &&
		(slot->thread != thread || slot->sequence != sequence) &&
		forwards->slot_count < MAX_SLOTS) {
		if (!grow(forwards))
			return false;
		slot = slot_of(forwards, sequence, thread);
	}
	*slot = forward;
	return true;
}

static struct tc_forward *find_on(
	const struct tc_forwards *forwards, int64_t sequence, int32_t thread)
{
	struct tc_forward *slot = slot_of(forwards, sequence, thread);

	return slot->thread == thread && slot->sequence == sequence ? slot : NULL;
}

/* The only thread that has the number, or NULL. */
static struct tc_forward *find_anywhere(const struct tc_forwards *forwards, int64_t sequence)
{
	struct tc_forward *found = NULL;

	for (size_t i = 0; i < forwards->thread_count; i++) {
		struct tc_forward *slot = find_on(forwards, sequence, forwards->threads[i]);
		if (slot && found)
			return NULL;
		if (slot)
			found = slot;
	}
	return found;
}

bool tc_forwards_find(
	uint32_t *node, struct tc_forwards *forwards, int64_t sequence, int32_t forward_thread)
{
	struct tc_forward *found = NULL;

	if (!forwards->slots || forward_thread < 0 || forward_thread >= MAX_NUMBER)
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
