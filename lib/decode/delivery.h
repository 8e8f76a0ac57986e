/*
 * Delivery: what goes to the decoder's sink. The first failure stays, and nothing is delivered
 * after it. What is delivered is UTF-8 with whole surrogate pairs.
 */
#pragma once

#include "core/context.h"
#include "decode/json/repair.h"
#include "decode/sink.h"

struct tc_delivery {
	struct tc_ctx *ctx;
	struct tc_decode_sink sink;
	const struct tc_keys *keys;
	enum tc_status status; /* the first failure */
	int64_t event_count;
	struct tc_repair repair; /* of members that are not clean */
	struct tc_buf text;      /* of the member that is delivered */
};

static inline void tc_delivery_init(struct tc_delivery *delivery, struct tc_ctx *ctx,
	const struct tc_decode_sink *sink, const struct tc_keys *keys)
{
	*delivery = (struct tc_delivery){.ctx = ctx, .sink = *sink, .keys = keys};
}

/* Frees what it holds. */
static inline void tc_delivery_clear(struct tc_delivery *delivery)
{
	tc_repair_clear(&delivery->repair);
	tc_buf_clear(&delivery->text);
}

/* Each returns false when the sink failed. */

/* Events that an export added to a trace are findings, no part of the run: they are dropped. */
static inline bool tc_delivery_event(struct tc_delivery *delivery, const struct tc_raw_event *event)
{
	if (tc_text_equal(event->cat, TC_TEXT(TC_EXPORT_CATEGORY)))
		return true;
	delivery->event_count++;
	delivery->status = delivery->sink.event(delivery->sink.user, event);
	return delivery->status == TC_OK;
}
bool tc_delivery_log(struct tc_delivery *delivery, enum tc_log_kind kind, int64_t offset,
	int64_t count, const char *message);
/* Logs one thing that was met at an offset. */
static inline bool tc_delivery_note(
	struct tc_delivery *delivery, enum tc_log_kind kind, int64_t offset)
{
	return tc_delivery_log(delivery, kind, offset, 1, "");
}
/* A member of the trace: its key, unescaped, and its value as it stands at offset. One that is too
 * large is logged. */
bool tc_delivery_member(
	struct tc_delivery *delivery, struct tc_buf *key, struct tc_text value, int64_t offset);

/* Fails for want of memory, around an offset; returns false. */
bool tc_delivery_no_memory(struct tc_delivery *delivery, int64_t offset);
