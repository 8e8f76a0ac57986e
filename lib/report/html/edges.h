/*
 * Idle time outside of gaps: from the start of the first step to the first device work, and from
 * the last device work to the end of the last step. Without steps this time is start-up and
 * shutdown, which does not count as idle.
 */
#ifndef TC_REPORT_HTML_EDGES_H
#define TC_REPORT_HTML_EDGES_H

#include "report/html/tracks.h"

/* A piece of idle time and what the host does in it. `cause` is a cause of gaps or names the edge.
 * */
struct tc_edge_piece {
	int64_t ts, dur;
	char cause[24];
};

struct tc_edges {
	struct tc_edge_piece *all; /* by time, without overlaps; owned */
	size_t count, capacity;
	int64_t first_work_ns, last_work_ns; /* of all devices together */
};

/* Call tc_edges_clear() afterwards, also after a failure. */
void tc_edges_load(struct tc_edges *edges, const struct tc_page_tracks *tracks);
void tc_edges_clear(struct tc_edges *edges);

#endif
