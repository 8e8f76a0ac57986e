#include "report/json/json_verdict.h"

enum tc_status tc_json_verdict(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status = tc_verdict(&text, job, view);

	tc_json_text(json, "verdict", tc_buf_text(&text));
	tc_buf_end(&json->sink->buf, &text);
	return status;
}
