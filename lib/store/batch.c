/* Batches: growable arrays of rows and their text. See batch.h. */
#include "store/batch.h"

#include "core/alloc.h"

/* A batch goes to the writer at this size: large enough that handing it over costs nothing per
 * row, small enough that the few in flight are some hundred KB. Offsets into the text are
 * 32 bits; one event more than FULL_BYTES (core/limits.h) cannot overflow them. */
enum { FULL_ROWS = 2048, FULL_BYTES = 1024 * 1024 };

struct tc_batch *tc_batch_new(void)
{
	return tc_calloc(1, sizeof(struct tc_batch));
}

void tc_batch_free(struct tc_batch *batch)
{
	if (!batch)
		return;
	tc_free(batch->slices);
	tc_free(batch->forms);
	tc_free(batch->instants);
	tc_free(batch->counters);
	tc_free(batch->memories);
	tc_free(batch->memory_links);
	tc_free(batch->nests);
	tc_free(batch->flows);
	tc_free(batch->links);
	tc_buf_clear(&batch->text);
	tc_free(batch);
}

void tc_batch_reset(struct tc_batch *batch)
{
	batch->slice_count = 0;
	batch->form_count = 0;
	batch->instant_count = 0;
	batch->counter_count = 0;
	batch->memory_count = 0;
	batch->memory_link_count = 0;
	batch->nest_count = 0;
	batch->flow_count = 0;
	batch->link_count = 0;
	tc_buf_reset(&batch->text);
}

bool tc_batch_full(const struct tc_batch *batch)
{
	size_t rows = batch->slice_count + batch->form_count + batch->instant_count +
		      batch->counter_count + batch->memory_count + batch->memory_link_count +
		      batch->nest_count + batch->flow_count + batch->link_count;

	return rows >= FULL_ROWS || batch->text.len >= FULL_BYTES;
}

/* One function per kind of row, all alike: make room, count, zero. */
#define ADD_ROW(kind, rows)                                                                        \
	struct tc_##kind##_row *tc_batch_add_##kind(struct tc_batch *batch)                        \
	{                                                                                          \
		void *array = batch->rows;                                                         \
                                                                                                   \
		if (tc_reserve(&array, &batch->kind##_capacity, batch->kind##_count + 1,           \
			    sizeof(*batch->rows)))                                                 \
			return NULL;                                                               \
		batch->rows = array;                                                               \
		struct tc_##kind##_row *row = &batch->rows[batch->kind##_count++];                 \
		*row = (struct tc_##kind##_row){0};                                                \
		return row;                                                                        \
	}

ADD_ROW(slice, slices)
ADD_ROW(form, forms)
ADD_ROW(instant, instants)
ADD_ROW(counter, counters)
ADD_ROW(memory, memories)
ADD_ROW(memory_link, memory_links)
ADD_ROW(nest, nests)
ADD_ROW(flow, flows)
ADD_ROW(link, links)
