/*
 * Which run a file belongs to, by its name: the name is taken apart at '.', '_', '-' and blanks,
 * and parts that are numbers, times, or words such as "rank" with their number (run_words.def) are
 * left out. Of "host_4711.rank-3.1699999999.json" only "host" is left.
 */
#include "names/run.h"

#include <ctype.h>
#include <strings.h>

#include "core/array.h"
#include "core/text/decimal.h"
#include "names/names.h"

static const struct {
	const char *word;
	bool in_directory;
} words[] = {
#define TC_RUN_WORD(word, in_directory) {word, in_directory},
#include "names/run_words.def"
#undef TC_RUN_WORD
};

/* A part of a name, with what is behind it. */
struct part {
	struct tc_text text, rest;
	char before; /* the separator in front of it; 0 for the first */
};

static bool is_separator(char c)
{
	return c == '.' || c == '_' || c == '-' || c == ' ';
}

/* The first part of rest; false at its end. */
static bool next_part(struct part *part, struct tc_text rest, bool is_first)
{
	part->before = 0;
	while (rest.len > 0 && is_separator(rest.ptr[0])) {
		part->before = is_first ? 0 : rest.ptr[0];
		rest.ptr++;
		rest.len--;
	}
	part->text = (struct tc_text){rest.ptr, 0};
	while (part->text.len < rest.len && !is_separator(rest.ptr[part->text.len]))
		part->text.len++;
	part->rest = (struct tc_text){rest.ptr + part->text.len, rest.len - part->text.len};
	return part->text.len > 0;
}

/* Digits, as in a process or a date, or a time such as 20261122T101500Z. */
static bool is_number(struct tc_text text)
{
	return tc_pattern_match("%", text) || tc_pattern_match("%t%", text) ||
	       tc_pattern_match("%t%z", text);
}

/* Index of the word that text starts with, when nothing but digits follows it; -1 for none. */
static int word_of(struct tc_text text)
{
	size_t len = text.len;

	while (len > 0 && isdigit((unsigned char)text.ptr[len - 1]))
		len--;
	for (size_t i = 0; i < TC_COUNT_OF(words); i++)
		if (strlen(words[i].word) == len && strncasecmp(words[i].word, text.ptr, len) == 0)
			return (int)i;
	return -1;
}

/* Is it a word of ours with its number? The number may be the next part, which is then skipped. */
static bool is_place(struct part *part, int *word)
{
	struct part next;

	*word = word_of(part->text);
	if (*word < 0)
		return false;
	if (isdigit((unsigned char)part->text.ptr[part->text.len - 1]))
		return true;
	if (!next_part(&next, part->rest, false) || !tc_pattern_match("%", next.text))
		return false;
	part->rest = next.rest;
	return true;
}

static bool take_end(struct tc_text *name, const char *end)
{
	struct tc_text text = tc_text_from(end);

	if (name->len <= text.len || !tc_text_ends(*name, text))
		return false;
	name->len -= text.len;
	return true;
}

bool tc_run_is_trace(struct tc_text name)
{
	(void)(take_end(&name, ".gz") || take_end(&name, ".zst"));
	return take_end(&name, ".json");
}

/* Takes the ends of a trace off its name; returns whether it is one of TensorBoard's. */
static bool take_ends(struct tc_text *name)
{
	(void)(take_end(name, ".gz") || take_end(name, ".zst"));
	take_end(name, ".json");
	return take_end(name, ".trace");
}

static struct tc_text last_part(struct tc_text path)
{
	size_t start = path.len;

	while (start > 0 && path.ptr[start - 1] != '/')
		start--;
	return (struct tc_text){path.ptr + start, path.len - start};
}

/* The directory without its last part. */
static struct tc_text parent_of(struct tc_text path)
{
	path.len -= last_part(path).len;
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

/* Does the name of a directory only say which rank is in it? */
static bool is_rank_directory(struct tc_text name)
{
	struct part part = {.rest = name};
	bool is_any = false;
	int word;

	while (next_part(&part, part.rest, false)) {
		if (!is_place(&part, &word) || !words[word].in_directory)
			return false;
		is_any = true;
	}
	return is_any;
}

struct tc_text tc_run_directory(struct tc_text path)
{
	struct tc_text directory = parent_of(path);

	while (directory.len > 0 && is_rank_directory(last_part(directory)))
		directory = parent_of(directory);
	return directory;
}

void tc_run_name(struct tc_buf *out, struct tc_text path, bool with_host)
{
	struct part part;
	size_t start = out->len;
	int word;

	/* TensorBoard's, as PyTorch's and JAX's handlers write them */
	if (take_ends(&path)) {
		if (!with_host)
			return;
		take_end(&path, ".pt");
	}
	part.rest = last_part(path);
	while (next_part(&part, part.rest, out->len == start)) {
		if (is_number(part.text) || is_place(&part, &word))
			continue;
		if (part.before)
			tc_buf_append_char(out, part.before);
		tc_buf_append_text(out, part.text);
	}
}

static int64_t rank_in(struct tc_text name)
{
	struct part part = {.rest = name};
	int64_t rank;
	int word;

	while (next_part(&part, part.rest, false)) {
		const char *start = part.text.ptr;
		if (!is_place(&part, &word) || strcmp(words[word].word, "rank") != 0)
			continue;
		struct tc_text number = {start, (size_t)(part.rest.ptr - start)};
		while (number.len > 0 && !tc_is_digit(number.ptr[0])) {
			number.ptr++;
			number.len--;
		}
		if (tc_decimal_int64(&rank, number))
			return rank;
	}
	return -1;
}

int64_t tc_run_rank(struct tc_text path)
{
	const struct tc_text directory = tc_run_directory(path);
	int64_t rank = -1;

	(void)take_ends(&path);
	for (; rank < 0 && path.len > directory.len; path = parent_of(path))
		rank = rank_in(last_part(path));
	return rank;
}
