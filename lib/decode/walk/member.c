/* Members to the delivery; see member.h. */
#include "decode/walk/member.h"

#include "decode/json/json_text.h"

void tc_member_clear(struct tc_member *member)
{
	tc_buf_clear(&member->key);
}

bool tc_member_start(
	struct tc_member *member, const struct tc_keys *keys, struct tc_text key, int64_t offset)
{
	tc_buf_reset(&member->key);
	tc_buf_append_text(&member->key, key);
	member->is_list =
		tc_keys_field(keys, key.ptr, key.len, key.ptr + key.len) == TC_FIELD_TRACE_EVENTS;
	member->value_from = offset;
	return !tc_buf_failed(&member->key);
}

bool tc_member_end(struct tc_member *member, struct tc_delivery *delivery,
	const struct tc_window *window, int64_t offset)
{
	struct tc_text value = tc_window_rest(window, member->value_from);

	value.len = (size_t)(offset - member->value_from);
	while (value.len > 0 && (*value.ptr == ':' || tc_json_blank(*value.ptr))) {
		value.ptr++;
		value.len--;
	}
	return tc_delivery_member(delivery, &member->key, value, offset - (int64_t)value.len);
}

bool tc_member_deliver_all(struct tc_member *member, struct tc_delivery *delivery,
	struct tc_text object, int64_t offset)
{
	struct tc_json_iter iter;
	struct tc_json_member each;

	tc_json_iter_init(&iter, object);
	while (tc_json_iter_next(&iter, &each)) {
		int64_t value_at = offset + (each.value.ptr - object.ptr);
		tc_buf_reset(&member->key);
		tc_json_unescape(&member->key, each.key);
		if (tc_buf_failed(&member->key))
			return tc_delivery_no_memory(delivery, value_at);
		if (!tc_delivery_member(delivery, &member->key, each.value, value_at))
			return false;
	}
	return true;
}
