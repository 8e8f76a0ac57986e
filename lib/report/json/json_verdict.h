/* The member "verdict" of a trace, in the JSON report and in the summary. */
#ifndef TC_REPORT_JSON_VERDICT_H
#define TC_REPORT_JSON_VERDICT_H

#include "report/json/json_writer.h"
#include "report/view/view.h"

enum tc_status tc_json_verdict(
	struct tc_json *json, struct tc_job *job, const struct tc_view *view);

#endif
