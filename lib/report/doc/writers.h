/*
 * Writers of a document (doc.h). What a text of a trace may hold is made harmless here, in the way
 * of the format: a name is never taken for a mark, a line end, a tag or the end of a cell.
 */
#ifndef TC_REPORT_WRITERS_H
#define TC_REPORT_WRITERS_H

#include "report/doc/doc.h"
#include "report/text/sink.h"

/* Of the options these count: width, ascii, color, and details for what is folded. */
typedef void (*tc_doc_write_fn)(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

/* For a terminal; what is folded is left out unless details are wanted. */
void tc_doc_write_text(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
/* As the inside of an HTML page: elements with classes that the page's style knows, and no scripts or
 * styles of their own; what is folded opens by a click. */
void tc_doc_write_html(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
/* Writes text for HTML, between tags or as the value of an attribute in quotes. */
void tc_html_escape(struct tc_sink *sink, struct tc_text text);
/* As Markdown of GitHub and GitLab; what is folded opens by a click. */
void tc_doc_write_markdown(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

#endif
