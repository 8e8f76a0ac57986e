/*
 * yajl behind json.h. yajl does not check what its allocator returns, so an allocation that fails
 * leaves it by longjmp; all of its memory hangs on one list, which makes that safe, and a restart
 * cheap.
 */
#include "decode/json/parser.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "core/alloc.h"
#include "decode/walk/walk.h"

/* Head of each allocation of yajl. */
struct block {
	struct block *next, *previous;
};

_Static_assert(sizeof(struct block) % alignof(max_align_t) == 0, "what follows is aligned");

struct tc_json {
	void *user;
	yajl_handle handle;
	yajl_callbacks callbacks; /* empty while priming */
	yajl_alloc_funcs memory;
	struct block *blocks;
	jmp_buf no_memory;
};

static const yajl_callbacks walk_callbacks = {
	.yajl_null = tc_walk_null,
	.yajl_boolean = tc_walk_bool,
	.yajl_number = tc_walk_number,
	.yajl_string = tc_walk_string,
	.yajl_start_map = tc_walk_start_map,
	.yajl_map_key = tc_walk_key,
	.yajl_end_map = tc_walk_end_map,
	.yajl_start_array = tc_walk_start_array,
	.yajl_end_array = tc_walk_end_array,
};

static void link_block(struct tc_json *json, struct block *block)
{
	block->previous = NULL;
	block->next = json->blocks;
	if (json->blocks)
		json->blocks->previous = block;
	json->blocks = block;
}

static void unlink_block(struct tc_json *json, struct block *block)
{
	if (block->previous)
		block->previous->next = block->next;
	else
		json->blocks = block->next;
	if (block->next)
		block->next->previous = block->previous;
}

static void *json_malloc(void *user, size_t size)
{
	struct tc_json *json = user;
	struct block *block = size < SIZE_MAX / 2 ? tc_malloc(sizeof(*block) + size) : NULL;

	if (!block)
		longjmp(json->no_memory, 1);
	link_block(json, block);
	return block + 1;
}

static void json_free(void *user, void *ptr)
{
	if (!ptr)
		return;
	struct block *block = (struct block *)ptr - 1;
	unlink_block(user, block);
	tc_free(block);
}

static void *json_realloc(void *user, void *ptr, size_t size)
{
	struct tc_json *json = user;

	if (!ptr)
		return json_malloc(user, size);
	struct block *old = (struct block *)ptr - 1;
	unlink_block(json, old);
	struct block *block = size < SIZE_MAX / 2 ? tc_realloc(old, sizeof(*block) + size) : NULL;
	link_block(json, block ? block : old);
	if (!block)
		longjmp(json->no_memory, 1);
	return block + 1;
}

static void drop_blocks(struct tc_json *json)
{
	struct block *next;

	for (struct block *block = json->blocks; block; block = next) {
		next = block->next;
		tc_free(block);
	}
	json->blocks = NULL;
	json->handle = NULL;
}

struct tc_json *tc_json_new(void *user)
{
	struct tc_json *json = tc_calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->user = user;
	json->memory = (yajl_alloc_funcs){json_malloc, json_realloc, json_free, json};
	if (tc_json_restart(json, "") != TC_JSON_TAKEN) {
		tc_json_free(json);
		return NULL;
	}
	return json;
}

void tc_json_free(struct tc_json *json)
{
	if (!json)
		return;
	drop_blocks(json);
	tc_free(json);
}

enum tc_json_result tc_json_restart(struct tc_json *json, const char *prime)
{
	drop_blocks(json);
	json->callbacks = (yajl_callbacks){0};
	if (setjmp(json->no_memory)) {
		drop_blocks(json);
		return TC_JSON_NO_MEMORY;
	}
	json->handle = yajl_alloc(&json->callbacks, &json->memory, json->user);
	if (!json->handle)
		return TC_JSON_NO_MEMORY;
	/* The decoder checks UTF-8 itself, an event at a time, which is faster and stricter. */
	yajl_config(json->handle, yajl_dont_validate_strings, 1);
	yajl_config(json->handle, yajl_allow_multiple_values, 1);
	enum tc_json_result result = tc_json_parse(json, prime, strlen(prime));
	json->callbacks = walk_callbacks;
	return result;
}

enum tc_json_result tc_json_parse(struct tc_json *json, const char *bytes, size_t len)
{
	if (!json->handle)
		return TC_JSON_NO_MEMORY;
	if (setjmp(json->no_memory)) {
		drop_blocks(json);
		return TC_JSON_NO_MEMORY;
	}
	switch (yajl_parse(json->handle, (const unsigned char *)bytes, len)) {
	case yajl_status_ok: return TC_JSON_TAKEN;
	case yajl_status_client_canceled: return TC_JSON_STOPPED;
	default: return TC_JSON_BROKEN;
	}
}

size_t tc_json_used(const struct tc_json *json)
{
	return yajl_get_bytes_consumed(json->handle);
}
