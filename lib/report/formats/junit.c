/*
 * The checks as JUnit XML, which CI systems show as tests: a suite per trace, a case per heuristic.
 * A finding that --fail-on counts is a failure; a heuristic that lacked data is skipped.
 */
#include "report/formats/gate.h"

/* Writes the characters that are special in XML as entities. The sink replaces those that XML
 * forbids. */
static void put_escaped(struct tc_sink *sink, struct tc_text text)
{
	static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;", " "};

	tc_sink_escaped(sink, text, "<>&\"\n\t", entities);
}

static void put_attribute(struct tc_sink *sink, const char *name, struct tc_text value)
{
	tc_sink_format(sink, " %s=\"", name);
	put_escaped(sink, value);
	tc_sink_put(sink, "\"");
}

static void put_finding(struct tc_job *job, const struct tc_finding *finding)
{
	bool fails = tc_gate_fails(job, finding);
	struct tc_buf text = TC_BUF_EMPTY;

	tc_gate_message(&text, job, finding);
	tc_sink_put(&job->sink, fails ? "<failure" : "<system-out");
	if (fails) {
		put_attribute(
			&job->sink, "type", tc_text_from(tc_severity_name(finding->severity)));
		put_attribute(&job->sink, "message", tc_text_from(finding->heuristic->title));
	}
	tc_sink_put(&job->sink, ">");
	put_escaped(&job->sink, tc_buf_text(&text));
	tc_sink_put(&job->sink, fails ? "</failure>" : "</system-out>");
	tc_buf_end(&job->sink.buf, &text);
}

/* NULL if the heuristic found nothing. */
static const struct tc_finding *finding_of(
	const struct tc_job *job, const struct tc_account_row *row)
{
	return row->outcome == TC_OUTCOME_FIRED
		       ? tc_find_finding(job->advice, row->trace_id, row->heuristic)
		       : NULL;
}

static void put_case(struct tc_job *job, struct tc_text trace, const struct tc_account_row *row)
{
	const struct tc_finding *finding = finding_of(job, row);

	tc_sink_put(&job->sink, "    <testcase");
	put_attribute(&job->sink, "classname", trace);
	put_attribute(&job->sink, "name", tc_text_from(row->heuristic->id));
	tc_sink_put(&job->sink, ">");
	if (finding) {
		put_finding(job, finding);
	} else if (row->outcome != TC_OUTCOME_QUIET && row->outcome != TC_OUTCOME_FIRED) {
		tc_sink_put(&job->sink, row->outcome == TC_OUTCOME_FAILED ? "<error" : "<skipped");
		put_attribute(&job->sink, "message", tc_text_from(row->reason ? row->reason : ""));
		tc_sink_put(&job->sink, "/>");
	}
	tc_sink_put(&job->sink, "</testcase>\n");
}

static void put_suite(struct tc_job *job, const struct tc_view *trace)
{
	struct tc_buf name = TC_BUF_EMPTY;
	int counts[4] = {0, 0, 0, 0}; /* all, failures, errors, skipped */

	for (size_t i = 0; i < job->advice->account_count; i++) {
		const struct tc_account_row *row = &job->advice->account[i];
		if (row->trace_id != trace->id)
			continue;
		const struct tc_finding *finding = finding_of(job, row);
		counts[0]++;
		counts[1] += finding && tc_gate_fails(job, finding);
		counts[2] += row->outcome == TC_OUTCOME_FAILED;
		counts[3] += row->outcome == TC_OUTCOME_NOT_APPLICABLE ||
			     row->outcome == TC_OUTCOME_NOT_ASKED;
	}
	tc_gate_name(&name, trace);
	tc_sink_put(&job->sink, "  <testsuite");
	put_attribute(&job->sink, "name", tc_buf_text(&name));
	tc_sink_format(&job->sink, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
		counts[0], counts[1], counts[2], counts[3]);
	for (size_t i = 0; i < job->advice->account_count; i++)
		if (job->advice->account[i].trace_id == trace->id)
			put_case(job, tc_buf_text(&name), &job->advice->account[i]);
	tc_sink_put(&job->sink, "  </testsuite>\n");
	tc_buf_end(&job->sink.buf, &name);
}

void tc_render_junit(struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);

	tc_sink_put(&job->sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				"<testsuites name=\"tracecoach\">\n");
	for (const struct tc_view *trace; (trace = tc_views_next(&views));)
		put_suite(job, trace);
	tc_sink_put(&job->sink, "</testsuites>\n");
}
