/* See keep.h. */
#include "fleet/keep.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "tracecoach/output.h"
#include "tracecoach/report.h"
#include "core/context.h"
#include "core/remedy.h"

/* OUT/jobs/PATH.db, for the root itself OUT/jobs/root.db. */
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
				tc_remedy(error));
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
	keep->report_path = path_of(batch, job, ".json");
	if (!keep->store_path || !keep->report_path)
		return tc_fail(batch->ctx, TC_ERR_NOMEM, "out of memory");
	return make_directories(batch->ctx, keep->store_path);
}

static const struct tc_renderer *find_json(void)
{
	size_t count;
	const struct tc_renderer *renderer = tc_renderers(&count);

	while (strcmp(renderer->name, "json") != 0)
		renderer++;
	return renderer;
}

enum tc_status tc_keep_report(
	struct tc_keep *keep, struct tc_store *store, const struct tc_advice *advice)
{
	const struct tc_renderer *json = find_json();
	const struct tc_report_options options = {.step = -1, .rank = -1};
	struct tc_output *output = NULL;

	if (!keep->report_path)
		return TC_OK;
	enum tc_status status =
		tc_output_open(&output, keep->ctx, keep->report_path, keep->store_path);
	if (!status)
		status = tc_output_close(output,
			json->render(keep->ctx, store, advice, &options, tc_output_write, output));
	return status;
}

void tc_keep_clear(struct tc_keep *keep)
{
	tc_free(keep->store_path);
	tc_free(keep->report_path);
	*keep = (struct tc_keep){0};
}

bool tc_keep_is_there(const struct tc_fleet *batch, const struct tc_found_job *job)
{
	char *path = batch->options.keep_stores ? path_of(batch, job, ".db") : NULL;
	bool is_there = !path || access(path, R_OK) == 0;

	tc_free(path);
	return is_there;
}
