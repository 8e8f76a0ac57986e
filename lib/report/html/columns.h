/*
 * Packs the numbers of a timeline for the page: LEB128 varints, compressed with gzip, written as
 * base64. A slice takes about five bytes.
 */
#ifndef TC_REPORT_HTML_COLUMNS_H
#define TC_REPORT_HTML_COLUMNS_H

#include <stdint.h>

#include "report/text/sink.h"

/* Appends a number: seven bits a byte, the lowest first. */
void tc_columns_put(struct tc_buf *columns, uint64_t value);
/* The same for a number that may be negative. Zigzag order: 0, -1, 1, -2, ... */
void tc_columns_put_signed(struct tc_buf *columns, int64_t value);

/* Writes the numbers, compressed. The sink keeps any failure. */
void tc_columns_write(struct tc_sink *sink, const struct tc_buf *columns);

#endif
