/* Batches: growable arrays of rows and their text. The functions for each kind of row are made from
 * batch_rows.def. */
#include "store/batch.h"

#include "core/alloc.h"

struct tc_batch *tc_batch_new(void)
{
	return tc_calloc(1, sizeof(struct tc_batch));
}

void tc_batch_free(struct tc_batch *batch)
{
	if (!batch)
		return;
#define TC_BATCH_ROW(kind, array) tc_free(batch->array);
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	tc_buf_clear(&batch->text);
	tc_free(batch);
}

void tc_batch_reset(struct tc_batch *batch)
{
#define TC_BATCH_ROW(kind, array) batch->kind##_count = 0;
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	tc_buf_reset(&batch->text);
}

/* One function per kind of row, all alike. */
#define TC_BATCH_ROW(kind, rows)                                                                   \
	struct tc_##kind##_row *tc_batch_add_##kind(struct tc_batch *batch)                        \
	{                                                                                          \
		if (!TC_GROW(batch->rows, batch->kind##_capacity, batch->kind##_count + 1))        \
			return NULL;                                                               \
		struct tc_##kind##_row *row = &batch->rows[batch->kind##_count++];                 \
		*row = (struct tc_##kind##_row){0};                                                \
		return row;                                                                        \
	}

#include "store/batch_rows.def"
#undef TC_BATCH_ROW
