/*
 * A heuristic's file: comment lines "-- key: value", then the query. A comment line that is
 * indented by three blanks or more continues the value above; other comments are the author's own.
 */
#include "advice/catalogue/header.h"

#include "core/context.h"
#include "core/limits.h"
#include "tracecoach/text.h"
#include "core/text/utf8.h"

/* Rules of older versions call the key "do" so. */
#define OLD_DO "advice"

#define KEY_MAX_COUNT 32 /* bits of tc_header.seen */

/* Hands the value that is complete to its key. */
static enum tc_status finish_value(struct tc_header *header)
{
	enum tc_status status;

	if (!header->key)
		return TC_OK;
	if (tc_buf_failed(&header->value))
		return tc_no_memory(header->ctx);
	struct tc_text value = tc_text_trim(tc_buf_text(&header->value));
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] < 0x20 || value.ptr[i] == 0x7f)
			return TC_HEADER_FAULT(header, header->key_line,
				"%s has a control character: remove it", header->key->name);
	status = header->key->take(header, value);
	header->key = NULL;
	tc_buf_reset(&header->value);
	return status;
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

static enum tc_status unknown_key(const struct tc_header *header, struct tc_text name)
{
	const char *names[KEY_MAX_COUNT];
	size_t count;
	const struct tc_header_key *keys = tc_header_keys(&count);
	char word[24];
	size_t len = name.len < sizeof(word) - 1 ? name.len : sizeof(word) - 1;

	for (size_t i = 0; i < count; i++)
		names[i] = keys[i].name;
	memcpy(word, name.ptr, len);
	word[len] = '\0';
	const char *near = tc_nearest(word, names, count);
	return TC_HEADER_FAULT(header, header->line, "%s: no such key: %s%s%s", word,
		near ? "did you mean '" : "see docs/user-rules.md", near ? near : "",
		near ? "'?" : "");
}

static enum tc_status begin_key(struct tc_header *header, struct tc_text name)
{
	size_t count, at = 0;
	const struct tc_header_key *keys = tc_header_keys(&count);

	if (tc_text_equal(name, TC_TEXT(OLD_DO)))
		name = TC_TEXT("do");
	while (at < count && !tc_text_equal(tc_text_from(keys[at].name), name))
		at++;
	if (at == count)
		return unknown_key(header, name);
	if (keys[at].use == TC_KEY_OWN_ONLY && header->source->is_rule)
		return TC_HEADER_FAULT(header, header->line,
			"%s is for the heuristics of tracecoach only: remove it", keys[at].name);
	if ((header->seen & 1U << at) && keys[at].use != TC_KEY_REPEATED)
		return TC_HEADER_FAULT(
			header, header->line, "%s appears twice: keep one", keys[at].name);
	header->seen |= 1U << at;
	header->key = &keys[at];
	header->key_line = header->line;
	return TC_OK;
}

/* A comment line, without its dashes. */
static enum tc_status take_comment(struct tc_header *header, struct tc_text text)
{
	bool indented = tc_text_starts(text, TC_TEXT("   "));
	struct tc_text plain = tc_text_trim(text);
	size_t len = indented ? 0 : key_length(plain);

	if (indented && header->key) {
		TC_APPEND(&header->value, TC_TEXT(" "), plain);
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
static enum tc_status read_header(struct tc_header *header, struct tc_text *text)
{
	enum tc_status status = TC_OK;

	for (header->line = 1; text->len && status == TC_OK; header->line++) {
		const char *end = memchr(text->ptr, '\n', text->len);
		size_t len = end ? (size_t)(end - text->ptr) : text->len;
		struct tc_text line = tc_text_trim((struct tc_text){text->ptr, len});

		if (tc_text_starts(line, TC_TEXT("--")))
			status = take_comment(header, (struct tc_text){line.ptr + 2, line.len - 2});
		else if (line.len > 0)
			break;
		len += end ? 1 : 0;
		*text = (struct tc_text){text->ptr + len, text->len - len};
	}
	return status == TC_OK ? finish_value(header) : status;
}

static enum tc_status check_bytes(const struct tc_header *header, struct tc_text text)
{
	if (text.len > TC_RULE_MAX_FILE_BYTES)
		return TC_HEADER_FAULT(header, 0,
			"more than %d bytes: this is not a rule: remove it",
			TC_RULE_MAX_FILE_BYTES);
	if (!tc_utf8_valid(text) || memchr(text.ptr, '\0', text.len))
		return TC_HEADER_FAULT(header, 0, "not UTF-8 text: save it as UTF-8");
	return TC_OK;
}

static bool is_required(const struct tc_header *header, const struct tc_header_key *key)
{
	bool own = key->use == TC_KEY_OWN || key->use == TC_KEY_OWN_ONLY;

	return key->use == TC_KEY_REQUIRED || (own && !header->source->is_rule);
}

/* What is left behind the header is the query. */
static enum tc_status take_sql(struct tc_header *header, struct tc_text text)
{
	struct tc_heuristic *heuristic = &header->file->heuristic;
	size_t count;
	const struct tc_header_key *keys = tc_header_keys(&count);

	for (size_t i = 0; i < count; i++)
		if (is_required(header, &keys[i]) && !(header->seen & 1U << i))
			return TC_HEADER_FAULT(header, 1, "%s is missing: add a line like '%s'",
				keys[i].name, keys[i].example);
	while (text.len && memchr(" \t\r\n", text.ptr[text.len - 1], 4))
		text.len--;
	if (text.len == 0)
		return TC_HEADER_FAULT(header, header->line,
			"the query is missing: write a SELECT below the header");
	header->file->sql_line = header->line;
	heuristic->sql = tc_arena_dup(header->arena, text);
	return heuristic->sql ? TC_OK : tc_no_memory(header->ctx);
}

enum tc_status tc_heuristic_file_parse(struct tc_heuristic_file *file, struct tc_ctx *ctx,
	struct tc_arena *arena, const struct tc_heuristic_source *source)
{
	static const struct tc_param no_params[] = {{.name = NULL}};
	static const struct tc_says no_says[] = {{.column = NULL}};
	static const char *const nothing[] = {NULL};
	struct tc_header header = {.file = file, .ctx = ctx, .arena = arena, .source = source};
	struct tc_heuristic *heuristic = &file->heuristic;
	struct tc_text text = source->text;

	*heuristic = (struct tc_heuristic){.why = "A user rule reports it.",
		.source = "A user rule.",
		.file = source->is_rule ? source->path : NULL};
	enum tc_status status = check_bytes(&header, text);
	if (status == TC_OK)
		status = read_header(&header, &text);
	if (status == TC_OK)
		status = take_sql(&header, text);
	heuristic->needs = file->needs.items ? file->needs.items : nothing;
	heuristic->part_of = file->part_of.items ? file->part_of.items : nothing;
	heuristic->edits = file->edits.items ? file->edits.items : nothing;
	heuristic->params = file->params ? file->params : no_params;
	heuristic->says = file->says ? file->says : no_says;
	tc_buf_clear(&header.value);
	return status;
}
