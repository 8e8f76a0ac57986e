/*
 * JSON as text: its members are walked, values are skipped, strings unescaped and escaped, and text
 * is copied without blanks and with each character written in one way, so that equal values are
 * equal texts: { "a" : "\u0041\/" } becomes {"a":"A/"}. A copy is never longer than its text.
 */
#include "decode/json/json_text.h"

#include "core/collections/strtab.h"
#include "core/text/utf8.h"

/* From after the opening quote to the closing one; end when there is none. */
static const char *find_quote(const char *p, const char *end)
{
	while (p < end && *p != '"')
		p += *p == '\\' && end - p > 1 ? 2 : 1;
	return p;
}

/* The end of the object or array at p, NULL when it is cut. */
static const char *skip_nested(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			p = find_quote(p + 1, end);
			if (p == end)
				return NULL;
		} else if (*p == '{' || *p == '[') {
			depth++;
		} else if ((*p == '}' || *p == ']') && --depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

/* The end of the value at p, NULL when there is none or it is cut. */
static const char *skip_value(const char *p, const char *end)
{
	if (p == end)
		return NULL;
	if (*p == '"') {
		p = find_quote(p + 1, end);
		return p < end ? p + 1 : NULL;
	}
	if (*p == '{' || *p == '[')
		return skip_nested(p, end);
	const char *start = p;
	while (p < end && !tc_json_blank(*p) && !strchr(",:]}\"{[", *p))
		p++;
	return p > start ? p : NULL;
}

static enum tc_json_kind kind_of(char first)
{
	switch (first) {
	case '{': return TC_JSON_OBJECT;
	case '[': return TC_JSON_ARRAY;
	case '"': return TC_JSON_STRING;
	case 'n': return TC_JSON_NULL;
	case 't':
	case 'f': return TC_JSON_BOOL;
	default: return TC_JSON_NUMBER;
	}
}

void tc_json_iter_init(struct tc_json_iter *iter, struct tc_text object)
{
	*iter = (struct tc_json_iter){"", ""};
	iter->end = iter->at;
	if (object.len == 0)
		return;
	const char *end = object.ptr + object.len, *p = tc_json_skip_blanks(object.ptr, end);
	if (p < end && *p == '{')
		*iter = (struct tc_json_iter){p + 1, end};
}

bool tc_json_iter_next(struct tc_json_iter *iter, struct tc_json_member *member)
{
	const char *end = iter->end, *p = tc_json_skip_blanks(iter->at, end);

	iter->at = end;
	if (p < end && *p == ',')
		p = tc_json_skip_blanks(p + 1, end);
	if (p == end || *p != '"')
		return false;
	const char *key = p + 1, *key_end = find_quote(key, end);
	p = tc_json_skip_blanks(key_end < end ? key_end + 1 : end, end);
	if (p == end || *p != ':')
		return false;
	const char *value = tc_json_skip_blanks(p + 1, end), *value_end = skip_value(value, end);
	if (!value_end)
		return false;
	member->key = (struct tc_text){key, (size_t)(key_end - key)};
	member->value = (struct tc_text){value, (size_t)(value_end - value)};
	member->kind = kind_of(*value);
	iter->at = value_end;
	return true;
}

size_t tc_json_value_length(struct tc_text text)
{
	if (text.len == 0)
		return 0;
	const char *end = skip_value(text.ptr, text.ptr + text.len);
	return end ? (size_t)(end - text.ptr) : 0;
}

int tc_json_hex4(const char *p, const char *end)
{
	int value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		if (c >= '0' && c <= '9')
			value = value * 16 + (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value * 16 + ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

/* Does every surrogate escape of raw JSON text have its partner? */
static bool pairs_whole(struct tc_text raw)
{
	const char *p = raw.ptr, *end = raw.ptr + raw.len;
	bool high = false; /* the escape that ends at p was a high surrogate */

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		int unit = slash && end - slash >= 2 && slash[1] == 'u'
				   ? tc_json_hex4(slash + 2, end)
				   : -1;
		bool low = unit >= 0xdc00 && unit <= 0xdfff;
		if (high ? !low || slash != p : low)
			return false;
		high = unit >= 0xd800 && unit <= 0xdbff;
		p = slash ? slash + (unit < 0 ? 2 : 6) : end;
	}
	return !high;
}

bool tc_json_clean(struct tc_text raw, bool escapes)
{
	return tc_utf8_valid(raw) && (!escapes || pairs_whole(raw));
}

/* The character that "\uXXXX" at p (after the u) names; returns the end of it. */
static const char *read_unicode(unsigned *out, const char *p, const char *end)
{
	int unit = tc_json_hex4(p, end);

	*out = 0xfffd;
	if (unit < 0)
		return p;
	p += 4;
	if (unit >= 0xd800 && unit <= 0xdbff && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		int low = tc_json_hex4(p + 2, end);
		if (low >= 0xdc00 && low <= 0xdfff) {
			unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
			p += 6;
		}
	}
	if (unit > 0)
		*out = (unsigned)unit;
	return p;
}

/* Writes a code point in UTF-8, one of a surrogate as U+FFFD; returns the end of it. */
static char *write_code_point(char *to, unsigned code_point)
{
	if (code_point >= 0xd800 && code_point <= 0xdfff)
		code_point = 0xfffd;
	if (code_point < 0x80) {
		*to++ = (char)code_point;
		return to;
	}
	if (code_point < 0x800) {
		*to++ = (char)(0xc0 | code_point >> 6);
	} else if (code_point < 0x10000) {
		*to++ = (char)(0xe0 | code_point >> 12);
		*to++ = (char)(0x80 | (code_point >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code_point >> 18);
		*to++ = (char)(0x80 | (code_point >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code_point >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code_point & 0x3f));
	return to;
}

void tc_json_unescape(struct tc_buf *out, struct tc_text raw)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *p = raw.len > 0 ? raw.ptr : "", *end = p + raw.len;

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		if (!slash)
			slash = end;
		tc_buf_append(out, p, (size_t)(slash - p));
		if (end - slash < 2)
			return;
		p = slash + 2;
		const char *letter = memchr(from, slash[1], sizeof(from) - 1);
		if (slash[1] == 'u') {
			unsigned code_point;
			char bytes[4];
			p = read_unicode(&code_point, p, end);
			tc_buf_append(
				out, bytes, (size_t)(write_code_point(bytes, code_point) - bytes));
		} else {
			tc_buf_append_char(out, letter ? to[letter - from] : slash[1]);
		}
	}
}

enum { ESCAPE_BYTES = 6 };

/* Writes an ASCII character as it stands in a string; returns the end of it. */
static char *write_ascii(char *to, char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt",
			  hex[] = "0123456789abcdef";
	const char *special = memchr(from, c, sizeof(from) - 1);

	if (special) {
		*to++ = '\\';
		*to++ = letters[special - from];
	} else if ((unsigned char)c < 0x20) {
		memcpy(to, "\\u00", 4);
		to[4] = hex[c >> 4];
		to[5] = hex[c & 0xf];
		to += ESCAPE_BYTES;
	} else {
		*to++ = c;
	}
	return to;
}

void tc_json_append_string(struct tc_buf *out, struct tc_text text)
{
	const char *p = text.len > 0 ? text.ptr : "", *end = p + text.len;

	tc_buf_append_char(out, '"');
	while (p < end) {
		const char *plain = p;
		while (p < end && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\')
			p++;
		tc_buf_append(out, plain, (size_t)(p - plain));
		char escape[ESCAPE_BYTES];
		if (p < end)
			tc_buf_append(out, escape, (size_t)(write_ascii(escape, *p++) - escape));
	}
	tc_buf_append_char(out, '"');
}

/*
 * Copies the escape at *from as tc_json_append_string() would write its character, so that one text
 * has one form, and is never longer for it. Moves *from past it and returns the end of the copy.
 */
static char *copy_escape(char *to, const char **from, const char *end)
{
	const char *p = *from;
	unsigned code_point;

	if (p[1] == 'u' && tc_json_hex4(p + 2, end) >= 0) {
		*from = read_unicode(&code_point, p + 2, end);
		return code_point < 0x80 ? write_ascii(to, (char)code_point)
					 : write_code_point(to, code_point);
	}
	*from = p + 2;
	if (p[1] != '/')
		*to++ = '\\';
	*to++ = p[1];
	return to;
}

/*
 * Copies one string with its quotes, moves *from past it and returns the end of the copy. Many
 * bytes are copied before they are looked at: the copy never runs ahead of the text, so there is
 * room while that many bytes of text are left.
 */
static char *copy_string(char *to, const char **from, const char *end)
{
	const char *p = *from;

	*to++ = *p++;
	while (p < end && *p != '"') {
		if (end - p >= TC_SCAN_BYTES) {
			int plain = tc_scan_plain_count(p);
			memmove(to, p, TC_SCAN_BYTES);
			to += plain;
			p += plain;
			if (plain == TC_SCAN_BYTES || *p == '"')
				continue;
		}
		if (*p == '\\' && end - p > 1)
			to = copy_escape(to, &p, end);
		else
			*to++ = *p++;
	}
	if (p < end)
		*to++ = *p++;
	*from = p;
	return to;
}

char *tc_json_compact_to(char *to, struct tc_text json)
{
	const char *p = json.len > 0 ? json.ptr : "", *end = p + json.len;

	while (p < end) {
		if (*p == '"') {
			to = copy_string(to, &p, end);
			continue;
		}
		if (tc_json_blank(*p))
			p = tc_json_skip_blanks(p + 1, end);
		else
			*to++ = *p++;
	}
	return to;
}

void tc_json_compact(struct tc_buf *out, struct tc_text json)
{
	size_t old = out->len;
	char *start = json.len > 0 ? tc_buf_extend(out, json.len) : NULL;

	if (start) /* the copy is never longer than the text */
		out->len = old + (size_t)(tc_json_compact_to(start, json) - start);
}

static bool is_object(struct tc_text text)
{
	return text.ptr && text.len > 0 && text.ptr[0] == '{';
}

/* Keys in the order of first sight, and the last value of each. */
struct merge {
	struct tc_strtab keys;
	struct tc_buf values; /* a struct tc_text per key */
	bool shared;          /* a key was there before the members being added */
};

/* Sets the value of a key. False when memory is out. */
static bool merge_set(struct merge *merge, const struct tc_json_member *member, size_t old_count)
{
	size_t size = sizeof(member->value);
	uint32_t number = tc_strtab_intern(&merge->keys, member->key);

	if (number == TC_STRTAB_NONE)
		return false;
	if (number < old_count)
		merge->shared = true;
	if (number * size == merge->values.len)
		tc_buf_append(&merge->values, (const char *)&member->value, size);
	else
		memcpy(merge->values.ptr + number * size, &member->value, size);
	return !tc_buf_failed(&merge->values);
}

static bool merge_add(struct merge *merge, struct tc_text object)
{
	size_t old_count = merge->keys.count;
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, object);
	while (tc_json_iter_next(&iter, &member)) {
		if (!merge_set(merge, &member, old_count))
			return false;
	}
	return true;
}

static void merge_write(struct tc_buf *out, const struct merge *merge)
{
	tc_buf_append_char(out, '{');
	for (size_t i = 0; i < merge->keys.count; i++) {
		struct tc_text value;
		memcpy(&value, merge->values.ptr + i * sizeof(value), sizeof(value));
		tc_buf_append_string(out, i > 0 ? ",\"" : "\"");
		tc_buf_append_text(out, tc_strtab_at(&merge->keys, (uint32_t)i));
		tc_buf_append_string(out, "\":");
		tc_buf_append_text(out, value);
	}
	tc_buf_append_char(out, '}');
}

void tc_json_merge(struct tc_buf *out, struct tc_text b, struct tc_text e, bool *conflict)
{
	struct merge merge = {TC_STRTAB_EMPTY, TC_BUF_EMPTY, false};

	*conflict = false;
	if (!is_object(b) || !is_object(e)) {
		tc_buf_append_text(out, is_object(b) || !e.ptr ? b : e);
		return;
	}
	bool good = merge_add(&merge, b);
	merge.shared = false;
	if (good && merge_add(&merge, e)) {
		*conflict = merge.shared;
		merge_write(out, &merge);
	} else {
		out->failed = true;
	}
	tc_strtab_clear(&merge.keys);
	tc_buf_clear(&merge.values);
}
