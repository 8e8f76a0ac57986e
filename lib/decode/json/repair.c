/*
 * A lenient scanner: reads one value that is JSON but for the mistakes that producers make, and
 * writes it as JSON. For example
 *
 *   {"ph":"X","name":"say "hi"","dur":NaN,}   becomes   {"ph":"X","name":"say \"hi\"","dur":null}
 *
 * Where a string with unescaped quotes ends is a guess, so the whole value is tried with the
 * strictest rule first: any quote ends a string; then a quote before a bracket or a key that events
 * have; then a quote before any of , : } ]
 */
#include "decode/json/repair.h"

#include <string.h>

#include "decode/json/json_text.h"
#include "core/array.h"
#include "core/text/utf8.h"

enum {
	KEY_BYTES = 64,    /* keys looked for are shorter */
	PHASE_BYTES = 256, /* an event shows its phase within so many bytes */
};

/* The part of JSON that the scanner expects next. */
enum expect { EXPECT_VALUE, EXPECT_FIRST, EXPECT_KEY, EXPECT_COLON, EXPECT_AFTER };

void tc_repair_clear(struct tc_repair *r)
{
	tc_buf_clear(&r->out);
}

static void note(struct tc_repair *r, enum tc_log_kind kind, const char *at)
{
	if (r->notes[kind].count++ == 0)
		r->notes[kind].at = (size_t)(at - r->start);
}

static const char *skip_blanks(const struct tc_repair *r, const char *p)
{
	while (p < r->limit && tc_json_blank(*p))
		p++;
	return p;
}

static bool in_object(const struct tc_repair *r)
{
	return r->depth > 0 && r->open[r->depth - 1] == '{';
}

/* 1 if a key and its colon begin at p, 0 if not, -1 if more bytes are needed to tell. With known,
 * only the keys of events count. */
static int key_here(const struct tc_repair *r, const char *p, bool known)
{
	if (p == r->limit)
		return r->at_end ? 0 : -1;
	if (*p != '"')
		return 0;
	const char *key = p + 1;
	for (p = key; p < r->limit && *p != '"' && p - key < KEY_BYTES; p++)
		;
	if (p == r->limit)
		return r->at_end ? 0 : -1;
	if (*p != '"')
		return 0;
	size_t len = (size_t)(p - key);
	p = skip_blanks(r, p + 1);
	if (p == r->limit)
		return r->at_end ? 0 : -1;
	return *p == ':' && (!known || tc_keys_field(r->keys, key, len, key + len) >= 0);
}

/* After a bracket that seems to close: does something stand there that may follow one? */
static int closes_here(const struct tc_repair *r, const char *p)
{
	p = skip_blanks(r, p);
	if (p == r->limit)
		return r->at_end ? 1 : -1;
	return *p == ',' || *p == '}' || *p == ']' || *p == '{';
}

/* After the quote and the comma before p: may the object or array go on like this? */
static int goes_on_here(const struct tc_repair *r, const char *p)
{
	p = skip_blanks(r, p);
	return in_object(r) ? key_here(r, p, r->depth == 1) : 1;
}

/* Is the quote before p the end of its string? 1, 0, or -1 for more. */
static int ends_here(const struct tc_repair *r, const char *p, bool key)
{
	if (r->quotes == TC_QUOTES_STRICT)
		return 1;
	p = skip_blanks(r, p);
	if (p == r->limit)
		return r->at_end ? 1 : -1;
	bool closes = *p == '}' || *p == ']';
	if (key || *p == ':')
		return key && *p == ':';
	if (r->quotes == TC_QUOTES_LOOSE)
		return closes || *p == ',';
	if (closes)
		return closes_here(r, p + 1);
	return *p == ',' ? goes_on_here(r, p + 1) : 0;
}

/* The low surrogate escape that follows the high one at p, or -1. */
static int low_surrogate(const struct tc_repair *r, const char *p)
{
	int low = r->limit - p >= 8 && p[6] == '\\' && p[7] == 'u' ? tc_json_hex4(p + 8, r->limit)
								   : -1;

	return low >= 0xdc00 && low <= 0xdfff ? low : -1;
}

/* More bytes could still complete the escape at p, which needs so many. */
static bool escape_cut(const struct tc_repair *r, const char *p, size_t need)
{
	size_t left = (size_t)(r->limit - p);

	return left < need && !r->at_end && !memchr(p, '"', left);
}

/* "\uXXXX" at r->at: copied when it is a character or a whole pair. */
static enum tc_repair_result mend_unicode(struct tc_repair *r)
{
	const char *p = r->at;
	int unit = tc_json_hex4(p + 2, r->limit);
	bool high = unit >= 0xd800 && unit <= 0xdbff;
	size_t len = high && low_surrogate(r, p) >= 0 ? 12 : 6;

	if (escape_cut(r, p, high ? 12 : 6))
		return TC_REPAIR_MORE;
	r->at += unit < 0 ? 2 : (ptrdiff_t)len;
	if (unit < 0) {
		note(r, TC_LOG_BAD_ESCAPE, p);
		tc_buf_append(&r->out, "\\\\u", 3);
	} else if (len == 6 && unit >= 0xd800 && unit <= 0xdfff) {
		note(r, TC_LOG_INVALID_UTF8, p);
		tc_buf_append(&r->out, "\\ufffd", 6);
	} else {
		tc_buf_append(&r->out, p, len);
	}
	return TC_REPAIR_DONE;
}

static enum tc_repair_result mend_escape(struct tc_repair *r)
{
	if (r->limit - r->at < 2)
		return TC_REPAIR_MORE;
	char letter = r->at[1];
	if (letter == 'u')
		return mend_unicode(r);
	if (letter != '\0' && strchr("\"\\/bfnrt", letter)) {
		tc_buf_append(&r->out, r->at, 2);
		r->at += 2;
		return TC_REPAIR_DONE;
	}
	note(r, TC_LOG_BAD_ESCAPE, r->at);
	tc_buf_append(&r->out, "\\\\", 2);
	r->at++;
	return TC_REPAIR_DONE;
}

static enum tc_repair_result mend_bytes(struct tc_repair *r)
{
	bool cut;
	int step = tc_utf8_step(r->at, r->limit, &cut);

	if (step > 0) {
		tc_buf_append(&r->out, r->at, (size_t)step);
		r->at += step;
		return TC_REPAIR_DONE;
	}
	if (cut)
		return TC_REPAIR_MORE;
	note(r, TC_LOG_INVALID_UTF8, r->at);
	tc_buf_append_string(&r->out, TC_UTF8_REPLACEMENT);
	r->at += -step;
	return TC_REPAIR_DONE;
}

/* Is a hole of the input at r->at? 1, 0, or -1 for more. */
static int hole_here(const struct tc_repair *r)
{
	const char *p = r->at;

	while (p < r->limit && *p == '\0' && p - r->at < TC_HOLE_BYTES)
		p++;
	if (p - r->at == TC_HOLE_BYTES)
		return 1;
	return p == r->limit && !r->at_end ? -1 : 0;
}

/* A character below 0x20: kept as an escape, unless a hole tears the string. */
static enum tc_repair_result mend_control(struct tc_repair *r)
{
	static const char from[] = "\b\f\n\r\t", to[] = "bfnrt";
	char c = *r->at;
	const char *letter = c ? strchr(from, c) : NULL;
	int hole = c ? 0 : hole_here(r);

	if (hole != 0)
		return hole > 0 ? TC_REPAIR_FAILED : TC_REPAIR_MORE;

	note(r, TC_LOG_CONTROL_CHARACTER, r->at);
	if (letter)
		tc_buf_append(&r->out, (char[]){'\\', to[letter - from]}, 2);
	else
		tc_buf_format(&r->out, "\\u%04x", (unsigned)c);
	r->at++;
	return TC_REPAIR_DONE;
}

/* The run of plain characters at r->at. */
static void copy_plain(struct tc_repair *r)
{
	const char *p = r->at;

	while (p < r->limit && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
		*p != '\\')
		p++;
	tc_buf_append(&r->out, r->at, (size_t)(p - r->at));
	r->at = p;
}

/*
 * A guess at quotes must not run into the next event. Is the brace p the start of one: a known
 * key, and either it stands where events do, or it shows a phase? 1, 0, or -1 for more.
 */
static int event_here(const struct tc_repair *r, const char *p)
{
	int found = key_here(r, skip_blanks(r, p + 1), true);
	const char *back = p;

	if (found != 1)
		return found;
	while (back > r->start && (back[-1] == ' ' || back[-1] == '\t'))
		back--;
	if (back > r->start && strchr("},[\n", back[-1]))
		return 1;
	return tc_repair_shows_phase(p, r->limit, r->at_end);
}

/* Whether an event starts at a brace in [from, to): 1, 0, or -1 for more. */
static int event_between(const struct tc_repair *r, const char *from, const char *to)
{
	const char *brace = memchr(from, '{', (size_t)(to - from));

	for (; brace; brace = memchr(brace + 1, '{', (size_t)(to - brace - 1))) {
		int found = event_here(r, brace);
		if (found != 0)
			return found;
	}
	return 0;
}

int tc_repair_shows_phase(const char *p, const char *end, bool at_end)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	if (end - p < PHASE_BYTES && !at_end)
		return -1;
	size_t len = end - p < PHASE_BYTES ? (size_t)(end - p) : PHASE_BYTES;
	tc_json_iter_init(&iter, (struct tc_text){p, len});
	while (tc_json_iter_next(&iter, &member)) {
		if (tc_text_equal(member.key, TC_TEXT("ph")))
			return 1;
	}
	return 0;
}

/* A quote inside a string, or at its end. */
static enum tc_repair_result mend_quote(struct tc_repair *r, bool key, bool *ended)
{
	int ends = ends_here(r, r->at + 1, key);

	*ended = ends == 1;
	if (ends < 0)
		return TC_REPAIR_MORE;
	if (!*ended && key)
		return TC_REPAIR_FAILED; /* nobody writes such keys: an event was torn here */
	if (!*ended) {
		note(r, TC_LOG_UNESCAPED_QUOTE, r->at);
		tc_buf_append(&r->out, "\\", 1);
	}
	tc_buf_append(&r->out, "\"", 1);
	r->at++;
	return TC_REPAIR_DONE;
}

/* A string, from its opening quote on. */
static enum tc_repair_result mend_string(struct tc_repair *r, bool key)
{
	enum tc_repair_result result = TC_REPAIR_DONE;
	bool ended = false;

	tc_buf_append_char(&r->out, '"');
	r->at++;
	while (result == TC_REPAIR_DONE && !ended) {
		const char *plain = r->at;
		copy_plain(r);
		int torn = r->quotes == TC_QUOTES_STRICT ? 0 : event_between(r, plain, r->at);
		if (torn > 0)
			return TC_REPAIR_FAILED;
		if (torn < 0 || r->at == r->limit)
			return TC_REPAIR_MORE;
		if (*r->at == '"')
			result = mend_quote(r, key, &ended);
		else if (*r->at == '\\')
			result = mend_escape(r);
		else if ((unsigned char)*r->at < 0x20)
			result = mend_control(r);
		else
			result = mend_bytes(r);
	}
	return result;
}

/* Moves *at over digits; how many there were. */
static size_t skip_digits(const char **at, const char *end)
{
	const char *start = *at;

	while (*at < end && **at >= '0' && **at <= '9')
		++*at;
	return (size_t)(*at - start);
}

/* Is a word a number that JSON knows? */
static bool is_number(const char *p, const char *end)
{
	if (p < end && *p == '-')
		p++;
	const char *first = p;
	size_t whole = skip_digits(&p, end);
	if (whole == 0 || (whole > 1 && *first == '0'))
		return false;
	if (p < end && *p == '.') {
		p++;
		if (skip_digits(&p, end) == 0)
			return false;
	}
	if (p < end && (*p | 0x20) == 'e') {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		if (skip_digits(&p, end) == 0)
			return false;
	}
	return p == end;
}

/* nan and inf in their spellings, with a sign or none. */
static bool is_nan(struct tc_text word)
{
	static const char *const names[] = {"nan", "inf", "infinity"};

	if (word.len > 0 && (*word.ptr == '-' || *word.ptr == '+')) {
		word.ptr++;
		word.len--;
	}
	for (size_t i = 0; i < TC_COUNT_OF(names); i++) {
		size_t at = 0;
		while (at < word.len && (word.ptr[at] | 0x20) == names[i][at])
			at++;
		if (at == word.len && names[i][at] == '\0')
			return true;
	}
	return false;
}

static bool is_word_char(char c)
{
	char low = (char)(c | 0x20);

	return (c >= '0' && c <= '9') || (low >= 'a' && low <= 'z') ||
	       (c != '\0' && strchr("+-._", c));
}

static bool is_literal(struct tc_text word)
{
	return tc_text_equal(word, TC_TEXT("true")) || tc_text_equal(word, TC_TEXT("false")) ||
	       tc_text_equal(word, TC_TEXT("null"));
}

/* A number, a literal, or a bare word where a value belongs. */
static enum tc_repair_result mend_word(struct tc_repair *r)
{
	const char *p = r->at;

	while (p < r->limit && is_word_char(*p))
		p++;
	if (p == r->limit && !(r->at_end && r->depth == 0))
		return TC_REPAIR_MORE;
	struct tc_text word = {r->at, (size_t)(p - r->at)};
	if (word.len == 0)
		return TC_REPAIR_FAILED;
	if (is_number(word.ptr, p) || is_literal(word)) {
		tc_buf_append_text(&r->out, word);
	} else if (is_nan(word)) {
		note(r, TC_LOG_BARE_NAN, r->at);
		tc_buf_append_string(&r->out, "null");
	} else {
		tc_buf_append_char(&r->out, '"');
		tc_buf_append_text(&r->out, word);
		tc_buf_append_char(&r->out, '"');
	}
	r->at = p;
	return TC_REPAIR_DONE;
}

static enum tc_repair_result open_bracket(struct tc_repair *r, enum expect *expect)
{
	if (r->depth == TC_JSON_MAX_DEPTH)
		return TC_REPAIR_DEEP;
	r->open[r->depth++] = *r->at;
	tc_buf_append_char(&r->out, *r->at++);
	*expect = EXPECT_FIRST;
	return TC_REPAIR_DONE;
}

static enum tc_repair_result close_bracket(struct tc_repair *r, enum expect *expect)
{
	if (r->depth == 0 || (*r->at == '}') != in_object(r))
		return TC_REPAIR_FAILED;
	r->depth--;
	tc_buf_append_char(&r->out, *r->at++);
	*expect = EXPECT_AFTER;
	return TC_REPAIR_DONE;
}

static enum tc_repair_result mend_value(struct tc_repair *r, enum expect *expect)
{
	char c = *r->at;

	if (c == '{' || c == '[')
		return open_bracket(r, expect);
	*expect = EXPECT_AFTER;
	if (c == '"')
		return mend_string(r, false);
	if (r->depth > 0 && strchr(",}]", c) && c) {
		note(r, TC_LOG_BARE_NAN, r->at); /* "dur":, */
		tc_buf_append_string(&r->out, "null");
		return TC_REPAIR_DONE;
	}
	return mend_word(r);
}

static enum tc_repair_result mend_key(struct tc_repair *r, enum expect *expect)
{
	size_t from = r->out.len;

	if (*r->at != '"')
		return TC_REPAIR_FAILED;
	enum tc_repair_result result = mend_string(r, true);
	if (result != TC_REPAIR_DONE || tc_buf_failed(&r->out))
		return result;
	struct tc_text key = {r->out.ptr + from + 1, r->out.len - from - 2};
	if (r->depth == 1 && tc_text_equal(key, TC_TEXT("traceEvents")))
		return TC_REPAIR_CONTAINER;
	*expect = EXPECT_COLON;
	return TC_REPAIR_DONE;
}

/* After a value: a comma, a bracket, or a comma that is missing. */
static enum tc_repair_result mend_after(struct tc_repair *r, enum expect *expect)
{
	char c = *r->at;

	if (c == '}' || c == ']')
		return close_bracket(r, expect);
	*expect = in_object(r) ? EXPECT_KEY : EXPECT_VALUE;
	if (c != ',') {
		if (!in_object(r) || c != '"')
			return TC_REPAIR_FAILED;
		note(r, TC_LOG_MISSING_COMMA, r->at);
		tc_buf_append_char(&r->out, ',');
		return TC_REPAIR_DONE;
	}
	const char *comma = r->at, *next = skip_blanks(r, comma + 1);
	if (next == r->limit)
		return TC_REPAIR_MORE;
	r->at = next;
	if (*next == '}' || *next == ']') {
		note(r, TC_LOG_TRAILING_COMMA, comma);
		*expect = EXPECT_AFTER;
	} else {
		tc_buf_append_char(&r->out, ',');
	}
	return TC_REPAIR_DONE;
}

static enum tc_repair_result mend_step(struct tc_repair *r, enum expect *expect)
{
	switch (*expect) {
	case EXPECT_FIRST:
		if (*r->at == '}' || *r->at == ']')
			return close_bracket(r, expect);
		*expect = in_object(r) ? EXPECT_KEY : EXPECT_VALUE;
		return TC_REPAIR_DONE;
	case EXPECT_VALUE: return mend_value(r, expect);
	case EXPECT_KEY: return mend_key(r, expect);
	case EXPECT_COLON:
		if (*r->at != ':')
			return TC_REPAIR_FAILED;
		tc_buf_append_char(&r->out, *r->at++);
		*expect = EXPECT_VALUE;
		return TC_REPAIR_DONE;
	default: return mend_after(r, expect);
	}
}

static enum tc_repair_result mend(struct tc_repair *r)
{
	enum tc_repair_result result = TC_REPAIR_DONE;
	enum expect expect = EXPECT_VALUE;

	do {
		r->at = skip_blanks(r, r->at);
		if (r->at == r->limit)
			return TC_REPAIR_MORE;
		result = mend_step(r, &expect);
	} while (result == TC_REPAIR_DONE && !(r->depth == 0 && expect == EXPECT_AFTER));
	return result;
}

enum tc_repair_result tc_repair_value(
	struct tc_repair *r, const struct tc_keys *keys, struct tc_text text, bool at_end)
{
	enum tc_repair_result result = TC_REPAIR_FAILED;

	r->keys = keys;
	r->start = text.ptr;
	r->limit = text.ptr + text.len;
	r->at_end = at_end;
	for (int quotes = 0; quotes < TC_QUOTES_COUNT && result == TC_REPAIR_FAILED; quotes++) {
		r->quotes = (enum tc_repair_quotes)quotes;
		r->at = r->start;
		r->depth = 0;
		memset(r->notes, 0, sizeof(r->notes));
		tc_buf_reset(&r->out);
		result = mend(r);
		if (tc_buf_failed(&r->out))
			return TC_REPAIR_NO_MEMORY;
	}
	r->end = (size_t)(r->at - r->start);
	return result;
}
