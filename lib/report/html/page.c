/* See parts.h. The page text contains two marks, one for the title and one for the body. */
#include "report/html/parts.h"

#define TITLE_MARK TC_TEXT("<!-- title -->")
#define BODY_MARK TC_TEXT("<!-- body -->")

extern const char tc_html_page[];

/* Splits the text at the mark; the mark is dropped. */
static struct tc_text take_until(struct tc_text *text, struct tc_text mark)
{
	size_t len = (size_t)(tc_text_find(*text, mark) - text->ptr);
	struct tc_text taken = {text->ptr, len};

	text->ptr += len + mark.len;
	text->len -= len + mark.len;
	return taken;
}

void tc_page_begin(struct tc_sink *sink, struct tc_text title)
{
	struct tc_text page = tc_text_from(tc_html_page);

	tc_sink_text(sink, take_until(&page, TITLE_MARK));
	tc_html_escape(sink, title);
	tc_sink_put(sink, " - tracecoach");
	tc_sink_text(sink, take_until(&page, BODY_MARK));
}

void tc_page_end(struct tc_sink *sink)
{
	struct tc_text page = tc_text_from(tc_html_page);

	take_until(&page, BODY_MARK);
	tc_sink_text(sink, page);
}

void tc_page_article(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options)
{
	tc_sink_put(sink, "<article>\n");
	tc_doc_write_html(doc, sink, options);
	tc_sink_put(sink, "</article>\n");
}
