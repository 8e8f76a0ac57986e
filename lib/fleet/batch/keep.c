#include "fleet/batch/state.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "tracecoach/output.h"
#include "tracecoach/report.h"
#include "core/context.h"
#include "core/files/remedy.h"

/* The format of each report, after a dot. */
static const char *const report_ends[TC_KEEP_REPORTS] = {".json", ".html"};

/* OUT/jobs/PATH.db; for the root itself OUT/jobs/root.db. */
static char *path_of(const struct tc_fleet *batch, const struct tc_found_job *job, const char *end)
{
	struct tc_buf path = TC_BUF_EMPTY;

	tc_buf_format(&path, "%s/jobs/%s%s", batch->options.out,
		strcmp(job->path, ".") == 0 ? "root" : job->path, end);
	return tc_buf_take_string(&path);
}

/* Makes the directories above a path. */
static enum tc_status make_directories(struct tc_ctx *ctx, char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int error = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
		if (error)
			tc_fail(ctx, TC_ERR_IO, "cannot make %s: %s%s", path, strerror(error),
				tc_remedy(error, TC_TO_WRITE));
		*slash = '/';
		if (error)
			return TC_ERR_IO;
	}
	return TC_OK;
}

enum tc_status tc_keep_open(
	struct tc_keep *keep, const struct tc_fleet *batch, const struct tc_found_job *job)
{
	*keep = (struct tc_keep){.ctx = batch->ctx};
	if (!batch->options.keep_stores)
		return TC_OK;
	keep->store_path = path_of(batch, job, ".db");
	for (int i = 0; i < TC_KEEP_REPORTS; i++) {
		keep->report_paths[i] = path_of(batch, job, report_ends[i]);
		if (!keep->report_paths[i])
			return tc_no_memory(batch->ctx);
	}
	if (!keep->store_path)
		return tc_no_memory(batch->ctx);
	return make_directories(batch->ctx, keep->store_path);
}

static const struct tc_renderer *find_renderer(const char *name)
{
	size_t count;
	const struct tc_renderer *renderer = tc_renderers(&count);

	while (strcmp(renderer->name, name) != 0)
		renderer++;
	return renderer;
}

enum tc_status tc_keep_reports(
	struct tc_keep *keep, struct tc_store *store, const struct tc_advice *advice)
{
	const struct tc_report_options options = {.step = -1, .rank = -1};
	enum tc_status status = TC_OK;

	for (int i = 0; i < TC_KEEP_REPORTS && keep->report_paths[i] && !status; i++) {
		struct tc_output *output = NULL;
		const struct tc_renderer *renderer = find_renderer(report_ends[i] + 1);
		status =
			tc_output_open(&output, keep->ctx, keep->report_paths[i], keep->store_path);
		if (!status)
			status =
				tc_output_close(output, renderer->render(keep->ctx, store, advice,
								&options, tc_output_write, output));
	}
	return status;
}

void tc_keep_clear(struct tc_keep *keep)
{
	tc_free(keep->store_path);
	for (int i = 0; i < TC_KEEP_REPORTS; i++)
		tc_free(keep->report_paths[i]);
	*keep = (struct tc_keep){0};
}

bool tc_keep_is_there(const struct tc_fleet *batch, const struct tc_found_job *job)
{
	char *path = batch->options.keep_stores ? path_of(batch, job, ".db") : NULL;
	bool is_there = !path || access(path, R_OK) == 0;

	tc_free(path);
	return is_there;
}
