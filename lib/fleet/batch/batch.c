/* A batch: finds the jobs, decides which of them to read, and makes the index of all. */
#include "fleet/batch/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "core/hash.h"
#include "tracecoach/version.h"
#include "core/context.h"
#include "core/files/remedy.h"
#include "store/connection.h"

/* Everything that changes the findings of a trace. */
static int64_t hash_settings(const struct tc_fleet_options *options)
{
	const struct tc_settings *settings = options->settings;
	const struct tc_heuristic *heuristic;
	struct tc_hash hash;

	tc_hash_init(&hash);
	tc_hash_add_string(&hash, tc_version(TC_VERSION_OF_STORE));
	tc_hash_add_string(&hash, options->no_side_files ? "no side files" : "");
	tc_hash_add(&hash, &settings->min_gain_pct, sizeof(settings->min_gain_pct));
	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++) {
		tc_hash_add_string(&hash, heuristic->id);
		tc_hash_add_string(&hash, heuristic->sql);
		tc_hash_add_string(&hash, heuristic->advice);
		tc_hash_add_string(&hash, tc_settings_off(settings, i));
		const double *values = tc_params_of(&settings->params, i);
		for (size_t k = 0; heuristic->params[k].name; k++)
			tc_hash_add(&hash, &values[k], sizeof(values[k]));
	}
	return (int64_t)tc_hash_value(&hash);
}

/* "OUT/index.db", for a shard "OUT/shard-3-of-8.db". */
static char *file_name(const struct tc_fleet_options *options, const char *end)
{
	struct tc_buf path = TC_BUF_EMPTY;

	if (options->shard_count > 0)
		tc_buf_format(&path, "%s/shard-%lld-of-%lld%s", options->out,
			(long long)options->shard, (long long)options->shard_count, end);
	else
		tc_buf_format(&path, "%s/index%s", options->out, end);
	return tc_buf_take_string(&path);
}

static enum tc_status make_out(struct tc_fleet *batch)
{
	const char *out = batch->options.out;

	batch->index_path = file_name(&batch->options, ".db");
	batch->log_path = file_name(&batch->options, ".log");
	if (!batch->index_path || !batch->log_path)
		return tc_no_memory(batch->ctx);
	if (mkdir(out, 0777) && errno != EEXIST)
		return tc_fail(batch->ctx, TC_ERR_IO, "cannot make %s: %s%s", out, strerror(errno),
			tc_remedy(errno, TC_TO_WRITE));
	return TC_OK;
}

/* What this or another batch writes is not an input. */
static bool is_out(void *user, const char *path)
{
	const struct tc_fleet *batch = user;
	struct stat out, directory;

	return (stat(batch->options.out, &out) == 0 && stat(path, &directory) == 0 &&
		       out.st_dev == directory.st_dev && out.st_ino == directory.st_ino) ||
	       tc_index_is(path);
}

static enum tc_status find_jobs(struct tc_fleet *batch)
{
	const struct tc_fleet_options *options = &batch->options;
	const struct tc_find_options find = {.is_skipped = is_out,
		.user = batch,
		.shard = options->shard,
		.shard_count = options->shard_count};

	batch->found = tc_find_jobs(batch->ctx, options->paths, options->path_count, &find);
	if (!batch->found)
		return tc_ctx_status(batch->ctx);
	batch->jobs = tc_calloc(batch->found->job_count + 1, sizeof(*batch->jobs));
	if (!batch->jobs)
		return tc_no_memory(batch->ctx);
	batch->facts = (struct tc_index_facts){.program_version = TC_VERSION,
		.root = batch->found->root,
		.settings_hash = hash_settings(options),
		.shard = options->shard,
		.shard_count = options->shard_count};
	return TC_OK;
}

/* Rows are reused only when the same program wrote them with the same settings. */
static enum tc_status open_old(struct tc_fleet *batch)
{
	const struct tc_sql_value hash = tc_sql_int(batch->facts.settings_hash);
	struct tc_ctx *own = tc_ctx_new();
	enum tc_status status = TC_OK;
	bool found = false;
	int64_t same = 0;

	if (!own)
		return tc_no_memory(batch->ctx);
	if (tc_index_open(&batch->old, own, batch->index_path) == TC_OK &&
		tc_sql_lookup(&same, &found, own, tc_store_db(batch->old),
			"SELECT program_version = '" TC_VERSION "' FROM batch"
			" WHERE settings_hash = ?1",
			&hash) == TC_OK &&
		same)
		status = tc_index_reader_new(&batch->reader, batch->ctx, tc_store_db(batch->old));
	else {
		tc_store_close(batch->old);
		batch->old = NULL;
	}
	batch->old_ctx = own; /* errors of the old store go here */
	return status;
}

static int by_path(const void *key, const void *job)
{
	const struct tc_text *path = key;
	const char *other = ((const struct tc_found_job *)job)->path;
	int order = strncmp(path->ptr, other, path->len);

	return order ? order : -(other[path->len] != '\0');
}

/* The job with that path; job_count when there is none. */
static size_t job_of(const struct tc_fleet *batch, struct tc_text path)
{
	const struct tc_found *found = batch->found;
	const struct tc_found_job *job =
		bsearch(&path, found->jobs, found->job_count, sizeof(*found->jobs), by_path);

	return job ? (size_t)(job - found->jobs) : found->job_count;
}

/* A later record of a job replaces an earlier one: the job was read again. */
static enum tc_status take_logged(void *user, int64_t place, struct tc_text record)
{
	struct tc_fleet *batch = user;
	struct tc_text rest = record;
	struct tc_row row;
	bool touched = false;

	if (!tc_record_next(&row, &rest) || row.kind != TC_ROW_JOB)
		return TC_OK;
	size_t job = job_of(batch, row.values[TC_JOB_PATH].text);
	if (job == batch->found->job_count)
		return TC_OK;
	bool same = tc_fleet_same(&touched, batch, job, record);
	batch->jobs[job] = (struct tc_fleet_job){.source = same ? TC_FLEET_LOG : TC_FLEET_WANTED,
		.place = place,
		.touched = touched};
	return tc_ctx_status(batch->ctx);
}

static enum tc_status open_log(struct tc_fleet *batch)
{
	struct tc_buf head = TC_BUF_EMPTY;

	tc_buf_format(&head, "tracecoach batch " TC_VERSION " %d %lld\n%s", TC_INDEX_VERSION,
		(long long)batch->facts.settings_hash, batch->facts.root);
	enum tc_status status =
		tc_buf_failed(&head) ? tc_no_memory(batch->ctx)
				     : tc_record_log_open(&batch->log, batch->ctx, batch->log_path,
					       tc_buf_text(&head), take_logged, batch);
	tc_buf_clear(&head);
	return status;
}

static void look_up_old(struct tc_fleet *batch, size_t index)
{
	const struct tc_found_job *found = &batch->found->jobs[index];
	struct tc_fleet_job *job = &batch->jobs[index];
	struct tc_buf record = TC_BUF_EMPTY;
	int64_t id = tc_index_reader_find(batch->reader, tc_text_from(found->path));

	if (id >= 0 && tc_index_reader_get(&record, batch->reader, id, true) == TC_OK &&
		tc_fleet_same(&job->touched, batch, index, tc_buf_text(&record))) {
		job->source = TC_FLEET_OLD;
		job->place = id;
	}
	tc_buf_clear(&record);
}

static int64_t bytes_of(const struct tc_found_job *job)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < job->trace_count; i++)
		bytes += job->traces[i].size_bytes;
	return bytes;
}

/* Decides for each job whether its rows can be reused. */
static enum tc_status look_up(struct tc_fleet *batch)
{
	struct tc_fleet_counts *counts = &batch->counts;

	counts->root = batch->found->root;
	counts->index_path = batch->index_path;
	for (size_t i = 0; i < batch->found->job_count && !tc_ctx_failed(batch->ctx); i++) {
		const struct tc_found_job *found = &batch->found->jobs[i];
		if (batch->jobs[i].source == TC_FLEET_WANTED && batch->reader)
			look_up_old(batch, i);
		if (!tc_keep_is_there(batch, found))
			batch->jobs[i].source = TC_FLEET_WANTED;
		counts->job_count++;
		counts->trace_count += (int64_t)found->trace_count;
		if (batch->jobs[i].source == TC_FLEET_WANTED) {
			counts->wanted_job_count++;
			counts->wanted_trace_count += (int64_t)found->trace_count;
			counts->wanted_bytes += bytes_of(found);
		}
	}
	return tc_ctx_status(batch->ctx);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum tc_status tc_fleet_open(
	struct tc_fleet **out, struct tc_ctx *ctx, const struct tc_fleet_options *options)
{
	struct tc_fleet *batch = tc_calloc(1, sizeof(*batch));

	if (!batch)
		return tc_no_memory(ctx);
	batch->ctx = ctx;
	batch->options = *options;
	batch->now_ns = now_ns();
	enum tc_status status = make_out(batch);
	if (!status)
		status = find_jobs(batch);
	if (!status)
		status = open_log(batch); /* the lock on the log keeps other batches out */
	if (!status)
		status = open_old(batch);
	if (!status)
		status = look_up(batch);
	if (status)
		tc_fleet_close(batch);
	else
		*out = batch;
	return status;
}

const struct tc_fleet_counts *tc_fleet_count(const struct tc_fleet *batch)
{
	return &batch->counts;
}

bool tc_fleet_next(struct tc_fleet *batch, size_t *job)
{
	while (batch->next < batch->found->job_count &&
		batch->jobs[batch->next].source != TC_FLEET_WANTED)
		batch->next++;
	if (batch->next == batch->found->job_count)
		return false;
	*job = batch->next;
	batch->jobs[batch->next++].source = TC_FLEET_GIVEN;
	return true;
}

size_t tc_fleet_job_traces(const struct tc_fleet *batch, size_t job)
{
	return batch->found->jobs[job].trace_count;
}

static void count_states(struct tc_fleet *batch, struct tc_text record)
{
	struct tc_row row;

	while (tc_record_next(&row, &record)) {
		if (row.kind != TC_ROW_TRACE)
			continue;
		if (tc_text_equal(row.values[TC_TRACE_STATE].text, TC_TEXT("done")))
			batch->counts.read_trace_count++;
		else
			batch->counts.left_out_count++;
	}
}

enum tc_status tc_fleet_take(struct tc_fleet *batch, size_t job, const char *bytes, size_t len)
{
	const struct tc_text record = {bytes, len};
	int64_t place;
	enum tc_status status = tc_record_log_append(&place, batch->log, record);

	if (status)
		return status;
	batch->jobs[job].source = TC_FLEET_LOG;
	batch->jobs[job].place = place;
	batch->jobs[job].touched = false;
	batch->counts.read_job_count++;
	batch->counts.read_bytes += bytes_of(&batch->found->jobs[job]);
	count_states(batch, record);
	return TC_OK;
}

enum tc_status tc_fleet_stop(struct tc_fleet *batch, size_t index, size_t trace, const char *reason)
{
	struct tc_fleet_job *job = &batch->jobs[index];
	size_t count = batch->found->jobs[index].trace_count;
	size_t first = trace < count ? trace : 0, last = trace < count ? trace : count - 1;

	if (!job->stopped)
		job->stopped = tc_calloc(count, sizeof(*job->stopped));
	for (size_t i = first; job->stopped && i <= last; i++) {
		if (job->stopped[i])
			continue;
		job->stopped[i] = tc_string_dup(reason);
		if (!job->stopped[i])
			return tc_no_memory(batch->ctx);
	}
	if (!job->stopped)
		return tc_no_memory(batch->ctx);
	job->source = TC_FLEET_WANTED;
	if (index < batch->next)
		batch->next = index;
	return TC_OK;
}

static void free_stopped(struct tc_fleet *batch)
{
	for (size_t i = 0; batch->jobs && i < batch->found->job_count; i++) {
		for (size_t k = 0; batch->jobs[i].stopped && k < batch->found->jobs[i].trace_count;
			k++)
			tc_free(batch->jobs[i].stopped[k]);
		tc_free(batch->jobs[i].stopped);
	}
}

void tc_fleet_detach(struct tc_fleet *batch)
{
	tc_record_log_close(batch->log, false);
	batch->log = NULL;
}

void tc_fleet_close(struct tc_fleet *batch)
{
	if (!batch)
		return;
	if (batch->found)
		free_stopped(batch);
	tc_record_log_close(batch->log, batch->is_published);
	tc_index_reader_free(batch->reader);
	tc_store_close(batch->old);
	tc_ctx_free(batch->old_ctx);
	tc_found_free(batch->found);
	tc_free(batch->jobs);
	tc_free(batch->index_path);
	tc_free(batch->log_path);
	tc_free(batch);
}
