#include "replay/run/meetings.h"

void tc_meetings_init(struct tc_meetings *meetings, size_t width)
{
	*meetings = (struct tc_meetings){.width = width};
	tc_pool_init(&meetings->pool, sizeof(struct tc_meeting) + 2 * width * sizeof(int64_t));
}

void tc_meetings_clear(struct tc_meetings *meetings)
{
	tc_pool_clear(&meetings->pool);
}

static struct tc_meeting **bucket_of(struct tc_meetings *meetings, int64_t match_id)
{
	uint64_t hash = (uint64_t)match_id * UINT64_C(0x9E3779B97F4A7C15) >> 40;

	return &meetings->buckets[hash % TC_MEETING_BUCKETS];
}

struct tc_meeting *tc_meetings_get(
	struct tc_meetings *meetings, int64_t match_id, uint32_t expected)
{
	struct tc_meeting **bucket = bucket_of(meetings, match_id), *meeting = *bucket;

	while (meeting && meeting->match_id != match_id)
		meeting = meeting->next;
	if (meeting)
		return meeting;
	meeting = tc_pool_take(&meetings->pool);
	if (!meeting)
		return NULL;
	meeting->match_id = match_id;
	meeting->expected = expected;
	meeting->waiter = meeting->last = TC_MEETING_NOBODY;
	meeting->before_ns = INT64_MAX;
	for (size_t i = 0; i < 2 * meetings->width; i++)
		meeting->shifts_ns[i] = INT64_MAX;
	meeting->next = *bucket;
	*bucket = meeting;
	return meeting;
}

void tc_meetings_leave(struct tc_meetings *meetings, struct tc_meeting *meeting)
{
	struct tc_meeting **at = bucket_of(meetings, meeting->match_id);

	if (++meeting->left < meeting->expected)
		return;
	while (*at != meeting)
		at = &(*at)->next;
	*at = meeting->next;
	tc_pool_give(&meetings->pool, meeting);
}
