/* Metric dumps become rows of side_metric, with nested members flattened; for both forms of the
 * file. */
#ifndef TC_SIDE_METRICS_H
#define TC_SIDE_METRICS_H

#include "side/file.h"

/* The dump that is being read. Texts are NULL until the file gives them. */
struct tc_side_dump {
	struct tc_side_file *file;
	struct tc_text metric, triggered_by, generated_on;
	int64_t ord;                     /* number of the dump in the file, from 1 */
	struct tc_buf name, item, value; /* unescaped, of one row */
};

void tc_side_dump_clear(struct tc_side_dump *dump);

/* Adds a row, or one for each member of an object or an array; name is unescaped text. */
void tc_side_dump_json(struct tc_side_dump *dump, struct tc_text name, struct tc_text json);

/* Adds a row from plain text; the value is a number where it can be one. */
void tc_side_dump_text(struct tc_side_dump *dump, struct tc_text name, struct tc_text text);

#endif
