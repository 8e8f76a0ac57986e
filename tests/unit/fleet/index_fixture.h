/* Indexes for tests: jobs as a table of numbers, written with SQL. */
#ifndef TC_TEST_INDEX_FIXTURE_H
#define TC_TEST_INDEX_FIXTURE_H

#include "store_files.h"

#include "tracecoach/fleet.h"
#include "tracecoach/version.h"

extern const char tc_index_sql[];

struct index_fix {
	int heuristic; /* of index_heuristics */
	int64_t gain_ns;
};

struct index_job {
	const char *path, *device;
	int world_size, traces;
	int64_t wall_ns, idle_ns, compute_ns;
	int steps; /* other than warm-up, each of step_ns, one shorter and one longer by
		      spread_ns */
	int64_t step_ns, spread_ns;
	struct index_fix fixes[4]; /* ranked; a gain of 0 ends them */
	int blind;
};

static const char *const index_heuristics[] = {"dataloader-bound", "host-bound", "recompilation"};

static const char *const index_titles[] = {"The device waits for the data loader",
	"The host cannot feed the device fast enough", "Graphs are compiled again after warm-up"};

static const char *const index_metrics[] = {"wall_ns", "step_count", "host_step_mean_ns",
	"steady_step_count", "steady_step_sum_ns", "steady_step_min_ns",
	"steady_step_lower_quartile_ns", "steady_step_median_ns", "steady_step_upper_quartile_ns",
	"steady_step_max_ns", "idle_ns", "compute_busy_ns", "has_device", "device_count"};

enum { INDEX_METRICS = sizeof(index_metrics) / sizeof(index_metrics[0]) };

static inline void index_run(sqlite3 *db, char *sql)
{
	assert_non_null(sql);
	exec_sql(db, sql);
	sqlite3_free(sql);
}

static inline sqlite3 *index_begin(const char *path)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	exec_sql(db, "PRAGMA journal_mode = OFF; BEGIN");
	exec_sql(db, tc_index_sql);
	exec_sql(db,
		"INSERT INTO batch(program_version, settings_hash, root) VALUES ('1', 1, '/n')");
	for (int i = 0; i < INDEX_METRICS; i++) {
		index_run(db, sqlite3_mprintf("INSERT INTO metric VALUES (%d, %Q, 'ns')", i,
				      index_metrics[i]));
		index_run(db, sqlite3_mprintf("INSERT INTO metric_set VALUES (0, %d)", i));
	}
	for (int i = 0; i < 3; i++)
		index_run(db, sqlite3_mprintf("INSERT INTO heuristic VALUES"
					      " (%d, %Q, 'fix', %Q, 'The advice')",
				      i, index_heuristics[i], index_titles[i]));
	return db;
}

static inline void index_add_trace(
	sqlite3 *db, const struct index_job *job, int job_id, int trace_id, int rank)
{
	bool has_device = job->compute_ns > 0;
	const int64_t values[INDEX_METRICS] = {job->wall_ns, job->steps, job->step_ns, job->steps,
		job->step_ns * job->steps, job->step_ns - job->spread_ns,
		job->step_ns - job->spread_ns / 2, job->step_ns, job->step_ns + job->spread_ns / 2,
		job->step_ns + job->spread_ns, job->idle_ns, job->compute_ns, has_device,
		has_device};

	index_run(db,
		sqlite3_mprintf("INSERT INTO trace(id, job_id, path, size_bytes, mtime_ns,"
				" content_hash, side_hash, state, device_name, rank,"
				" world_size, metric_set_id, is_judged, blind_count, fault_count)"
				" VALUES (%d, %d, '%q/r%d.json', 1, 1, 1, 0, 'done', %Q, %d,"
				" %d, 0, 1, %d, 0)",
			trace_id, job_id, job->path, rank, job->device, rank, job->world_size,
			job->blind));
	for (int i = 0; i < INDEX_METRICS; i++)
		if (values[i] != 0)
			index_run(
				db, sqlite3_mprintf("INSERT INTO run_metric VALUES (%d, %d, %lld)",
					    trace_id, i, (long long)values[i]));
	for (int i = 0; i < 4 && job->fixes[i].gain_ns > 0; i++)
		index_run(db, sqlite3_mprintf("INSERT INTO finding VALUES (%d, %d, %d, 'high',"
					      " 'measured', %lld, 1.0, 'x')",
				      trace_id, i + 1, job->fixes[i].heuristic,
				      (long long)job->fixes[i].gain_ns));
}

/* Jobs in the order of their paths; the first trace of each stands for it. */
static inline int index_add(sqlite3 *db, const struct index_job *job, int job_id, int trace_id)
{
	index_run(db, sqlite3_mprintf("INSERT INTO job (id, path, state, pace_trace_id) VALUES "
				      "(%d, %Q, 'done', %d)",
			      job_id, job->path, trace_id));
	for (int i = 0; i < job->traces; i++)
		index_add_trace(db, job, job_id, trace_id++, i);
	return trace_id;
}

static inline void index_end(sqlite3 *db)
{
	char header[128];

	exec_sql(db, "COMMIT");
	snprintf(header, sizeof(header), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		TC_INDEX_APPLICATION_ID, TC_INDEX_VERSION);
	exec_sql(db, header);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline void index_make(const char *path, const struct index_job *jobs, int count)
{
	sqlite3 *db = index_begin(path);

	for (int i = 0, trace_id = 0; i < count; i++)
		trace_id = index_add(db, &jobs[i], i, trace_id);
	index_end(db);
}

#endif
