/* The formats of a comparison, one file each. */
#ifndef TC_REPORT_COMPARE_FORMATS_H
#define TC_REPORT_COMPARE_FORMATS_H

#include "report/compare/facts.h"

struct tc_compare_writer {
	void (*write)(struct tc_compare *compare);
};

/* Writes the comparison as a document by compare->job->write. */
void tc_compare_put(struct tc_compare *compare);
void tc_compare_text(struct tc_compare *compare);
void tc_compare_md(struct tc_compare *compare);
void tc_compare_html(struct tc_compare *compare);
void tc_compare_json(struct tc_compare *compare);

#endif
