/*
 * Numbers of a timeline on their way into a page: LEB128 varints, compressed with gzip, as base64. About
 * five bytes a slice.
 */
#ifndef TC_REPORT_HTML_COLUMNS_H
#define TC_REPORT_HTML_COLUMNS_H

#include <stdint.h>

#include "report/text/sink.h"

/* Appends a number: seven bits a byte, the lowest first. */
void tc_columns_put(struct tc_buf *columns, uint64_t value);
/* The same for one that may be negative: zigzag, 0, -1, 1, -2, ... */
void tc_columns_put_signed(struct tc_buf *columns, int64_t value);

/* Writes the bytes compressed. A failure goes to the sink. */
void tc_columns_write(struct tc_sink *sink, const struct tc_buf *columns);

#endif
