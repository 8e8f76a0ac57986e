/*
 * The args of the longest slices of a page. They are as in the file, but long names are shortened.
 * They are written as pairs: the number of the item, and the text.
 */
#ifndef TC_REPORT_HTML_ARGS_H
#define TC_REPORT_HTML_ARGS_H

#include "report/html/items.h"
#include "report/job.h"
#include "report/json/json_writer.h"

void tc_page_put_args(struct tc_json *json, struct tc_job *job, const struct tc_items *items,
	const struct tc_names *names);

#endif
