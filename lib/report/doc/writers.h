/*
 * Writers of a document (doc.h). Texts from a trace are escaped here for each format: a name is
 * never taken for a mark, a line end, a tag or the end of a cell.
 */
#ifndef TC_REPORT_WRITERS_H
#define TC_REPORT_WRITERS_H

#include "report/doc/doc.h"
#include "report/text/sink.h"

/* Options that apply: width, ascii, color, and details for folds. */
typedef void (*tc_doc_write_fn)(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

/* For a terminal; folds are shown only with details. */
void tc_doc_write_text(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
/* As the body of an HTML page: elements with classes of the page's style, without scripts or
 * styles; folds open with a click. */
void tc_doc_write_html(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
/* Writes text for HTML, between tags or as the value of an attribute in quotes. */
void tc_html_escape(struct tc_sink *sink, struct tc_text text);
/* As Markdown of GitHub and GitLab; folds open with a click. */
void tc_doc_write_markdown(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

#endif
