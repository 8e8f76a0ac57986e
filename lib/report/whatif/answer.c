/* Critical paths before and after the edits, and whether the gain is known; see answer.h. */
#include "report/whatif/answer.h"

#include "advice/settings/settings.h"
#include "replay/run/apply.h"
#include "report/text/format.h"
#include "report/view/rows.h"

static void write_trace(struct tc_whatif_output *output, const struct tc_whatif_trace *trace)
{
	int64_t before_ns = tc_whatif_before_ns(&trace->won, trace->wall_ns);

	if (!trace->is_late && before_ns > output->slowest_before_ns) {
		output->slowest_before_ns = before_ns;
		output->slowest_then_ns = tc_whatif_then_ns(&trace->won, trace->wall_ns);
		output->slowest_is_unknown = trace->is_unknown;
	}
	if (output->format == TC_WHATIF_TEXT) {
		struct tc_rows row = TC_ROWS(output->asked->ctx, output->db,
			"SELECT path FROM trace WHERE id = ?1", trace->trace_id);
		if (tc_rows_next(&row))
			tc_whatif_text(&output->sink, trace, tc_rows_text(&row, 0));
		tc_rows_close(&row);
		return;
	}
	tc_json_object(&output->json, NULL);
	tc_whatif_json(&output->json, trace);
	tc_json_end(&output->json);
}

/* If the trace does not have the calls that launch device work, no edit of the host moves that
 * work. A gain of nothing then means that the gain is unknown. */
static void find_unknown(struct tc_whatif_output *output, struct tc_whatif_trace *trace)
{
	trace->is_unknown =
		tc_format_share_pct(trace->won.gain_ns, trace->wall_ns) < TC_GAIN_NOTHING_PCT &&
		tc_rows_single(output->asked->ctx, output->db,
			"SELECT 1 FROM capability d JOIN capability l USING (trace_id)"
			" WHERE trace_id = ?1 AND d.name = 'device' AND d.present"
			" AND l.name = 'launches' AND NOT l.present",
			trace->trace_id);
}

enum tc_status tc_whatif_answer(struct tc_whatif_output *output, struct tc_whatif_trace *trace,
	const struct tc_replay *replay, const struct tc_meets *meets)
{
	struct tc_ctx *ctx = output->asked->ctx;
	struct tc_path before = {0}, then = {0};
	struct tc_replay applied = {0};

	trace->edit = tc_buf_string(&output->asked->text);
	trace->wall_ns = tc_replay_wall_ns(replay);
	enum tc_status status =
		trace->edit ? tc_path_find(&before, replay, ctx) : tc_no_memory(ctx);
	if (!status)
		status = tc_replay_apply(&applied, ctx, replay, &output->asked->set, meets);
	if (!status)
		status = tc_path_find(&then, &applied, ctx);
	trace->before = &before;
	trace->then = &then;
	if (!status) {
		find_unknown(output, trace);
		write_trace(output, trace);
	}
	tc_path_clear(&before);
	tc_path_clear(&then);
	tc_replay_clear(&applied);
	return status;
}
