/*
 * The report on an index as a document: the fleet in a sentence, its jobs, advice over all of them,
 * what changed, what could not be judged. It fits on a page, however many jobs there are.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/context.h"
#include "core/files/place.h"
#include "fleet/index.h"
#include "fleet/report.h"
#include "report/text/format.h"
#include "store/connection.h"
#include "store/sql.h"

/* Money, where a job has a price; nothing where no job has one. */
static void cell_cost(struct tc_doc *doc, const struct tc_fleet *fleet,
	const struct tc_fleet_job *job, double hours)
{
	if (fleet->has_prices)
		tc_doc_cell_hours(doc, job->notes.price >= 0 ? tc_fleet_cost(job, hours) : NAN);
}

/* Sums over jobs; device hours per day count where the job's times are those of its run. */
struct sums {
	int64_t job_count, trace_count, device_count;
	double all, run, idle, lost, won; /* hours; idle ones are of those of the run */
	double cost;                      /* of the lost ones, in jobs with a price */
};

static void add_sums(struct sums *sums, const struct tc_fleet_job *job)
{
	sums->job_count++;
	sums->trace_count += job->trace_count;
	if (!tc_fleet_has_hours(job))
		return;
	sums->device_count = tc_add_saturated(sums->device_count, job->device_count);
	sums->all += tc_fleet_hours(job, job->wall_ns);
	sums->run += tc_fleet_hours(job, job->run_ns);
	sums->idle += tc_fleet_hours(job, job->idle_ns);
	sums->lost += tc_fleet_hours(job, job->lost_ns);
	sums->won += tc_fleet_hours(job, job->best.gain_ns);
	sums->cost += tc_fleet_cost(job, tc_fleet_hours(job, job->lost_ns));
}

/* The id of a fix, which commands take; "-" for TC_STRTAB_NONE. */
static struct tc_text id_of_fix(const struct tc_fleet *fleet, uint32_t heuristic)
{
	return heuristic == TC_STRTAB_NONE ? TC_TEXT("-") : tc_fleet_text(fleet, heuristic);
}

/* A job and the number to sort by: largest first, then by path. */
struct place {
	double key;
	size_t job;
};

TC_ORDER(compare_places, struct place, TC_DOWN(key) TC_UP(job));

typedef bool (*place_fn)(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome);

/* Jobs with hours, by those that are lost; any outcome. */
static bool place_lost(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[place->job];

	(void)outcome;
	place->key = tc_fleet_hours(job, job->lost_ns);
	return tc_fleet_has_hours(job);
}

static bool place_changed(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	const struct tc_fleet_change *change = &fleet->changes[place->job];

	place->key = fabs(tc_fleet_change_hours(&fleet->sides[TC_AFTER].jobs[place->job], change));
	return change->has_steps && change->result.judged && change->result.outcome == outcome;
}

static size_t *sort(
	size_t *count, struct tc_fleet *fleet, place_fn place, enum tc_compare_outcome outcome)
{
	size_t job_count = fleet->sides[TC_AFTER].job_count;
	struct place *places = tc_arena_take(&fleet->arena, job_count + 1, sizeof(*places));
	size_t *jobs = tc_arena_take(&fleet->arena, job_count, sizeof(*jobs));

	*count = 0;
	if (tc_ctx_failed(fleet->ctx))
		return jobs;
	for (size_t i = 0; i < job_count; i++) {
		places[*count].job = i;
		*count += place(&places[*count], fleet, outcome);
	}
	TC_SORT(places, *count, compare_places);
	for (size_t i = 0; i < *count; i++)
		jobs[i] = places[i].job;
	return jobs;
}

/* Puts the first jobs, `most` at most. Returns how many there are. */
static size_t put_first(struct tc_doc *doc, struct tc_fleet *fleet, place_fn place,
	enum tc_compare_outcome outcome, size_t most,
	void (*put)(struct tc_doc *doc, const struct tc_fleet *fleet, size_t job))
{
	size_t count, *jobs = sort(&count, fleet, place, outcome);

	for (size_t i = 0; i < count && i < most; i++)
		put(doc, fleet, jobs[i]);
	return count;
}

/* The directory of the index; the path may be that directory or the file in it. */
static void append_directory(struct tc_buf *buf, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (tc_place_is_directory(path))
		tc_buf_format(buf, "%s/", path);
	else if (slash)
		tc_buf_append(buf, path, (size_t)(slash + 1 - path));
}

/* A path as part of a URL. */
static void append_escaped(struct tc_buf *buf, struct tc_text path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.~/";

	for (size_t i = 0; i < path.len; i++) {
		if (memchr(plain, path.ptr[i], sizeof(plain) - 1))
			tc_buf_append_char(buf, path.ptr[i]);
		else
			tc_buf_format(buf, "%%%02X", (unsigned char)path.ptr[i]);
	}
}

/* A cell with the path of the job, which links to the page of the job, which --keep-stores writes
 * beside the index, where the format has links and the page exists. */
static void put_name(
	struct tc_doc *doc, const struct tc_fleet *fleet, const struct tc_fleet_job *job)
{
	struct tc_buf name = TC_BUF_EMPTY, path = TC_BUF_EMPTY;

	tc_doc_cell_text(doc, tc_fleet_text(fleet, job->path));
	if (!fleet->has_links)
		return;
	tc_index_append_kept(&name, tc_fleet_text(fleet, job->path));
	append_directory(&path, fleet->sides[TC_AFTER].path);
	tc_buf_format(&path, "jobs/%.*s.html", (int)name.len, name.ptr);
	const char *file = tc_buf_string(&path);
	if (file && access(file, R_OK) == 0) {
		tc_buf_append_string(tc_doc_link(doc), "jobs/");
		append_escaped(&doc->text, tc_buf_text(&name));
		tc_buf_append_string(&doc->text, ".html");
	}
	tc_buf_end(&doc->text, &name);
	tc_buf_end(&doc->text, &path);
}

/* ---- Groups of jobs, by the first components of their paths: teams, models, clusters. */

/* The gain of a fix in a job of a group, or in all of them. */
struct win {
	size_t group, job;
	uint32_t fix;
	double hours;
	size_t first_count; /* jobs of which it is the first */
};

struct group {
	struct tc_text name;
	struct sums sums;
	struct win best; /* of the fix that wins most in all its jobs together */
};
TC_ORDER(compare_wins, struct win, TC_UP(group) TC_UP(fix) TC_UP(job));

/* The group of a path: its first components, as many as --group-by asks for. */
static struct tc_text group_of(struct tc_text path, int component_count)
{
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' && --component_count == 0)
			return (struct tc_text){path.ptr, i};
	return path;
}

TC_ORDER(compare_groups, struct group, TC_DOWN(sums.lost) TC_UP_TEXT(name));

static void put_group(struct tc_doc *doc, const struct tc_fleet *fleet, const struct group *group)
{
	bool has_fix = group->best.hours > 0;

	tc_doc_cell_text(doc, group->name);
	tc_doc_cell_count(doc, group->sums.job_count);
	tc_doc_cell_count(doc, group->sums.device_count);
	if (group->sums.run > 0)
		tc_doc_cell_share(doc, group->sums.idle / group->sums.run * 100);
	else
		tc_doc_cell_string(doc, "-");
	tc_doc_cell_hours(doc, group->sums.lost);
	tc_doc_cell_hours(doc, has_fix ? group->best.hours : NAN);
	tc_doc_tone(doc, TC_TONE_GAIN);
	tc_doc_cell_text(doc, has_fix ? id_of_fix(fleet, group->best.fix) : TC_TEXT("-"));
}

/* Adds each job to its group, and to wins what its fixes win. Returns how many groups there are. */
static size_t make_groups(struct group *groups, struct win *wins, const struct tc_fleet *fleet)
{
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	/* the number of a name is the index of its group */
	struct tc_strtab names = {.ctx = fleet->ctx};

	for (size_t i = 0; i < side->job_count; i++) {
		const struct tc_fleet_job *job = &side->jobs[i];
		struct tc_text name =
			group_of(tc_fleet_text(fleet, job->path), fleet->input->group_by);
		uint32_t number = tc_strtab_intern(&names, name);
		if (number == TC_STRTAB_NONE)
			break;
		groups[number].name = name;
		add_sums(&groups[number].sums, job);
		for (size_t k = job->fired.first; k < job->fired.first + job->fired.count; k++)
			wins[k] = (struct win){number, i, side->fired[k].heuristic,
				tc_fleet_hours(job, side->fired[k].gain_ns),
				side->fired[k].heuristic == job->best.heuristic};
	}
	size_t count = names.count;
	tc_strtab_clear(&names);
	return count;
}

/* Sets the fix of each group: of two that win the same, the one that more jobs have first. */
static void choose_fixes(struct group *groups, struct win *wins, size_t count)
{
	struct win sum = {0};

	TC_SORT(wins, count, compare_wins);
	for (size_t i = 0; i < count; i++) {
		struct win *best = &groups[wins[i].group].best;
		bool is_same = i > 0 && wins[i].group == sum.group && wins[i].fix == sum.fix;
		double hours = wins[i].hours + (is_same ? sum.hours : 0);
		size_t first_count = wins[i].first_count + (is_same ? sum.first_count : 0);
		sum = (struct win){wins[i].group, 0, wins[i].fix, hours, first_count};
		if (hours > best->hours ||
			(hours == best->hours && first_count > best->first_count))
			*best = sum;
	}
}

static void put_groups(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"<group", "jobs", "?devices", "idle", "lost h/day",
		"wins h/day", "<!largest fix", NULL};
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	struct group *groups = tc_arena_take(&fleet->arena, side->job_count, sizeof(*groups));
	struct win *wins = tc_arena_take(&fleet->arena, side->fired_count, sizeof(*wins));

	if (tc_ctx_failed(fleet->ctx))
		return;
	size_t count = make_groups(groups, wins, fleet);
	if (tc_ctx_failed(fleet->ctx))
		return;
	choose_fixes(groups, wins, side->fired_count);
	TC_SORT(groups, count, compare_groups);
	tc_doc_heading(doc, "Groups of jobs, most device hours lost first");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < count && i < (size_t)fleet->options->top; i++)
		put_group(doc, fleet, &groups[i]);
}

/* ---- Changes since an earlier index, a line a job. */

/* Rows, on a page that has other parts too. */
enum { JOB_ROWS = 3, ADVICE_ROWS = 2 };

static size_t rows_of(const struct tc_fleet *fleet, size_t on_page)
{
	return fleet->input->only_changes ? (size_t)fleet->options->top : on_page;
}

/* The new fix of a job with the largest gain, ties in the order of the heuristics; "" for none. */
static struct tc_text new_fix(const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];
	const struct tc_fleet_job *job = &after->jobs[index];
	const struct tc_fleet_fired *most = NULL;

	for (size_t i = 0; i < job->fired.count; i++) {
		const struct tc_fleet_fired *fired = &after->fired[job->fired.first + i];
		if (tc_fleet_find_fired(
			    before, &before->jobs[fleet->changes[index].before], fired->heuristic))
			continue;
		if (!most || fired->gain_ns > most->gain_ns)
			most = fired;
	}
	return most ? id_of_fix(fleet, most->heuristic) : TC_TEXT("");
}

static void put_change(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_change *change = &fleet->changes[index];
	const struct tc_fleet_job *after = &fleet->sides[TC_AFTER].jobs[index];

	tc_doc_cell_text(doc, tc_fleet_text(fleet, after->path));
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(doc, change->step_ns[side]);
	tc_doc_cell_change_pct(doc, change->result.difference_pct);
	tc_doc_cell_text(doc, new_fix(fleet, index));
}

/* "3 jobs, such as a/b" */
static void append_example(
	struct tc_buf *line, const struct tc_fleet *fleet, int64_t count, size_t example)
{
	tc_format_counted(line, count, "job");
	tc_buf_append_string(line, count == 1 ? ", " : ", such as ");
	tc_buf_append_text(line, tc_fleet_text(fleet, fleet->sides[TC_AFTER].jobs[example].path));
}

/* What is advised now and was not before, or the other way round. */
static void put_advised(struct tc_doc *doc, const struct tc_fleet *fleet, bool is_gone)
{
	size_t shown = 0;

	for (size_t i = 0; i < fleet->advice_count && shown < rows_of(fleet, ADVICE_ROWS); i++) {
		const struct tc_fleet_advice *advice = &fleet->advice[i];
		int64_t count = is_gone ? advice->gone_count : advice->new_count;
		if (count == 0)
			continue;
		struct tc_buf *line = tc_doc_item(doc, is_gone ? "Gone:" : "New: ");
		TC_APPEND(line, tc_fleet_text(fleet, advice->title), TC_TEXT(": in "));
		append_example(line, fleet, count, is_gone ? advice->gone_job : advice->new_job);
		shown++;
	}
}

/* Jobs of which a part was lost on a side, before all that is judged. */
static void put_damaged(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	size_t count = 0, example = 0;

	for (size_t i = fleet->sides[TC_AFTER].job_count; i-- > 0;)
		if (fleet->changes[i].result.damaged[TC_BEFORE] ||
			fleet->changes[i].result.damaged[TC_AFTER]) {
			count++;
			example = i;
		}
	if (count == 0)
		return;
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "Damaged%s: ", fleet->options->anyway ? "" : ", not judged");
	append_example(line, fleet, (int64_t)count, example);
	tc_buf_append_char(line, '.');
	tc_doc_tone(doc, TC_TONE_STRONG);
}

/* Jobs that do other work than before, each with what differs. */
static void put_other_work(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	int64_t count = 0, shown = 0;

	for (size_t i = 0; i < after->job_count; i++)
		count += fleet->changes[i].result.is_other_work;
	if (count == 0)
		return;
	tc_buf_format(tc_doc_paragraph(doc),
		"Not the same work in %s%s:", tc_show_counted(count, "job").text,
		fleet->options->anyway ? "" : ", not judged");
	tc_doc_tone(doc, TC_TONE_STRONG);
	for (size_t i = 0; i < after->job_count && shown < fleet->options->top; i++) {
		struct tc_buf reason = {.ctx = fleet->ctx};
		if (!fleet->changes[i].result.is_other_work)
			continue;
		tc_fleet_append_reason(&reason, fleet, i);
		TC_APPEND(tc_doc_item(doc, "-"), tc_fleet_text(fleet, after->jobs[i].path),
			TC_TEXT(": "), tc_buf_text(&reason));
		tc_buf_end(&doc->text, &reason);
		shown++;
	}
	if (shown < count)
		tc_buf_format(tc_doc_paragraph(doc), "And in %s: %s N shows more.",
			tc_show_counted(count - shown, "further job").text,
			tc_ctx_word(fleet->ctx, "--top"));
}

static void put_counts(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	int64_t counts[TC_COMPARE_SLOWER + 1] = {0}, unjudged = 0, added = 0;
	struct tc_buf *line = tc_doc_paragraph(doc);

	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count; i++) {
		const struct tc_fleet_change *change = &fleet->changes[i];
		if (change->before == SIZE_MAX)
			added++;
		else if (change->result.outcome >= TC_COMPARE_UNLIKE)
			continue;
		else if (!change->result.judged)
			unjudged++;
		else
			counts[change->result.outcome]++;
	}
	tc_format_counted(line, counts[TC_COMPARE_SLOWER], "job");
	tc_buf_format(line,
		" slower, %s faster, %s as before (less than steps vary by), %s with too few "
		"steps to judge, %s new, %s gone.",
		tc_show_count(counts[TC_COMPARE_FASTER]).text,
		tc_show_count(counts[TC_COMPARE_SAME] + counts[TC_COMPARE_WITHIN]).text,
		tc_show_count(unjudged).text, tc_show_count(added).text,
		tc_show_count((int64_t)fleet->gone_count).text);
	tc_doc_tone(doc, TC_TONE_STRONG);
}

static void put_unlike(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	if (before->version != after->version)
		tc_buf_append_string(tc_doc_item(doc, "!"),
			"Another version of tracecoach made the earlier index: numbers and advice "
			"may differ for that reason.");
	else if (before->settings_hash != after->settings_hash)
		tc_buf_append_string(tc_doc_item(doc, "!"),
			"The earlier index was made with other rules or thresholds: advice may "
			"differ for that reason.");
}

static void put_changes(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {
		"<job", "step before", "after", "change", "<!new fix", NULL};

	if (!fleet->changes)
		return;
	tc_doc_heading(doc, "Since the earlier index");
	put_damaged(doc, fleet);
	put_other_work(doc, fleet);
	put_counts(doc, fleet);
	put_unlike(doc, fleet);
	tc_doc_table(doc, columns);
	const size_t rows = rows_of(fleet, JOB_ROWS);
	put_first(doc, fleet, place_changed, TC_COMPARE_SLOWER, rows, put_change);
	put_first(doc, fleet, place_changed, TC_COMPARE_FASTER, rows, put_change);
	put_advised(doc, fleet, false);
	put_advised(doc, fleet, true);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- Several nights: since when a job is slower or faster, and its steps as a line of bars. */

/* Columns of that line; of more nights, each stands for several. */
enum { TREND_COLUMNS = 24 };

/* The mean of the nights that a column stands for; 0 where none has steps. */
static int64_t column_of(const int64_t *step_ns, size_t count, size_t columns, size_t column)
{
	int64_t sum_ns = 0, steps = 0;

	for (size_t i = column * count / columns; i < (column + 1) * count / columns; i++)
		if (step_ns[i] > 0) {
			sum_ns = tc_add_saturated(sum_ns, step_ns[i]);
			steps++;
		}
	return steps > 0 ? sum_ns / steps : 0;
}

/* From the shortest step to the longest. */
static void append_steps(struct tc_buf *buf, const struct tc_fleet *fleet, size_t job)
{
	static const char *const bars[] = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
		"\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	static const char *const digits[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
	const char *const *marks = fleet->options->ascii ? digits : bars;
	const size_t count = fleet->trend->count;
	const int64_t *step_ns = &fleet->trend->step_ns[job * count];
	const size_t columns = least(count, TREND_COLUMNS);
	int64_t low_ns = INT64_MAX, high_ns = 0;

	for (size_t i = 0; i < columns; i++) {
		int64_t ns = column_of(step_ns, count, columns, i);
		low_ns = ns > 0 && ns < low_ns ? ns : low_ns;
		high_ns = ns > high_ns ? ns : high_ns;
	}
	for (size_t i = 0; i < columns; i++) {
		int64_t ns = column_of(step_ns, count, columns, i);
		double share =
			high_ns > low_ns ? (double)(ns - low_ns) / (double)(high_ns - low_ns) : 0;
		tc_buf_append_string(buf, ns > 0 ? marks[(int)(share * 7 + 0.5)] : ".");
	}
}

static bool place_trend(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	const struct tc_fleet_level *level = &fleet->trend->levels[place->job];

	place->key = fabs(
		tc_fleet_change_hours(&fleet->sides[TC_AFTER].jobs[place->job], &level->change));
	return level->before != SIZE_MAX && level->change.result.outcome == outcome;
}

static void put_level(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_level *level = &fleet->trend->levels[index];
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];

	tc_doc_cell_text(doc, tc_fleet_text(fleet, job->path));
	append_steps(tc_doc_cell(doc), fleet, index);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(doc, level->change.step_ns[side]);
	tc_doc_cell_change_pct(doc, level->change.result.difference_pct);
	tc_doc_cell_hours(doc, tc_fleet_change_hours(job, &level->change));
	cell_cost(doc, fleet, job, tc_fleet_change_hours(job, &level->change));
	tc_doc_cell_string(doc, level->since_text);
}

static void put_trend(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {
		"<job", "<?steps", "step before", "now", "change", "h/day", "<!since", NULL};
	static const char *const with_cost[] = {"<job", "<?steps", "step before", "now", "change",
		"?h/day", "cost/day", "<!since", NULL};
	const struct tc_fleet_trend *trend = fleet->trend;
	int64_t judged = 0;

	if (!trend)
		return;
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count; i++)
		judged += trend->levels[i].is_judged;
	tc_doc_heading(doc, "Over the nights, what costs most device hours a day first");
	tc_doc_table(doc, fleet->has_prices ? with_cost : columns);
	const size_t rows = (size_t)fleet->options->top;
	size_t slower = put_first(doc, fleet, place_trend, TC_COMPARE_SLOWER, rows, put_level);
	size_t faster = put_first(doc, fleet, place_trend, TC_COMPARE_FASTER, rows, put_level);
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "%zu nights, ", trend->count);
	TC_APPEND(line, trend->nights[0], TC_TEXT(" to "), trend->nights[trend->count - 1]);
	tc_buf_format(line,
		": %s slower than before, %zu faster, %zu as before, of %s in several nights.",
		tc_show_counted((int64_t)slower, "job").text, faster,
		(size_t)judged - slower - faster, tc_show_counted(judged, "job").text);
}

/* ---- Jobs that could not be judged, were damaged or left out, with the reasons. */

/* Jobs by the trace t that their times are of. */
#define JOBS_WHERE(condition)                                                                      \
	"SELECT j.path, NULL, j.id FROM job j JOIN trace t ON t.id = j.pace_trace_id"              \
	" WHERE " condition " ORDER BY j.path"
#define HAS(metric)                                                                                \
	"EXISTS (SELECT 1 FROM trace_metric WHERE trace_id = t.id AND name = '" metric             \
	"' AND value > 0)"

/* Each query returns a path, a reason and the job, which may be NULL. */
static const struct {
	const char *noun, *what, *sql;
} kinds[] = {
	{"job", "could not be read",
		"SELECT path, reason, id FROM job WHERE state = 'failed' ORDER BY path"},
	{"trace", "could not be read",
		"SELECT path, reason, job_id FROM trace WHERE state <> 'done' ORDER BY path"},
	{"place", "could not be looked into",
		"SELECT path, reason, NULL FROM left_out ORDER BY path"},
	{"trace", "with lost or impossible data",
		"SELECT t.path, min(l.message), t.job_id FROM import_log l"
		" JOIN trace t ON t.id = l.trace_id GROUP BY t.id ORDER BY t.path"},
	{"trace", "in which a heuristic failed",
		"SELECT path, NULL, job_id FROM trace WHERE fault_count > 0 ORDER BY path"},
	{"job", "without device work", JOBS_WHERE("NOT " HAS("has_device"))},
	{"job", "whose trace shows too little for a verdict",
		JOBS_WHERE("t.is_judged = 0 AND " HAS("has_device"))},
	{"job", "without steps", JOBS_WHERE("NOT " HAS("step_count"))},
};

static void append_place(struct tc_buf *text, const struct tc_rows *rows)
{
	tc_buf_append_text(text, tc_rows_text(rows, 0));
	if (tc_rows_null(rows, 1))
		return;
	TC_APPEND(text, TC_TEXT(" ("), tc_rows_text(rows, 1), TC_TEXT(")"));
}

/* The next row about a job that the report is about, or about none. */
static bool next_place(struct tc_rows *rows, const struct tc_fleet *fleet)
{
	while (tc_rows_next(rows))
		if (tc_rows_null(rows, 2) ||
			tc_fleet_is_chosen(&fleet->sides[TC_AFTER], tc_rows_int(rows, 2)))
			return true;
	return false;
}

/* A row: the number of jobs of the kind, and the first of them. */
static void put_kind(struct tc_doc *doc, const struct tc_fleet *fleet, size_t kind)
{
	struct tc_buf first = TC_BUF_EMPTY;
	int64_t count = 0;
	struct tc_rows rows = tc_rows_open(
		fleet->ctx, tc_store_db(fleet->sides[TC_AFTER].index), kinds[kind].sql);

	for (; next_place(&rows, fleet); count++)
		if (count == 0)
			append_place(&first, &rows);
	if (count > 0) {
		tc_doc_cell_count(doc, count);
		tc_buf_format(tc_doc_cell(doc), "%s%s %s", kinds[kind].noun, count == 1 ? "" : "s",
			kinds[kind].what);
		tc_doc_cell(doc);
		tc_doc_take(doc, &first);
	}
	tc_buf_clear(&first);
}

static void list_kind(struct tc_doc *doc, const struct tc_fleet *fleet, size_t kind)
{
	struct tc_rows rows = tc_rows_open(
		fleet->ctx, tc_store_db(fleet->sides[TC_AFTER].index), kinds[kind].sql);

	for (bool is_first = true; next_place(&rows, fleet); is_first = false) {
		if (is_first)
			tc_buf_format(tc_doc_paragraph(doc), "Each %s %s:", kinds[kind].noun,
				kinds[kind].what);
		append_place(tc_doc_item(doc, "-"), &rows);
	}
}

static void put_rest(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"", "<", "<", NULL};

	tc_doc_heading(doc, "Left out, damaged, or not to be judged");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < TC_COUNT_OF(kinds); i++)
		put_kind(doc, fleet, i);
	tc_doc_fold(doc, "each of them");
	for (size_t i = 0; i < TC_COUNT_OF(kinds); i++)
		list_kind(doc, fleet, i);
	tc_doc_fold_end(doc);
}

/* ---- The document. */

enum {
	FIX_ROWS = 4,     /* in the table of fixes */
	PAGE_JOBS = 2000, /* on a page; the others lose least */
};

/* Markdown is for people elsewhere: of an absolute path it has the last part. */
static struct tc_text title_of(const struct tc_fleet_side *side, tc_doc_write_fn layout)
{
	struct tc_text path = tc_text_from(side->path);
	bool is_shown = layout != tc_doc_write_markdown || !tc_text_starts(path, TC_TEXT("/"));

	return is_shown ? path : tc_text_last_part(path);
}

static void put_head(struct tc_doc *doc, const struct tc_fleet *fleet, tc_doc_write_fn layout)
{
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	struct sums sums = {0};

	for (size_t i = 0; i < side->job_count; i++)
		add_sums(&sums, &side->jobs[i]);
	tc_buf_append_text(tc_doc_title(doc), title_of(side, layout));
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "%s, %s, %s.", tc_show_counted(sums.job_count, "job").text,
		tc_show_counted(sums.trace_count, "trace").text,
		tc_show_counted(sums.device_count, "device").text);
	if (sums.all <= 0)
		return;
	tc_buf_append_string(line, " Run all day as recorded, that is ");
	tc_format_hours(line, sums.all);
	tc_buf_append_string(line, " device hours a day, of which the devices do not compute for ");
	tc_format_hours(line, sums.lost);
	tc_buf_format(line, " (%s)", tc_show_share(sums.lost / sums.all * 100).text);
	if (fleet->has_prices) {
		tc_buf_append_string(line, ", which costs ");
		tc_format_hours(line, sums.cost);
		tc_buf_append_string(line, " a day where a price is set");
	}
	tc_buf_append_string(line, ". The first fix of each job wins back ");
	tc_format_hours(line, sums.won);
	tc_buf_append_string(line, " device hours a day.");
	tc_doc_tone(doc, TC_TONE_STRONG);
}

static void put_job(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	struct tc_text device = tc_fleet_text(fleet, job->device);

	put_name(doc, fleet, job);
	struct tc_buf *devices = tc_doc_cell(doc);
	tc_buf_format(devices, "%s x ", tc_show_count(job->device_count).text);
	tc_buf_append_text(devices, device.len > 0 ? device : TC_TEXT("?"));
	if (tc_fleet_step_ns(job) > 0)
		tc_doc_cell_ns(doc, tc_fleet_step_ns(job));
	else
		tc_doc_cell_string(doc, "-");
	tc_doc_cell_share(doc, tc_format_share_pct(job->idle_ns, job->run_ns));
	tc_doc_cell_hours(doc, tc_fleet_hours(job, job->lost_ns));
	cell_cost(doc, fleet, job, tc_fleet_hours(job, job->lost_ns));
	tc_doc_cell_hours(doc, job->best.heuristic == TC_STRTAB_NONE
				       ? NAN
				       : tc_fleet_hours(job, job->best.gain_ns));
	tc_doc_tone(doc, TC_TONE_GAIN);
	tc_doc_cell_text(doc, id_of_fix(fleet, job->best.heuristic));
}

static void put_area(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];

	tc_doc_cell_hours(doc, tc_fleet_hours(job, job->lost_ns));
	put_name(doc, fleet, job);
	tc_doc_cell_text(doc, id_of_fix(fleet, job->best.heuristic));
}

/* A page draws each job as large as the hours that it loses. */
static void put_map(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"lost h/day", "<job", "<!first fix", NULL};

	tc_doc_heading(doc, "Where the hours go");
	tc_doc_table(doc, columns);
	tc_doc_picture(doc, "map");
	put_first(doc, fleet, place_lost, TC_COMPARE_SAME, PAGE_JOBS, put_area);
	tc_doc_say(doc, "Area: device hours a day that a job loses; colour: its first fix.");
}

static void put_jobs(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"<job", "<?devices", "step", "idle", "lost h/day",
		"wins h/day", "<!first fix", NULL};
	static const char *const with_cost[] = {"<job", "<?devices", "?step", "idle", "lost h/day",
		"cost/day", "wins h/day", "<!first fix", NULL};
	size_t count, *jobs = sort(&count, fleet, place_lost, TC_COMPARE_SAME);
	double rest = 0;
	bool wins_more = false;
	size_t shown = least(count, fleet->has_links ? PAGE_JOBS : (size_t)fleet->options->top);
	tc_doc_heading(doc, "Jobs, most device hours lost first");
	tc_doc_table(doc, fleet->has_prices ? with_cost : columns);
	for (size_t i = 0; i < count; i++) {
		const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[jobs[i]];
		rest += i < shown ? 0 : tc_fleet_hours(job, job->lost_ns);
		wins_more |= i < shown && job->best.gain_ns > job->lost_ns;
		if (i < shown)
			put_job(doc, fleet, jobs[i]);
	}
	if (wins_more)
		tc_doc_say(doc, "wins above lost: a fix may shorten the computation, too, "
				"which is not lost.");
	const int64_t rest_count = (int64_t)(count - shown);
	if (rest_count == 0)
		return;
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "And %s, which lose ", tc_show_counted(rest_count, "further job").text);
	tc_format_hours(line, rest);
	tc_buf_format(line, fleet->has_links ? " h/day." : " h/day: %s N, or %s csv for all.",
		tc_ctx_word(fleet->ctx, "--top"), tc_ctx_word(fleet->ctx, "--format"));
}

static void put_advice(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	static const char *const columns[] = {
		"<!fix", "jobs", "wins h/day", "<most in", "h/day there", "<?", NULL};
	size_t shown = 0, hidden = 0;

	tc_doc_heading(doc, "Fixes over all jobs");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < fleet->advice_count; i++) {
		const struct tc_fleet_advice *advice = &fleet->advice[i];
		if (advice->hours <= 0)
			continue;
		if (shown == FIX_ROWS && !fleet->options->details) {
			hidden++;
			continue;
		}
		const struct tc_fleet_job *most = &fleet->sides[TC_AFTER].jobs[advice->most];
		tc_doc_cell_text(doc, id_of_fix(fleet, advice->heuristic));
		tc_doc_cell_count(doc, advice->job_count);
		tc_doc_cell_hours(doc, advice->hours);
		tc_doc_tone(doc, TC_TONE_GAIN);
		tc_doc_cell_text(doc, tc_fleet_text(fleet, most->path));
		tc_doc_cell_hours(doc, advice->most_hours);
		tc_doc_cell_text(doc, tc_fleet_text(fleet, advice->title));
		shown++;
	}
	if (hidden > 0)
		tc_buf_format(tc_doc_paragraph(doc),
			fleet->has_links ? "And %s." : "And %s: %s shows all.",
			tc_show_counted((int64_t)hidden, "further fix").text,
			tc_ctx_word(fleet->ctx, "--details"));
	if (shown > 0)
		tc_doc_say(doc, "Each for itself: two may win back the same time.");
}

/* ---- A few lines for a chat or a mail. */

enum { CHAT_JOBS = 4, CHAT_FIXES = 2 };

static void say_slower(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_level *level = fleet->trend ? &fleet->trend->levels[index] : NULL;
	const struct tc_fleet_change *change = level ? &level->change : &fleet->changes[index];
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	struct tc_buf *line = tc_doc_item(doc, "-");

	TC_APPEND(line, tc_fleet_text(fleet, job->path), TC_TEXT(" is slower: "));
	tc_fleet_append_change(line, fleet, index, change);
	tc_buf_append_string(line, "; costs ");
	tc_format_hours(line, tc_fleet_change_hours(job, change));
	tc_buf_append_string(line, " device hours a day");
}

/* What the lines above do not know. */
static void say_unknown(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	const struct tc_fleet_report_result *result = &fleet->result;
	const size_t unjudged =
		result->damaged_count + result->other_work_count + result->unjudged_count;
	int64_t failed = 0;

	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count; i++)
		failed += fleet->sides[TC_AFTER].jobs[i].failed_count;
	if (unjudged > 0)
		tc_buf_format(tc_doc_item(doc, "-"),
			"Not judged: %s (damaged, other work, or too few steps)",
			tc_show_counted((int64_t)unjudged, "job").text);
	if (failed > 0)
		tc_buf_format(tc_doc_item(doc, "-"), "Not read: %s",
			tc_show_counted(failed, "trace").text);
}

static void put_short(struct tc_doc *doc, struct tc_fleet *fleet)
{
	size_t count = 0, shown = 0, *jobs = NULL;

	if (fleet->changes)
		jobs = sort(&count, fleet, fleet->trend ? place_trend : place_changed,
			TC_COMPARE_SLOWER);
	for (size_t i = 0; i < count && i < CHAT_JOBS && !tc_ctx_failed(fleet->ctx); i++)
		say_slower(doc, fleet, jobs[i]);
	if (count > CHAT_JOBS)
		tc_buf_format(tc_doc_item(doc, "-"), "and %s that became slower",
			tc_show_counted((int64_t)(count - CHAT_JOBS), "further job").text);
	for (size_t i = 0; i < fleet->advice_count && shown < CHAT_FIXES; i++) {
		const struct tc_fleet_advice *advice = &fleet->advice[i];
		if (advice->hours <= 0)
			continue;
		struct tc_buf *line = tc_doc_item(doc, "-");
		tc_buf_append_text(line, tc_fleet_text(fleet, advice->title));
		tc_buf_append_string(line, ": fixed, wins back ");
		tc_format_hours(line, advice->hours);
		tc_buf_format(line, " device hours a day in %s",
			tc_show_counted(advice->job_count, "job").text);
		shown++;
	}
	say_unknown(doc, fleet);
}

static void put_all(struct tc_doc *doc, struct tc_fleet *fleet)
{
	const bool is_page = fleet->has_links, has_jobs = !fleet->input->only_changes;
	void (*const put_them)(struct tc_doc *, struct tc_fleet *) =
		fleet->input->group_by > 0 ? put_groups : put_jobs;

	put_trend(doc, fleet);
	if (has_jobs)
		(is_page ? put_map : put_them)(doc, fleet);
	if (has_jobs)
		put_advice(doc, fleet);
	put_changes(doc, fleet);
	if (has_jobs && is_page) /* all of them: below what is short */
		put_them(doc, fleet);
	put_rest(doc, fleet);
}

void tc_fleet_write_document(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	struct tc_doc doc = TC_DOC_EMPTY;

	put_head(&doc, fleet, layout);
	if (fleet->is_short)
		put_short(&doc, fleet);
	else
		put_all(&doc, fleet);
	layout(&doc, sink, fleet->options);
	tc_doc_clear(&doc);
}
