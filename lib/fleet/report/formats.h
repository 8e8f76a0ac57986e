/* The formats of a report on an index. */
#ifndef TC_FLEET_REPORT_FORMATS_H
#define TC_FLEET_REPORT_FORMATS_H

#include "fleet/report/facts.h"
#include "report/doc/doc.h"

struct tc_fleet_writer {
	void (*write)(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);
	tc_doc_write_fn layout; /* of its document; NULL without one */
};

void tc_fleet_write_document(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);
void tc_fleet_write_page(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);
void tc_fleet_write_json(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);
void tc_fleet_write_csv(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);

/* Appends device hours: "61", "0.4". */
void tc_fleet_append_hours(struct tc_buf *buf, double hours);
void tc_fleet_cell_hours(struct tc_doc *doc, double hours);

/* Jobs of the later side with device work, most hours lost first. The caller frees them; NULL and a
 * count of 0 when memory is out. */
size_t *tc_fleet_rank(size_t *count, struct tc_fleet *fleet);
/* The same of jobs that became slower, or faster, by the hours per day that this makes. */
size_t *tc_fleet_changed(size_t *count, struct tc_fleet *fleet, enum tc_compare_outcome outcome);

/* "slower", "faster", "within", "same", "new", or "unknown" when the steps do not show it. */
const char *tc_fleet_outcome_name(const struct tc_fleet_change *change);

/* Parts of the document: groups of jobs instead of jobs; changes since the earlier index; what
 * could not be judged, by kind. */
void tc_fleet_put_groups(struct tc_doc *doc, struct tc_fleet *fleet);
void tc_fleet_put_changes(struct tc_doc *doc, struct tc_fleet *fleet);
void tc_fleet_put_rest(struct tc_doc *doc, struct tc_fleet *fleet);

/* Links the last cell to the page of the job, where the format has links and the page exists. */
void tc_fleet_put_link(struct tc_doc *doc, const struct tc_fleet *fleet, struct tc_text job);

#endif
