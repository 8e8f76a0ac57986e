/*
 * Buffered output of a report, made safe on its way out, and the fields of CSV, which have their
 * own danger: a spreadsheet calculates what begins like a formula.
 */
#include "report/text/sink.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "core/text/utf8.h"
#include "report/text/format.h"

/* Whether a spreadsheet would calculate the text: it begins with one of the marks, which count in
 * full width, too, and behind blanks. A plain number is none. */
static bool is_formula(struct tc_text text)
{
	static const char *const marks[] = {
		"=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
	size_t blanks = 0;
	double number;

	if (text.len == 0)
		return false;
	while (blanks < text.len && memchr(" \t\r\n", text.ptr[blanks], 4))
		blanks++;
	struct tc_text rest = {text.ptr + blanks, text.len - blanks};
	bool begins = blanks > 0 && text.ptr[0] != ' ';
	for (size_t i = 0; i < TC_COUNT_OF(marks); i++)
		begins |= tc_text_starts(rest, tc_text_from(marks[i]));
	return begins && !tc_decimal_double(&number, text);
}

void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind)
{
	static const char *const doubled[] = {"\"\""};
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= memchr(",\"\n", text.ptr[i], 3) != NULL;
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_put(sink, is_formula(text) ? "'" : "");
	tc_sink_escaped(sink, text, "\"", doubled);
	tc_sink_put(sink, quote ? "\"" : "");
	tc_sink_put(sink, behind);
}

static void put_xml(struct tc_sink *sink, struct tc_text text)
{
	static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;", " "};

	tc_sink_escaped(sink, text, "<>&\"\n\t", entities);
}

static void put_attribute(struct tc_sink *sink, const char *name, struct tc_text value)
{
	tc_sink_format(sink, " %s=\"", name);
	put_xml(sink, value);
	tc_sink_put(sink, "\"");
}

void tc_junit_begin(struct tc_sink *sink)
{
	tc_sink_put(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			  "<testsuites name=\"tracecoach\">\n");
}

void tc_junit_suite(struct tc_sink *sink, struct tc_text name, const size_t counts[4])
{
	tc_sink_put(sink, "  <testsuite");
	put_attribute(sink, "name", name);
	tc_sink_format(sink, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		counts[0], counts[1], counts[2], counts[3]);
}

static void put_result(struct tc_sink *sink, const struct tc_case *test)
{
	tc_sink_format(sink, "<%s", test->result);
	if (test->type.len > 0)
		put_attribute(sink, "type", test->type);
	if (test->message.len > 0)
		put_attribute(sink, "message", test->message);
	if (test->text.len == 0) {
		tc_sink_put(sink, "/>");
		return;
	}
	tc_sink_put(sink, ">");
	put_xml(sink, test->text);
	tc_sink_format(sink, "</%s>", test->result);
}

void tc_junit_case(struct tc_sink *sink, const struct tc_case *test)
{
	tc_sink_put(sink, "    <testcase");
	put_attribute(sink, "classname", test->class_name);
	put_attribute(sink, "name", test->name);
	tc_sink_put(sink, ">");
	if (test->result)
		put_result(sink, test);
	tc_sink_put(sink, "</testcase>\n");
}

void tc_junit_suite_end(struct tc_sink *sink)
{
	tc_sink_put(sink, "  </testsuite>\n");
}

void tc_junit_end(struct tc_sink *sink)
{
	tc_sink_put(sink, "</testsuites>\n");
}

/* Line ends would end the command, and in a property so would commas and colons. */
static void put_command_text(struct tc_sink *sink, struct tc_text text, bool is_property)
{
	static const char *const codes[] = {"%25", "%0D", "%0A", "%3A", "%2C"};

	tc_sink_escaped(sink, text, is_property ? "%\r\n:," : "%\r\n", codes);
}

void tc_put_command(
	struct tc_sink *sink, const char *command, struct tc_text title, struct tc_text text)
{
	tc_sink_format(sink, "::%s title=", command);
	put_command_text(sink, title, true);
	tc_sink_put(sink, "::");
	put_command_text(sink, text, false);
	tc_sink_put(sink, "\n");
}

/* Large enough for few writes to a pipe, small enough not to matter. */
#define SINK_FLUSH_BYTES (32 * 1024)

void tc_sink_init(struct tc_sink *sink, tc_write_fn write, void *user)
{
	*sink = (struct tc_sink){.write = write, .user = user};
}

/* Whether the character goes out unchanged. */
static bool passes(const struct tc_sink *sink, uint32_t code)
{
	bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);

	if (code == '\n' || code == '\t' || (code == '\033' && sink->styled))
		return true;
	return code != TC_GLYPH_BROKEN && !(sink->is_data ? is_control : tc_glyph_hidden(code));
}

static void append_instead(struct tc_buf *out, const struct tc_sink *sink, uint32_t code)
{
	if (!sink->escapes && !sink->is_data)
		tc_buf_append_char(out, '?');
	else if (code == TC_GLYPH_BROKEN)
		tc_buf_append_string(out, TC_UTF8_REPLACEMENT);
	else if (code < 0x10000)
		tc_buf_format(out, "\\u%04x", (unsigned)code);
	else
		tc_buf_format(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)),
			(unsigned)(0xdc00 + (code & 0x3ff)));
}

static int append_bytes(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
	return 0;
}

void tc_sink_init_buf(struct tc_sink *sink, struct tc_buf *buf)
{
	tc_sink_init(sink, append_bytes, buf);
}

/* The number of bytes at the end that may be the start of a character whose rest comes with the
 * next text. */
static size_t cut_tail(struct tc_text text)
{
	bool cut;

	for (size_t tail = 1; tail <= 3 && tail <= text.len; tail++) {
		const char *at = text.ptr + text.len - tail;
		if (((unsigned char)*at & 0xc0) == 0xc0)
			return tc_utf8_step(at, at + tail, &cut) < 0 && cut ? tail : 0;
	}
	return 0;
}

/* Appends the safe form of text to out; appends nothing if the text is safe already. */
static void make_safe(struct tc_buf *out, const struct tc_sink *sink, struct tc_text text)
{
	size_t good = 0; /* the text before this is in out */

	for (size_t at = 0; at < text.len;) {
		struct tc_glyph glyph = tc_glyph_at((struct tc_text){text.ptr + at, text.len - at});
		if (!passes(sink, glyph.code)) {
			tc_buf_append(out, text.ptr + good, at - good);
			append_instead(out, sink, glyph.code);
			good = at + glyph.len;
		}
		at += glyph.len;
	}
	if (good > 0)
		tc_buf_append(out, text.ptr + good, text.len - good);
}

static void flush(struct tc_sink *sink, bool at_end)
{
	struct tc_text text = tc_buf_text(&sink->buf);
	struct tc_buf safe = TC_BUF_EMPTY;

	if (tc_buf_failed(&sink->buf) || sink->stopped)
		return;
	text.len -= at_end ? 0 : cut_tail(text);
	if (text.len == 0)
		return;
	make_safe(&safe, sink, text);
	sink->buf.failed |= tc_buf_failed(&safe);
	struct tc_text out = safe.len > 0 ? tc_buf_text(&safe) : text;
	if (!sink->buf.failed && sink->write(sink->user, out.ptr, out.len))
		sink->stopped = true;
	tc_buf_clear(&safe);
	tc_buf_consume(&sink->buf, text.len);
}

static void settle(struct tc_sink *sink)
{
	if (sink->stopped)
		sink->buf.len = 0;
	else if (sink->buf.len >= SINK_FLUSH_BYTES)
		flush(sink, false);
	if (sink->ctx && (tc_ctx_interrupted(sink->ctx) || tc_ctx_failed(sink->ctx)))
		sink->stopped = true;
}

enum tc_status tc_sink_close(struct tc_sink *sink, struct tc_ctx *ctx)
{
	bool out_of_memory;

	flush(sink, true);
	out_of_memory = tc_buf_failed(&sink->buf);
	tc_buf_clear(&sink->buf);
	if (tc_ctx_failed(ctx))
		return tc_ctx_status(ctx);
	if (out_of_memory)
		return tc_no_memory(ctx);
	if (sink->ctx && tc_ctx_interrupted(sink->ctx))
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "the report was interrupted");
	if (sink->stopped)
		return tc_fail(ctx, TC_ERR_IO, "cannot write the report: its reader stopped");
	return TC_OK;
}

void tc_sink_put(struct tc_sink *sink, const char *string)
{
	tc_buf_append_string(&sink->buf, string);
	settle(sink);
}

void tc_sink_text(struct tc_sink *sink, struct tc_text text)
{
	tc_buf_append_text(&sink->buf, text);
	settle(sink);
}

void tc_sink_escaped(
	struct tc_sink *sink, struct tc_text text, const char *special, const char *const *instead)
{
	tc_buf_append_escaped(&sink->buf, text, special, instead);
	settle(sink);
}

void tc_sink_fill(struct tc_sink *sink, const char *string, int count)
{
	for (int i = 0; i < count; i++)
		tc_buf_append_string(&sink->buf, string);
	settle(sink);
}

void tc_sink_format(struct tc_sink *sink, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tc_buf_vformat(&sink->buf, format, args);
	va_end(args);
	settle(sink);
}

bool tc_sink_dead(const struct tc_sink *sink)
{
	return sink->stopped || tc_buf_failed(&sink->buf);
}
