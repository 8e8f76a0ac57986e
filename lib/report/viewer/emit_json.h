/* Writes our slices and counters as JSON trace events of a separate process. Times are exact:
 * microseconds with three decimals. */
#ifndef TC_REPORT_VIEWER_EMIT_JSON_H
#define TC_REPORT_VIEWER_EMIT_JSON_H

#include "report/json/json_writer.h"
#include "report/viewer/emit.h"

struct tc_emit_json {
	struct tc_json json;
	bool is_lines; /* no commas between events */
	int64_t pid, last_tid, last_flow;
};

/* For tc_emit.form; tc_emit.to is a struct tc_emit_json. */
extern const struct tc_emit_form tc_emit_json_form;
void tc_emit_json_init(struct tc_emit_json *out, struct tc_sink *sink, bool is_lines);

#endif
