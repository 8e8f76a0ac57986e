/*
 * The header of a rule file: comment lines "-- key: value" before the query. A comment line that
 * is indented by three blanks or more continues the value above; other comments are the author's
 * own. Each key is a row of a table and a function that takes its value.
 */
#include "advice/rule.h"

#include <math.h>
#include <stdlib.h>

#include "advice/capability.h"
#include "core/alloc.h"
#include "core/buf.h"
#include "core/limits.h"
#include "core/nearest.h"
#include "decode/utf8.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct header {
	struct tc_rule *rule;
	struct tc_ctx *ctx;
	struct tc_box *box;
	const char *path;
	int line;     /* being read, from 1 */
	int key_line; /* of the key below */
	size_t key;   /* index of the key whose value is in value; KEY_NONE for none */
	struct tc_buf value;
	unsigned seen; /* a bit per key */
};

typedef enum tc_status (*take_fn)(struct header *header, struct tc_text value);

static enum tc_status take_id(struct header *header, struct tc_text value);
static enum tc_status take_title(struct header *header, struct tc_text value);
static enum tc_status take_advice(struct header *header, struct tc_text value);
static enum tc_status take_why(struct header *header, struct tc_text value);
static enum tc_status take_needs(struct header *header, struct tc_text value);
static enum tc_status take_param(struct header *header, struct tc_text value);
static enum tc_status take_bucket(struct header *header, struct tc_text value);
static enum tc_status take_combine(struct header *header, struct tc_text value);
static enum tc_status take_source(struct header *header, struct tc_text value);

static const struct {
	const char *name;
	take_fn take;
	bool required, repeated;
	const char *example;
} keys[] = {
	{"id", take_id, true, false, "-- id: heavy-kernel"},
	{"title", take_title, true, false, "-- title: One kernel takes most of the device time"},
	{"advice", take_advice, true, false, "-- advice: Look for a faster kernel."},
	{"why", take_why, false, false, NULL},
	{"needs", take_needs, false, false, NULL},
	{"param", take_param, false, true, NULL},
	{"bucket", take_bucket, false, false, NULL},
	{"combine", take_combine, false, false, NULL},
	{"source", take_source, false, false, NULL},
};
#define KEY_NONE COUNT(keys)

static enum tc_status out_of_memory(struct tc_ctx *ctx)
{
	return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
}

/* Fails with "path:line: ..."; line 0 is left out. */
__attribute__((format(printf, 3, 4))) static enum tc_status fault(
	const struct header *header, int line, const char *format, ...)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status = TC_ERR_NOMEM;
	va_list args;

	va_start(args, format);
	tc_buf_vformat(&text, format, args);
	va_end(args);
	const char *message = tc_buf_string(&text);
	if (message && line > 0)
		status = tc_fail(
			header->ctx, TC_ERR_USAGE, "%s:%d: %s", header->path, line, message);
	else if (message)
		status = tc_fail(header->ctx, TC_ERR_USAGE, "%s: %s", header->path, message);
	else
		status = out_of_memory(header->ctx);
	tc_buf_clear(&text);
	return status;
}

static struct tc_text trim(struct tc_text text)
{
	while (text.len && memchr(" \t\r", text.ptr[text.len - 1], 3))
		text.len--;
	while (text.len && memchr(" \t\r", *text.ptr, 3)) {
		text.ptr++;
		text.len--;
	}
	return text;
}

static enum tc_status keep(const char **out, struct header *header, struct tc_text value)
{
	*out = tc_box_dup(header->box, value);
	return *out ? TC_OK : out_of_memory(header->ctx);
}

/* A text of min to max bytes. */
static enum tc_status take_text(
	const char **out, struct header *header, struct tc_text value, size_t min, size_t max)
{
	if (value.len < min || value.len > max)
		return fault(header, header->key_line, "%s has %zu characters: give %zu to %zu",
			keys[header->key].name, value.len, min, max);
	return keep(out, header, value);
}

static enum tc_status take_id(struct header *header, struct tc_text value)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	bool good = value.len > 0 && value.ptr[0] >= 'a' && value.ptr[value.len - 1] != '-';

	for (size_t i = 0; i < value.len && good; i++)
		good = memchr(set, value.ptr[i], sizeof(set) - 1) &&
		       (i == 0 || value.ptr[i] != '-' || value.ptr[i - 1] != '-');
	if (!good)
		return fault(header, header->key_line,
			"'%.*s' is no id: give small letters and digits, joined by single dashes",
			(int)(value.len < 60 ? value.len : 60), value.ptr);
	return take_text(&header->rule->heuristic.id, header, value, 3, 40);
}

static enum tc_status take_title(struct header *header, struct tc_text value)
{
	return take_text(&header->rule->heuristic.title, header, value, 3, 69);
}

static enum tc_status take_advice(struct header *header, struct tc_text value)
{
	return take_text(&header->rule->heuristic.advice, header, value, 3, 1000);
}

static enum tc_status take_why(struct header *header, struct tc_text value)
{
	return take_text(&header->rule->heuristic.why, header, value, 3, 1000);
}

static enum tc_status take_source(struct header *header, struct tc_text value)
{
	return take_text(&header->rule->heuristic.source, header, value, 3, 1000);
}

/* The index of value among names; fails with the nearest of them. */
static enum tc_status choose(size_t *out, struct header *header, struct tc_text value,
	const char *const *names, size_t count)
{
	struct tc_buf word = TC_BUF_EMPTY, list = TC_BUF_EMPTY;

	tc_buf_append_text(&word, value);
	const char *text = tc_buf_string(&word);
	const char *near = text ? tc_nearest(text, names, count) : NULL;
	for (size_t i = 0; i < count; i++)
		tc_buf_format(&list, "%s%s", i ? ", " : "", names[i]);
	const char *all = tc_buf_string(&list);
	enum tc_status status = text && all ? TC_ERR_USAGE : out_of_memory(header->ctx);
	for (size_t i = 0; i < count && text && all; i++) {
		if (strcmp(names[i], text) == 0) {
			*out = i;
			status = TC_OK;
		}
	}
	if (status == TC_ERR_USAGE)
		status = fault(header, header->key_line, "%s '%s' is not known: %s%s%s%s",
			keys[header->key].name, text, near ? "did you mean '" : "give one of ",
			near ? near : all, near ? "'" : "", near ? "?" : "");
	tc_buf_clear(&word);
	tc_buf_clear(&list);
	return status;
}

static enum tc_status take_bucket(struct header *header, struct tc_text value)
{
	static const char *const names[] = {
		"none", "idle", "compute", "copy", "communication", "wall"};
	static const enum tc_bucket buckets[] = {TC_BUCKET_NONE, TC_BUCKET_IDLE, TC_BUCKET_COMPUTE,
		TC_BUCKET_COPIES, TC_BUCKET_COMMUNICATION, TC_BUCKET_WALL};
	size_t index = 0;
	enum tc_status status = choose(&index, header, value, names, COUNT(names));

	if (status == TC_OK)
		header->rule->heuristic.bucket = buckets[index];
	return status;
}

/* No umbrellas: what the rest is, only who knows all heuristics can say. */
static enum tc_status take_combine(struct header *header, struct tc_text value)
{
	static const char *const names[] = {[TC_COMBINE_SUM] = "sum", [TC_COMBINE_MAX] = "max"};
	size_t index = 0;
	enum tc_status status = choose(&index, header, value, names, COUNT(names));

	if (status == TC_OK)
		header->rule->heuristic.combine = (enum tc_combine)index;
	return status;
}

static enum tc_status add_need(struct header *header, struct tc_text need)
{
	struct tc_rule *rule = header->rule;
	const char *const *names;
	size_t index = 0, count = tc_capability_names(&names);
	enum tc_status status = choose(&index, header, need, names, count);
	void *array = rule->needs;

	if (status != TC_OK)
		return status;
	if (tc_reserve(&array, &rule->need_capacity, rule->need_count + 2, sizeof(*rule->needs)))
		return out_of_memory(header->ctx);
	rule->needs = array;
	rule->needs[rule->need_count++] = names[index];
	rule->needs[rule->need_count] = NULL;
	return TC_OK;
}

static enum tc_status take_needs(struct header *header, struct tc_text value)
{
	enum tc_status status = TC_OK;

	while (value.len && status == TC_OK) {
		const char *comma = memchr(value.ptr, ',', value.len);
		size_t len = comma ? (size_t)(comma - value.ptr) : value.len;

		status = add_need(header, trim((struct tc_text){value.ptr, len}));
		len += comma ? 1 : 0;
		value = (struct tc_text){value.ptr + len, value.len - len};
	}
	return status;
}

/* Cuts the first word off *rest. */
static struct tc_text cut_word(struct tc_text *rest)
{
	size_t len = 0;

	*rest = trim(*rest);
	while (len < rest->len && rest->ptr[len] != ' ' && rest->ptr[len] != '\t')
		len++;
	struct tc_text word = {rest->ptr, len};
	*rest = trim((struct tc_text){rest->ptr + len, rest->len - len});
	return word;
}

static bool read_number(double *out, struct tc_text word)
{
	char text[40], *end;

	if (word.len == 0 || word.len >= sizeof(text))
		return false;
	memcpy(text, word.ptr, word.len);
	text[word.len] = '\0';
	*out = strtod(text, &end);
	return *end == '\0' && isfinite(*out);
}

static bool is_param_name(const struct tc_rule *rule, const char *name)
{
	bool good = *name >= 'a' && *name <= 'z' && strlen(name) <= 40 &&
		    strcmp(name, "trace_id") != 0 && strcmp(name, "enabled") != 0;

	for (size_t i = 0; i < rule->param_count && good; i++)
		good = strcmp(rule->params[i].name, name) != 0;
	return good && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static enum tc_status add_param(struct header *header, const struct tc_param *param)
{
	struct tc_rule *rule = header->rule;
	void *array = rule->params;

	if (tc_reserve(&array, &rule->param_capacity, rule->param_count + 2, sizeof(*param)))
		return out_of_memory(header->ctx);
	rule->params = array;
	rule->params[rule->param_count++] = *param;
	rule->params[rule->param_count] = (struct tc_param)TC_PARAM_END;
	return TC_OK;
}

/* name unit default min max help */
static enum tc_status take_param(struct header *header, struct tc_text value)
{
	static const char *const units[] = {"ns", "pct", "count", "ratio", "bytes"};
	struct tc_param param = TC_PARAM_END;
	size_t unit = 0;
	enum tc_status status = keep(&param.name, header, cut_word(&value));

	if (status != TC_OK)
		return status;
	if (!is_param_name(header->rule, param.name))
		return fault(header, header->key_line,
			"'%s' cannot name a parameter: give small letters, digits and _, not "
			"trace_id or enabled, and each name once",
			param.name);
	status = choose(&unit, header, cut_word(&value), units, COUNT(units));
	if (status != TC_OK)
		return status;
	param.unit = units[unit];
	if (!read_number(&param.value, cut_word(&value)) ||
		!read_number(&param.min, cut_word(&value)) ||
		!read_number(&param.max, cut_word(&value)) || value.len == 0)
		return fault(header, header->key_line,
			"parameter %s is not complete: give NAME UNIT DEFAULT MIN MAX HELP",
			param.name);
	if (param.min > param.value || param.value > param.max)
		return fault(header, header->key_line,
			"parameter %s: its default %.10g is not within %.10g to %.10g", param.name,
			param.value, param.min, param.max);
	status = keep(&param.help, header, value);
	return status == TC_OK ? add_param(header, &param) : status;
}

/* Hands the value that is complete to its key. */
static enum tc_status finish_value(struct header *header)
{
	enum tc_status status;

	if (header->key == KEY_NONE)
		return TC_OK;
	if (tc_buf_failed(&header->value))
		return out_of_memory(header->ctx);
	struct tc_text value = trim(tc_buf_text(&header->value));
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] < 0x20 || value.ptr[i] == 0x7f)
			return fault(header, header->key_line,
				"%s has a control character: take it out", keys[header->key].name);
	status = keys[header->key].take(header, value);
	header->key = KEY_NONE;
	tc_buf_reset(&header->value);
	return status;
}

/* The length of the "key" of "key: value", 0 when the text has no such form. */
static size_t key_length(struct tc_text text)
{
	size_t len = 0;

	while (len < text.len && text.ptr[len] >= 'a' && text.ptr[len] <= 'z')
		len++;
	return len < text.len && text.ptr[len] == ':' ? len : 0;
}

static enum tc_status begin_key(struct header *header, struct tc_text name)
{
	const char *names[COUNT(keys)];
	size_t key = KEY_NONE;
	char word[24];

	for (size_t i = 0; i < COUNT(keys); i++) {
		names[i] = keys[i].name;
		if (tc_text_equal(tc_text_from(keys[i].name), name))
			key = i;
	}
	if (key == KEY_NONE) {
		size_t len = name.len < sizeof(word) - 1 ? name.len : sizeof(word) - 1;
		memcpy(word, name.ptr, len);
		word[len] = '\0';
		const char *near = tc_nearest(word, names, COUNT(keys));
		return fault(header, header->line, "%s: no such key: %s%s%s", word,
			near ? "did you mean '" : "see docs/user-rules.md", near ? near : "",
			near ? "'?" : "");
	}
	if ((header->seen & 1U << key) && !keys[key].repeated)
		return fault(header, header->line, "%s is there twice: keep one", keys[key].name);
	header->seen |= 1U << key;
	header->key = key;
	header->key_line = header->line;
	return TC_OK;
}

/* A comment line, without its dashes. */
static enum tc_status take_comment(struct header *header, struct tc_text text)
{
	bool indented = tc_text_starts(text, TC_TEXT("   "));
	struct tc_text plain = trim(text);
	size_t len = indented ? 0 : key_length(plain);

	if (indented && header->key != KEY_NONE) {
		tc_buf_append_char(&header->value, ' ');
		tc_buf_append_text(&header->value, plain);
		return TC_OK;
	}
	enum tc_status status = finish_value(header);
	if (status != TC_OK || len == 0)
		return status;
	status = begin_key(header, (struct tc_text){plain.ptr, len});
	if (status == TC_OK)
		tc_buf_append_text(
			&header->value, (struct tc_text){plain.ptr + len + 1, plain.len - len - 1});
	return status;
}

/* Takes comment and empty lines off the front of *text. */
static enum tc_status read_header(struct header *header, struct tc_text *text)
{
	enum tc_status status = TC_OK;

	for (header->line = 1; text->len && status == TC_OK; header->line++) {
		const char *end = memchr(text->ptr, '\n', text->len);
		size_t len = end ? (size_t)(end - text->ptr) : text->len;
		struct tc_text line = trim((struct tc_text){text->ptr, len});

		if (tc_text_starts(line, TC_TEXT("--")))
			status = take_comment(header, (struct tc_text){line.ptr + 2, line.len - 2});
		else if (line.len > 0)
			break;
		len += end ? 1 : 0;
		*text = (struct tc_text){text->ptr + len, text->len - len};
	}
	return status == TC_OK ? finish_value(header) : status;
}

static enum tc_status check_complete(struct header *header, struct tc_text sql)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (keys[i].required && !(header->seen & 1U << i))
			return fault(header, 1, "%s is missing: add a line like '%s'", keys[i].name,
				keys[i].example);
	if (sql.len == 0)
		return fault(header, header->line,
			"the query is missing: write a SELECT below the header");
	return TC_OK;
}

static enum tc_status check_bytes(const struct header *header, struct tc_text text)
{
	if (text.len > TC_RULE_MAX_FILE_BYTES)
		return fault(header, 0, "more than %d bytes: this is no rule: take it out",
			TC_RULE_MAX_FILE_BYTES);
	if (!tc_utf8_valid(text) || memchr(text.ptr, '\0', text.len))
		return fault(header, 0, "no text in UTF-8: save it as such");
	return TC_OK;
}

static enum tc_status take_sql(struct header *header, struct tc_text text)
{
	while (text.len && memchr(" \t\r\n", text.ptr[text.len - 1], 4))
		text.len--;
	enum tc_status status = check_complete(header, text);
	header->rule->sql_line = header->line;
	return status == TC_OK ? keep(&header->rule->heuristic.sql, header, text) : status;
}

enum tc_status tc_rule_parse(struct tc_rule *rule, struct tc_ctx *ctx, struct tc_box *box,
	const char *path, struct tc_text text)
{
	static const struct tc_param no_params[] = {TC_PARAM_END};
	static const char *const nothing[] = {NULL};
	struct header header = {
		.rule = rule, .ctx = ctx, .box = box, .path = path, .key = KEY_NONE};

	rule->heuristic = (struct tc_heuristic){.kind = TC_HEURISTIC_FIX,
		.bucket = TC_BUCKET_WALL,
		.combine = TC_COMBINE_SUM,
		.why = "A rule of the user's says so.",
		.source = "A rule of the user's.",
		.reads = nothing,
		.file = path};
	enum tc_status status = check_bytes(&header, text);
	if (status == TC_OK)
		status = read_header(&header, &text);
	if (status == TC_OK)
		status = take_sql(&header, text);
	rule->heuristic.needs = rule->needs ? rule->needs : nothing;
	rule->heuristic.params = rule->params ? rule->params : no_params;
	tc_buf_clear(&header.value);
	return status;
}

void tc_rule_clear(struct tc_rule *rule)
{
	tc_free(rule->params);
	tc_free(rule->needs);
	*rule = (struct tc_rule){0};
}
