/*
 * Paged rows: rows of one size by number, as an array. A small array is just that. Of a large one
 * the pages used last are in memory and the others in a spill file, so that what is kept for each
 * of a million names or threads does not need memory for all of them at once.
 *
 * A row stays where it is until many others have been asked for: TC_PAGED_STAY at least. Functions
 * may hold pointers to several rows for as long as they run, and must not keep them.
 */
#pragma once

#include <stddef.h>

#include "core/context.h"

enum {
	TC_PAGED_FLAT_BYTES = 2 * 1024 * 1024, /* of an array that is in memory as a whole */
	TC_PAGED_PAGES = 256,                  /* of a larger one, in memory */
	TC_PAGED_PAGE_BYTES = 4096,            /* of rows, or one row where that is larger */
	TC_PAGED_STAY = TC_PAGED_PAGES - 1,
};

struct tc_paged {
	void *rows; /* all of them; NULL when they are in pages */
	struct tc_pager *pager;
};

/* count rows like *first, or of zeros when it is NULL. */
void tc_paged_init(struct tc_paged *paged, struct tc_ctx *ctx, size_t count, size_t row_bytes,
	const void *first);
void tc_paged_clear(struct tc_paged *paged); /* all zero is fine */

/* A row of a type; of lower number than count. */
#define TC_PAGED_AT(paged, type, number)                                                           \
	((paged)->rows ? &((type *)(paged)->rows)[number] : (type *)tc_paged_fetch(paged, number))

/* A row of an array that is in pages. Never NULL: after a failure, which the context has, it is a
 * row that counts for nothing. */
void *tc_paged_fetch(const struct tc_paged *paged, size_t number);
