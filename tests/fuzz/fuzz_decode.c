/*
 * The decoder on any bytes. The first byte picks a size; the rest is decoded whole, and in chunks
 * and segments of that size. All must succeed and deliver the same, all text must be UTF-8 and all
 * JSON whole.
 */
#include <stdio.h>

#include "decode/json/json_text.h"
#include "unit/decode/decode_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_decode: %s\n", what);
	abort();
}

/* args and metadata end where their value ends. */
static enum tc_status check_event(void *user, const struct tc_raw_event *event)
{
	if (event->args.ptr)
		demand(tc_json_value_length(event->args) == event->args.len, "args are no JSON");
	demand(event->ph != 0, "an event without phase");
	return dump_event(user, event);
}

static enum tc_status check_meta(void *user, struct tc_text key, struct tc_text json)
{
	demand(tc_json_value_length(json) == json.len, "metadata is no JSON");
	return dump_meta(user, key, json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decode_dump whole = {0}, parts = {0}, segments = {0};

	if (size < 1)
		return 0;
	struct tc_text text = {(const char *)data + 1, size - 1};
	dump_decode_into(&whole, text, size, check_event, check_meta);
	dump_decode_into(&parts, text, data[0] % 32u + 1, check_event, check_meta);
	dump_decode_segments(&segments, text, data[0] % 32u + 1);
	demand(whole.status == TC_OK && parts.status == TC_OK && segments.status == TC_OK,
		"decoding failed");
	demand(!whole.bad_utf8, "text that is no UTF-8");
	demand(whole.form == parts.form, "the form depends on the chunks");
	demand(tc_text_equal(tc_buf_text(&whole.text), tc_buf_text(&parts.text)),
		"the result depends on the chunks");
	demand(whole.form == segments.form, "the form depends on the segments");
	demand(tc_text_equal(tc_buf_text(&whole.text), tc_buf_text(&segments.text)),
		"the result depends on the segments");
	dump_clear(&segments);
	dump_clear(&whole);
	dump_clear(&parts);
	return 0;
}
