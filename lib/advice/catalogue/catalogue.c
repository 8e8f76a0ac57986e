/*
 * Reads all heuristics: those embedded by the build, in their order, then the files of a directory
 * of rules. All rules are read and checked before any trace is: a fault must not show only after an
 * hour.
 *
 * In the file of a heuristic a comment line that is indented by three blanks or more continues the
 * value above; other comments are the author's own. Each key is a row of a table with a function
 * that takes its value:
 *
 *   -- id: heavy-kernel                    take_id
 *   -- param: min_pct pct 5 0 100 "help"   take_param
 *      more of the help                    still that value
 *   -- range: kept_ratio 0.2 0.6 measured   take_range
 *   SELECT ...                             the query begins at the first other line
 *
 * The first fault fails the context; lines behind it are not looked at.
 */
#include "advice/catalogue/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/embedded.h"
#include "core/files/files.h"
#include "core/files/reads.h"
#include "core/limits.h"
#include "core/text/utf8.h"
#include "replay/edit.h"
#include "tracecoach/text.h"

/* ---- the file of a heuristic */

struct source {
	const char *path; /* a string that outlives the descriptor */
	struct tc_text text;
	bool is_rule; /* of the user */
};

struct header {
	struct tc_heuristic_file *file;
	struct tc_ctx *ctx;
	struct tc_arena *arena;
	const struct source *source;
	int line;              /* being read, from 1 */
	int key_line;          /* of the key below */
	const struct key *key; /* whose value is in value; NULL for none */
	struct tc_buf value;
	unsigned seen; /* a bit per key */
};

/* Whom a key is for, and how often it stands in a header. */
enum key_use {
	OPTIONAL,
	REQUIRED,
	REPEATED,
	OWN,      /* required of built-in heuristics, optional for rules of the user */
	OWN_ONLY, /* required of built-in heuristics, and refused in rules of the user */
};

struct key {
	const char *name;
	void (*take)(struct header *header, struct tc_text value);
	enum key_use use;
	const char *example; /* of a key that may be required */
	/* A key that is a text: its place in struct tc_heuristic, and limits of its bytes. */
	size_t member, least, most;
};

/* Puts "path:line" before a fault; line 0 is left out. */
static void place_fault(const struct header *header, int line)
{
	const char *path = header->source->path;

	if (line > 0)
		tc_fail(header->ctx, TC_ERR_USAGE, "%s:%d", path, line);
	else
		tc_fail(header->ctx, TC_ERR_USAGE, "%s", path);
}

/* Fails with "path:line: ..." as TC_ERR_USAGE. */
#define FAULT(header, line, ...)                                                                   \
	(tc_fail((header)->ctx, TC_ERR_USAGE, __VA_ARGS__), place_fault((header), (line)))
/* Reports a fault of the key whose value is being read. */
#define KEY_FAULT(header, ...) FAULT(header, (header)->key_line, __VA_ARGS__)

/* ---- values */

/* Keeps the text of a key with TEXT. */
static void take_text(struct header *header, struct tc_text value)
{
	const struct key *key = header->key;
	char *heuristic = (char *)&header->file->heuristic;

	if (value.len < key->least || value.len > key->most) {
		KEY_FAULT(header, "%s has %zu characters: give %zu to %zu", key->name, value.len,
			key->least, key->most);
		return;
	}
	const char *text = tc_arena_dup(header->arena, value);
	memcpy(heuristic + key->member, &text, sizeof(text));
}

static bool is_id(struct tc_text value)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	bool good = value.len > 0 && value.ptr[0] >= 'a' && value.ptr[value.len - 1] != '-';

	for (size_t i = 0; i < value.len && good; i++)
		good = memchr(set, value.ptr[i], sizeof(set) - 1) &&
		       (i == 0 || value.ptr[i] != '-' || value.ptr[i - 1] != '-');
	return good;
}

static void take_id(struct header *header, struct tc_text value)
{
	if (!is_id(value))
		KEY_FAULT(header,
			"'%.*s' is not an id: give small letters and digits, joined by single "
			"dashes",
			(int)(value.len < 60 ? value.len : 60), value.ptr);
	else if (tc_text_equal(value, TC_TEXT(TC_ID_OF_ALL)))
		KEY_FAULT(header, TC_ID_OF_ALL
			" is the section of settings for all heuristics: choose another id");
	else
		take_text(header, value);
}

/* Says which names there are, or which of them is nearest to value. */
static void not_known(
	const struct header *header, struct tc_text value, const char *const *names, size_t count)
{
	struct tc_buf word = {.ctx = header->ctx}, list = {.ctx = header->ctx};

	tc_buf_append_text(&word, value);
	const char *text = tc_buf_string(&word);
	const char *near = text ? tc_nearest(text, names, count) : NULL;
	const char *all = tc_buf_list(&list, names, count);
	if (text)
		KEY_FAULT(header, "%s '%s' is not known: %s%s%s%s", header->key->name, text,
			near ? "did you mean '" : "give one of ", near ? near : all,
			near ? "'" : "", near ? "?" : "");
	tc_buf_clear(&word);
	tc_buf_clear(&list);
}

/* The index of value among names; fails with the nearest of them, and returns 0. */
static size_t choose(
	const struct header *header, struct tc_text value, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (tc_text_equal(value, tc_text_from(names[i])))
			return i;
	not_known(header, value, names, count);
	return 0;
}

/* Calls take with every word of a list joined by commas. */
static void take_list(struct header *header, struct tc_text value,
	void (*take)(struct header *header, struct tc_text word))
{
	while (value.len && !tc_ctx_failed(header->ctx)) {
		const char *comma = memchr(value.ptr, ',', value.len);
		size_t len = comma ? (size_t)(comma - value.ptr) : value.len;

		take(header, tc_text_trim((struct tc_text){value.ptr, len}));
		len += comma ? 1 : 0;
		value = (struct tc_text){value.ptr + len, value.len - len};
	}
}

static void take_kind(struct header *header, struct tc_text value)
{
	static const char *const names[] = {
		[TC_HEURISTIC_FIX] = "fix", [TC_HEURISTIC_QUALITY] = "quality"};

	header->file->heuristic.kind =
		(enum tc_heuristic_kind)choose(header, value, names, TC_COUNT_OF(names));
}

/* item is NULL where memory is out. */
static void add_item(struct tc_text_list *list, struct header *header, const char *item)
{
	if (!item || !TC_ARENA_GROW(header->arena, list->items, list->capacity, list->count + 2))
		return;
	list->items[list->count++] = item;
	list->items[list->count] = NULL;
}

static void add_need(struct header *header, struct tc_text word)
{
	static const char *const names[] = {
#define TC_NEED(name, vendor, reason) name,
#include "advice/trace/needs.def"
#undef TC_NEED
	};

	add_item(&header->file->needs, header,
		names[choose(header, word, names, TC_COUNT_OF(names))]);
}

static void take_needs(struct header *header, struct tc_text value)
{
	take_list(header, value, add_need);
}

static void add_general(struct header *header, struct tc_text word)
{
	add_item(&header->file->part_of, header, tc_arena_dup(header->arena, word));
}

static void take_part_of(struct header *header, struct tc_text value)
{
	take_list(header, value, add_general);
}

static const char *keep_nothing(void *user, struct tc_text text)
{
	(void)text;
	return user;
}

/* An edit is checked here, and parsed again where it is used. */
static void take_edit(struct header *header, struct tc_text value)
{
	struct tc_edit edit;
	char kept[] = "";

	tc_edit_parse(&edit, header->ctx, value, keep_nothing, kept);
	if (tc_ctx_status(header->ctx) == TC_ERR_USAGE)
		place_fault(header, header->key_line);
	if (tc_ctx_failed(header->ctx))
		return;
	for (int cause = 0; cause < TC_CAUSE_COUNT; cause++)
		if (tc_edit_concerns(&edit, (enum tc_cause)cause))
			header->file->heuristic.causes |= 1U << cause;
	add_item(&header->file->edits, header, tc_arena_dup(header->arena, value));
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

static void take_order(struct header *header, struct tc_text value)
{
	double number;

	if (!read_number(&number, value) || number < 1 || number > 1e6)
		KEY_FAULT(header, "order is not a whole number from 1: give one");
	else
		header->file->order = (int)number;
}

/* A name as SQL takes it without quotes, of 40 bytes at most. */
static bool is_sql_name(const char *name)
{
	return *name >= 'a' && *name <= 'z' && strlen(name) <= 40 &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_param_name(const struct tc_heuristic_file *file, const char *name)
{
	bool good = is_sql_name(name) && strcmp(name, "trace_id") != 0 &&
		    strcmp(name, "enabled") != 0 && strcmp(name, TC_RANGE_OF_EDIT) != 0;

	for (size_t i = 0; i < file->param_count && good; i++)
		good = strcmp(file->params[i].name, name) != 0;
	return good;
}

static void add_param(struct header *header, const struct tc_param *param)
{
	struct tc_heuristic_file *file = header->file;

	if (!TC_ARENA_GROW(
		    header->arena, file->params, file->param_capacity, file->param_count + 2))
		return;
	file->params[file->param_count++] = *param;
	file->params[file->param_count] = (struct tc_param){.name = NULL};
}

/* NAME UNIT DEFAULT MIN MAX HELP */
static void take_param(struct header *header, struct tc_text value)
{
	static const char *const units[] = {"ns", "pct", "count", "ratio", "bytes"};
	struct tc_param param = {.name = tc_arena_dup(header->arena, cut_word(&value))};

	if (!param.name)
		return;
	if (!is_param_name(header->file, param.name)) {
		KEY_FAULT(header,
			"'%s' cannot name a parameter: give small letters, digits and _, not "
			"trace_id, enabled or edit, and each name once",
			param.name);
		return;
	}
	param.unit = units[choose(header, cut_word(&value), units, TC_COUNT_OF(units))];
	if (tc_ctx_failed(header->ctx))
		return;
	if (!read_number(&param.value, cut_word(&value)) ||
		!read_number(&param.min, cut_word(&value)) ||
		!read_number(&param.max, cut_word(&value)) || value.len == 0)
		KEY_FAULT(header,
			"parameter %s is not complete: give NAME UNIT DEFAULT MIN MAX HELP",
			param.name);
	else if (param.min > param.value || param.value > param.max)
		KEY_FAULT(header, "parameter %s: its default %.10g is not within %.10g to %.10g",
			param.name, param.value, param.min, param.max);
	else if ((param.help = tc_arena_dup(header->arena, value)))
		add_param(header, &param);
}

static bool has_range(const struct tc_heuristic_file *file, const char *param)
{
	for (size_t i = 0; i < file->range_count; i++)
		if (strcmp(file->ranges[i].param, param) == 0)
			return true;
	return false;
}

static void add_range(struct header *header, const struct tc_param_range *range)
{
	struct tc_heuristic_file *file = header->file;

	if (!TC_ARENA_GROW(
		    header->arena, file->ranges, file->range_capacity, file->range_count + 2))
		return;
	file->ranges[file->range_count++] = *range;
	file->ranges[file->range_count] = (struct tc_param_range){.param = NULL};
}

/* The parameter of a range; TC_RANGE_OF_EDIT for all that the edits take away, which is 1. */
static const struct tc_param *find_param(const struct tc_heuristic_file *file, struct tc_text name)
{
	static const struct tc_param edit = {
		.name = TC_RANGE_OF_EDIT, .value = 1, .min = 0, .max = 2};

	for (size_t i = 0; i < file->param_count; i++)
		if (tc_text_equal(tc_text_from(file->params[i].name), name))
			return &file->params[i];
	return tc_text_equal(name, TC_TEXT(TC_RANGE_OF_EDIT)) ? &edit : NULL;
}

/* Whether an edit names the parameter. */
static bool is_of_edits(const struct tc_heuristic_file *file, const char *param)
{
	for (size_t i = 0; i < file->edits.count; i++) {
		const char *at = strrchr(file->edits.items[i], ':');
		if (strcmp(param, TC_RANGE_OF_EDIT) == 0 || (at && strcmp(at + 1, param) == 0))
			return true;
	}
	return false;
}

static void check_range(
	struct header *header, const struct tc_param_range *range, const struct tc_param *param)
{
	if (has_range(header->file, param->name))
		KEY_FAULT(header, "%s has a range already: keep one", param->name);
	else if (!is_of_edits(header->file, param->name))
		KEY_FAULT(header, "no edit above takes %s: remove its range", param->name);
	else if (range->low > range->high)
		KEY_FAULT(header, "range of %s: %.10g is above %.10g: give the lower end first",
			param->name, range->low, range->high);
	else if (range->low < param->min || range->high > param->max)
		KEY_FAULT(header, "range of %s: %.10g to %.10g is not within %.10g to %.10g",
			param->name, range->low, range->high, param->min, param->max);
	else if (param->value < range->low || param->value > range->high)
		KEY_FAULT(header, "range of %s: its default %.10g is not within %.10g to %.10g",
			param->name, param->value, range->low, range->high);
}

/* NAME LOW HIGH SOURCE, behind the parameter and the edits */
static void take_range(struct header *header, struct tc_text value)
{
	struct tc_text name = cut_word(&value);
	const struct tc_param *param = find_param(header->file, name);
	struct tc_param_range range = {.param = param ? param->name : NULL};

	if (!param) {
		KEY_FAULT(header, "range of '%.*s': no parameter above has this name",
			(int)(name.len < 60 ? name.len : 60), name.ptr);
		return;
	}
	if (!read_number(&range.low, cut_word(&value)) ||
		!read_number(&range.high, cut_word(&value)) || value.len == 0) {
		KEY_FAULT(header, "range of %s is not complete: give NAME LOW HIGH SOURCE",
			param->name);
		return;
	}
	check_range(header, &range, param);
	range.source = tc_arena_dup(header->arena, value);
	if (range.source && !tc_ctx_failed(header->ctx))
		add_range(header, &range);
}

static void add_says(struct header *header, const struct tc_says *says)
{
	struct tc_heuristic_file *file = header->file;

	for (size_t i = 0; i < file->says_count; i++) {
		if (strcmp(file->says[i].column, says->column) != 0)
			continue;
		KEY_FAULT(header, "the column %s has words already: keep one", says->column);
		return;
	}
	if (!TC_ARENA_GROW(header->arena, file->says, file->says_capacity, file->says_count + 2))
		return;
	file->says[file->says_count++] = *says;
	file->says[file->says_count] = (struct tc_says){.column = NULL};
}

/* COLUMN [WHEN] = "TEXT" */
static void take_says(struct header *header, struct tc_text value)
{
	static const char *const whens[] = {[TC_SAYS_ALWAYS] = "always",
		[TC_SAYS_NOT_ZERO] = "not-zero",
		[TC_SAYS_SEVERAL] = "several",
		[TC_SAYS_NOT_GAIN] = "not-gain",
		[TC_SAYS_WITH_GAIN] = "with-gain",
		[TC_SAYS_IDLE] = "idle"};
	struct tc_says says = {
		.column = tc_arena_dup(header->arena, cut_word(&value)), .when = TC_SAYS_ALWAYS};
	struct tc_text word = cut_word(&value);

	if (!tc_text_equal(word, TC_TEXT("="))) {
		says.when = (enum tc_says_when)choose(header, word, whens, TC_COUNT_OF(whens));
		word = cut_word(&value);
	}
	if (tc_ctx_failed(header->ctx))
		return;
	if (!is_sql_name(says.column) || !tc_text_equal(word, TC_TEXT("=")) || value.len < 2 ||
		value.ptr[0] != '"' || value.ptr[value.len - 1] != '"') {
		KEY_FAULT(header,
			"these words are not complete: give COLUMN = \"TEXT\", or COLUMN WHEN = "
			"\"TEXT\"");
		return;
	}
	says.text = tc_arena_dup(header->arena, (struct tc_text){value.ptr + 1, value.len - 2});
	if (says.text)
		add_says(header, &says);
}

#define TEXT(member, least, most) offsetof(struct tc_heuristic, member), least, most

static const struct key keys[] = {
	{"id", take_id, REQUIRED, "-- id: heavy-kernel", TEXT(id, 3, 40)},
	{"order", take_order, OWN_ONLY, "-- order: 325", 0, 0, 0},
	{"kind", take_kind, OPTIONAL, NULL, 0, 0, 0},
	{"title", take_text, REQUIRED, "-- title: One kernel takes most of the device time",
		TEXT(title, 3, 69)},
	{"do", take_text, REQUIRED, "-- do: Look for a faster kernel.", TEXT(advice, 3, 1000)},
	{"why", take_text, OWN, "-- why: Each of them reads all of the memory again.",
		TEXT(why, 3, 1000)},
	{"needs", take_needs, OPTIONAL, NULL, 0, 0, 0},
	{"part-of", take_part_of, OPTIONAL, NULL, 0, 0, 0},
	{"edit", take_edit, REPEATED, NULL, 0, 0, 0},
	{"always-if", take_text, OPTIONAL, NULL, TEXT(always_if, 1, 40)},
	{"param", take_param, REPEATED, NULL, 0, 0, 0},
	{"range", take_range, REPEATED, NULL, 0, 0, 0},
	{"says", take_says, REPEATED, NULL, 0, 0, 0},
	{"source", take_text, OWN, "-- source: The vendor's guide; threshold: our default.",
		TEXT(source, 3, 1000)},
};

_Static_assert(TC_COUNT_OF(keys) <= 32, "a bit of header.seen for each");

/* ---- lines */

/* Older rules have this key for "do". */
#define OLD_DO "advice"

/* Hands a complete value to its key. */
static void finish_value(struct header *header)
{
	struct tc_text value = tc_text_trim(tc_buf_text(&header->value));

	if (!header->key || tc_ctx_failed(header->ctx))
		return;
	for (size_t i = 0; i < value.len; i++) {
		if ((unsigned char)value.ptr[i] >= 0x20 && value.ptr[i] != 0x7f)
			continue;
		KEY_FAULT(header, "%s has a control character: remove it", header->key->name);
		return;
	}
	header->key->take(header, value);
	header->key = NULL;
	tc_buf_reset(&header->value);
}

/* The length of the "key" of "key: value", 0 when the text has no such form. */
static size_t key_length(struct tc_text text)
{
	size_t len = 0;

	while (len < text.len && ((text.ptr[len] >= 'a' && text.ptr[len] <= 'z') ||
					 (len > 0 && text.ptr[len] == '-')))
		len++;
	return len < text.len && text.ptr[len] == ':' ? len : 0;
}

static void unknown_key(const struct header *header, struct tc_text name)
{
	const char *names[TC_COUNT_OF(keys)];
	char word[24];
	size_t len = name.len < sizeof(word) - 1 ? name.len : sizeof(word) - 1;

	for (size_t i = 0; i < TC_COUNT_OF(keys); i++)
		names[i] = keys[i].name;
	memcpy(word, name.ptr, len);
	word[len] = '\0';
	const char *near = tc_nearest(word, names, TC_COUNT_OF(keys));
	FAULT(header, header->line, "%s: no such key: %s%s%s", word,
		near ? "did you mean '" : "see docs/user-rules.md", near ? near : "",
		near ? "'?" : "");
}

static void begin_key(struct header *header, struct tc_text name)
{
	size_t at = 0;

	if (tc_text_equal(name, TC_TEXT(OLD_DO)))
		name = TC_TEXT("do");
	while (at < TC_COUNT_OF(keys) && !tc_text_equal(tc_text_from(keys[at].name), name))
		at++;
	if (at == TC_COUNT_OF(keys)) {
		unknown_key(header, name);
		return;
	}
	if (keys[at].use == OWN_ONLY && header->source->is_rule)
		FAULT(header, header->line,
			"%s is for the heuristics of tracecoach only: remove it", keys[at].name);
	else if ((header->seen & 1U << at) && keys[at].use != REPEATED)
		FAULT(header, header->line, "%s appears twice: keep one", keys[at].name);
	header->seen |= 1U << at;
	header->key = &keys[at];
	header->key_line = header->line;
}

/* A comment line, without its dashes. */
static void take_comment(struct header *header, struct tc_text text)
{
	bool indented = tc_text_starts(text, TC_TEXT("   "));
	struct tc_text plain = tc_text_trim(text);
	size_t len = indented ? 0 : key_length(plain);

	if (indented && header->key) {
		TC_APPEND(&header->value, TC_TEXT(" "), plain);
		return;
	}
	finish_value(header);
	if (len == 0 || tc_ctx_failed(header->ctx))
		return;
	begin_key(header, (struct tc_text){plain.ptr, len});
	tc_buf_append_text(
		&header->value, (struct tc_text){plain.ptr + len + 1, plain.len - len - 1});
}

/* Takes comment and empty lines off the front of *text. */
static void read_header(struct header *header, struct tc_text *text)
{
	for (header->line = 1; text->len && !tc_ctx_failed(header->ctx); header->line++) {
		const char *end = memchr(text->ptr, '\n', text->len);
		size_t len = end ? (size_t)(end - text->ptr) : text->len;
		struct tc_text line = tc_text_trim((struct tc_text){text->ptr, len});

		if (tc_text_starts(line, TC_TEXT("--")))
			take_comment(header, (struct tc_text){line.ptr + 2, line.len - 2});
		else if (line.len > 0)
			break;
		len += end ? 1 : 0;
		*text = (struct tc_text){text->ptr + len, text->len - len};
	}
	finish_value(header);
}

/* ---- the file */

static void check_bytes(const struct header *header, struct tc_text text)
{
	if (text.len > TC_RULE_MAX_FILE_BYTES)
		FAULT(header, 0, "more than %d bytes: this is not a rule: remove it",
			TC_RULE_MAX_FILE_BYTES);
	else if (!tc_utf8_valid(text) || memchr(text.ptr, '\0', text.len))
		FAULT(header, 0, "not UTF-8 text: save it as UTF-8");
}

static bool is_required(const struct header *header, const struct key *key)
{
	bool own = key->use == OWN || key->use == OWN_ONLY;

	return key->use == REQUIRED || (own && !header->source->is_rule);
}

static void check_required(const struct header *header)
{
	for (size_t i = 0; i < TC_COUNT_OF(keys) && !tc_ctx_failed(header->ctx); i++)
		if (is_required(header, &keys[i]) && !(header->seen & 1U << i))
			FAULT(header, 1, "%s is missing: add a line like '%s'", keys[i].name,
				keys[i].example);
}

/* The text that is left behind the header is the query. */
static void take_sql(struct header *header, struct tc_text text)
{
	if (tc_ctx_failed(header->ctx))
		return;
	while (text.len && memchr(" \t\r\n", text.ptr[text.len - 1], 4))
		text.len--;
	if (text.len == 0)
		FAULT(header, header->line,
			"the query is missing: write a SELECT below the header");
	header->file->sql_line = header->line;
	header->file->heuristic.sql = tc_arena_dup(header->arena, text);
}

/* Fills file, which is zero, with texts of an arena that has a context. */
static void parse(
	struct tc_heuristic_file *file, struct tc_arena *arena, const struct source *source)
{
	static const struct tc_param no_params[] = {{.name = NULL}};
	static const struct tc_param_range no_ranges[] = {{.param = NULL}};
	static const struct tc_says no_says[] = {{.column = NULL}};
	static const char *const nothing[] = {NULL};
	struct header header = {.file = file,
		.ctx = arena->ctx,
		.arena = arena,
		.source = source,
		.value = {.ctx = arena->ctx}};
	struct tc_heuristic *heuristic = &file->heuristic;
	struct tc_text text = source->text;

	*heuristic = (struct tc_heuristic){.why = "A user rule reports it.",
		.source = "A user rule.",
		.file = source->is_rule ? source->path : NULL};
	check_bytes(&header, text);
	read_header(&header, &text);
	check_required(&header);
	take_sql(&header, text);
	heuristic->needs = file->needs.items ? file->needs.items : nothing;
	heuristic->part_of = file->part_of.items ? file->part_of.items : nothing;
	heuristic->edits = file->edits.items ? file->edits.items : nothing;
	heuristic->params = file->params ? file->params : no_params;
	heuristic->ranges = file->ranges ? file->ranges : no_ranges;
	heuristic->says = file->says ? file->says : no_says;
	tc_buf_clear(&header.value);
}

/* ---- all of them */

/* heuristics/ID.sql and docs/heuristics/ID.md, made by the build. */
extern const struct tc_embedded tc_heuristic_texts[], tc_heuristic_pages[];

static const struct tc_heuristic *find(const struct tc_catalogue *catalogue, const char *id)
{
	size_t at = tc_catalogue_find(catalogue, id);

	return at < catalogue->count ? tc_catalogue_at(catalogue, at) : NULL;
}

/* An id names one thing, whoever reads the report. */
static void check_id(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const struct tc_heuristic *rule)
{
	const struct tc_heuristic *other = find(catalogue, rule->id);

	if (other)
		tc_fail(ctx, TC_ERR_USAGE, "%s: the id %s belongs to %s: give the rule another",
			rule->file, rule->id,
			other->file ? other->file : "a heuristic of tracecoach");
}

/* A rule may be a special case of a built-in heuristic. */
static void check_part_of(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const struct tc_heuristic *rule)
{
	for (const char *const *id = rule->part_of; *id && !tc_ctx_failed(ctx); id++)
		if (!find(catalogue, *id))
			tc_fail(ctx, TC_ERR_USAGE,
				"%s: part-of %s: no such heuristic: 'tracecoach heuristics' lists "
				"them",
				rule->file, *id);
}

static const char *page_of(const char *id)
{
	for (const struct tc_embedded *page = tc_heuristic_pages; page->name; page++)
		if (strcmp(page->name, id) == 0)
			return page->text;
	return NULL;
}

static void add(struct tc_catalogue *catalogue, struct tc_ctx *ctx, const struct source *source)
{
	struct tc_heuristic_file *file = tc_arena_take(&catalogue->arena, 1, sizeof(*file));

	if (!file || !TC_ARENA_GROW(&catalogue->arena, catalogue->files, catalogue->capacity,
			     catalogue->count + 1))
		return;
	parse(file, &catalogue->arena, source);
	if (tc_ctx_failed(ctx))
		return;
	if (source->is_rule) {
		check_id(catalogue, ctx, &file->heuristic);
		check_part_of(catalogue, ctx, &file->heuristic);
	} else {
		file->heuristic.page = page_of(file->heuristic.id);
	}
	catalogue->files[catalogue->count++] = file;
}

TC_ORDER_OF_POINTERS(by_order, struct tc_heuristic_file, TC_UP(order) TC_UP_STRING(heuristic.id));

static void add_built_in(struct tc_catalogue *catalogue, struct tc_ctx *ctx)
{
	struct tc_buf path = {.ctx = ctx};

	for (const struct tc_embedded *it = tc_heuristic_texts; it->name && !tc_ctx_failed(ctx);
		it++) {
		tc_buf_reset(&path);
		tc_buf_format(&path, "heuristics/%s.sql", it->name);
		const char *name = tc_buf_string(&path);
		if (name)
			add(catalogue, ctx,
				&(struct source){.path = name, .text = {it->text, it->len}});
	}
	tc_buf_clear(&path);
	if (!tc_ctx_failed(ctx))
		TC_SORT(catalogue->files, catalogue->count, by_order);
	catalogue->built_in_count = catalogue->count;
}

/* ---- rules */

static bool is_rule_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 4 && strcmp(name + len - 4, ".sql") == 0;
}

static void add_path(
	struct tc_text_list *paths, struct tc_arena *arena, const char *directory, const char *name)
{
	size_t len = strlen(directory);
	struct tc_buf path = {.ctx = arena->ctx};

	if (paths->count == TC_RULE_MAX_COUNT) {
		tc_fail(arena->ctx, TC_ERR_USAGE,
			"%s: more than %d .sql files: name a directory of rules only", directory,
			TC_RULE_MAX_COUNT);
		return;
	}
	tc_buf_format(
		&path, "%s%s%s", directory, len && directory[len - 1] == '/' ? "" : "/", name);
	const char *copy = tc_arena_keep(arena, &path);
	if (TC_ARENA_GROW(arena, paths->items, paths->capacity, paths->count + 1))
		paths->items[paths->count++] = copy;
}

/* The .sql files of a directory, in the order of their names. TC_ERR_USAGE for a directory that
 * cannot be read or has none. */
static void list_paths(struct tc_text_list *paths, struct tc_arena *arena, const char *directory)
{
	struct tc_ctx *ctx = arena->ctx;
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir) {
		tc_fail_errno(ctx, TC_ERR_USAGE, errno, TC_TO_READ, "cannot read the rules in %s",
			directory);
		return;
	}
	while (!tc_ctx_failed(ctx) && (entry = readdir(dir)))
		if (is_rule_name(entry->d_name))
			add_path(paths, arena, directory, entry->d_name);
	closedir(dir);
	if (tc_ctx_failed(ctx))
		return;
	if (paths->count == 0)
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: no .sql file in it: a rule is one such file (docs/user-rules.md)",
			directory);
	TC_SORT(paths->items, paths->count, tc_by_string);
}

static void read_file(struct tc_buf *out, struct tc_ctx *ctx, const char *path)
{
	struct stat info;
	int fd = tc_reads_open(ctx, path);

	if (fd < 0 || fstat(fd, &info) != 0) {
		tc_fail_errno(ctx, errno == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE, errno, TC_TO_READ,
			"cannot read the rule %s", path);
	} else if (!S_ISREG(info.st_mode)) {
		tc_fail(ctx, TC_ERR_USAGE, "%s: not a regular file: remove it", path);
	} else {
		tc_reads_all(out, ctx, fd, TC_RULE_MAX_FILE_BYTES, "the rule", path);
		return;
	}
	if (fd >= 0)
		close(fd);
}

static void add_rules(struct tc_catalogue *catalogue, struct tc_ctx *ctx, const char *directory)
{
	struct tc_text_list paths = {0};
	struct tc_buf text = {.ctx = ctx};

	list_paths(&paths, &catalogue->arena, directory);
	for (size_t i = 0; i < paths.count && !tc_ctx_failed(ctx); i++) {
		tc_buf_reset(&text);
		read_file(&text, ctx, paths.items[i]);
		if (!tc_ctx_failed(ctx))
			add(catalogue, ctx,
				&(struct source){paths.items[i], tc_buf_text(&text), true});
	}
	tc_buf_clear(&text);
}

/* ---- the catalogue */

struct tc_catalogue *tc_catalogue_new(struct tc_ctx *ctx, const char *rules_directory)
{
	struct tc_catalogue *catalogue = tc_new(ctx, 1, sizeof(*catalogue));

	if (!catalogue)
		return NULL;
	catalogue->arena.ctx = ctx;
	add_built_in(catalogue, ctx);
	if (rules_directory && !tc_ctx_failed(ctx))
		add_rules(catalogue, ctx, rules_directory);
	if (rules_directory && !tc_ctx_failed(ctx))
		tc_catalogue_check(catalogue, ctx);
	catalogue->arena.ctx = NULL; /* it may outlive the context */
	if (!tc_ctx_failed(ctx))
		return catalogue;
	tc_catalogue_free(catalogue);
	return NULL;
}

void tc_catalogue_free(struct tc_catalogue *catalogue)
{
	if (!catalogue)
		return;
	tc_arena_clear(&catalogue->arena);
	tc_free(catalogue);
}

int tc_param_find(const struct tc_heuristic *heuristic, const char *name)
{
	for (int i = 0; heuristic->params[i].name; i++)
		if (strcmp(heuristic->params[i].name, name) == 0)
			return i;
	return -1;
}

size_t tc_catalogue_find(const struct tc_catalogue *catalogue, const char *id)
{
	size_t at = 0;

	while (at < catalogue->count && strcmp(tc_catalogue_at(catalogue, at)->id, id) != 0)
		at++;
	return at;
}
