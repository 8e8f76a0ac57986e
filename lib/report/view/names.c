/*
 * A small reader of demangled C++: a path of components (name,
 * template arguments, parameters) joined by "::", in which lambdas and operator() name nothing.
 */
#include "report/view/names.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/strtab.h"
#include "report/text/format.h"

#define MAX_DEPTH 4 /* of template arguments that are shown */

/* The most columns of a word and of a name: words in generated kernel names have hundreds. */
enum { WORD_COLUMNS = 72, NAME_COLUMNS = 400 };

struct tc_name_entry {
	uint64_t brief, whole; /* hashes of the short name and of the name */
	size_t order;
};

struct path {
	struct tc_text name, arguments; /* of the last component that names something */
	bool has_parameters;
	const char *end; /* one past the path */
};

static bool starts_with(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

static bool is_name_char(char c)
{
	return tc_is_word_char(c) || c == '~' || c == '$';
}

static int depth_step(const char *begin, const char *at)
{
	bool arrow = *at == '>' && at > begin && at[-1] == '-';

	if (*at == '<' || *at == '(' || *at == '{' || *at == '[')
		return 1;
	return !arrow && (*at == '>' || *at == ')' || *at == '}' || *at == ']') ? -1 : 0;
}

/* Returns the place after the bracket that closes the one at `at`; NULL if none does. */
static const char *skip_brackets(const char *at, const char *end)
{
	const char *begin = at;

	for (int depth = 0; at < end; at++) {
		depth += depth_step(begin, at);
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Template arguments and parameters behind a component's name; NULL when a bracket stays open. */
static const char *read_tail(
	struct path *path, const char *at, const char *end, struct tc_text name)
{
	struct tc_text arguments = TC_TEXT_NONE;
	bool has_parameters = false;
	const char *close;

	if (at < end && *at == '<') {
		close = skip_brackets(at, end);
		if (!close)
			return NULL;
		arguments = (struct tc_text){at + 1, (size_t)(close - at) - 2};
		at = close;
	}
	if (at < end && *at == '(') {
		at = skip_brackets(at, end);
		has_parameters = true;
	}
	if (name.len > 0) {
		path->name = name;
		path->arguments = arguments;
		path->has_parameters = has_parameters;
	}
	return at;
}

/* One component; NULL when there is none. */
static const char *read_component(struct path *path, const char *at, const char *end)
{
	const char *begin = at;

	if (starts_with(at, end, "(anonymous namespace)"))
		return at + strlen("(anonymous namespace)");
	if (at < end && *at == '{')
		return skip_brackets(at, end);
	while (at < end && is_name_char(*at))
		at++;
	if (at == begin)
		return NULL;
	struct tc_text name = {begin, (size_t)(at - begin)};
	if (tc_text_equal(name, TC_TEXT("operator")) && starts_with(at, end, "()")) {
		name = TC_TEXT_NONE;
		at += 2;
	}
	return read_tail(path, at, end, name);
}

/* Reads a path from `at`; false when there is none. */
static bool read_path(struct path *path, const char *at, const char *end)
{
	*path = (struct path){.end = at};
	while ((at = read_component(path, at, end))) {
		if (starts_with(at, end, " const"))
			at += strlen(" const");
		path->end = at;
		if (!starts_with(at, end, "::"))
			break;
		at += 2;
	}
	return at && path->name.len > 0;
}

static bool is_plain_type(struct tc_text name)
{
	static const char *const types[] = {"float", "double", "int", "unsigned", "long", "short",
		"char", "signed", "bool", "void", "size_t", "int8_t", "uint8_t", "int16_t",
		"int32_t", "uint32_t", "int64_t", "uint64_t", "BFloat16", "Half", "__half",
		"__nv_bfloat16", "complex"};

	for (size_t i = 0; i < TC_COUNT_OF(types); i++)
		if (tc_text_equal(tc_text_from(types[i]), name))
			return true;
	return false;
}

/* Whether an argument is a number or a truth value: such arguments tell a reader little. */
static bool is_value(struct tc_text name)
{
	return (name.ptr[0] >= '0' && name.ptr[0] <= '9') || tc_text_equal(name, TC_TEXT("true")) ||
	       tc_text_equal(name, TC_TEXT("false"));
}

/* Where the argument at `at` ends: at a comma outside of brackets, or at the end. */
static const char *argument_end(const char *at, const char *end)
{
	const char *begin = at;
	int depth = 0;

	while (at < end && (depth > 0 || *at != ',')) {
		depth += depth_step(begin, at);
		at++;
	}
	return at;
}

/* Finds the argument that tells most: the first type that is not built in, else the first type. */
static bool find_telling(struct path *out, struct tc_text arguments)
{
	const char *at = arguments.ptr, *end = at + arguments.len;
	bool found = false;

	while (at < end) {
		struct path path;
		while (at < end && *at == ' ')
			at++;
		const char *next = argument_end(at, end);
		if (read_path(&path, at, next) && !is_value(path.name)) {
			if (!found)
				*out = path;
			found = true;
			if (!is_plain_type(path.name)) {
				*out = path;
				return true;
			}
		}
		at = next + (next < end);
	}
	return found;
}

static void append_path(struct tc_buf *buf, const struct path *path)
{
	struct path current = *path;
	int depth = 0;

	tc_buf_append_text(buf, current.name);
	while (depth < MAX_DEPTH && current.arguments.len > 0) {
		struct path inner;
		if (!find_telling(&inner, current.arguments))
			break;
		TC_APPEND(buf, TC_TEXT("<"), inner.name);
		current = inner;
		depth++;
	}
	for (; depth > 0; depth--)
		tc_buf_append_char(buf, '>');
}

/* Whether the whole name is a C++ signature; the path does not have its return type. */
static bool read_signature(struct path *path, struct tc_text name)
{
	const char *at = name.ptr, *end = name.ptr + name.len;

	if (!read_path(path, at, end))
		return false;
	if (path->end < end && *path->end == ' ' && !path->has_parameters &&
		!read_path(path, path->end + 1, end))
		return false;
	if (path->end < end && !starts_with(path->end, end, " [clone"))
		return false;
	return path->has_parameters || path->arguments.len > 0;
}

/* Appends a word; one with more than `most` columns loses its middle. */
static void append_cut(struct tc_buf *buf, struct tc_text word, int most)
{
	int columns = tc_format_columns(word);
	size_t head = tc_format_prefix(word, most / 2);
	size_t tail = tc_format_prefix(word, columns - most / 2);

	if (columns <= most) {
		tc_buf_append_text(buf, word);
		return;
	}
	TC_APPEND(buf, (struct tc_text){word.ptr, head}, TC_TEXT("..."),
		(struct tc_text){word.ptr + tail, word.len - tail});
}

static void append_words(struct tc_buf *buf, struct tc_text text)
{
	for (size_t from = 0, i = 0; text.len > 0 && i <= text.len; i++) {
		if (i < text.len && text.ptr[i] != ' ')
			continue;
		append_cut(buf, (struct tc_text){text.ptr + from, i - from}, WORD_COLUMNS);
		if (i < text.len)
			tc_buf_append_char(buf, ' ');
		from = i + 1;
	}
}

static void append_brief(struct tc_buf *buf, struct tc_text name)
{
	struct path path;

	if (name.len > 0 && read_signature(&path, name))
		append_path(buf, &path);
	else
		append_words(buf, name);
}

static uint64_t hash_of(struct tc_text text)
{
	return tc_hash_bytes(text.ptr, text.len);
}

TC_ORDER(compare, struct tc_name_entry, TC_UP(brief) TC_UP(order));

static void add(struct tc_names *names, struct tc_ctx *ctx, struct tc_text name)
{
	struct tc_buf brief = TC_BUF_EMPTY;

	append_brief(&brief, name);
	if (tc_buf_failed(&brief))
		tc_no_memory(ctx);
	TC_PUSH(ctx, names->entries, names->count, names->capacity,
		(struct tc_name_entry){hash_of(tc_buf_text(&brief)), hash_of(name), names->count});
	tc_buf_clear(&brief);
}

void tc_names_load(struct tc_names *names, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	*names = TC_NAMES_EMPTY;
	struct tc_rows rows = TC_ROWS(ctx, db,
		"SELECT name FROM op_total WHERE trace_id = ?1 AND name IS NOT NULL"
		" GROUP BY name ORDER BY total(exclusive_ns) DESC, name",
		trace_id);
	while (tc_rows_next(&rows))
		add(names, ctx, tc_rows_text(&rows, 0));
	TC_SORT(names->entries, names->count, compare);
}

void tc_names_clear(struct tc_names *names)
{
	tc_free(names->entries);
	*names = TC_NAMES_EMPTY;
}

/* The first entry whose short name is not less than `brief`. */
static size_t lower_bound(const struct tc_names *names, uint64_t brief)
{
	size_t at;

	TC_BISECT(at, names->count, names->entries[at].brief < brief);
	return at;
}

void tc_names_append(const struct tc_names *names, struct tc_buf *buf, struct tc_text name)
{
	struct tc_buf text = TC_BUF_EMPTY;

	append_brief(&text, name);
	append_cut(buf, tc_buf_text(&text), NAME_COLUMNS);
	uint64_t brief = hash_of(tc_buf_text(&text)), whole = hash_of(name);
	tc_buf_end(buf, &text);
	if (!names)
		return;
	size_t first = lower_bound(names, brief), at = first, number = 0;
	for (; at < names->count && names->entries[at].brief == brief; at++)
		if (names->entries[at].whole == whole)
			number = at - first + 1;
	if (at - first > 1 && number > 0)
		tc_buf_format(buf, " #%zu", number);
}
