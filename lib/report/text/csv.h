/* Fields of comma-separated rows. */
#ifndef TC_REPORT_TEXT_CSV_H
#define TC_REPORT_TEXT_CSV_H

#include "report/text/sink.h"

/* Puts a field and the text after it. The field is quoted if it has characters that CSV uses
 * itself. */
void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind);

#endif
