/*
 * Logs: only lines of a known form become rows of side_log, whatever prefix the logger adds. A
 * table of fallbacks lasts from its heading to the first line that is not a count and a name.
 */
#include "core/array.h"
#include "core/text/decimal.h"
#include "side/reader.h"

static const struct tc_side_table table = {
	"side_log(trace_id, source, line, kind, subject, count, value, text)"};

/* A line of a known form. A text that the line does not have is NULL, and count is 1. */
struct finding {
	const char *kind;
	struct tc_text subject;
	int64_t count;
	bool has_value;
	int64_t value;
};

struct reader {
	struct tc_side_file *file;
	bool in_table;
	struct tc_buf subject;
};

static bool is_name_char(char c)
{
	return tc_is_word_char(c) || c == ':' || c == '.';
}

static struct tc_text leading_name(struct tc_text text)
{
	size_t len = 0;

	while (len < text.len && is_name_char(text.ptr[len]))
		len++;
	return (struct tc_text){text.ptr, len};
}

static bool leading_integer(int64_t *out, struct tc_text text)
{
	size_t len = 0;

	while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9')
		len++;
	return len > 0 && tc_decimal_int64(out, (struct tc_text){text.ptr, len});
}

/* "CPU fallback digamma : self=HPUBFloat16Type" */
static bool read_fallback(struct finding *finding, struct tc_text after, struct tc_text before)
{
	struct tc_text name = leading_name(after);
	struct tc_text rest = {after.ptr + name.len, after.len - name.len};

	(void)before;
	finding->kind = "cpu_fallback";
	finding->subject = name;
	if (name.len > 0 && name.ptr[name.len - 1] == ':') {
		finding->subject.len--;
		return finding->subject.len > 0;
	}
	return name.len > 0 && tc_text_starts(tc_text_trim(rest), TC_TEXT(":"));
}

/* "Removed <id> successfully. Disk cache size after removal: <n>", sometimes without the blank */
static bool read_eviction(struct finding *finding, struct tc_text after, struct tc_text before)
{
	struct tc_text id;

	finding->kind = "recipe_eviction";
	if (!tc_text_after(before, TC_TEXT("Removed "), &id))
		return false;
	finding->subject = tc_text_trim(id);
	finding->has_value = leading_integer(&finding->value, tc_text_trim(after));
	return finding->subject.len > 0;
}

/* "Recipes total size still exceeded the limit after eviction: a/b." */
static bool read_over_limit(struct finding *finding, struct tc_text after, struct tc_text before)
{
	struct tc_text size;

	(void)before;
	finding->kind = "recipe_over_limit";
	if (tc_text_after(after, TC_TEXT(":"), &size))
		finding->has_value = leading_integer(&finding->value, tc_text_trim(size));
	return true;
}

static bool read_hit(struct finding *finding, struct tc_text after, struct tc_text before)
{
	(void)before;
	finding->kind = "recipe_hit";
	finding->subject = tc_text_trim(after);
	return finding->subject.len > 0;
}

static bool read_miss(struct finding *finding, struct tc_text after, struct tc_text before)
{
	bool good = read_hit(finding, after, before);

	finding->kind = "recipe_miss";
	return good;
}

/* The number after a name in a Python list of pairs: ('TotalNumber', 3). */
static bool number_of(int64_t *out, struct tc_text stats, struct tc_text name)
{
	struct tc_text after;

	if (!tc_text_after(stats, name, &after))
		return false;
	while (after.len > 0 && strchr("'\",: ", after.ptr[0])) {
		after.ptr++;
		after.len--;
	}
	return leading_integer(out, after);
}

/* "[name] graph compilation detected: [('TotalNumber', 1), ('TotalTime', 5321), ...]" */
static bool read_compile(struct finding *finding, struct tc_text after, struct tc_text before)
{
	struct tc_text name = tc_text_trim(before);
	size_t start = name.len;

	finding->kind = "graph_compile";
	if (name.len > 0 && name.ptr[name.len - 1] == ']') {
		while (start > 0 && name.ptr[start - 1] != '[')
			start--;
		finding->subject = (struct tc_text){name.ptr + start, name.len - 1 - start};
	}
	if (!number_of(&finding->count, after, TC_TEXT("TotalNumber")))
		finding->count = 1;
	finding->has_value = number_of(&finding->value, after, TC_TEXT("TotalTime"));
	return true;
}

#define PATTERN(literal)                                                                           \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

/* A text that a line may contain, and the reader of what stands after and before it. */
static const struct {
	struct tc_text mark;
	bool (*read)(struct finding *finding, struct tc_text after, struct tc_text before);
} patterns[] = {
	{PATTERN("recipe cache hit :: "), read_hit},
	{PATTERN("recipe cache miss :: "), read_miss},
	{PATTERN("CPU fallback "), read_fallback},
	{PATTERN("successfully. Disk cache size after removal:"), read_eviction},
	{PATTERN("Recipes total size still exceeded"), read_over_limit},
	{PATTERN("graph compilation detected:"), read_compile},
};

static bool is_table_head(struct tc_text line)
{
	return tc_text_contains(line, TC_TEXT("CPU Fallback stats:")) ||
	       tc_text_contains(
		       line, TC_TEXT("Frequency of op and op name that were executed on CPU:"));
}

/* "1       aten::digamma" */
static bool read_table_row(struct finding *finding, struct tc_text line)
{
	struct tc_text text = tc_text_trim(line);
	size_t len = 0;

	while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9')
		len++;
	if (!leading_integer(&finding->count, text) || len == text.len ||
		!strchr(" \t", text.ptr[len]))
		return false;
	finding->kind = "cpu_fallback_total";
	finding->subject = tc_text_trim((struct tc_text){text.ptr + len, text.len - len});
	return finding->subject.len > 0 &&
	       leading_name(finding->subject).len == finding->subject.len;
}

static bool read_mark(struct finding *finding, struct tc_text line)
{
	for (size_t i = 0; i < TC_COUNT_OF(patterns); i++) {
		struct tc_text after;
		if (!tc_text_after(line, patterns[i].mark, &after))
			continue;
		*finding = (struct finding){.count = 1};
		return patterns[i].read(
			finding, after, tc_text_before(line, after.ptr - patterns[i].mark.len));
	}
	return false;
}

/* Operations get the same name in both forms: "digamma" is aten::digamma. */
static struct tc_text full_name(struct reader *reader, const struct finding *finding)
{
	if (strcmp(finding->kind, "cpu_fallback") != 0 &&
		strcmp(finding->kind, "cpu_fallback_total") != 0)
		return finding->subject;
	tc_buf_reset(&reader->subject);
	if (!tc_text_contains(finding->subject, TC_TEXT("::")))
		tc_buf_append_string(&reader->subject, "aten::");
	tc_buf_append_text(&reader->subject, finding->subject);
	return tc_buf_text(&reader->subject);
}

static void put(struct reader *reader, const struct finding *finding, struct tc_text line)
{
	const struct tc_sql_value values[] = {tc_sql_int(reader->file->line_count),
		tc_sql_string(finding->kind), tc_sql_text(full_name(reader, finding)),
		tc_sql_int(finding->count), tc_sql_int_if(finding->has_value, finding->value),
		tc_sql_text(line)};

	tc_side_file_put(reader->file, &table, values, TC_COUNT_OF(values));
}

static void read_line(struct reader *reader, struct tc_text line)
{
	struct finding finding = {.count = 1};

	if (is_table_head(line)) {
		reader->in_table = true;
		return;
	}
	reader->in_table = reader->in_table && read_table_row(&finding, line);
	if (reader->in_table || read_mark(&finding, line))
		put(reader, &finding, line);
}

/* Whether there are bytes that occur in no text. */
static bool is_binary(struct tc_text head)
{
	return head.len > 0 && memchr(head.ptr, '\0', head.len);
}

/* Any text may be a log; its file name or a known line has to confirm it. */
static bool may_be_log(struct tc_text head)
{
	struct tc_text text = tc_text_trim(head);

	if (text.len > 0 && (text.ptr[0] == '[' || text.ptr[0] == '{'))
		return !tc_sniff_is_json(head);
	return !is_binary(head);
}

static bool is_log_name(const char *path)
{
	static const char *const ends[] = {".log", ".txt", ".out", ".err", ".log.gz"};
	struct tc_text name = tc_text_from(path);

	for (size_t i = 0; i < TC_COUNT_OF(ends); i++)
		if (name.len > strlen(ends[i]) && tc_text_ends(name, tc_text_from(ends[i])))
			return true;
	return false;
}

static void read(struct tc_side_file *file)
{
	struct reader reader = {.file = file, .subject = {.ctx = file->ctx}};
	struct tc_text line;

	while (tc_side_file_line(file, &line))
		read_line(&reader, line);
	tc_buf_clear(&reader.subject);
	if (!tc_ctx_failed(file->ctx) && file->row_count == 0 && !is_log_name(file->path))
		tc_side_refuse(file, "none of its lines is one that the bridge logs");
}

/* Its capability is that of its rows: see contents[] in side.c. */
const struct tc_side_reader tc_side_log = {
	.name = "log",
	.is_it = may_be_log,
	.read = read,
};
