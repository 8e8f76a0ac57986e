/* The comparison as a page: the same content as the text, and both timelines, one above the other,
 * on one time scale. */
#include "report/compare/parts.h"
#include "report/html/parts.h"

void tc_compare_html(struct tc_compare *compare)
{
	static const char *const headings[] = {"Timeline before", "Timeline after"};
	struct tc_sink *sink = &compare->job->sink;

	tc_page_begin(sink, TC_TEXT("Comparison"));
	tc_compare_put(compare);
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		struct tc_compared *side = &compare->sides[i];
		const struct tc_timeline_options options = {
			.budget = TC_TIMELINE_ITEMS / 2, .heading = headings[i], .is_linked = true};
		tc_put_timeline(sink, &side->job, side->view, &options);
	}
	tc_page_end(sink);
}
