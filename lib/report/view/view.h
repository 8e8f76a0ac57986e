/*
 * One trace as a report sees it: its row, its metrics, the parts of its time, the verdict in words,
 * and the evidence of its findings in words. The numbers come from the tallies; nothing here reads
 * slices.
 */
#pragma once

#include <stddef.h>

#include "advice/ranking/judge.h"
#include "analysis/metrics.h"
#include "core/saturate.h"
#include "core/text.h"
#include "names/label/label.h"
#include "report/job.h"
#include "report/text/format.h"
#include "store/sql.h"

/* ---- metrics of a trace or of one of its steps, as a small table */

struct tc_metric_cell {
	bool present;
	int64_t integer; /* the value, rounded when it is real */
	double real;
};

/* The metrics of one device, or of the run. */
struct tc_metric_set {
	char *device; /* NULL for the run */
	struct tc_metric_cell cells[TC_METRIC_COUNT];
};

struct tc_metrics {
	struct tc_metric_set run;
	struct tc_metric_set *devices; /* in the order of their names, numbers by value */
	size_t device_count, device_capacity;
};

#define TC_METRICS_EMPTY ((struct tc_metrics){0})

/* The metrics of a trace; of its step number `step` when step is not negative. */
void tc_metrics_load(struct tc_metrics *metrics, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id,
	int64_t step);
void tc_metrics_clear(struct tc_metrics *metrics);
/* The column has the name of a metric, the next one its value. Fills the cell of that metric;
 * ignores unknown names. */
void tc_metrics_take(struct tc_metric_set *set, const struct tc_rows *row, int column);

static inline int64_t tc_metric(const struct tc_metric_set *set, enum tc_metric id)
{
	return set->cells[id].integer;
}

static inline double tc_metric_real(const struct tc_metric_set *set, enum tc_metric id)
{
	return set->cells[id].real;
}

/* ---- the trace */

struct tc_part {
	enum tc_metric id;
	const char *name;
};

struct tc_host_part {
	enum tc_metric own, exposed;
	enum tc_role role;
};

/* The *count parts of a device's busy time; the rest of the wall time is idle. */
const struct tc_part *tc_device_parts(bool gaudi, size_t *count);
/* The *count parts of the launching threads' time; they add up to all of it. */
const struct tc_host_part *tc_host_parts(size_t *count);

/* How reports write an engine or a role: "TPC" for tpc, "data loader" for dataloader. */
struct tc_text tc_part_title(struct tc_text name);

/* Texts are borrowed for the call that gets the view. */
struct tc_view {
	int64_t id;
	int64_t trace_count; /* of the store */
	struct tc_text path, format, form, vendor, backend, device_name;
	/* Its name wherever it lies: the path, but an absolute one without the
	 * directory that all traces of the store share. */
	struct tc_text name;
	int64_t rank, world_size;                             /* -1 when not said */
	int64_t device_memory_bytes, read_bytes, event_count; /* 0 when not said */
	int64_t recorded_at_ns; /* since the epoch, as far as the clock of the file is that; 0 when
				   not said */
	int64_t step_count, working_step_count; /* steps; those that launched device work */
	int64_t step_first, step_last;          /* their numbers */
	int64_t before_steps_ns;                /* from the first event to the first step */
	int64_t loss_count;                     /* rows of import_log that say data was lost */
	enum tc_judge_once once;                /* what happens once is all that it shows */
	bool step_here;                         /* the step asked for is one of this trace */
	const struct tc_names *names;           /* of its device operations */
	struct tc_metrics whole;                /* of the whole trace */
	struct tc_metrics step;                 /* of the step asked for; empty without one */
	const struct tc_metrics *shown;         /* which of the two the report is about */
};

/* The traces that a report shows, one after the other:
 *
 *	struct tc_views views = tc_views_all(job);
 *
 *	for (const struct tc_view *view; (view = tc_views_next(&views));)
 *		put_trace(job, view);
 */
struct tc_views {
	struct tc_job *job;
	struct tc_rows rows;
	struct tc_view view; /* the current one; the names of the job are its names */
};

/* All traces of the store (of the rank asked for), in order. */
struct tc_views tc_views_all(struct tc_job *job);
/* The traces that are not ranks of a job; with --details or --step all of them. */
struct tc_views tc_views_rest(struct tc_job *job);
struct tc_views tc_views_one(struct tc_job *job, int64_t trace_id);
/* The next one, which lasts until the next call; NULL after the last, and after a failure. */
const struct tc_view *tc_views_next(struct tc_views *views);
/* Ends one that may have more. */
void tc_views_close(struct tc_views *views);

/* Appends the verdict: what the trace shows, or why it cannot show it, and what makes it doubtful.
 * It has no line ends. */
void tc_verdict(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view);
/* What comes before the verdict on a file that is cut: where it ends, and until when it has work of
 * devices. Of a rank of a job, not -1, it names the rank, and leaves it to the job to say what
 * follows. False, and nothing, for other files. */
bool tc_verdict_end(
	struct tc_buf *buf, struct tc_job *job, const struct tc_view *view, int64_t rank);
/* The verdict in two parts: the sentence to act on, and what limits it. */
void tc_verdict_parts(struct tc_buf *headline, struct tc_buf *limits, struct tc_job *job,
	const struct tc_view *view);
/* How long collectives wait for another rank while the one device of a trace computes nothing, and
 * the longest of them; its bytes are 0 where they are not recorded. Zeros for a step, for several
 * devices, and where no collective waits. */
struct tc_rank_wait {
	int64_t wait_ns, longest_ns, longest_bytes;
	int64_t guessed_count; /* collectives of which other ranks do not show how long they wait */
};

struct tc_rank_wait tc_view_rank_wait(struct tc_job *job, const struct tc_view *view);
/* Appends "collectives wait for another rank". */
void tc_append_rank_wait(struct tc_buf *buf);

/* The findings of a trace, one after the other: the first for NULL, NULL after the last.
 * for (const struct tc_finding *f = NULL; (f = tc_next_finding(advice, trace_id, f));) */
const struct tc_finding *tc_next_finding(
	const struct tc_advice *advice, int64_t trace_id, const struct tc_finding *before);
/* Its findings of one kind: fixes, or notes on the quality of the trace. */
const struct tc_finding *tc_next_of_kind(const struct tc_advice *advice, int64_t trace_id,
	enum tc_heuristic_kind kind, const struct tc_finding *before);
/* Appends a piece of the critical path (critical_path.piece) and its role or engine: "the device
 * computes", "the host works (dispatch)". */
void tc_append_piece(struct tc_buf *line, struct tc_text text, struct tc_text name);

/* The finding of a heuristic on a trace; NULL for none. */
const struct tc_finding *tc_find_finding(
	const struct tc_advice *advice, int64_t trace_id, const struct tc_heuristic *heuristic);

/* The checks of a trace, one after the other, as for findings. */
const struct tc_account_row *tc_next_check(
	const struct tc_advice *advice, int64_t trace_id, const struct tc_account_row *before);
/* The check of that id; NULL for none. */
const struct tc_account_row *tc_find_check(
	const struct tc_advice *advice, int64_t trace_id, const char *id);
/* Whether two checks have one outcome, for one reason. */
bool tc_check_is_alike(const struct tc_account_row *check, const struct tc_account_row *other);

/* How many heuristics had an outcome on a trace. */
int64_t tc_count_outcome(const struct tc_advice *advice, int64_t trace_id, enum tc_outcome outcome);

/* The title of a report on the trace. Markdown is for people elsewhere, so it has the name. */
struct tc_text tc_view_title(const struct tc_job *job, const struct tc_view *view);
/* Appends what recorded the trace, and on which device: "kineto, GAUDI2". */
void tc_view_append_kind(struct tc_buf *line, const struct tc_view *view);
/* Appends ", 3 steps". */
void tc_view_append_count(struct tc_buf *line, int64_t count, const char *noun);

/* False if the trace does not have the step that was asked for. Then there is only the verdict,
 * which says so. */
static inline bool tc_view_shows_time(const struct tc_job *job, const struct tc_view *view)
{
	return job->options.step < 0 || view->step_here;
}

/* False when the trace cannot show how well the device is used; the verdict says why. */
bool tc_verdict_judges(const struct tc_view *view);

/* Which rows of idle_cause are those of the time shown: of all devices together, for the parameters
 * trace and step, -1 without one. */
#define TC_IDLE_SHOWN " trace_id = ?1 AND device IS NULL AND step IS nullif(?2, -1)"

/* The device metrics that stand for the trace: those of all devices together, or those of the first
 * device where the tallies have none for all (as for a step). */
static inline const struct tc_metric_set *tc_view_device(const struct tc_view *view)
{
	const struct tc_metrics *shown = view->shown;

	if (shown->run.cells[TC_METRIC_IDLE].present || shown->device_count == 0)
		return &shown->run;
	return &shown->devices[0];
}

/* Analysed wall time in which nothing on a device works, start-up and end apart. */
static inline int64_t tc_view_idle_ns(const struct tc_metric_set *device)
{
	return tc_metric(device, TC_METRIC_IDLE);
}

/* The analysed time without start-up and end of a recording without steps. */
static inline int64_t tc_view_run_ns(const struct tc_view *view, const struct tc_metric_set *device)
{
	return tc_sub_saturated(tc_metric(&view->shown->run, TC_METRIC_WALL),
		tc_metric(device, TC_METRIC_START_AND_END));
}

/* The share of that time in which the device, NICs included, is known to do something. */
static inline double tc_view_busy_pct(
	const struct tc_view *view, const struct tc_metric_set *device)
{
	return 100 - tc_format_share_pct(tc_add_saturated(tc_view_idle_ns(device),
						 tc_metric(device, TC_METRIC_DEVICE_UNKNOWN)),
			     tc_view_run_ns(view, device));
}

/* Whether the store says that the trace has a capability, such as TC_METRIC_HAS_DEVICE. */
static inline bool tc_view_has(const struct tc_view *view, enum tc_metric capability)
{
	return tc_metric(&view->whole.run, capability) != 0;
}
/* Whether the store says that the trace is not of a deep-learning run. */
static inline bool tc_view_is_other(const struct tc_view *view)
{
	const struct tc_metric_cell *cell = &view->whole.run.cells[TC_METRIC_HAS_FRAMEWORK];

	return cell->present && cell->integer == 0;
}

/* Appends the name of the trace, with its rank where there is one. */
static inline void tc_view_append_name(struct tc_buf *name, const struct tc_view *view)
{
	tc_buf_append_text(name, view->name);
	if (view->rank >= 0)
		tc_buf_format(name, " (rank %lld)", (long long)view->rank);
}

/* The steady run of a trace, of which gains are shares; without one its wall time. */
int64_t tc_view_steady_ns(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

/* ---- inputs that were left out of a store. Reports say so before anything else, since
 * they then cover less than the user asked for. */

/* Columns path and reason, in the order in which the inputs were given. */
extern const char tc_left_out_sql[];

/* Appends "2 of 12 inputs were left out", nothing where none was. */
void tc_left_out_append(struct tc_buf *text, struct tc_ctx *ctx, sqlite3 *db);

/* ---- evidence.c: evidence in words: the rows of a finding, each column in the words of its
 * heuristic. Columns that are the same in all rows are written once, on a separate line. */

/* "aten::item: 12 times, up to 3.200 ms, the host blocked for 4.100 ms" for a row of a finding. */
void tc_evidence_line(
	struct tc_buf *line, struct tc_job *job, const struct tc_finding *finding, size_t index);

/* "the same for all: 3 steps": what the rows have in common; nothing for a single row. */
void tc_evidence_common(struct tc_buf *line, const struct tc_finding *finding);
/* The text in a column of a row of evidence; empty without one. */
struct tc_text tc_evidence_text(const struct tc_finding *finding, size_t row, const char *column);

/* The gain of a finding with its range. */
static inline struct tc_gain_shown tc_gain_of(const struct tc_finding *finding)
{
	return (struct tc_gain_shown){
		finding->gain_ns, finding->gain_low_ns, finding->gain_high_ns};
}
/* The gain of a fix for a unit of work, such as a sample: of a steady step, as the report on its
 * trace has it, by the batch; by_step false, or without steps: of the run, by the units in it.
 * Zeros for no finding, and for one without a gain. */
struct tc_gain_shown tc_gain_of_unit(const struct tc_job *job, const struct tc_finding *finding,
	bool by_step, int64_t batch, int64_t unit_count);
/* Whether the store has only what the fix saves of the run, as one that was made with other
 * settings may; false for no finding. */
bool tc_gain_lacks_step(const struct tc_job *job, const struct tc_finding *finding);
/* Another time that the fix saves, of a step or of a job: its range is as wide as that of the gain.
 */
struct tc_gain_shown tc_gain_like(const struct tc_finding *finding, int64_t likely_ns);

/* "Saves 3.200 ms, 4.1 % of the run", or that a fix saves nothing, or that nobody knows;
 * nothing of notes on the recording. */
void tc_evidence_gain(struct tc_buf *buf, struct tc_job *job, const struct tc_finding *finding);
/* Behind that: "; severity low, measured." */
void tc_evidence_severity(struct tc_buf *buf, const struct tc_finding *finding);
