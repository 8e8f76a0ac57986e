/* Dumps of metrics: rows of side_metric, nested members flattened; for both forms of the file. */
#ifndef TC_SIDE_METRICS_H
#define TC_SIDE_METRICS_H

#include "side/file.h"

/* The dump being read. Texts are NULL until they are said. */
struct tc_side_dump {
	struct tc_side_file *file;
	struct tc_text metric, triggered_by, generated_on;
	int64_t ord;                     /* place in the file, from 1 */
	struct tc_buf name, item, value; /* unescaped, for one row */
};

void tc_side_dump_clear(struct tc_side_dump *dump);

/* Puts a row, or one for each member of an object or an array; name is unescaped text. */
enum tc_status tc_side_dump_json(
	struct tc_side_dump *dump, struct tc_text name, struct tc_text json);

/* Puts a row with a plain text, a number where it is one. */
enum tc_status tc_side_dump_text(
	struct tc_side_dump *dump, struct tc_text name, struct tc_text text);

#endif
