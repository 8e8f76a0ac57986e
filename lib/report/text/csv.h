/* Fields of comma-separated rows. */
#ifndef TC_REPORT_TEXT_CSV_H
#define TC_REPORT_TEXT_CSV_H

#include "report/text/sink.h"

/* Puts a field and what stands behind it; quoted when it holds what the format itself uses. */
void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind);

#endif
