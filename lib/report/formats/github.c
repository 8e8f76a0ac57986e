/*
 * The findings as workflow commands, which GitHub shows as annotations of a run: an error for what
 * --fail-on counts, a warning or a notice for the rest. A check that failed closes the gate, too.
 */
#include "report/formats/gate.h"

/* Escapes line ends, which would end the command, and in a property also commas and colons, which
 * would end it. */
static void put_escaped(struct tc_sink *sink, struct tc_text text, bool is_property)
{
	static const char *const codes[] = {"%25", "%0D", "%0A", "%3A", "%2C"};

	tc_sink_escaped(sink, text, is_property ? "%\r\n:," : "%\r\n", codes);
}

/* Writes a command; below its title stand the trace and the message, which it frees. */
static void put_command(struct tc_job *job, const struct tc_view *trace, const char *command,
	const char *title, struct tc_buf *message)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_sink_format(&job->sink, "::%s title=", command);
	put_escaped(&job->sink, tc_text_from(title), true);
	tc_sink_put(&job->sink, "::");
	tc_gate_name(&text, trace);
	tc_buf_append_string(&text, "\n");
	tc_buf_append_text(&text, tc_buf_text(message));
	tc_buf_end(&text, message);
	put_escaped(&job->sink, tc_buf_text(&text), false);
	tc_sink_put(&job->sink, "\n");
	tc_buf_end(&job->sink.buf, &text);
}

static void put_finding(
	struct tc_job *job, const struct tc_view *trace, const struct tc_finding *finding)
{
	struct tc_buf message = TC_BUF_EMPTY;
	const char *command = tc_gate_fails(job, finding)               ? "error"
			      : finding->severity >= TC_SEVERITY_MEDIUM ? "warning"
									: "notice";

	tc_gate_message(&message, job, finding);
	put_command(job, trace, command, finding->heuristic->title, &message);
}

static void put_failed(
	struct tc_job *job, const struct tc_view *trace, const struct tc_account_row *row)
{
	struct tc_buf message = TC_BUF_EMPTY;

	tc_buf_format(&message, "The check %s failed: %s", row->heuristic->id, row->reason);
	put_command(job, trace, tc_gate_is_asked(job) ? "error" : "warning", row->heuristic->title,
		&message);
}

void tc_render_github(struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);

	for (const struct tc_view *trace; (trace = tc_views_next(&views));) {
		for (const struct tc_finding *finding = NULL;
			(finding = tc_next_finding(job->advice, trace->id, finding));)
			put_finding(job, trace, finding);
		for (size_t i = 0; i < job->advice->account_count; i++) {
			const struct tc_account_row *row = &job->advice->account[i];
			if (row->trace_id == trace->id && row->outcome == TC_OUTCOME_FAILED)
				put_failed(job, trace, row);
		}
	}
}
