/* The HTML page around a report: page/report.html with its style and scripts. */
#ifndef TC_REPORT_HTML_PAGE_H
#define TC_REPORT_HTML_PAGE_H

#include "report/doc/writers.h"

/* The parts of the page before the body, with the title, and after it. */
void tc_page_begin(struct tc_sink *sink, struct tc_text title);
void tc_page_end(struct tc_sink *sink);
/* Writes a document as a part of the page. */
void tc_page_article(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

#endif
