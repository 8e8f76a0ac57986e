/* printf() of SQL: parses the format and lets SQLite format one value at a time. See format.h. */
#include "store/functions/format.h"

#include <string.h>

#include "core/array.h"
#include "core/buf.h"

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

void tc_sql_format(sqlite3_context *context, int count, sqlite3_value **values)
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
