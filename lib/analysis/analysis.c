/*
 * The order of the accounts: lanes first, because the host sweep needs to know when devices are
 * idle; then the survey, because the sweep needs to know which threads count.
 */
#include "analysis/analysis.h"

#include "analysis/capability.h"
#include "analysis/device_metrics.h"
#include "analysis/host_sweep.h"

struct passes {
	struct tc_gap_spool spool;
	struct tc_device_account devices;
	struct tc_windows windows;
	struct tc_survey survey;
	struct tc_metric_writer *writer;
};

/* All passes over the timeline; the last one also writes what it finds. */
static enum tc_status run_passes(
	struct passes *passes, struct tc_ctx *ctx, sqlite3 *db, const struct tc_timeline *timeline)
{
	enum tc_status status = tc_gap_spool_init(&passes->spool, ctx);

	if (!status)
		status = tc_device_account_init(&passes->devices, timeline, &passes->spool);
	if (!status)
		status = tc_device_account_run(&passes->devices);
	if (!status)
		status = tc_windows_init(&passes->windows, &passes->devices);
	if (!status)
		status = tc_survey_run(&passes->survey, timeline, &passes->spool, &passes->windows);
	if (status)
		return status;
	struct tc_host_sweep_input input = {
		timeline, &passes->devices, &passes->windows, &passes->survey, &passes->spool};
	return tc_host_sweep(ctx, db, passes->writer, &input);
}

static enum tc_status write_accounts(struct passes *passes, struct tc_ctx *ctx, sqlite3 *db)
{
	enum tc_status status =
		tc_step_metrics_write(passes->writer, &passes->devices, &passes->windows);

	if (!status)
		status =
			tc_device_metrics_write(passes->writer, &passes->devices, &passes->windows);
	if (!status)
		status = tc_steps_update(ctx, db, &passes->devices, &passes->windows);
	if (!status)
		status = tc_op_account_write(&passes->devices.ops, ctx, db);
	if (!status)
		status = tc_capabilities_write(
			ctx, db, passes->writer, &passes->devices, &passes->survey);
	if (!status)
		status = tc_clamped_log(&passes->devices, ctx, db);
	return status;
}

enum tc_status tc_analyze(struct tc_ctx *ctx, sqlite3 *db, const struct tc_timeline *timeline)
{
	struct passes passes = {0};
	enum tc_status status = tc_metric_writer_new(&passes.writer, ctx, db, timeline->trace_id);

	if (!status)
		status = run_passes(&passes, ctx, db, timeline);
	if (!status)
		status = write_accounts(&passes, ctx, db);
	tc_metric_writer_free(passes.writer);
	tc_survey_clear(&passes.survey);
	tc_windows_clear(&passes.windows);
	tc_device_account_clear(&passes.devices);
	tc_gap_spool_clear(&passes.spool);
	return status;
}
