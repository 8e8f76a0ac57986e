/*
 * The quick parser beside yajl on any bytes, as elements of a list. What the quick one takes yajl
 * must take, with the same tokens, each with the same text at the same place, up to the same state:
 * an element is wanted. What it refuses is of no matter; and nothing may be read behind the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/buf.h"
#include "decode/fast/plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The tokens that a parser reports. */
struct tokens {
	const struct tc_plain *plain; /* one of these */
	const struct tc_parser *parser;
	struct tc_buf text;
	size_t base; /* of the text that plain parses */
	int left;    /* tokens until the handlers stop the parser */
};

static int add(struct tokens *tokens, char kind, struct tc_text text)
{
	size_t used = tokens->plain ? tc_plain_used(tokens->plain) : tc_parser_used(tokens->parser);
	tc_buf_format(&tokens->text, "%c %zu ", kind, tokens->base + used);
	tc_buf_append_text(&tokens->text, text);
	tc_buf_append_char(&tokens->text, '\n');
	return tokens->left-- > 0;
}

static int on_null(void *user)
{
	return add(user, 'n', TC_TEXT_NONE);
}

static int on_bool(void *user, int value)
{
	return add(user, value ? 't' : 'f', TC_TEXT_NONE);
}

static int on_number(void *user, const char *text, size_t len)
{
	return add(user, '0', (struct tc_text){text, len});
}

static int on_string(void *user, const unsigned char *text, size_t len)
{
	return add(user, '"', (struct tc_text){len > 0 ? (const char *)text : NULL, len});
}

static int on_key(void *user, const unsigned char *text, size_t len)
{
	return add(user, ':', (struct tc_text){len > 0 ? (const char *)text : NULL, len});
}

static int on_start_map(void *user)
{
	return add(user, '{', TC_TEXT_NONE);
}

static int on_end_map(void *user)
{
	return add(user, '}', TC_TEXT_NONE);
}

static int on_start_array(void *user)
{
	return add(user, '[', TC_TEXT_NONE);
}

static int on_end_array(void *user)
{
	return add(user, ']', TC_TEXT_NONE);
}

static int on_key_again(void *user, const char *text, size_t len, int note)
{
	(void)note;
	return on_key(user, (const unsigned char *)text, len);
}

static int note_of_key(const void *user)
{
	(void)user;
	return 0;
}

static int64_t weight_of(const void *user)
{
	(void)user;
	return 0;
}

static int on_array_again(void *user, const char *text, size_t len, int64_t weight);

static const struct tc_plain_handlers handlers = {
	.token = {on_null, on_bool, on_number, on_string, on_start_map, on_key, on_end_map,
		on_start_array, on_end_array},
	.note_of_key = note_of_key,
	.key_again = on_key_again,
	.weight_of = weight_of,
	.array_again = on_array_again,
};

/* Its tokens, by a parser of their own, which wants a comma behind an element. */
static int on_array_again(void *user, const char *text, size_t len, int64_t weight)
{
	struct tokens *tokens = user;
	const struct tc_plain *outer = tokens->plain;
	struct tc_plain inner = {0};
	struct tc_buf element = TC_BUF_EMPTY;

	(void)weight;
	tc_buf_append(&element, text, len);
	tc_buf_append_char(&element, ',');
	tokens->plain = &inner;
	tokens->base = (size_t)(text - outer->start);
	enum tc_parser_result result =
		tc_plain_parse(&inner, &handlers, tokens, tc_buf_text(&element));
	tokens->plain = outer;
	tokens->base = 0;
	tc_plain_clear(&inner);
	tc_buf_clear(&element);
	return result == TC_PARSER_TAKEN;
}

static void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_plain: %s\n", what);
	abort();
}

static void compare(struct tc_text bytes, int token_count)
{
	struct tc_plain plain = {0};
	struct tokens quick = {.plain = &plain, .left = token_count};
	struct tokens judged = {.left = token_count};
	enum tc_parser_result result = tc_plain_parse(&plain, &handlers, &quick, bytes);

	if (result == TC_PARSER_TAKEN || result == TC_PARSER_STOPPED) {
		struct tc_parser *parser = tc_parser_new(&handlers.token, &judged);
		demand(parser && tc_parser_restart(parser, "[") == TC_PARSER_TAKEN, "no parser");
		judged.parser = parser;
		demand(tc_parser_feed(parser, bytes.ptr, bytes.len) == result,
			"yajl does not take it");
		demand(tc_text_equal(tc_buf_text(&quick.text), tc_buf_text(&judged.text)),
			"yajl has other tokens");
		judged.left = 2;
		if (result == TC_PARSER_TAKEN)
			demand(tc_parser_feed(parser, "0]", 2) == TC_PARSER_TAKEN,
				"yajl wants no element behind it");
		tc_parser_free(parser);
	}
	tc_buf_clear(&quick.text);
	tc_buf_clear(&judged.text);
	tc_plain_clear(&plain);
}

/* Whole, and stopped after some tokens. The copy ends where the bytes do. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);

	if (!copy)
		return 0;
	if (size > 0)
		memcpy(copy, data, size);
	compare((struct tc_text){copy, size}, 1 << 30);
	compare((struct tc_text){copy, size}, size > 0 ? data[size / 2] % 64 : 0);
	free(copy);
	return 0;
}
