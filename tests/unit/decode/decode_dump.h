/*
 * For tests of the decoder: everything that it delivers, as text, one line each:
 *   E <offset> ph ts dur pid tid name cat ... args={...}     an event; I is an integer, b a
 *                                                            boolean, 't a text, 'j JSON
 *   M key=json                                               metadata
 *   L kind offset count                                      a row of the log
 */
#ifndef TC_TESTS_DECODE_DUMP_H
#define TC_TESTS_DECODE_DUMP_H

#include <stdlib.h>

#include "core/buf.h"
#include "decode/decode.h"
#include "decode/fast/prefetch.h"
#include "core/text/utf8.h"

struct decode_dump {
	struct tc_buf text;
	int64_t event_count, meta_count, log_count[TC_LOG_KIND_COUNT];
	int64_t fail_after;  /* the sink fails at this event, 0 for never */
	int64_t taken_count; /* segments that had not to be decoded again */
	bool bad_utf8;
	enum tc_form form;
	enum tc_status status;
};

static const char *const dump_log_names[] = {
#define TC_LOG_KIND(id, name, severity, help) name,
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
};

static const char *const dump_arg_names[] = {
#define TC_ARG(id, key) "." key,
#include "decode/args.def"
#undef TC_ARG
};

static const char *const dump_scope_names[] = {"none", "id", "id.local", "id.global"};

static inline void dump_text(struct decode_dump *dump, const char *label, struct tc_text text)
{
	if (!text.ptr)
		return;
	if (!tc_utf8_valid(text))
		dump->bad_utf8 = true;
	tc_buf_format(&dump->text, " %s=", label);
	tc_buf_append_text(&dump->text, text);
}

static inline void dump_scalar(
	struct decode_dump *dump, const char *label, const struct tc_scalar *scalar)
{
	if (scalar->kind == TC_SCALAR_NONE)
		return;
	if (scalar->kind == TC_SCALAR_INT || scalar->kind == TC_SCALAR_BOOL)
		tc_buf_format(&dump->text, " %s=%c%lld", label, "0nbI.tj"[scalar->kind],
			(long long)scalar -> i64);
	else if (scalar->kind == TC_SCALAR_NULL)
		tc_buf_format(&dump->text, " %s=null", label);
	else
		dump_text(dump, label, scalar->text);
	if (scalar->kind == TC_SCALAR_TEXT)
		tc_buf_append_string(&dump->text, "'t");
	if (scalar->kind == TC_SCALAR_JSON)
		tc_buf_append_string(&dump->text, "'j");
}

static inline void dump_time(
	struct decode_dump *dump, const char *label, enum tc_time_state state, int64_t ns)
{
	if (state == TC_TIME_OK)
		tc_buf_format(&dump->text, " %s=%lld", label, (long long)ns);
	else if (state == TC_TIME_BAD)
		tc_buf_format(&dump->text, " %s=BAD", label);
}

static inline enum tc_status dump_event(void *user, const struct tc_raw_event *event)
{
	struct decode_dump *dump = user;

	dump->event_count++;
	if (dump->fail_after > 0 && dump->event_count >= dump->fail_after)
		return TC_ERR_STORE;
	tc_buf_format(&dump->text, "E %lld %c", (long long)event->byte_offset, event->ph);
	dump_time(dump, "ts", event->ts_state, event->ts_ns);
	dump_time(dump, "dur", event->dur_state, event->dur_ns);
	dump_scalar(dump, "pid", &event->pid);
	dump_scalar(dump, "tid", &event->tid);
	dump_text(dump, "name", event->name);
	dump_text(dump, "cat", event->cat);
	dump_scalar(dump, dump_scope_names[event->id_scope], &event->id);
	dump_scalar(dump, "bind_id", &event->bind_id);
	if (event->flow_in)
		tc_buf_append_string(&dump->text, " flow_in");
	if (event->flow_out)
		tc_buf_append_string(&dump->text, " flow_out");
	dump_text(dump, "bp", event->bp);
	dump_text(dump, "s", event->scope);
	dump_text(dump, "args", event->args);
	for (int i = 0; i < TC_ARG_COUNT; i++) {
		dump_scalar(dump, dump_arg_names[i], &event->arg[i]);
	}
	tc_buf_append_char(&dump->text, '\n');
	return TC_OK;
}

static inline enum tc_status dump_meta(void *user, struct tc_text key, struct tc_text json)
{
	struct decode_dump *dump = user;

	dump->meta_count++;
	if (!tc_utf8_valid(key) || !tc_utf8_valid(json))
		dump->bad_utf8 = true;
	tc_buf_append_string(&dump->text, "M ");
	tc_buf_append_text(&dump->text, key);
	tc_buf_append_char(&dump->text, '=');
	tc_buf_append_text(&dump->text, json);
	tc_buf_append_char(&dump->text, '\n');
	return TC_OK;
}

static inline enum tc_status dump_log(void *user, const struct tc_log_entry *entry)
{
	struct decode_dump *dump = user;

	dump->log_count[entry->kind]++;
	tc_buf_format(&dump->text, "L %s %lld %lld\n", dump_log_names[entry->kind],
		(long long)entry->byte_offset, (long long)entry->count);
	return TC_OK;
}

/* Decodes text in chunks of so many bytes, each in memory of its own size, so that a read past
 * its end is seen by the sanitizer. */
static inline void dump_decode_into(struct decode_dump *dump, struct tc_text text, size_t chunk,
	enum tc_status (*event)(void *, const struct tc_raw_event *),
	enum tc_status (*meta)(void *, struct tc_text, struct tc_text))
{
	struct tc_decode_sink sink = {dump, event, meta, dump_log};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_decoder *decoder = NULL;

	dump->status = ctx ? tc_decoder_new(&decoder, ctx, &sink) : TC_ERR_NOMEM;
	for (size_t at = 0; at < text.len && dump->status == TC_OK; at += chunk) {
		size_t len = text.len - at < chunk ? text.len - at : chunk;
		char *copy = malloc(len);
		memcpy(copy, text.ptr + at, len);
		dump->status = tc_decoder_feed(decoder, copy, len);
		free(copy);
	}
	if (dump->status == TC_OK)
		dump->status = tc_decoder_finish(decoder, false);
	if (decoder)
		dump->form = tc_decoder_facts(decoder).form;
	tc_decoder_free(decoder);
	if (ctx)
		tc_ctx_free(ctx);
}

static inline void dump_decode(struct decode_dump *dump, struct tc_text text, size_t chunk)
{
	dump_decode_into(dump, text, chunk, dump_event, dump_meta);
}

/* The first brace that is so many bytes on, or the end. */
static inline size_t dump_next_cut(struct tc_text text, size_t at, size_t step)
{
	const char *end = text.ptr + text.len, *brace = NULL;

	if (text.len - at > step)
		brace = memchr(text.ptr + at + step, '{', text.len - at - step);
	return (size_t)((brace ? brace : end) - text.ptr);
}

/* Feeds the segment [at, cut) in memory of its own; all but the first are decoded ahead. */
static inline enum tc_status dump_segment(struct decode_dump *dump, struct tc_ctx *ctx,
	struct tc_decoder *decoder, struct tc_segment *segment)
{
	char *copy = malloc(segment->text.len + 1);
	enum tc_status status;
	bool taken = false;

	memcpy(copy, segment->text.ptr, segment->text.len);
	segment->text.ptr = copy;
	segment->clean = false;
	if (segment->offset > 0)
		tc_segment_decode(segment, ctx);
	status = tc_ctx_status(ctx);
	if (status == TC_OK)
		status = tc_segment_feed(decoder, segment, &taken);
	dump->taken_count += taken;
	free(copy);
	return status;
}

/* Decodes text in segments that end at any brace at least step bytes on, so that nearly all guesses
 * are wrong where events have objects in them. */
static inline void dump_decode_segments(struct decode_dump *dump, struct tc_text text, size_t step)
{
	struct tc_decode_sink sink = {dump, dump_event, dump_meta, dump_log};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_decoder *decoder = NULL;
	struct tc_segment segment = {0};

	dump->status = ctx ? tc_decoder_new(&decoder, ctx, &sink) : TC_ERR_NOMEM;
	for (size_t at = 0, cut; at < text.len && dump->status == TC_OK; at = cut) {
		cut = dump_next_cut(text, at, step);
		segment.text = (struct tc_text){text.ptr + at, cut - at};
		segment.offset = (int64_t)at;
		dump->status = dump_segment(dump, ctx, decoder, &segment);
	}
	if (dump->status == TC_OK)
		dump->status = tc_decoder_finish(decoder, false);
	if (decoder)
		dump->form = tc_decoder_facts(decoder).form;
	tc_segment_clear(&segment);
	tc_decoder_free(decoder);
	if (ctx)
		tc_ctx_free(ctx);
}

static inline void dump_clear(struct decode_dump *dump)
{
	tc_buf_clear(&dump->text);
	*dump = (struct decode_dump){0};
}

#endif
