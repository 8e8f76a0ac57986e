/*
 * The findings as workflow commands, which GitHub shows as annotations of a run: an error for what
 * --fail-on counts, a warning or a notice for the rest.
 */
#include "report/formats/gate.h"

/* Escapes line ends, which would end the command, and in a property also commas and colons, which
 * would end it. */
static void put_escaped(struct tc_sink *sink, struct tc_text text, bool is_property)
{
	static const char *const codes[] = {"%25", "%0D", "%0A", "%3A", "%2C"};

	tc_sink_escaped(sink, text, is_property ? "%\r\n:," : "%\r\n", codes);
}

static void put_finding(
	struct tc_job *job, const struct tc_view *trace, const struct tc_finding *finding)
{
	struct tc_buf text = TC_BUF_EMPTY;
	const char *command = tc_gate_fails(job, finding)               ? "error"
			      : finding->severity >= TC_SEVERITY_MEDIUM ? "warning"
									: "notice";

	tc_sink_format(&job->sink, "::%s title=", command);
	put_escaped(&job->sink, tc_text_from(finding->heuristic->title), true);
	tc_sink_put(&job->sink, "::");
	tc_gate_name(&text, trace);
	tc_buf_append_string(&text, "\n");
	tc_gate_message(&text, finding);
	put_escaped(&job->sink, tc_buf_text(&text), false);
	tc_sink_put(&job->sink, "\n");
	tc_buf_end(&job->sink.buf, &text);
}

void tc_render_github(struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);

	for (const struct tc_view *trace; (trace = tc_views_next(&views));)
		for (const struct tc_finding *finding = NULL;
			(finding = tc_next_finding(job->advice, trace->id, finding));)
			put_finding(job, trace, finding);
}
