/*
 * Hands events, members and log entries to the sink, until the sink or memory fails. Members that
 * are not clean UTF-8 are repaired first, and dropped when that fails.
 */
#include "decode/delivery.h"

#include "decode/json/json_text.h"
#include "core/text/utf8.h"

bool tc_delivery_log(struct tc_delivery *delivery, enum tc_log_kind kind, int64_t offset,
	int64_t count, const char *message)
{
	struct tc_log_entry entry = {kind, offset, count, tc_text_from(message ? message : "")};

	if (delivery->status == TC_OK)
		delivery->status = delivery->sink.log(delivery->sink.user, &entry);
	return delivery->status == TC_OK;
}

bool tc_delivery_no_memory(struct tc_delivery *delivery, int64_t offset)
{
	if (delivery->status == TC_OK)
		delivery->status = tc_fail(delivery->ctx, TC_ERR_NOMEM,
			"out of memory while decoding at byte %lld", (long long)offset);
	return false;
}

/* Appends a value as compact JSON; nothing when it cannot be made clean. */
static enum tc_repair_result append_value(struct tc_delivery *delivery, struct tc_text value)
{
	if (tc_json_clean(value, true)) {
		tc_json_compact(&delivery->text, value);
		return TC_REPAIR_DONE;
	}
	enum tc_repair_result result =
		tc_repair_value(&delivery->repair, delivery->keys, value, true);
	if (result == TC_REPAIR_DONE)
		tc_json_compact(&delivery->text, tc_buf_text(&delivery->repair.out));
	return result;
}

bool tc_delivery_member(
	struct tc_delivery *delivery, struct tc_buf *key, struct tc_text value, int64_t offset)
{
	if (value.len > TC_META_MAX_BYTES)
		return tc_delivery_log(
			delivery, TC_LOG_META_TOO_LARGE, offset, 1, tc_buf_string(key));
	tc_buf_reset(&delivery->text);
	tc_utf8_append_clean(&delivery->text, tc_buf_text(key));
	size_t key_len = delivery->text.len;
	enum tc_repair_result result = append_value(delivery, value);
	if (result == TC_REPAIR_NO_MEMORY || tc_buf_failed(&delivery->text))
		return tc_delivery_no_memory(delivery, offset);
	if (result != TC_REPAIR_DONE)
		return true;
	struct tc_text text = tc_buf_text(&delivery->text);
	const struct tc_text json = {text.ptr + key_len, text.len - key_len};
	text.len = key_len;
	delivery->status = delivery->sink.meta(delivery->sink.user, text, json);
	return delivery->status == TC_OK;
}
