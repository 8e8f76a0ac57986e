/* A thread each for analysis, replay and links; writing is on the caller's. See analyse.h. */
#include "import/analyse.h"

#include "import/relay.h"

/* Traces with more names and threads are analysed and replayed in turn: each holds something for
 * every one of them. A real trace has some thousands. */
enum { BESIDE_MAX_COUNT = 1 << 16 };

static enum tc_status analyse(void *user)
{
	struct tc_analysed *analysed = user;
	const struct tc_timeline *timeline = analysed->timeline;

	return tc_analysis_new(&analysed->analysis, timeline->ctx, timeline);
}

static enum tc_status replay(void *user)
{
	struct tc_analysed *analysed = user;

	return tc_whatif_run(&analysed->whatif, analysed->timeline, analysed->fixes);
}

enum tc_status tc_analysed_begin(struct tc_analysed *analysed, const struct tc_timeline *timeline,
	const struct tc_fixes *fixes, bool inline_stages)
{
	bool beside = !inline_stages &&
		      timeline->label_count + timeline->host_thread_count <= BESIDE_MAX_COUNT;

	*analysed = (struct tc_analysed){.timeline = timeline, .fixes = fixes};
	enum tc_status status = tc_task_begin(
		&analysed->analysing, timeline->ctx, !inline_stages, analyse, analysed);
	return status || !fixes ? status
				: tc_task_begin(&analysed->replaying, timeline->ctx, beside, replay,
					  analysed);
}

void tc_analysed_clear(struct tc_analysed *analysed)
{
	tc_task_drop(&analysed->analysing);
	tc_task_drop(&analysed->replaying);
	tc_analysis_free(analysed->analysis);
	tc_whatif_clear(&analysed->whatif);
}

/* ---- ties */

enum { BATCH_COUNT = 4 };

struct ties {
	struct tc_model *model;
	struct tc_relay relay;
};

static enum tc_status relay_ties(void *user)
{
	struct ties *ties = user;
	enum tc_status status = tc_model_emit_ties(ties->model, tc_relay_take_batch, &ties->relay);

	tc_relay_end(&ties->relay);
	return status;
}

enum tc_status tc_write_links(
	struct tc_ctx *ctx, struct tc_model *model, struct tc_writer *writer, bool inline_stages)
{
	struct ties ties = {.model = model};
	struct tc_task task = {0};

	if (inline_stages)
		return tc_model_emit_ties(model, tc_writer_take_batch, writer);
	enum tc_status status = tc_relay_init(&ties.relay, ctx, BATCH_COUNT);
	if (!status)
		status = tc_task_begin(&task, ctx, true, relay_ties, &ties);
	if (!status)
		status = tc_relay_write(&ties.relay, writer);
	enum tc_status emitted = tc_task_end(&task);
	tc_relay_clear(&ties.relay);
	return status ? status : emitted;
}
