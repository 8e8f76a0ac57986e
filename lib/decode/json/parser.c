/*
 * The JSON parser: yajl, which only this file knows. yajl does not check what its allocator
 * returns, so an allocation that fails leaves it by longjmp; all of its memory hangs on one list,
 * which makes that safe, and a restart cheap.
 */
#include "decode/json/parser.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "core/alloc.h"

/* Head of each allocation of yajl. */
struct block {
	struct block *next, *previous;
};

_Static_assert(sizeof(struct block) % alignof(max_align_t) == 0, "what follows is aligned");

struct tc_parser {
	const struct tc_parser_handlers *handlers;
	void *user;
	yajl_handle handle;
	yajl_callbacks callbacks; /* empty while priming */
	yajl_alloc_funcs memory;
	struct block *blocks;
	jmp_buf no_memory;
};

static void link_block(struct tc_parser *parser, struct block *block)
{
	block->previous = NULL;
	block->next = parser->blocks;
	if (parser->blocks)
		parser->blocks->previous = block;
	parser->blocks = block;
}

static void unlink_block(struct tc_parser *parser, struct block *block)
{
	if (block->previous)
		block->previous->next = block->next;
	else
		parser->blocks = block->next;
	if (block->next)
		block->next->previous = block->previous;
}

static void *parser_malloc(void *user, size_t size)
{
	struct tc_parser *parser = user;
	struct block *block = size < SIZE_MAX / 2 ? tc_malloc(sizeof(*block) + size) : NULL;

	if (!block)
		longjmp(parser->no_memory, 1);
	link_block(parser, block);
	return block + 1;
}

static void parser_free(void *user, void *ptr)
{
	if (!ptr)
		return;
	struct block *block = (struct block *)ptr - 1;
	unlink_block(user, block);
	tc_free(block);
}

static void *parser_realloc(void *user, void *ptr, size_t size)
{
	struct tc_parser *parser = user;

	if (!ptr)
		return parser_malloc(user, size);
	struct block *old = (struct block *)ptr - 1;
	unlink_block(parser, old);
	struct block *block = size < SIZE_MAX / 2 ? tc_realloc(old, sizeof(*block) + size) : NULL;
	link_block(parser, block ? block : old);
	if (!block)
		longjmp(parser->no_memory, 1);
	return block + 1;
}

static void drop_blocks(struct tc_parser *parser)
{
	struct block *next;

	for (struct block *block = parser->blocks; block; block = next) {
		next = block->next;
		tc_free(block);
	}
	parser->blocks = NULL;
	parser->handle = NULL;
}

struct tc_parser *tc_parser_new(const struct tc_parser_handlers *handlers, void *user)
{
	struct tc_parser *parser = tc_calloc(1, sizeof(*parser));

	if (!parser)
		return NULL;
	parser->handlers = handlers;
	parser->user = user;
	parser->memory = (yajl_alloc_funcs){parser_malloc, parser_realloc, parser_free, parser};
	if (tc_parser_restart(parser, "") != TC_PARSER_TAKEN) {
		tc_parser_free(parser);
		return NULL;
	}
	return parser;
}

void tc_parser_free(struct tc_parser *parser)
{
	if (!parser)
		return;
	drop_blocks(parser);
	tc_free(parser);
}

static yajl_callbacks callbacks_of(const struct tc_parser_handlers *handlers)
{
	return (yajl_callbacks){
		.yajl_null = handlers->null,
		.yajl_boolean = handlers->boolean,
		.yajl_number = handlers->number,
		.yajl_string = handlers->string,
		.yajl_start_map = handlers->start_map,
		.yajl_map_key = handlers->key,
		.yajl_end_map = handlers->end_map,
		.yajl_start_array = handlers->start_array,
		.yajl_end_array = handlers->end_array,
	};
}

enum tc_parser_result tc_parser_restart(struct tc_parser *parser, const char *prime)
{
	drop_blocks(parser);
	parser->callbacks = (yajl_callbacks){0};
	if (setjmp(parser->no_memory)) {
		drop_blocks(parser);
		return TC_PARSER_NO_MEMORY;
	}
	parser->handle = yajl_alloc(&parser->callbacks, &parser->memory, parser->user);
	if (!parser->handle)
		return TC_PARSER_NO_MEMORY;
	/* The decoder checks UTF-8 itself, an event at a time, which is faster and stricter. */
	yajl_config(parser->handle, yajl_dont_validate_strings, 1);
	yajl_config(parser->handle, yajl_allow_multiple_values, 1);
	enum tc_parser_result result = tc_parser_feed(parser, prime, strlen(prime));
	parser->callbacks = callbacks_of(parser->handlers);
	return result;
}

enum tc_parser_result tc_parser_feed(struct tc_parser *parser, const char *bytes, size_t len)
{
	if (!parser->handle)
		return TC_PARSER_NO_MEMORY;
	if (setjmp(parser->no_memory)) {
		drop_blocks(parser);
		return TC_PARSER_NO_MEMORY;
	}
	switch (yajl_parse(parser->handle, (const unsigned char *)bytes, len)) {
	case yajl_status_ok: return TC_PARSER_TAKEN;
	case yajl_status_client_canceled: return TC_PARSER_STOPPED;
	default: return TC_PARSER_BROKEN;
	}
}

size_t tc_parser_used(const struct tc_parser *parser)
{
	return yajl_get_bytes_consumed(parser->handle);
}

/* yajl gives one number, 20100 for 2.1.0; each part has two digits at most. Written once by
 * whoever asks first; a later writer writes the same bytes. */
