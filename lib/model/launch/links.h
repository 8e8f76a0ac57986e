/*
 * Links of device work to launches and steps, as rows of device_link: runs of slices that follow
 * each other in the file and share launch and step, because one launch of a graph starts thousands
 * of operations. Failures are in the context.
 */
#ifndef TC_MODEL_LAUNCH_LINKS_H
#define TC_MODEL_LAUNCH_LINKS_H

#include "model/output.h"
#include "model/timeline/timeline.h"

/* All zero but for the context is an empty one. */
struct tc_links {
	struct tc_ctx *ctx; /* borrowed */
	struct tc_sorter *sorter;
	struct tc_link_group *groups; /* slices that are not yet in the sorter */
	size_t latest;                /* of groups */
};

void tc_links_clear(struct tc_links *links);

/* Adds the launch and step of a device operation; once per operation. */
void tc_links_add(struct tc_links *links, const struct tc_span *span);
/* Makes the rows. */
void tc_links_emit(
	struct tc_links *links, const struct tc_timeline *timeline, struct tc_row_sink *sink);

#endif
