/* See parts.h. Begins and ends are paired as the model pairs them (model/slices/pairs.c). */

#include "core/alloc.h"
#include "core/array.h"
#include "cut/parts.h"

enum {
	SORT_BYTES = 4 * 1024 * 1024,
	SEARCH_MAX_COUNT = 1024, /* open begins searched for an end: a limit for hostile input */
};

enum kind { ALONE, ARROW, BEGIN, END };

/* An event that belongs together with others: those of its group. */
struct point {
	int64_t ts_ns, number;
	uint64_t group, track;   /* hashes */
	uint64_t name, category; /* hashes, 0 when empty */
	enum kind kind;
	uint32_t is_of_device; /* 1 or 0: on a lane of the device that was asked for */
};

TC_ORDER(compare_points, struct point,
	TC_DOWN(kind == ARROW) TC_UP(group) TC_UP(ts_ns) TC_UP(number));

static const struct tc_sorter_layout layout = {sizeof(struct point), SORT_BYTES, compare_points};

void tc_choice_clear(struct tc_choice *choice)
{
	tc_sorter_free(choice->points);
	tc_free(choice->wanted);
	tc_number_set_clear(&choice->arrows);
	tc_number_set_clear(&choice->anchors);
	tc_device_part_clear(&choice->device);
	*choice = (struct tc_choice){0};
}

static bool has_id(const struct tc_scalar *id)
{
	return id->kind == TC_SCALAR_INT || id->kind == TC_SCALAR_NUMBER ||
	       id->kind == TC_SCALAR_TEXT;
}

static bool is_one_of(const char *phases, char ph)
{
	return ph && strchr(phases, ph);
}

static enum kind kind_of(const struct tc_raw_event *event)
{
	bool has_group = event->ph == 'B' || event->ph == 'E' || has_id(&event->id);

	if (event->ts_state != TC_TIME_OK)
		return ALONE;
	if (event->ph == 'X' && has_id(&event->bind_id))
		return event->flow_in || event->flow_out ? ARROW : ALONE;
	if (!has_group)
		return ALONE;
	if (is_one_of("stf", event->ph))
		return ARROW;
	if (is_one_of("BbS", event->ph))
		return BEGIN;
	return is_one_of("EeF", event->ph) ? END : ALONE;
}

static uint64_t hash_of_text(struct tc_text text)
{
	return text.len > 0 ? tc_hash_of(text.ptr, text.len) : 0;
}

static uint64_t track_of(const struct tc_raw_event *event)
{
	return tc_ident_track(&event->pid, &event->tid);
}

static uint64_t group_of(const struct tc_raw_event *event)
{
	struct tc_hash hash;

	if (event->ph == 'B' || event->ph == 'E')
		return track_of(event);
	tc_hash_init(&hash);
	if (event->ph == 'X') {
		tc_ident_add(&hash, &event->bind_id);
		return tc_hash_value(&hash);
	}
	tc_ident_add_text(&hash, event->cat);
	if (is_one_of("stf", event->ph)) {
		tc_ident_add_text(&hash, event->name);
	} else {
		tc_hash_add(&hash, &event->id_scope, sizeof(event->id_scope));
		if (event->id_scope == TC_ID_LOCAL)
			tc_ident_add(&hash, &event->pid);
	}
	tc_ident_add(&hash, &event->id);
	return tc_hash_value(&hash);
}

static uint64_t anchor_of(uint64_t track, int64_t ts_ns)
{
	const uint64_t place[] = {track, (uint64_t)ts_ns};

	return tc_hash_of(place, sizeof(place));
}

static bool is_anchored(const struct tc_choice *choice, uint64_t track, int64_t ts_ns)
{
	return tc_number_set_has(&choice->anchors, anchor_of(track, ts_ns));
}

static bool is_of_device(const struct tc_choice *choice, const struct tc_raw_event *event)
{
	return choice->has_device && tc_device_part_has(&choice->device, event, track_of(event));
}

static bool touches(const struct tc_choice *choice, const struct tc_raw_event *event)
{
	bool has_length = event->dur_state == TC_TIME_OK && event->dur_ns > 0;

	return tc_range_touches(
		&choice->range, event->ts_ns, event->ts_ns + (has_length ? event->dur_ns : 0));
}

/* Is the host slice of a track around a launch of the device, or the launch? */
static bool launches(const struct tc_choice *choice, uint64_t track, int64_t from_ns, int64_t to_ns)
{
	return tc_device_part_launches(&choice->device, track, from_ns, to_ns);
}

/* An event by itself, whatever belongs together with it. */
static bool is_asked_for(const struct tc_choice *choice, const struct tc_raw_event *event)
{
	bool has_length = event->dur_state == TC_TIME_OK && event->dur_ns > 0;

	if (!choice->has_device)
		return touches(choice, event);
	return is_of_device(choice, event) ||
	       (event->ph == 'X' && launches(choice, track_of(event), event->ts_ns,
					    event->ts_ns + (has_length ? event->dur_ns : 0)));
}

enum tc_status tc_choice_see(struct tc_choice *choice, const struct tc_raw_event *event)
{
	struct point point = {.kind = kind_of(event)};

	if (point.kind == ALONE)
		return TC_OK;
	point.ts_ns = event->ts_ns;
	point.number = choice->point_count++;
	point.group = group_of(event);
	point.track = is_one_of("beSF", event->ph) ? 0 : track_of(event);
	point.name = hash_of_text(event->name);
	point.category = hash_of_text(event->cat);
	point.is_of_device = is_of_device(choice, event);
	if (point.kind == ARROW &&
		(choice->has_device ? point.is_of_device : touches(choice, event)) &&
		!tc_number_set_add(&choice->arrows, point.group))
		return tc_no_memory(choice->ctx);
	return tc_sorter_put(&choice->points, choice->ctx, &layout, &point);
}

/* The pairing of one group after the other. */
struct pairing {
	struct tc_choice *choice;
	uint64_t group;
	struct point *open; /* begins, outermost first */
	size_t count, capacity;
};

static void want(struct tc_choice *choice, const struct point *point)
{
	choice->wanted[point->number / 8] |= (unsigned char)(1 << point->number % 8);
}

static bool wants_slice(const struct tc_choice *choice, const struct point *begin, int64_t end_ns)
{
	if (choice->has_device)
		return begin->is_of_device ||
		       launches(choice, begin->track, begin->ts_ns, end_ns) ||
		       is_anchored(choice, begin->track, begin->ts_ns);
	return tc_range_touches(&choice->range, begin->ts_ns, end_ns) ||
	       is_anchored(choice, begin->track, begin->ts_ns);
}

/* Of an end whose begin is not in the trace. */
static bool wants_end(const struct tc_choice *choice, const struct point *end)
{
	return choice->has_device ? end->is_of_device
				  : tc_range_touches(&choice->range, end->ts_ns, end->ts_ns);
}

/* What never ends lasts. */
static void end_group(struct pairing *pairing)
{
	for (size_t i = 0; i < pairing->count; i++)
		if (wants_slice(pairing->choice, &pairing->open[i], INT64_MAX))
			want(pairing->choice, &pairing->open[i]);
	pairing->count = 0;
}

static bool closes(const struct point *begin, const struct point *end)
{
	return (end->name == 0 || end->name == begin->name) &&
	       (end->category == 0 || end->category == begin->category);
}

static void on_end(struct pairing *pairing, const struct point *end)
{
	size_t at = pairing->count;
	size_t floor = at > SEARCH_MAX_COUNT ? at - SEARCH_MAX_COUNT : 0;

	while (at > floor && !closes(&pairing->open[at - 1], end))
		at--;
	if (at == floor) {
		if (wants_end(pairing->choice, end))
			want(pairing->choice, end);
		return;
	}
	if (wants_slice(pairing->choice, &pairing->open[at - 1], end->ts_ns)) {
		want(pairing->choice, &pairing->open[at - 1]);
		want(pairing->choice, end);
	}
	memmove(&pairing->open[at - 1], &pairing->open[at],
		(pairing->count - at) * sizeof(pairing->open[0]));
	pairing->count--;
}

static enum tc_status on_arrow(struct tc_choice *choice, const struct point *point)
{
	if (!tc_number_set_has(&choice->arrows, point->group))
		return TC_OK;
	want(choice, point);
	return tc_number_set_add(&choice->anchors, anchor_of(point->track, point->ts_ns))
		       ? TC_OK
		       : tc_no_memory(choice->ctx);
}

static enum tc_status on_point(void *user, const void *record)
{
	struct pairing *pairing = user;
	const struct point *point = record;

	if (point->kind == ARROW)
		return on_arrow(pairing->choice, point);
	if (point->group != pairing->group)
		end_group(pairing);
	pairing->group = point->group;
	if (point->kind == END) {
		on_end(pairing, point);
		return TC_OK;
	}
	if (!TC_GROW(pairing->open, pairing->capacity, pairing->count + 1))
		return tc_no_memory(pairing->choice->ctx);
	pairing->open[pairing->count++] = *point;
	return TC_OK;
}

enum tc_status tc_choice_decide(struct tc_choice *choice)
{
	struct pairing pairing = {.choice = choice};

	choice->wanted = tc_calloc((size_t)choice->point_count / 8 + 1, 1);
	if (!choice->wanted)
		return tc_no_memory(choice->ctx);
	enum tc_status status = tc_sorter_each(choice->points, on_point, &pairing);
	end_group(&pairing);
	tc_free(pairing.open);
	tc_sorter_free(choice->points);
	choice->points = NULL;
	return status;
}

bool tc_choice_wants(struct tc_choice *choice, const struct tc_raw_event *event)
{
	enum kind kind = kind_of(event);
	bool is_wanted = false;

	if (kind != ALONE) {
		int64_t number = choice->asked_count++;
		is_wanted = number < choice->point_count && /* a file may grow between the passes */
			    choice->wanted[number / 8] >> number % 8 & 1;
	}
	if (is_wanted || event->ph == 'M')
		return true;
	if (event->ts_state != TC_TIME_OK || (kind != ALONE && event->ph != 'X'))
		return false;
	return is_asked_for(choice, event) ||
	       (event->ph == 'X' && choice->anchors.count > 0 &&
		       is_anchored(choice, track_of(event), event->ts_ns));
}
