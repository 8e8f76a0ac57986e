/*
 * Damaged JSON made valid: a lenient scanner over one value. It knows nothing of events except the
 * keys that help to find where a string with unescaped quotes ends.
 */
#pragma once

#include "core/buf.h"
#include "core/limits.h"
#include "decode/keys.h"
#include "decode/sink.h"

enum tc_repair_result {
	TC_REPAIR_DONE,      /* out is valid JSON; end says where the value ended */
	TC_REPAIR_MORE,      /* the value is not complete */
	TC_REPAIR_FAILED,    /* not to be made sense of */
	TC_REPAIR_DEEP,      /* nested deeper than the limit */
	TC_REPAIR_CONTAINER, /* an object with the member traceEvents: no event */
	TC_REPAIR_NO_MEMORY,
};

/* Which quotes end a string. */
enum tc_repair_quotes {
	TC_QUOTES_STRICT, /* the first quote */
	TC_QUOTES_KEYS,   /* a quote before a bracket or before a key that events have */
	TC_QUOTES_LOOSE,  /* a quote before one of , : } ] */
	TC_QUOTES_COUNT,
};

/* How often a mistake was mended, and where the first one stands in the text. */
struct tc_repair_note {
	int64_t count;
	size_t at;
};

struct tc_repair {
	struct tc_buf out;
	size_t end;
	struct tc_repair_note notes[TC_LOG_KIND_COUNT];

	/* of the scanner */
	const struct tc_keys *keys;
	enum tc_repair_quotes quotes;
	const char *start, *at, *limit;
	bool at_end; /* nothing comes after limit */
	int depth;
	char open[TC_JSON_MAX_DEPTH];
};

void tc_repair_clear(struct tc_repair *repair); /* frees */

/*
 * Mends the value that text starts with. at_end says that no more input will come; without it,
 * everything that the next bytes could change is TC_REPAIR_MORE.
 */
enum tc_repair_result tc_repair_value(
	struct tc_repair *repair, const struct tc_keys *keys, struct tc_text text, bool at_end);

/* Does the object at p show a member ph early on? 1, 0, or -1 when more bytes must decide. */
int tc_repair_shows_phase(const char *p, const char *end, bool at_end);
