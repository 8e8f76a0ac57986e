/* Private to the store: the rows of a batch as records of their tables. */
#ifndef TC_STORE_PAGES_BATCH_RECORDS_H
#define TC_STORE_PAGES_BATCH_RECORDS_H

#include "store/batch.h"
#include "store/pages/record.h"

/* Kinds of rows, each with a table of its own. */
enum { TC_BATCH_KINDS = 9 };

const char *tc_batch_table(int kind);
size_t tc_batch_rows(const struct tc_batch *batch, int kind);
/* All columns of a row, whose number it returns; tc_record_end() has the bytes. */
int64_t tc_batch_record(struct tc_record *out, const struct tc_batch *batch, int kind, size_t row);

#endif
