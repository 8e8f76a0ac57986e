/* See header.h and docs/user-rules.md. */
#include "advice/catalogue/header.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "advice/trace/capability.h"
#include "core/array.h"
#include "replay/edit/edit.h"
#include "tracecoach/text.h"

/* Keeps the text of a key with TEXT. */
static enum tc_status take_text(struct tc_header *header, struct tc_text value)
{
	const struct tc_header_key *key = header->key;
	char *heuristic = (char *)&header->file->heuristic;

	if (value.len < key->least || value.len > key->most)
		return TC_HEADER_FAULT(header, header->key_line,
			"%s has %zu characters: give %zu to %zu", key->name, value.len, key->least,
			key->most);
	const char *text = tc_arena_dup(header->arena, value);
	memcpy(heuristic + key->member, &text, sizeof(text));
	return text ? TC_OK : tc_no_memory(header->ctx);
}

static enum tc_status take_id(struct tc_header *header, struct tc_text value)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	bool good = value.len > 0 && value.ptr[0] >= 'a' && value.ptr[value.len - 1] != '-';

	for (size_t i = 0; i < value.len && good; i++)
		good = memchr(set, value.ptr[i], sizeof(set) - 1) &&
		       (i == 0 || value.ptr[i] != '-' || value.ptr[i - 1] != '-');
	if (!good)
		return TC_HEADER_FAULT(header, header->key_line,
			"'%.*s' is not an id: give small letters and digits, joined by single "
			"dashes",
			(int)(value.len < 60 ? value.len : 60), value.ptr);
	if (tc_text_equal(value, TC_TEXT(TC_ID_OF_ALL)))
		return TC_HEADER_FAULT(header, header->key_line,
			TC_ID_OF_ALL
			" is the section of settings for all heuristics: choose another id");
	return take_text(header, value);
}

/* Says which names there are, or which of them is nearest to value. */
static enum tc_status not_known(const struct tc_header *header, struct tc_text value,
	const char *const *names, size_t count)
{
	struct tc_buf word = TC_BUF_EMPTY, list = TC_BUF_EMPTY;

	tc_buf_append_text(&word, value);
	const char *text = tc_buf_string(&word);
	const char *near = text ? tc_nearest(text, names, count) : NULL;
	for (size_t i = 0; i < count; i++)
		tc_buf_format(&list, "%s%s", i ? ", " : "", names[i]);
	const char *all = tc_buf_string(&list);
	enum tc_status status;
	if (!text || !all)
		status = tc_no_memory(header->ctx);
	else
		status = TC_HEADER_FAULT(header, header->key_line, "%s '%s' is not known: %s%s%s%s",
			header->key->name, text, near ? "did you mean '" : "give one of ",
			near ? near : all, near ? "'" : "", near ? "?" : "");
	tc_buf_clear(&word);
	tc_buf_clear(&list);
	return status;
}

/* The index of value among names; fails with the nearest of them. */
static enum tc_status choose(size_t *out, const struct tc_header *header, struct tc_text value,
	const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (tc_text_equal(value, tc_text_from(names[i]))) {
			*out = i;
			return TC_OK;
		}
	}
	return not_known(header, value, names, count);
}

/* Calls take with every word of a list joined by commas. */
static enum tc_status take_list(struct tc_header *header, struct tc_text value,
	enum tc_status (*take)(struct tc_header *header, struct tc_text word))
{
	enum tc_status status = TC_OK;

	while (value.len && status == TC_OK) {
		const char *comma = memchr(value.ptr, ',', value.len);
		size_t len = comma ? (size_t)(comma - value.ptr) : value.len;

		status = take(header, tc_text_trim((struct tc_text){value.ptr, len}));
		len += comma ? 1 : 0;
		value = (struct tc_text){value.ptr + len, value.len - len};
	}
	return status;
}

static enum tc_status take_kind(struct tc_header *header, struct tc_text value)
{
	static const char *const names[] = {
		[TC_HEURISTIC_FIX] = "fix", [TC_HEURISTIC_QUALITY] = "quality"};
	size_t index = 0;
	enum tc_status status = choose(&index, header, value, names, TC_COUNT_OF(names));

	if (status == TC_OK)
		header->file->heuristic.kind = (enum tc_heuristic_kind)index;
	return status;
}

static enum tc_status add_item(
	struct tc_text_list *list, struct tc_header *header, const char *item)
{
	if (!item || !TC_ARENA_GROW(header->arena, list->items, list->capacity, list->count + 2))
		return tc_no_memory(header->ctx);
	list->items[list->count++] = item;
	list->items[list->count] = NULL;
	return TC_OK;
}

static enum tc_status add_need(struct tc_header *header, struct tc_text word)
{
	const char *const *names;
	size_t index = 0, count = tc_capability_names(&names);
	enum tc_status status = choose(&index, header, word, names, count);

	return status == TC_OK ? add_item(&header->file->needs, header, names[index]) : status;
}

static enum tc_status take_needs(struct tc_header *header, struct tc_text value)
{
	return take_list(header, value, add_need);
}

static enum tc_status add_general(struct tc_header *header, struct tc_text word)
{
	return add_item(&header->file->part_of, header, tc_arena_dup(header->arena, word));
}

static enum tc_status take_part_of(struct tc_header *header, struct tc_text value)
{
	return take_list(header, value, add_general);
}

static const char *keep_nothing(void *user, struct tc_text text)
{
	(void)text;
	return user;
}

/* An edit is checked here, and parsed again where it is used. */
static enum tc_status take_edit(struct tc_header *header, struct tc_text value)
{
	struct tc_edit edit;
	char kept[] = "";
	enum tc_status status = tc_edit_parse(&edit, header->ctx, value, keep_nothing, kept);

	if (status == TC_ERR_USAGE)
		return tc_header_failed(header, header->key_line);
	if (status)
		return status;
	return add_item(&header->file->edits, header, tc_arena_dup(header->arena, value));
}

/* Cuts the first word off *rest. */
static struct tc_text cut_word(struct tc_text *rest)
{
	size_t len = 0;

	*rest = tc_text_trim(*rest);
	while (len < rest->len && rest->ptr[len] != ' ' && rest->ptr[len] != '\t')
		len++;
	struct tc_text word = {rest->ptr, len};
	*rest = tc_text_trim((struct tc_text){rest->ptr + len, rest->len - len});
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

static enum tc_status take_order(struct tc_header *header, struct tc_text value)
{
	double number;

	if (!read_number(&number, value) || number < 1 || number > 1e6)
		return TC_HEADER_FAULT(
			header, header->key_line, "order is not a whole number from 1: give one");
	header->file->order = (int)number;
	return TC_OK;
}

/* A name as SQL takes it without quotes, of 40 bytes at most. */
static bool is_sql_name(const char *name)
{
	return *name >= 'a' && *name <= 'z' && strlen(name) <= 40 &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_param_name(const struct tc_heuristic_file *file, const char *name)
{
	bool good =
		is_sql_name(name) && strcmp(name, "trace_id") != 0 && strcmp(name, "enabled") != 0;

	for (size_t i = 0; i < file->param_count && good; i++)
		good = strcmp(file->params[i].name, name) != 0;
	return good;
}

static enum tc_status add_param(struct tc_header *header, const struct tc_param *param)
{
	struct tc_heuristic_file *file = header->file;

	if (!TC_ARENA_GROW(
		    header->arena, file->params, file->param_capacity, file->param_count + 2))
		return tc_no_memory(header->ctx);
	file->params[file->param_count++] = *param;
	file->params[file->param_count] = (struct tc_param){.name = NULL};
	return TC_OK;
}

/* NAME UNIT DEFAULT MIN MAX HELP */
static enum tc_status take_param(struct tc_header *header, struct tc_text value)
{
	static const char *const units[] = {"ns", "pct", "count", "ratio", "bytes"};
	struct tc_param param = {.name = tc_arena_dup(header->arena, cut_word(&value))};
	size_t unit = 0;

	if (!param.name)
		return tc_no_memory(header->ctx);
	if (!is_param_name(header->file, param.name))
		return TC_HEADER_FAULT(header, header->key_line,
			"'%s' cannot name a parameter: give small letters, digits and _, not "
			"trace_id or enabled, and each name once",
			param.name);
	enum tc_status status = choose(&unit, header, cut_word(&value), units, TC_COUNT_OF(units));
	if (status != TC_OK)
		return status;
	param.unit = units[unit];
	if (!read_number(&param.value, cut_word(&value)) ||
		!read_number(&param.min, cut_word(&value)) ||
		!read_number(&param.max, cut_word(&value)) || value.len == 0)
		return TC_HEADER_FAULT(header, header->key_line,
			"parameter %s is not complete: give NAME UNIT DEFAULT MIN MAX HELP",
			param.name);
	if (param.min > param.value || param.value > param.max)
		return TC_HEADER_FAULT(header, header->key_line,
			"parameter %s: its default %.10g is not within %.10g to %.10g", param.name,
			param.value, param.min, param.max);
	param.help = tc_arena_dup(header->arena, value);
	return param.help ? add_param(header, &param) : tc_no_memory(header->ctx);
}

static enum tc_status add_says(struct tc_header *header, const struct tc_says *says)
{
	struct tc_heuristic_file *file = header->file;

	for (size_t i = 0; i < file->says_count; i++)
		if (strcmp(file->says[i].column, says->column) == 0)
			return TC_HEADER_FAULT(header, header->key_line,
				"the column %s has words already: keep one", says->column);
	if (!TC_ARENA_GROW(header->arena, file->says, file->says_capacity, file->says_count + 2))
		return tc_no_memory(header->ctx);
	file->says[file->says_count++] = *says;
	file->says[file->says_count] = (struct tc_says){.column = NULL};
	return TC_OK;
}

/* COLUMN [WHEN] = "TEXT" */
static enum tc_status take_says(struct tc_header *header, struct tc_text value)
{
	static const char *const whens[] = {[TC_SAYS_ALWAYS] = "always",
		[TC_SAYS_NOT_ZERO] = "not-zero",
		[TC_SAYS_SEVERAL] = "several",
		[TC_SAYS_NOT_GAIN] = "not-gain",
		[TC_SAYS_WITH_GAIN] = "with-gain",
		[TC_SAYS_IDLE] = "idle"};
	struct tc_says says = {.column = tc_arena_dup(header->arena, cut_word(&value))};
	struct tc_text word = cut_word(&value);
	size_t when = TC_SAYS_ALWAYS;
	enum tc_status status = TC_OK;

	if (!says.column)
		return tc_no_memory(header->ctx);
	if (!tc_text_equal(word, TC_TEXT("="))) {
		status = choose(&when, header, word, whens, TC_COUNT_OF(whens));
		word = cut_word(&value);
	}
	if (status != TC_OK)
		return status;
	if (!is_sql_name(says.column) || !tc_text_equal(word, TC_TEXT("=")) || value.len < 2 ||
		value.ptr[0] != '"' || value.ptr[value.len - 1] != '"')
		return TC_HEADER_FAULT(header, header->key_line,
			"these words are not complete: give COLUMN = \"TEXT\", or COLUMN WHEN = "
			"\"TEXT\"");
	says.when = (enum tc_says_when)when;
	says.text = tc_arena_dup(header->arena, (struct tc_text){value.ptr + 1, value.len - 2});
	return says.text ? add_says(header, &says) : tc_no_memory(header->ctx);
}

#define TEXT(member, least, most) offsetof(struct tc_heuristic, member), least, most

static const struct tc_header_key keys[] = {
	{"id", take_id, TC_KEY_REQUIRED, "-- id: heavy-kernel", TEXT(id, 3, 40)},
	{"order", take_order, TC_KEY_OWN_ONLY, "-- order: 325", 0, 0, 0},
	{"kind", take_kind, TC_KEY_OPTIONAL, NULL, 0, 0, 0},
	{"title", take_text, TC_KEY_REQUIRED, "-- title: One kernel takes most of the device time",
		TEXT(title, 3, 69)},
	{"do", take_text, TC_KEY_REQUIRED, "-- do: Look for a faster kernel.",
		TEXT(advice, 3, 1000)},
	{"why", take_text, TC_KEY_OWN, "-- why: Each of them reads all of the memory again.",
		TEXT(why, 3, 1000)},
	{"needs", take_needs, TC_KEY_OPTIONAL, NULL, 0, 0, 0},
	{"part-of", take_part_of, TC_KEY_OPTIONAL, NULL, 0, 0, 0},
	{"edit", take_edit, TC_KEY_REPEATED, NULL, 0, 0, 0},
	{"always-if", take_text, TC_KEY_OPTIONAL, NULL, TEXT(always_if, 1, 40)},
	{"param", take_param, TC_KEY_REPEATED, NULL, 0, 0, 0},
	{"says", take_says, TC_KEY_REPEATED, NULL, 0, 0, 0},
	{"source", take_text, TC_KEY_OWN, "-- source: The vendor's guide; threshold: our default.",
		TEXT(source, 3, 1000)},
};

const struct tc_header_key *tc_header_keys(size_t *count)
{
	*count = TC_COUNT_OF(keys);
	return keys;
}
