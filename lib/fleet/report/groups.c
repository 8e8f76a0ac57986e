/* Jobs by the first components of their paths: teams, models, clusters. */
#include <math.h>

#include "core/array.h"
#include "core/context.h"
#include "fleet/report/formats.h"
#include "report/text/format.h"

struct group {
	struct tc_text name;
	struct tc_fleet_sums sums;
	uint32_t fix; /* the one that wins most in all its jobs together */
	double fix_hours;
};

/* What a fix wins in a job of a group. */
struct win {
	size_t group, job;
	uint32_t fix;
	double hours;
};

TC_ORDER(compare_wins, struct win, TC_UP(group) TC_UP(fix) TC_UP(job));

void tc_fleet_append_hours(struct tc_buf *buf, double hours)
{
	if (hours >= 9.95)
		tc_format_count(buf, llround(hours));
	else
		tc_buf_format(buf, "%.1f", hours);
}

/* The group of a path: its first components, as many as --group-by asks for. */
static struct tc_text group_of(struct tc_text path, int component_count)
{
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' && --component_count == 0)
			return (struct tc_text){path.ptr, i};
	return path;
}

TC_ORDER(compare_groups, struct group, TC_DOWN(sums.lost) TC_UP_TEXT(name));

void tc_fleet_cell_hours(struct tc_doc *doc, double hours)
{
	tc_fleet_append_hours(tc_doc_cell(doc), hours);
}

static void put_group(struct tc_doc *doc, const struct tc_fleet *fleet, const struct group *group)
{
	bool has_fix = group->fix_hours > 0;

	tc_doc_cell_text(doc, group->name);
	tc_doc_cell_count(doc, group->sums.job_count);
	tc_doc_cell_count(doc, group->sums.device_count);
	if (group->sums.all > 0)
		tc_doc_cell_share(doc, group->sums.idle / group->sums.all * 100);
	else
		tc_doc_cell_string(doc, "-");
	tc_fleet_cell_hours(doc, group->sums.lost);
	if (has_fix)
		tc_fleet_cell_hours(doc, group->fix_hours);
	else
		tc_doc_cell_string(doc, "-");
	tc_doc_tone(doc, TC_TONE_GAIN);
	tc_doc_cell_text(doc, has_fix ? tc_fleet_title(fleet, group->fix) : TC_TEXT("-"));
}

/* Adds each job to its group, and to wins what its fixes win. Returns how many groups there are. */
static size_t make_groups(struct group *groups, struct win *wins, const struct tc_fleet *fleet)
{
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	/* the number of a name is the index of its group */
	struct tc_strtab names = TC_STRTAB_EMPTY;

	for (size_t i = 0; i < side->job_count; i++) {
		const struct tc_fleet_job *job = &side->jobs[i];
		struct tc_text name =
			group_of(tc_fleet_text(fleet, job->path), fleet->input->group_by);
		uint32_t number = tc_strtab_intern(&names, name);
		if (number == TC_STRTAB_NONE) {
			tc_strtab_fail(&names, fleet->ctx);
			break;
		}
		groups[number].name = name;
		tc_fleet_add(&groups[number].sums, job);
		for (size_t k = job->first_fired; k < job->first_fired + job->fired_count; k++)
			wins[k] = (struct win){number, i, side->fired[k].heuristic,
				tc_fleet_hours(job, side->fired[k].gain_ns)};
	}
	size_t count = names.count;
	tc_strtab_clear(&names);
	return count;
}

/* Sets the fix of each group. */
static void choose_fixes(struct group *groups, struct win *wins, size_t count)
{
	double hours = 0;

	TC_SORT(wins, count, compare_wins);
	for (size_t i = 0; i < count; i++) {
		struct group *group = &groups[wins[i].group];
		bool is_same = i > 0 && wins[i].group == wins[i - 1].group &&
			       wins[i].fix == wins[i - 1].fix;
		hours = (is_same ? hours : 0) + wins[i].hours;
		if (hours <= group->fix_hours)
			continue;
		group->fix = wins[i].fix;
		group->fix_hours = hours;
	}
}

void tc_fleet_put_groups(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"<group", "jobs", "?devices", "idle", "lost h/day",
		"wins h/day", "<largest fix", NULL};
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	struct group *groups = tc_arena_take(&fleet->arena, side->job_count, sizeof(*groups));
	struct win *wins = tc_arena_take(&fleet->arena, side->fired_count, sizeof(*wins));

	if (tc_arena_status(&fleet->arena, fleet->ctx))
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
