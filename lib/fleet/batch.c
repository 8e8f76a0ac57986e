/*
 * A batch: finds the jobs, decides which of them to read, takes what was read, and makes the index
 * of all. A job is read again unless the index of the last batch, or the log of one that was ended
 * before it wrote its index, has its rows and its files are as they were.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "fleet/batch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/files/ini.h"
#include "core/files/reads.h"
#include "core/hash.h"
#include "core/limits.h"
#include "core/text/decimal.h"
#include "side/side.h"
#include "store/connection.h"
#include "store/sql.h"
#include "tracecoach/version.h"

/* Everything that changes the findings of a trace. Of a file of peaks, which each job reads, that
 * is its text. */
static int64_t hash_settings(struct tc_ctx *ctx, const struct tc_fleet_options *options)
{
	const struct tc_settings *settings = options->settings;
	const struct tc_heuristic *heuristic;
	const char *path = options->peaks_path;
	struct tc_buf peaks = {.ctx = ctx};
	struct tc_hash hash;

	tc_hash_init(&hash);
	tc_hash_add_string(&hash, tc_version(TC_VERSION_OF_STORE));
	tc_hash_add_string(&hash, options->no_side_files ? "no side files" : "");
	tc_hash_add_string(&hash, options->device ? options->device : "");
	if (path)
		tc_reads_all(&peaks, ctx, tc_reads_open(ctx, path), TC_SETTINGS_MAX_FILE_BYTES,
			"the peaks in", path);
	if (path && tc_reads_expect(ctx, path) != 0)
		tc_no_memory(ctx);
	tc_hash_add_string(&hash, tc_buf_string(&peaks));
	tc_buf_clear(&peaks);
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
	size_t len = strlen(options->out);

	while (len > 1 && options->out[len - 1] == '/')
		len--;
	tc_buf_append(&path, options->out, len);
	if (options->shard_count > 0)
		tc_buf_format(&path, "/shard-%lld-of-%lld%s", (long long)options->shard,
			(long long)options->shard_count, end);
	else
		tc_buf_format(&path, "/index%s", end);
	return tc_buf_take_string(&path);
}

static void make_out(struct tc_fleet *batch)
{
	batch->index_path = file_name(&batch->options, ".db");
	batch->log_path = file_name(&batch->options, ".log");
	if (!batch->index_path || !batch->log_path)
		tc_no_memory(batch->ctx);
	else
		batch->claim = tc_out_claim(batch->ctx, batch->options.out,
			batch->options.is_ready ? TC_OUT_CLAIMED : TC_OUT_SHARED);
}

/* Directories that this or another batch writes to are no inputs. */
static bool is_out(void *user, const char *path)
{
	const struct tc_fleet *batch = user;

	return tc_fleet_is_out(batch->options.out, path);
}

char *tc_fleet_kept_path(
	const struct tc_fleet *batch, const struct tc_found_job *job, const char *end)
{
	struct tc_buf path = TC_BUF_EMPTY;

	tc_buf_format(&path, "%s/jobs/", batch->options.out);
	tc_index_append_kept(&path, tc_text_from(job->path));
	tc_buf_append_string(&path, end);
	return tc_buf_take_string(&path);
}

/* Another shard may have a trace where the report of a job goes, which only the file can tell: an
 * earlier report is JSON, too. */
static void keep_other_shards(struct tc_fleet *batch, const struct tc_found_job *job)
{
	char *report = tc_fleet_kept_path(batch, job, ".json");

	if (!report || (!tc_find_is_other_json(NULL, batch->ctx, report) &&
			       tc_reads_expect(batch->ctx, report)))
		tc_no_memory(batch->ctx);
	tc_free(report);
}

/* The files of jobs go below OUT/jobs, by the names of directories. A trace may have such a name,
 * and may not be read yet when a report is written. */
static void keep_traces(struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;
	struct tc_buf path = {.ctx = batch->ctx};

	for (size_t i = 0; i < found->job_count; i++) {
		for (size_t k = 0; k < found->jobs[i].trace_count; k++) {
			tc_buf_reset(&path);
			tc_found_path(&path, found->root, found->jobs[i].traces[k].path);
			if (tc_reads_expect(batch->ctx, tc_buf_string(&path)))
				tc_no_memory(batch->ctx);
		}
		if (batch->options.shard_count > 0)
			keep_other_shards(batch, &found->jobs[i]);
	}
	tc_buf_clear(&path);
}

static void find_jobs(struct tc_fleet *batch)
{
	const struct tc_fleet_options *options = &batch->options;
	const struct tc_find_options find = {.is_skipped = is_out,
		.user = batch,
		.shard = options->shard,
		.shard_count = options->shard_count,
		.is_ready = options->is_ready,
		.ready_user = options->ready_user,
		.apart = options->apart};

	batch->found = tc_find_jobs(batch->ctx, options->paths, options->path_count, &find);
	if (!batch->found)
		return;
	batch->jobs = tc_new(batch->ctx, batch->found->job_count + 1, sizeof(*batch->jobs));
	batch->facts = (struct tc_index_facts){.program_version = TC_VERSION,
		.root = batch->found->root,
		.settings_hash = hash_settings(batch->ctx, options),
		.shard = options->shard,
		.shard_count = options->shard_count};
}

/* ---- Jobs of the last batch that this one does not name: the new index is without them. */

/* The path of a trace below a root. */
static const char *path_of(struct tc_fleet *batch, const char *root, const char *trace)
{
	struct tc_buf path = {.ctx = batch->ctx};

	tc_found_path(&path, root, trace);
	return tc_arena_keep(&batch->found->arena, &path);
}

/* The paths of all traces of the batch below its root, in order. */
static size_t list_paths(const char ***out, struct tc_fleet *batch, const char *root)
{
	const struct tc_found *found = batch->found;
	size_t count = 0, capacity = 0;

	*out = NULL;
	for (size_t i = 0; i < found->job_count; i++)
		for (size_t k = 0; k < found->jobs[i].trace_count; k++) {
			const char *path = path_of(batch, root, found->jobs[i].traces[k].path);
			if (path)
				TC_PUSH(batch->ctx, *out, count, capacity, path);
		}
	TC_SORT(*out, count, tc_by_string);
	return count;
}

/* A trace that has been deleted is missed by nobody. */
static bool is_missed(const char *path, const char *const *paths, size_t count)
{
	return path && access(path, F_OK) == 0 &&
	       (count == 0 || !bsearch(&path, paths, count, sizeof(*paths), tc_by_string));
}

static void tell_missed(struct tc_fleet *batch)
{
	struct tc_rows row = tc_rows_open(batch->old_ctx, tc_store_db(batch->old),
		"SELECT b.root, t.job_id, t.path FROM batch b, trace t ORDER BY t.id");
	char root[PATH_MAX], old_root[PATH_MAX];
	bool is_there = realpath(batch->found->root, root) && tc_rows_next(&row) &&
			realpath(tc_rows_text(&row, 0).ptr, old_root);
	const char **paths = NULL;
	size_t count = is_there ? list_paths(&paths, batch, root) : 0;
	long long missed_count = 0;
	int64_t last = -1;

	for (; is_there; is_there = tc_rows_next(&row)) {
		const char *path = path_of(batch, old_root, tc_rows_text(&row, 2).ptr);
		if (tc_rows_int(&row, 1) == last || !is_missed(path, paths, count))
			continue;
		last = tc_rows_int(&row, 1);
		missed_count++;
	}
	tc_rows_close(&row);
	tc_free(paths);
	if (missed_count > 0)
		tc_ctx_note(batch->ctx, TC_NOTE_WARNING,
			"%s: goes without %lld job%s that it had and that no input has now: name "
			"all inputs, or another directory with -o, to keep %s",
			batch->index_path, missed_count, missed_count == 1 ? "" : "s",
			missed_count == 1 ? "it" : "them");
}

/* Rows are reused only when the same program wrote them with the same settings. Errors of the old
 * index go to a context of its own. */
static void open_old(struct tc_fleet *batch)
{
	const struct tc_sql_value hash = tc_sql_int(batch->facts.settings_hash);
	struct tc_ctx *own = tc_ctx_new();
	bool found = false;
	int64_t is_same = 0;

	batch->old_ctx = own;
	if (!own) {
		tc_no_memory(batch->ctx);
		return;
	}
	if (tc_index_open(&batch->old, own, batch->index_path) == TC_OK)
		tc_sql_lookup(&is_same, &found, own, tc_store_db(batch->old),
			"SELECT program_version = '" TC_VERSION "' FROM batch"
			" WHERE settings_hash = ?1",
			&hash);
	if (batch->old && !batch->options.is_ready) /* what is not ready yet comes back */
		tell_missed(batch);
	if (!tc_ctx_failed(own) && is_same) {
		batch->reader = tc_index_reader_new(batch->ctx, tc_store_db(batch->old));
		return;
	}
	tc_store_close(batch->old);
	batch->old = NULL;
}

/* ---- Which jobs are unchanged since they were read. Equal size and time are enough, unless the
 * time is recent; then the content is compared. A job that was stopped counts as changed, so it is
 * tried again. */

/* Some file systems store times in units of 2 s: within that, a file may change and keep its
 * time. */
#define FRESH_NS 2000000000

enum { CHUNK_BYTES = 256 * 1024 };

bool tc_fleet_hash_file(uint64_t *out, struct tc_ctx *ctx, const char *path)
{
	struct tc_hash hash;
	struct stat file;
	char *chunk = tc_malloc(CHUNK_BYTES);
	int fd = chunk && stat(path, &file) == 0 && S_ISREG(file.st_mode) ? tc_reads_open(ctx, path)
									  : -1;
	ssize_t len = fd < 0 ? -1 : 1;

	tc_hash_init(&hash);
	while (len > 0) {
		len = tc_reads_some(ctx, fd, chunk, CHUNK_BYTES);
		if (len > 0)
			tc_hash_add(&hash, chunk, (size_t)len);
	}
	if (fd >= 0)
		close(fd);
	tc_free(chunk);
	*out = tc_hash_value(&hash);
	return len == 0;
}

uint64_t tc_fleet_hash_side(const struct tc_fleet *batch, const char *path)
{
	struct tc_buf name = TC_BUF_EMPTY;
	struct tc_hash hash;
	struct stat file;
	bool is_any = false;

	tc_hash_init(&hash);
	for (size_t i = 0; !batch->options.no_side_files && tc_side_beside(&name, path, i); i++) {
		const char *side = tc_buf_string(&name);
		if (!side || stat(side, &file))
			continue;
		const int64_t facts[] = {
			(int64_t)i, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
		tc_hash_add(&hash, facts, sizeof(facts));
		is_any = true;
	}
	tc_buf_clear(&name);
	return is_any ? tc_hash_value(&hash) : 0;
}

static bool is_text(const struct tc_sql_value *value, const char *text)
{
	return value->kind == TC_SQL_TEXT && tc_text_equal(value->text, tc_text_from(text));
}

/* A recent time, or a later one, as clocks of other machines may give. */
static bool is_fresh(const struct tc_fleet *batch, int64_t mtime_ns)
{
	return mtime_ns > batch->now_ns - FRESH_NS;
}

static bool same_content(bool *touched, struct tc_fleet *batch, const char *path,
	const struct tc_found_trace *trace, const struct tc_row *row)
{
	bool same_time = row->values[TC_TRACE_MTIME].i64 == trace->mtime_ns;
	uint64_t hash;

	if (row->values[TC_TRACE_SIZE].i64 != trace->size_bytes)
		return false;
	if (same_time && !is_fresh(batch, trace->mtime_ns))
		return true;
	if (trace->is_special || !tc_fleet_hash_file(&hash, batch->ctx, path) ||
		row->values[TC_TRACE_HASH].i64 != (int64_t)hash)
		return false;
	*touched |= !same_time;
	return true;
}

static bool same_trace(bool *touched, struct tc_fleet *batch, const char *path,
	const struct tc_found_trace *trace, const struct tc_row *row)
{
	return is_text(&row->values[TC_TRACE_PATH], trace->path) &&
	       !is_text(&row->values[TC_TRACE_STATE], "stopped") &&
	       row->values[TC_TRACE_SIDE_HASH].i64 == (int64_t)tc_fleet_hash_side(batch, path) &&
	       same_content(touched, batch, path, trace, row);
}

/* Whether the record still describes the files of a job. *touched: their times changed, but not
 * their content. */
static bool same_job(bool *touched, struct tc_fleet *batch, size_t job, struct tc_text record)
{
	const struct tc_found_job *found = &batch->found->jobs[job];
	struct tc_buf path = {.ctx = batch->ctx};
	struct tc_row row;
	size_t count = 0;

	*touched = false;
	bool same = tc_record_next(&row, &record) && row.kind == TC_ROW_JOB &&
		    row.values[TC_JOB_REASON].kind == TC_SQL_NULL;
	while (same && tc_record_next(&row, &record)) {
		if (row.kind != TC_ROW_TRACE)
			continue;
		const struct tc_found_trace *trace = &found->traces[count];
		const char *full = count < found->trace_count
					   ? tc_found_path(&path, batch->found->root, trace->path)
					   : "";
		same = full && count < found->trace_count &&
		       same_trace(touched, batch, full, trace, &row);
		count++;
	}
	tc_buf_clear(&path);
	return same && count == found->trace_count;
}

/* ---- Which jobs are to be read. */

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
static void take_logged(void *user, int64_t place, struct tc_text record)
{
	struct tc_fleet *batch = user;
	struct tc_text rest = record;
	struct tc_row row;
	bool touched = false;

	if (!tc_record_next(&row, &rest) || row.kind != TC_ROW_JOB)
		return;
	size_t job = job_of(batch, row.values[TC_JOB_PATH].text);
	if (job == batch->found->job_count)
		return;
	bool same = same_job(&touched, batch, job, record);
	batch->jobs[job] = (struct tc_fleet_job){.source = same ? TC_FLEET_LOG : TC_FLEET_WANTED,
		.place = place,
		.touched = touched};
}

static void open_log(struct tc_fleet *batch)
{
	struct tc_buf head = {.ctx = batch->ctx};

	tc_buf_format(&head, "tracecoach batch " TC_VERSION " %d %lld\n%s", TC_INDEX_VERSION,
		(long long)batch->facts.settings_hash, batch->facts.root);
	if (!tc_ctx_failed(batch->ctx))
		batch->log = tc_record_log_open(
			batch->ctx, batch->log_path, tc_buf_text(&head), take_logged, batch);
	tc_buf_clear(&head);
}

static void look_up_old(struct tc_fleet *batch, size_t index)
{
	const struct tc_found_job *found = &batch->found->jobs[index];
	struct tc_fleet_job *job = &batch->jobs[index];
	struct tc_buf record = {.ctx = batch->ctx};
	int64_t id = tc_index_reader_find(batch->reader, tc_text_from(found->path));

	if (id >= 0)
		tc_index_reader_get(&record, batch->reader, id, true);
	if (id >= 0 && !tc_ctx_failed(batch->ctx) &&
		same_job(&job->touched, batch, index, tc_buf_text(&record))) {
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

/* Whether the store of a job exists or is not wanted. */
static bool has_store(const struct tc_fleet *batch, const struct tc_found_job *job)
{
	char *path = batch->options.keep_stores ? tc_fleet_kept_path(batch, job, ".db") : NULL;
	bool is_there = !path || access(path, R_OK) == 0;

	tc_free(path);
	return is_there;
}

/* Decides for each job whether its rows can be reused. */
static void look_up(struct tc_fleet *batch)
{
	struct tc_fleet_counts *counts = &batch->counts;

	counts->root = batch->found->root;
	counts->index_path = batch->index_path;
	for (size_t i = 0; i < batch->found->job_count && !tc_ctx_failed(batch->ctx); i++) {
		const struct tc_found_job *found = &batch->found->jobs[i];
		if (batch->jobs[i].source == TC_FLEET_WANTED && batch->reader)
			look_up_old(batch, i);
		if (!has_store(batch, found))
			batch->jobs[i].source = TC_FLEET_WANTED;
		counts->job_count++;
		counts->trace_count += (int64_t)found->trace_count;
		if (batch->jobs[i].source == TC_FLEET_WANTED) {
			counts->wanted_job_count++;
			counts->wanted_trace_count += (int64_t)found->trace_count;
			counts->wanted_bytes += bytes_of(found);
		}
	}
}

enum tc_status tc_fleet_open(
	struct tc_fleet **out, struct tc_ctx *ctx, const struct tc_fleet_options *options)
{
	TC_ENTER(ctx);
	TC_CHECK_SIZE(ctx, options);
	struct tc_fleet *batch = tc_ctx_failed(ctx) ? NULL : tc_calloc(1, sizeof(*batch));
	struct timespec now;

	if (!batch)
		return tc_no_memory(ctx);
	batch->ctx = ctx;
	batch->options = *options;
	batch->claim = -1;
	clock_gettime(CLOCK_REALTIME, &now);
	batch->now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	make_out(batch);
	if (!tc_ctx_failed(ctx))
		find_jobs(batch);
	if (!tc_ctx_failed(ctx) && options->keep_stores)
		keep_traces(batch);
	if (!tc_ctx_failed(ctx))
		open_log(batch); /* the lock on the log keeps other batches out */
	if (!tc_ctx_failed(ctx))
		open_old(batch);
	if (!tc_ctx_failed(ctx))
		look_up(batch);
	if (tc_ctx_failed(ctx))
		tc_fleet_close(batch);
	else
		*out = batch;
	return tc_ctx_status(ctx);
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
	TC_ENTER(batch->ctx);
	const struct tc_text record = {bytes, len};
	int64_t place = tc_record_log_append(batch->log, record);

	if (place < 0)
		return tc_ctx_status(batch->ctx);
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
	TC_ENTER(batch->ctx);
	struct tc_fleet_job *job = &batch->jobs[index];
	size_t count = batch->found->jobs[index].trace_count;
	size_t first = trace < count ? trace : 0, last = trace < count ? trace : count - 1;

	if (!job->stopped)
		job->stopped = tc_calloc(count, sizeof(*job->stopped));
	for (size_t i = first; job->stopped && i <= last; i++)
		if (!job->stopped[i] && !(job->stopped[i] = tc_string_dup(reason)))
			return tc_no_memory(batch->ctx);
	if (!job->stopped)
		return tc_no_memory(batch->ctx);
	job->source = TC_FLEET_WANTED;
	if (index < batch->next)
		batch->next = index;
	return TC_OK;
}

/* ---- What people say of a job: in a job.ini beside its traces or in a directory above, up to that
 * of the batch, the nearest first for each key; then by options. A file that cannot be used is left
 * out. */

enum { NOTES_MAX_BYTES = 64 * 1024 };
#define NOTES_NAME "job.ini"

struct note_reading {
	struct tc_fleet *batch;
	struct tc_fleet_notes *notes;
};

static void take_price(struct tc_fleet *batch, struct tc_fleet_notes *notes, const char *value)
{
	double price;

	if (!tc_decimal_double(&price, tc_text_from(value)) || price < 0 || price > 1e9)
		tc_fail(batch->ctx, TC_ERR_USAGE,
			"the price '%s' is no number from 0 to 1e9: give what a device hour costs",
			value);
	else if (notes->price.kind == TC_SQL_NULL)
		notes->price = tc_sql_real(price);
}

static void take_words(struct tc_fleet *batch, const char **note, const char *value)
{
	if (!*note && *value)
		*note = tc_arena_dup(&batch->found->arena, tc_text_from(value));
}

static void take_note(void *user, const char *section, const char *key, const char *value)
{
	const struct note_reading *reading = user;
	struct tc_fleet_notes *notes = reading->notes;

	if (strcmp(section, "job") != 0)
		tc_fail(reading->batch->ctx, TC_ERR_USAGE, "[%s]: the section is called [job]",
			section);
	else if (strcmp(key, "owner") == 0)
		take_words(reading->batch, &notes->owner, value);
	else if (strcmp(key, "commit") == 0)
		take_words(reading->batch, &notes->revision, value);
	else if (strcmp(key, "price") == 0)
		take_price(reading->batch, notes, value);
	else
		tc_fail(reading->batch->ctx, TC_ERR_USAGE,
			"%s: no such key: there are owner, commit and price", key);
}

static void leave_out_notes(struct tc_fleet *batch, const char *path)
{
	struct tc_found *found = batch->found;
	const struct tc_found_reason row = {tc_arena_dup(&found->arena, tc_text_from(path)),
		tc_arena_dup(&found->arena, tc_text_from(tc_ctx_error(batch->ctx)))};

	tc_ctx_clear_error(batch->ctx);
	if (!row.path || !row.reason)
		tc_no_memory(batch->ctx);
	else
		TC_PUSH(batch->ctx, found->left_out, found->left_out_count,
			found->left_out_capacity, row);
}

/* Reads DIRECTORY/job.ini, if it is there; the directory is below that of the batch. A pipe may
 * have no end. */
static void read_notes_in(
	struct tc_fleet *batch, struct tc_fleet_notes *notes, struct tc_text directory)
{
	struct note_reading reading = {batch, notes};
	const struct tc_ini ini = {.what = "the notes in",
		.kind = "an ini file of a job",
		.homeless = "a key of no section: write [job] above it",
		.formless = "neither [job] nor KEY = VALUE",
		.limit_bytes = NOTES_MAX_BYTES,
		.take = take_note,
		.user = &reading};
	struct tc_buf path = {.ctx = batch->ctx};
	struct stat info;

	TC_APPEND(&path, tc_text_from(batch->found->root), TC_TEXT("/"), directory,
		directory.len > 0 ? TC_TEXT("/") : TC_TEXT(""), TC_TEXT(NOTES_NAME));
	const char *file = tc_buf_string(&path);
	bool is_there = file && stat(file, &info) == 0;
	if (is_there && S_ISREG(info.st_mode))
		tc_ini_read(&ini, batch->ctx, file);
	else if (is_there)
		tc_fail(batch->ctx, TC_ERR_READ, "%s: not a regular file", file);
	if (tc_ctx_status(batch->ctx) == TC_ERR_USAGE || tc_ctx_status(batch->ctx) == TC_ERR_READ)
		leave_out_notes(batch, file + strlen(batch->found->root) + 1);
	tc_buf_clear(&path);
}

static void read_notes(struct tc_fleet *batch, size_t job)
{
	const struct tc_fleet_options *options = &batch->options;
	struct tc_fleet_notes *notes = &batch->jobs[job].notes;
	struct tc_text below = tc_text_from(batch->found->jobs[job].traces[0].path);

	*notes = (struct tc_fleet_notes){.price = tc_sql_null()};
	do {
		while (below.len > 0 && below.ptr[below.len - 1] != '/')
			below.len--;
		below.len -= below.len > 0;
		read_notes_in(batch, notes, below);
	} while (below.len > 0 && !tc_ctx_failed(batch->ctx));
	take_words(batch, &notes->owner, options->owner ? options->owner : "");
	take_words(batch, &notes->revision, options->commit ? options->commit : "");
	if (options->price > 0 && notes->price.kind == TC_SQL_NULL)
		notes->price = tc_sql_real(options->price);
}

TC_ORDER(compare_left_out, struct tc_found_reason, TC_UP_STRING(path));

/* A file that many jobs have above them is left out once. */
static void read_all_notes(struct tc_fleet *batch)
{
	struct tc_found *found = batch->found;
	size_t count = 0;

	for (size_t i = 0; i < found->job_count && !tc_ctx_failed(batch->ctx); i++)
		read_notes(batch, i);
	struct tc_found_reason *rows = found->left_out;
	TC_SORT(rows, found->left_out_count, compare_left_out);
	for (size_t i = 0; i < found->left_out_count; i++)
		if (count == 0 || strcmp(rows[count - 1].path, rows[i].path) != 0)
			rows[count++] = rows[i];
	found->left_out_count = count;
}

/* ---- The end: the index of all jobs, in the order of their paths. */

/* Writes a record again with the notes and the times that its files have now. */
static void add_current(struct tc_buf *out, const struct tc_fleet_job *job,
	const struct tc_found_job *found, struct tc_text record)
{
	struct tc_row row;
	size_t trace = 0;

	while (tc_record_next(&row, &record)) {
		if (row.kind == TC_ROW_JOB) {
			row.values[TC_JOB_OWNER] = tc_sql_string(job->notes.owner);
			row.values[TC_JOB_REVISION] = tc_sql_string(job->notes.revision);
			row.values[TC_JOB_PRICE] = job->notes.price;
		} else if (row.kind == TC_ROW_TRACE && job->touched) {
			row.values[TC_TRACE_MTIME] = tc_sql_int(found->traces[trace++].mtime_ns);
		}
		tc_record_add(out, row.kind, row.values, row.count);
	}
}

static void write_job(struct tc_index_writer *writer, struct tc_fleet *batch, size_t job)
{
	const struct tc_fleet_job *known = &batch->jobs[job];
	struct tc_buf record = {.ctx = batch->ctx}, current = {.ctx = batch->ctx};

	if (known->source == TC_FLEET_OLD)
		tc_index_reader_get(&record, batch->reader, known->place, false);
	else
		tc_record_log_read(&record, batch->log, known->place);
	add_current(&current, known, &batch->found->jobs[job], tc_buf_text(&record));
	if (!tc_ctx_failed(batch->ctx))
		tc_index_writer_add(writer, tc_buf_text(&current));
	tc_buf_clear(&record);
	tc_buf_clear(&current);
}

static void write_all(struct tc_index_writer *writer, struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;

	tc_index_writer_names(writer, batch->options.settings);
	for (size_t i = 0; i < found->job_count && !tc_ctx_failed(batch->ctx); i++) {
		/* An interrupt stops a running statement, but not the loop. */
		if (tc_ctx_interrupted(batch->ctx))
			tc_fail(batch->ctx, TC_ERR_INTERRUPTED, "interrupted");
		else
			write_job(writer, batch, i);
	}
	for (size_t i = 0; i < found->left_out_count; i++)
		tc_index_writer_leave_out(
			writer, found->left_out[i].path, found->left_out[i].reason);
}

static bool is_same_left_out(struct tc_fleet *batch, sqlite3 *db)
{
	const struct tc_found_reason *left_out = batch->found->left_out;
	size_t count = batch->found->left_out_count, at = 0;
	struct tc_rows row =
		tc_rows_open(batch->ctx, db, "SELECT path, reason FROM left_out ORDER BY path");

	while (at < count && tc_rows_next(&row) &&
		tc_text_equal(tc_rows_text(&row, 0), tc_text_from(left_out[at].path)) &&
		tc_text_equal(tc_rows_text(&row, 1), tc_text_from(left_out[at].reason)))
		at++;
	bool is_same = at == count && !tc_rows_next(&row);
	tc_rows_close(&row);
	return is_same;
}

static bool is_same_note(const struct tc_rows *row, int column, const char *note)
{
	return note ? tc_text_equal(tc_rows_text(row, column), tc_text_from(note))
		    : tc_rows_null(row, column);
}

/* Jobs of both are in one order. */
static bool are_same_notes(struct tc_fleet *batch, sqlite3 *db)
{
	struct tc_rows row =
		tc_rows_open(batch->ctx, db, "SELECT owner, revision, price FROM job ORDER BY id");
	bool is_same = true;

	for (size_t i = 0; i < batch->found->job_count && is_same && tc_rows_next(&row); i++) {
		const struct tc_fleet_notes *notes = &batch->jobs[i].notes;
		is_same = is_same_note(&row, 0, notes->owner) &&
			  is_same_note(&row, 1, notes->revision) &&
			  tc_rows_null(&row, 2) == (notes->price.kind == TC_SQL_NULL) &&
			  !(tc_rows_real(&row, 2) < notes->price.real) &&
			  !(tc_rows_real(&row, 2) > notes->price.real);
	}
	tc_rows_close(&row);
	return is_same;
}

/* Whether the new index would equal the old one. */
static bool is_up_to_date(struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;

	for (size_t i = 0; i < found->job_count; i++)
		if (batch->jobs[i].source != TC_FLEET_OLD || batch->jobs[i].touched)
			return false;
	if (!batch->old)
		return false;
	sqlite3 *db = tc_store_db(batch->old);
	struct tc_rows row = tc_rows_open(
		batch->ctx, db, "SELECT (SELECT count(*) FROM job) FROM batch WHERE root = ?1");
	tc_rows_bind_text(&row, 1, tc_text_from(found->root));
	bool is_same = tc_rows_next(&row) && (size_t)tc_rows_int(&row, 0) == found->job_count;
	tc_rows_close(&row);
	return is_same && is_same_left_out(batch, db) && are_same_notes(batch, db);
}

static void check_all_read(const struct tc_fleet *batch)
{
	for (size_t i = 0; i < batch->found->job_count; i++)
		if (batch->jobs[i].source < TC_FLEET_OLD)
			tc_fail(batch->ctx, TC_ERR_USAGE, "%s has not been read",
				batch->found->jobs[i].path);
}

enum tc_status tc_fleet_finish(struct tc_fleet *batch)
{
	TC_ENTER(batch->ctx);
	struct tc_index_writer *writer = NULL;

	check_all_read(batch);
	read_all_notes(batch);
	if (!tc_ctx_failed(batch->ctx) && !is_up_to_date(batch) && !tc_ctx_failed(batch->ctx))
		writer = tc_index_writer_open(batch->ctx, batch->index_path, &batch->facts);
	if (writer) {
		write_all(writer, batch);
		tc_index_writer_publish(writer);
	}
	batch->is_published = !tc_ctx_failed(batch->ctx);
	return tc_ctx_status(batch->ctx);
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
	if (batch->claim >= 0)
		close(batch->claim);
	tc_index_reader_free(batch->reader);
	tc_store_close(batch->old);
	tc_ctx_free(batch->old_ctx);
	tc_found_free(batch->found);
	tc_free(batch->jobs);
	tc_free(batch->index_path);
	tc_free(batch->log_path);
	tc_free(batch);
}
