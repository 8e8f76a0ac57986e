/*
 * A batch of finished rows on the way from the model to the writer: arrays of plain structs and one
 * buffer of text. It uses offsets, not pointers, so that it can grow and move to another thread.
 */
#pragma once

#include <stdint.h>

#include "core/alloc.h"
#include "core/buf.h"

/* args of a row: none, text[offset, offset + len) of the batch, or a form and its numbers (slices
 * only). */
struct tc_row_args {
	int64_t form_id; /* args_form.id, or -1 */
	int64_t numbers; /* with a form; -1: none are left out */
	uint32_t offset;
	uint32_t len; /* 0 with form_id -1: no args */
};

/* A row of args_form. */
struct tc_form_row {
	int64_t id;
	uint32_t offset, len; /* of the pattern, in text */
	uint32_t bits;        /* of a number in tc_row_args.numbers, the first one lowest */
};

struct tc_slice_row {
	int64_t id; /* ascends over all batches of a store */
	int64_t ts_ns, dur_ns;
	uint32_t track_id, label_id;
	struct tc_row_args args;
};

struct tc_instant_row {
	int64_t id, ts_ns;
	uint32_t track_id, label_id;
	char scope; /* t, p or g */
	struct tc_row_args args;
};

struct tc_counter_row {
	int64_t id, ts_ns;
	int64_t process_id;             /* -1 for none */
	uint32_t name_offset, name_len; /* in text */
	double value;
};

struct tc_memory_row {
	int64_t id, ts_ns;
	/* INT64_MIN is NULL in each of these. */
	int64_t device_type, device_id, bytes, allocated_bytes, reserved_bytes;
	int64_t addr;                   /* when addr_len is 0 */
	uint32_t addr_offset, addr_len; /* text of an address that is not an int64 */
	int64_t thread_id;
};

/* The host slice around an allocator event: a row of memory_slice. */
struct tc_memory_link_row {
	int64_t memory_id, slice_id;
};

/* Position of a slice in its thread's call stack: a row of slice_nest. */
struct tc_nest_row {
	int64_t slice_id, parent_id, depth;
};

/* A row of flow. */
struct tc_flow_row {
	int64_t id;
	uint32_t label_id; /* category and name of the flow's own events */
	int64_t slice_out, slice_in;
};

/* A run of device operations with one launch and step: a row of device_link. */
struct tc_link_row {
	int64_t first_slice_id, last_slice_id;
	int64_t launch_slice_id, step_id; /* INT64_MIN: NULL */
	const char *method;               /* a constant */
};

struct tc_batch {
	int64_t trace_id;
#define TC_BATCH_ROW(kind, array, table)                                                           \
	struct tc_##kind##_row *array;                                                             \
	size_t kind##_count, kind##_capacity;
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	struct tc_buf text;
};

/* A new empty batch, or NULL when memory is out. */
static inline struct tc_batch *tc_batch_new(void)
{
	return tc_calloc(1, sizeof(struct tc_batch));
}

/* NULL is fine. */
static inline void tc_batch_free(struct tc_batch *batch)
{
	if (!batch)
		return;
#define TC_BATCH_ROW(kind, array, table) tc_free(batch->array);
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	tc_buf_clear(&batch->text);
	tc_free(batch);
}

/* Empties it and keeps its memory. */
static inline void tc_batch_reset(struct tc_batch *batch)
{
#define TC_BATCH_ROW(kind, array, table) batch->kind##_count = 0;
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	tc_buf_reset(&batch->text);
}

/* tc_batch_add_<kind>(): room for one more row, counted and zeroed; NULL when memory is out. */
#define TC_BATCH_ROW(kind, rows, table)                                                            \
	static inline struct tc_##kind##_row *tc_batch_add_##kind(struct tc_batch *batch)          \
	{                                                                                          \
		if (!TC_GROW(batch->rows, batch->kind##_capacity, batch->kind##_count + 1))        \
			return NULL;                                                               \
		struct tc_##kind##_row *row = &batch->rows[batch->kind##_count++];                 \
		*row = (struct tc_##kind##_row){0};                                                \
		return row;                                                                        \
	}
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
