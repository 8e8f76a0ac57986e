/*
 * Where in a trace the input stands, and the moves from level to level:
 *
 *   top --{--> event --"traceEvents": [--> list --{--> event --}--> list --]--> container --}-->
 * top
 *
 * An object at the top may be an event (JSON lines) or the container of a list; it is taken for an
 * event until its member traceEvents is met.
 */
#include "decode/position.h"

#include "decode/json/json_text.h"

void tc_position_enter_list(struct tc_position *position, bool in_container, int64_t offset)
{
	position->level = TC_LEVEL_LIST;
	position->in_container = in_container;
	position->list_depth = 0;
	position->element_seen = false;
	position->comma_at = -1;
	position->hold = offset;
	position->list_count++;
}

void tc_position_leave_list(struct tc_position *position, int64_t offset)
{
	if (position->list_depth > 0) {
		position->list_depth--;
		tc_position_end_element(position, offset);
		return;
	}
	position->level = position->in_container ? TC_LEVEL_CONTAINER : TC_LEVEL_TOP;
	position->hold = offset;
	position->comma_at = -1;
}

void tc_position_enter_container(struct tc_position *position)
{
	if (position->form == TC_FORM_UNKNOWN)
		position->form = TC_FORM_OBJECT;
	position->level = TC_LEVEL_CONTAINER;
	position->in_container = true;
}

void tc_position_leave_container(struct tc_position *position, int64_t offset)
{
	position->level = TC_LEVEL_TOP;
	position->in_container = false;
	position->midway = false;
	position->hold = offset;
	position->comma_at = -1;
}

void tc_position_skip_blanks(struct tc_position *position, const struct tc_window *window)
{
	int64_t end = tc_window_end(window);

	for (; position->hold < end; position->hold++) {
		char c = *tc_window_at(window, position->hold);
		if (c == ',' && position->level == TC_LEVEL_LIST && position->comma_at < 0)
			position->comma_at = position->hold;
		else if (!tc_json_blank(c))
			return;
	}
}

int tc_position_skip_gap(struct tc_position *position, const struct tc_window *window)
{
	int64_t end = tc_window_end(window);

	for (; position->hold < end; position->hold++) {
		char c = *tc_window_at(window, position->hold);
		if (c == ',' && position->comma_at < 0)
			position->comma_at = position->hold;
		else if (c != ',' && !tc_json_blank(c))
			return (unsigned char)c;
	}
	return -1;
}
