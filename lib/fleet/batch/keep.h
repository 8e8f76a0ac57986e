/* The files that a batch keeps of a job besides its rows: the store, the JSON report and the HTML
 * page, as far as the user wants them. */
#ifndef TC_FLEET_BATCH_KEEP_H
#define TC_FLEET_BATCH_KEEP_H

#include "fleet/batch/state.h"
#include "tracecoach/advice.h"

#define TC_KEEP_REPORTS 2

struct tc_keep {
	struct tc_ctx *ctx;
	char *store_path, *report_paths[TC_KEEP_REPORTS]; /* NULL when it is not kept */
};

/* Chooses the paths below OUT/jobs and makes their directories. */
enum tc_status tc_keep_open(
	struct tc_keep *keep, const struct tc_fleet *batch, const struct tc_found_job *job);
/* Writes the wanted reports of a store. */
enum tc_status tc_keep_reports(
	struct tc_keep *keep, struct tc_store *store, const struct tc_advice *advice);
void tc_keep_clear(struct tc_keep *keep);

/* True when the store of a job exists or is not wanted. */
bool tc_keep_is_there(const struct tc_fleet *batch, const struct tc_found_job *job);

#endif
