/* Jobs by the first components of their paths: teams, models, clusters. */
#include <math.h>

#include "core/array.h"
#include "core/context.h"
#include "fleet/report/formats.h"
#include "report/text/format.h"

struct group {
	struct tc_text name;
	struct tc_fleet_sums sums;
	size_t most; /* the job whose first fix wins most */
	double most_hours;
};

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

static void add(struct group *group, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	double won = tc_fleet_hours(job, job->gain_ns);

	tc_fleet_add(&group->sums, job);
	if (won > group->most_hours) {
		group->most = index;
		group->most_hours = won;
	}
}

TC_ORDER(compare_groups, struct group, TC_DOWN(sums.lost) TC_UP_TEXT(name));

void tc_fleet_cell_hours(struct tc_doc *doc, double hours)
{
	tc_fleet_append_hours(tc_doc_cell(doc), hours);
}

static void put_group(struct tc_doc *doc, const struct tc_fleet *fleet, const struct group *group)
{
	const struct tc_fleet_job *most = &fleet->sides[TC_AFTER].jobs[group->most];

	tc_doc_cell_text(doc, group->name);
	tc_doc_cell_count(doc, group->sums.job_count);
	tc_doc_cell_count(doc, group->sums.device_count);
	if (group->sums.all > 0)
		tc_doc_cell_share(doc, group->sums.idle / group->sums.all * 100);
	else
		tc_doc_cell_string(doc, "-");
	tc_fleet_cell_hours(doc, group->sums.lost);
	tc_doc_cell_text(
		doc, group->most_hours > 0 ? tc_fleet_text(fleet, most->fix) : TC_TEXT("-"));
	tc_fleet_cell_hours(doc, group->sums.won);
	tc_doc_tone(doc, TC_TONE_GAIN);
}

void tc_fleet_put_groups(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"<group", "jobs", "?devices", "idle", "lost h/day",
		"<largest fix", "wins h/day", NULL};
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	struct group *groups = tc_arena_take(&fleet->arena, side->job_count, sizeof(*groups));
	/* the number of a name is the index of its group */
	struct tc_strtab names = TC_STRTAB_EMPTY;
	bool good = groups != NULL;

	for (size_t i = 0; good && i < side->job_count; i++) {
		struct tc_text path = tc_fleet_text(fleet, side->jobs[i].path);
		struct tc_text name = group_of(path, fleet->input->group_by);
		uint32_t number = tc_strtab_intern(&names, name);
		good = number != TC_STRTAB_NONE;
		if (!good)
			break;
		groups[number].name = name;
		add(&groups[number], fleet, i);
	}
	size_t count = names.count;
	tc_strtab_clear(&names);
	if (!good) {
		tc_no_memory(fleet->ctx);
		return;
	}
	TC_SORT(groups, count, compare_groups);
	tc_doc_heading(doc, "Groups of jobs, most device hours lost first");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < count && i < (size_t)fleet->options->top; i++)
		put_group(doc, fleet, &groups[i]);
}
