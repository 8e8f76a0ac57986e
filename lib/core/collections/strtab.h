/*
 * String table: each distinct text gets a number, from 0 in the order of first sight. Texts are
 * copied into chunks that never move, so borrowed text stays valid until tc_strtab_clear().
 */
#pragma once

#include <stdint.h>

#include "core/text.h"
#include "tracecoach/context.h"

#define TC_STRTAB_NONE UINT32_MAX

struct tc_strtab {
	struct tc_strtab_chunk *chunks;
	struct tc_strtab_entry *entries; /* by number */
	size_t count, entry_capacity;
	uint32_t *slots; /* open addressing, TC_STRTAB_NONE is free */
	size_t slot_count;
	int64_t text_bytes;
	struct tc_ctx *ctx; /* told what fails; NULL for none */
};

#define TC_STRTAB_EMPTY ((struct tc_strtab){0})

void tc_strtab_clear(struct tc_strtab *table);

/* Forgets the numbers, and keeps the texts where they are: for those who hold them all. */
void tc_strtab_drop_numbers(struct tc_strtab *table);

/* The number of text, adding it when new; TC_STRTAB_NONE when memory or a limit is out. */
uint32_t tc_strtab_intern(struct tc_strtab *table, struct tc_text text);

/* Does what tc_strtab_intern() does; quick when text is that of last, a number or TC_STRTAB_NONE.
 */
uint32_t tc_strtab_intern_again(struct tc_strtab *table, struct tc_text text, uint32_t last);

/* The number of text when it is there, else TC_STRTAB_NONE. */
uint32_t tc_strtab_find(const struct tc_strtab *table, struct tc_text text);

/* The text of a number that intern returned. */
struct tc_text tc_strtab_at(const struct tc_strtab *table, uint32_t number);

/* 64-bit hash of bytes, the same on every machine. */
uint64_t tc_hash_bytes(const char *bytes, size_t len);
