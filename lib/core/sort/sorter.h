/*
 * External sorter: takes any number of fixed-size records in any order, gives them back sorted, in
 * bounded memory. Full buffers are sorted and spilled as packed runs to an unlinked temporary file;
 * reading merges the runs. The order is that of the caller's comparison; it must be total (end with
 * a sequence number), so that the result does not depend on how runs fell.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

struct tc_sorter;

/* <0, 0, >0 like memcmp, over two records. */
typedef int (*tc_compare_fn)(const void *a, const void *b);

#define TC_SORTER_RECORD_MAX_BYTES 480

/* A sorter of records of record_bytes, a multiple of 4, that holds at most memory_bytes of them at
 * a time; NULL without memory. */
struct tc_sorter *tc_sorter_new(
	struct tc_ctx *ctx, size_t record_bytes, size_t memory_bytes, tc_compare_fn compare);
void tc_sorter_free(struct tc_sorter *sorter); /* NULL is fine */

/* Adds a record (copied). */
void tc_sorter_add(struct tc_sorter *sorter, const void *record);

/* The arguments of tc_sorter_new(). */
struct tc_sorter_layout {
	size_t record_bytes, memory_bytes;
	tc_compare_fn compare;
};
/* Adds a record to *sorter, which is made with the first one. */
void tc_sorter_put(struct tc_sorter **sorter, struct tc_ctx *ctx,
	const struct tc_sorter_layout *layout, const void *record);

/* Ends adding and borrows the first record until the next call, or later reads from the start
 * again; NULL when there is none, and after a failure. NULL is an empty sorter here and below. */
const void *tc_sorter_first(struct tc_sorter *sorter);
/* The next record; NULL also at the end. */
const void *tc_sorter_next(struct tc_sorter *sorter);
