/*
 * What a decoder delivers, and to whom: raw events, the members of the trace that are no event
 * list, and a row of the log for each thing that was wrong.
 */
#pragma once

#include "decode/raw_event.h"
#include "tracecoach/status.h"

/* Kinds of import_log rows; log_kinds.def gives each its name, severity and help. */
enum tc_log_kind {
#define TC_LOG_KIND(id, name, severity, help) TC_LOG_##id,
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
	TC_LOG_KIND_COUNT
};

struct tc_log_entry {
	enum tc_log_kind kind;
	int64_t byte_offset;    /* in the decompressed input; -1 when it has none */
	int64_t count;          /* bytes for the *_bytes kinds, else occurrences (usually 1) */
	struct tc_text message; /* what and where, may be empty; borrowed */
};

/* Form of the input, known once the first byte that decides it was seen. */
enum tc_form { TC_FORM_UNKNOWN = 0, TC_FORM_OBJECT, TC_FORM_ARRAY, TC_FORM_LINES };

/* By this member a trace says that it is part of another: {"of": "run.json", "part": "steps 3-5",
 * "steps_from_ns": 5000, "steps_until_ns": 9000}. Steps that begin in that time are the part; the
 * others are there for what devices did meanwhile. */
#define TC_CUT_MEMBER "tracecoach_cut"

/* The category of the events that an export adds to a trace. */
#define TC_EXPORT_CATEGORY "tracecoach"

/* Where a decoder delivers. Each returns TC_OK to go on. */
struct tc_decode_sink {
	void *user;
	enum tc_status (*event)(void *user, const struct tc_raw_event *event);
	/* A top-level member outside the event list: key unescaped, value as compact JSON text. */
	enum tc_status (*meta)(void *user, struct tc_text key, struct tc_text json);
	enum tc_status (*log)(void *user, const struct tc_log_entry *entry);
};
