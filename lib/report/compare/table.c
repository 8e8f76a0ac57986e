/* What the tables of a comparison have in common. */
#include "report/compare/parts.h"

void tc_compare_put_heading(const struct tc_compare *compare, const char *text)
{
	const char *unit = tc_compare_unit_name(compare);

	tc_doc_heading(tc_compare_doc(compare), text);
	if (unit)
		tc_buf_format(&tc_compare_doc(compare)->text, ", per %s", unit);
}

void tc_compare_put_hidden(const struct tc_compare *compare, int hidden)
{
	if (hidden > 0)
		tc_job_say_more(compare->job, (size_t)hidden, "",
			(size_t)(hidden + compare->job->options.top));
}
