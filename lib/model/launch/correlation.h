/*
 * Launches by correlation id: the tracer gives a host call and the device work that it launches the
 * same number. Both wait in a sorter; when all are there, each group is joined and goes to the
 * timeline. A copy gives its call a role: cudaMemcpyAsync is an input copy when its device work
 * goes HtoD.
 *
 * A number may come back (two traces in one file, counters that wrap), and driver calls nest in
 * runtime calls with the same one. Work belongs to the latest call that starts at or before it,
 * the enclosing one of calls that nest; work before all calls of its number (clocks apart) to the
 * first. So a group is walked in time order, and only one call and the work before it are held.
 */
#ifndef TC_MODEL_LAUNCH_CORRELATION_H
#define TC_MODEL_LAUNCH_CORRELATION_H

#include "model/import_log.h"
#include "model/launch/recording.h"
#include "model/row_sink.h"
#include "model/timeline/timeline.h"

/*
 * Links of device work to launches and steps, as rows of device_link: runs of slices that follow
 * each other in the file and share launch and step, because one launch of a graph starts thousands
 * of operations.
 *
 * Operations come in time order or in the order of their launches, files have them lane by lane or
 * nearly in time order. So the slices of the latest few launches are marked in bit sets, and runs
 * are read from a set when another launch needs its place.
 */

struct tc_links {
	struct tc_ctx *ctx; /* borrowed */
	struct tc_sorter *sorter;
	struct tc_link_group *groups; /* slices that are not yet in the sorter */
	size_t latest;                /* of groups */
};

void tc_links_clear(struct tc_links *links);

/* Adds the launch and step of a device operation; once per operation. */
enum tc_status tc_links_add(struct tc_links *links, const struct tc_span *span);
enum tc_status tc_links_emit(
	struct tc_links *links, const struct tc_timeline *timeline, struct tc_row_sink *sink);

struct tc_correlation {
	struct tc_import_log *log; /* borrowed, as the next three */
	struct tc_timeline *timeline;
	struct tc_recording *recording;
	struct tc_links *links;
	struct tc_sorter *sorter;
};

enum tc_status tc_correlation_add(struct tc_correlation *correlation, const struct tc_span *span,
	int64_t id, const struct tc_label *label);
/* Joins what was added, when all of the timeline but its slices is there. */
enum tc_status tc_correlation_join(struct tc_correlation *correlation);

#endif
