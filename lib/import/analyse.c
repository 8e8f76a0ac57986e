/* Analysis and replay on one thread, links on a second, writing on the caller's; see analyse.h. */
#include "import/analyse.h"

#include <pthread.h>

#include "import/relay.h"

struct analyse {
	const struct tc_timeline *timeline;
	struct tc_model *model;
	struct tc_writer *writer;
	struct tc_relay relay;
	const struct tc_fixes *fixes;
	struct tc_analysed *analysed;
	enum tc_status analysis_status, ties_status;
};

enum { BATCH_COUNT = 4 };

enum tc_status tc_analyse(struct tc_analysed *analysed, const struct tc_timeline *timeline,
	const struct tc_fixes *fixes)
{
	enum tc_status status = tc_analysis_new(&analysed->analysis, timeline->ctx, timeline);

	return status || !fixes ? status : tc_whatif_run(&analysed->whatif, timeline, fixes);
}

static void *analyse(void *user)
{
	struct analyse *stage = user;

	stage->analysis_status = tc_analyse(stage->analysed, stage->timeline, stage->fixes);
	return NULL;
}

static void *relay_ties(void *user)
{
	struct analyse *stage = user;

	stage->ties_status = tc_model_emit_ties(stage->model, tc_relay_take_batch, &stage->relay);
	tc_relay_end(&stage->relay);
	return NULL;
}

static enum tc_status no_thread(const struct analyse *stage)
{
	return tc_fail(stage->timeline->ctx, TC_ERR_NOMEM, "cannot start a thread");
}

static enum tc_status run_threads(struct analyse *stage)
{
	pthread_t analysis, ties;
	enum tc_status status = tc_relay_init(&stage->relay, stage->timeline->ctx, BATCH_COUNT);

	if (status)
		return status;
	if (pthread_create(&analysis, NULL, analyse, stage))
		return no_thread(stage);
	if (pthread_create(&ties, NULL, relay_ties, stage)) {
		pthread_join(analysis, NULL);
		return no_thread(stage);
	}
	status = tc_relay_write(&stage->relay, stage->writer);
	pthread_join(ties, NULL);
	pthread_join(analysis, NULL);
	if (!status)
		status = stage->ties_status;
	return status ? status : stage->analysis_status;
}

static enum tc_status run_inline(struct analyse *stage)
{
	analyse(stage);
	return stage->analysis_status
		       ? stage->analysis_status
		       : tc_model_emit_ties(stage->model, tc_writer_take_batch, stage->writer);
}

enum tc_status tc_analyse_and_tie(struct tc_analysed *analysed, const struct tc_timeline *timeline,
	const struct tc_fixes *fixes, struct tc_model *model, struct tc_writer *writer,
	bool inline_stages)
{
	struct analyse stage = {.timeline = timeline,
		.fixes = fixes,
		.model = model,
		.writer = writer,
		.analysed = analysed};

	*analysed = (struct tc_analysed){0};
	enum tc_status status = inline_stages ? run_inline(&stage) : run_threads(&stage);
	tc_relay_clear(&stage.relay);
	return status;
}

void tc_analysed_clear(struct tc_analysed *analysed)
{
	tc_analysis_free(analysed->analysis);
	tc_whatif_clear(&analysed->whatif);
}
