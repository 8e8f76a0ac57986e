/* SQL functions that replace SQLite's own with the same results: printf(), which SQLite may repeat
 * without end, sums that do not overflow, and text functions in linear time. */

#include "store/functions/functions.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/buf.h"

/*
 * Private to the store: printf() and format() of SQL. SQLite 3.40 and older loop as often as the
 * precision says, up to 2^31 times ('%.*c'), and a running function cannot be interrupted. The
 * results are the same, but a width or precision above the connection's length limit is an error.
 */

struct job {
	sqlite3_value **values;
	int count, next;     /* the number of values; the one that the next conversion takes */
	int most;            /* limit of a width or precision */
	bool too_large, any; /* any: there was a conversion, even if it appended nothing */
	struct tc_buf out;
};

/* One conversion: "%-08.3d". */
struct conversion {
	char flags[8];
	int64_t width, precision; /* precision -1: none */
	char letter;
};

static sqlite3_value *take(struct job *job)
{
	return job->next < job->count ? job->values[job->next++] : NULL;
}

static int64_t take_int(struct job *job)
{
	sqlite3_value *value = take(job);

	return value ? sqlite3_value_int64(value) : 0;
}

static const char *read_number(int64_t *out, struct job *job, const char *at)
{
	if (*at == '*') {
		int64_t given = take_int(job);
		*out = given > -INT32_MAX && given < INT32_MAX ? given : INT32_MAX;
		return at + 1;
	}
	for (*out = 0; tc_is_digit(*at); at++)
		*out = *out < INT32_MAX ? *out * 10 + (*at - '0') : *out;
	return at;
}

/* Reads what follows a percent sign. */
static const char *read_conversion(struct conversion *out, struct job *job, const char *at)
{
	size_t count = 0;

	*out = (struct conversion){.precision = -1};
	for (; *at && strchr("-+ !0#,", *at); at++)
		if (!strchr(out->flags, *at))
			out->flags[count++] = *at;
	at = read_number(&out->width, job, at);
	if (out->width < 0) {
		out->width = -out->width;
		if (!strchr(out->flags, '-'))
			out->flags[count++] = '-';
	}
	if (*at == '.') {
		at = read_number(&out->precision, job, at + 1);
		out->precision = out->precision < 0 ? -out->precision : out->precision;
	}
	while (*at == 'l')
		at++;
	out->letter = *at;
	return *at ? at + 1 : at;
}

/* "%" with flags and numbers, then the letters. */
static const char *rebuild(struct tc_buf *spec, const struct conversion *from, const char *letters)
{
	tc_buf_format(spec, "%%%s", from->flags);
	if (from->width > 0)
		tc_buf_format(spec, "%d", (int)from->width);
	if (from->precision >= 0)
		tc_buf_format(spec, ".%d", (int)from->precision);
	tc_buf_append_string(spec, letters);
	return tc_buf_string(spec);
}

/* The code point of the first character of UTF-8 text, 0 for none. */
static unsigned first_character(const char *text)
{
	unsigned lead = text ? (unsigned char)*text : 0;
	int more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
	unsigned code = more == 0 ? lead : lead & (0x3fU >> more);

	for (int i = 1; i <= more && ((unsigned char)text[i] & 0xc0) == 0x80; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3fU);
	return code;
}

static const char *take_text(struct job *job)
{
	sqlite3_value *value = take(job);

	return value ? (const char *)sqlite3_value_text(value) : NULL;
}

static char *format_one(struct job *job, const struct conversion *conversion, const char *spec)
{
	sqlite3_value *value;

	if (strchr("fFeEgG", conversion->letter)) {
		value = take(job);
		return sqlite3_mprintf(spec, value ? sqlite3_value_double(value) : 0.0);
	}
	if (conversion->letter == '%')
		return sqlite3_mprintf(spec, '%');
	if (conversion->letter == 'c')
		return sqlite3_mprintf(spec, first_character(take_text(job)));
	if (strchr("szqQw", conversion->letter))
		return sqlite3_mprintf(spec, take_text(job));
	return sqlite3_mprintf(spec, take_int(job));
}

/* False where SQLite ends the text: at an unknown letter. */
static bool append(struct job *job, const struct conversion *conversion)
{
	static const char *const letters[] = {"d\0lld", "i\0lld", "u\0llu", "x\0llx", "X\0llX",
		"o\0llo", "p\0llx", "r\0llr", "f\0f", "e\0e", "E\0E", "g\0g", "G\0G", "c\0c",
		"s\0s", "z\0s", "q\0q", "Q\0Q", "w\0w", "%\0c"};
	struct tc_buf spec = TC_BUF_EMPTY;
	const char *with = NULL;

	if (conversion->letter == 'n')
		return true;
	for (size_t i = 0; i < TC_COUNT_OF(letters); i++)
		with = letters[i][0] == conversion->letter ? letters[i] + 2 : with;
	if (!with)
		return false;
	job->too_large = conversion->width > job->most || conversion->precision > job->most;
	if (job->too_large)
		return false;
	const char *text = rebuild(&spec, conversion, with);
	char *one = text ? format_one(job, conversion, text) : NULL;
	tc_buf_append_string(&job->out, one ? one : "");
	job->out.failed |= !one;
	job->too_large = job->out.len > (size_t)job->most;
	sqlite3_free(one);
	tc_buf_clear(&spec);
	return !job->too_large;
}

static void run(struct job *job, const char *format)
{
	struct conversion conversion;

	while (*format) {
		size_t plain = strcspn(format, "%");
		tc_buf_append(&job->out, format, plain);
		format += plain;
		if (!*format)
			break;
		if (!format[1]) {
			tc_buf_append_char(&job->out, '%');
			break;
		}
		if (format[1] == 'd') { /* the usual case: numbers of a form of args */
			tc_buf_format(&job->out, "%lld", (long long)take_int(job));
			format += 2;
			continue;
		}
		format = read_conversion(&conversion, job, format + 1);
		if (!append(job, &conversion))
			break;
		job->any = true;
	}
}

/* Has the form that sqlite3_create_function() takes. */
static void sql_format(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct job job = {.values = values, .count = count, .next = 1, .out = TC_BUF_EMPTY};
	const char *format = count > 0 ? (const char *)sqlite3_value_text(values[0]) : NULL;

	if (!format)
		return;
	job.most = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
	run(&job, format);
	struct tc_text text = tc_buf_text(&job.out);
	if (job.too_large)
		sqlite3_result_error_toobig(context);
	else if (tc_buf_failed(&job.out))
		sqlite3_result_error_nomem(context);
	else if (job.any || text.len > 0) /* with neither, SQLite returns NULL */
		sqlite3_result_text64(context, text.ptr, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	tc_buf_clear(&job.out);
}

/* In POSIX since 2024; C libraries have had it for long. */
void *memmem(const void *in, size_t in_len, const void *what, size_t what_len);

/* The state of sum(). The sum of the integers is low + carry * 2^64. */
struct sum {
	int64_t count, low, carry;
	double real;
	bool is_real; /* a value was not an integer */
};

static void sum_add(struct sum *sum, sqlite3_value *value, int sign)
{
	int type = sqlite3_value_numeric_type(value);

	if (type == SQLITE_NULL)
		return;
	sum->count += sign;
	sum->real += sign * sqlite3_value_double(value);
	if (type != SQLITE_INTEGER) {
		sum->is_real = true;
		return;
	}
	int64_t integer = sqlite3_value_int64(value);
	int way = integer > 0 ? sign : -sign;
	if (sign > 0 ? __builtin_add_overflow(sum->low, integer, &sum->low)
		     : __builtin_sub_overflow(sum->low, integer, &sum->low))
		sum->carry += way;
}

static void sum_step(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct sum *sum = sqlite3_aggregate_context(context, sizeof(*sum));

	(void)count;
	if (sum)
		sum_add(sum, values[0], 1);
}

static void sum_inverse(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct sum *sum = sqlite3_aggregate_context(context, sizeof(*sum));

	(void)count;
	if (sum)
		sum_add(sum, values[0], -1);
}

static void sum_value(sqlite3_context *context)
{
	const struct sum *sum = sqlite3_aggregate_context(context, 0);

	if (!sum || sum->count == 0)
		return;
	if (!sum->is_real && sum->carry == 0)
		sqlite3_result_int64(context, sum->low);
	else
		sqlite3_result_double(context, sum->real);
}

static void abs_value(sqlite3_context *context, int count, sqlite3_value **values)
{
	int type = sqlite3_value_type(values[0]);

	(void)count;
	if (type == SQLITE_NULL)
		return;
	int64_t integer = sqlite3_value_int64(values[0]);
	if (type == SQLITE_INTEGER && integer != INT64_MIN) {
		sqlite3_result_int64(context, integer < 0 ? -integer : integer);
		return;
	}
	double real = sqlite3_value_double(values[0]);
	sqlite3_result_double(context, real < 0 ? -real : real);
}

/* Text of a value, borrowed from it; ptr NULL for NULL. */
static struct tc_text text_of(sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	return (struct tc_text){text, text ? (size_t)sqlite3_value_bytes(value) : 0};
}

static struct tc_text blob_of(sqlite3_value *value)
{
	const char *blob = sqlite3_value_blob(value);

	return (struct tc_text){blob ? blob : "", (size_t)sqlite3_value_bytes(value)};
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The first place of what, which is not empty, in text; NULL for none. */
static const char *find(struct tc_text text, struct tc_text what)
{
	return text.len < what.len ? NULL : memmem(text.ptr, text.len, what.ptr, what.len);
}

/* The number of the character, from 1, where what first occurs; 0 for none. */
static int64_t character_of(struct tc_text text, struct tc_text what)
{
	/* Continuation bytes match only at the start: no character starts within another. */
	bool only_first = what.len > 0 && continues(what.ptr[0]);
	int64_t number = 1;

	if (what.len == 0)
		return 1;
	if (only_first)
		return tc_text_starts(text, what);
	const char *at = find(text, what);
	if (!at)
		return 0;
	for (const char *p = text.ptr + 1; p <= at; p++)
		number += !continues(*p);
	return number;
}

static void instr_value(sqlite3_context *context, int count, sqlite3_value **values)
{
	int types[] = {sqlite3_value_type(values[0]), sqlite3_value_type(values[1])};

	(void)count;
	if (types[0] == SQLITE_NULL || types[1] == SQLITE_NULL)
		return;
	if (types[0] == SQLITE_BLOB && types[1] == SQLITE_BLOB) {
		struct tc_text blob = blob_of(values[0]), what = blob_of(values[1]);
		const char *at = what.len > 0 ? find(blob, what) : blob.ptr;
		sqlite3_result_int64(context, at ? at - blob.ptr + 1 : 0);
		return;
	}
	struct tc_text text = text_of(values[0]), what = text_of(values[1]);
	if (text.ptr && what.ptr)
		sqlite3_result_int64(context, character_of(text, what));
	else
		sqlite3_result_error_nomem(context);
}

static void result_buf(sqlite3_context *context, struct tc_buf *buf)
{
	struct tc_text text = tc_buf_text(buf);

	if (tc_buf_failed(buf))
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text64(context, text.ptr, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	tc_buf_clear(buf);
}

static void replace_value(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct tc_text text = text_of(values[0]), what = text_of(values[1]);
	struct tc_text with = text_of(values[2]);
	struct tc_buf out = TC_BUF_EMPTY;
	size_t most =
		(size_t)sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
	const char *at;

	(void)count;
	if (!text.ptr || !what.ptr || !with.ptr)
		return;
	if (what.len == 0) {
		sqlite3_result_value(context, values[0]);
		return;
	}
	while ((at = find(text, what)) && out.len <= most) {
		struct tc_text before = tc_text_before(text, at);
		tc_buf_append_text(&out, before);
		tc_buf_append_text(&out, with);
		text.ptr += before.len + what.len;
		text.len -= before.len + what.len;
	}
	tc_buf_append_text(&out, text);
	result_buf(context, &out); /* SQLite refuses results that are too long */
}

/* Characters to trim, sorted; the bytes of each are packed into one number. */
struct set {
	struct tc_buf buf;
	const uint32_t *items;
	size_t count;
};

/* Bytes of the character at the start of text, and its bytes in one number. */
static size_t character_at(uint32_t *out, struct tc_text text)
{
	size_t len = 1;

	*out = (unsigned char)text.ptr[0];
	if ((unsigned char)text.ptr[0] < 0xc0)
		return 1;
	for (; len < text.len && len < 4 && continues(text.ptr[len]); len++)
		*out = *out << 8 | (unsigned char)text.ptr[len];
	return len;
}

TC_ORDER(compare_items, uint32_t, TC_UP_ITSELF);

static void set_fill(struct set *set, struct tc_text text)
{
	uint32_t item;

	for (size_t at = 0; at < text.len;) {
		at += character_at(&item, (struct tc_text){text.ptr + at, text.len - at});
		tc_buf_append(&set->buf, (const char *)&item, sizeof(item));
	}
	set->count = set->buf.len / sizeof(item);
	if (set->count == 0 || tc_buf_failed(&set->buf))
		return;
	/* The heap aligns it for any number. */
	qsort(set->buf.ptr, set->count, sizeof(item), compare_items);
	set->items = (const void *)set->buf.ptr;
}

static bool set_has(const struct set *set, uint32_t item)
{
	return set->count > 0 &&
	       bsearch(&item, set->items, set->count, sizeof(item), compare_items);
}

static void trim_left(struct tc_text *text, const struct set *set)
{
	uint32_t item;

	while (text->len > 0) {
		size_t len = character_at(&item, *text);
		if (!set_has(set, item))
			break;
		text->ptr += len;
		text->len -= len;
	}
}

static void trim_right(struct tc_text *text, const struct set *set)
{
	uint32_t item;

	while (text->len > 0) {
		size_t from = text->len - 1;
		while (from > 0 && text->len - from < 4 && continues(text->ptr[from]))
			from--;
		size_t len =
			character_at(&item, (struct tc_text){text->ptr + from, text->len - from});
		if (from + len != text->len || !set_has(set, item))
			break;
		text->len = from;
	}
}

enum trim_sides { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

static void trim_value(sqlite3_context *context, int count, sqlite3_value **values)
{
	uintptr_t sides = (uintptr_t)sqlite3_user_data(context);
	struct tc_text text = text_of(values[0]);
	struct tc_text characters = count > 1 ? text_of(values[1]) : TC_TEXT(" ");
	struct set set = {TC_BUF_EMPTY, NULL, 0};

	if (!text.ptr || !characters.ptr)
		return;
	set_fill(&set, characters);
	if (tc_buf_failed(&set.buf)) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (sides & TRIM_LEFT)
		trim_left(&text, &set);
	if (sides & TRIM_RIGHT)
		trim_right(&text, &set);
	sqlite3_result_text64(context, text.ptr, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	tc_buf_clear(&set.buf);
}

/* Views may call them even when the schema of the store is not trusted. */
#define FUNCTION_FLAGS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)

int tc_store_functions(sqlite3 *db)
{
	static const struct {
		const char *name;
		int count;
		enum trim_sides sides;
		void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
	} rows[] = {
		{"abs", 1, 0, abs_value},
		{"printf", -1, 0, sql_format},
		{"format", -1, 0, sql_format},
		{"instr", 2, 0, instr_value},
		{"replace", 3, 0, replace_value},
		{"trim", 1, TRIM_LEFT | TRIM_RIGHT, trim_value},
		{"trim", 2, TRIM_LEFT | TRIM_RIGHT, trim_value},
		{"ltrim", 1, TRIM_LEFT, trim_value},
		{"ltrim", 2, TRIM_LEFT, trim_value},
		{"rtrim", 1, TRIM_RIGHT, trim_value},
		{"rtrim", 2, TRIM_RIGHT, trim_value},
	};
	int code = sqlite3_create_window_function(db, "sum", 1, FUNCTION_FLAGS, NULL, sum_step,
		sum_value, sum_value, sum_inverse, NULL);

	for (size_t i = 0; i < TC_COUNT_OF(rows) && code == SQLITE_OK; i++)
		code = sqlite3_create_function_v2(db, rows[i].name, rows[i].count, FUNCTION_FLAGS,
			(void *)(uintptr_t)rows[i].sides, rows[i].call, NULL, NULL, NULL);
	return code;
}
