/* See parts.h. */
#include "report/compare/parts.h"

void tc_compare_put_heading(const struct tc_compare *compare, const char *text)
{
	struct tc_buf heading = TC_BUF_EMPTY;
	const char *unit = tc_compare_unit_name(compare);

	tc_buf_format(&heading, "%s%s%s", text, unit ? ", per " : "", unit ? unit : "");
	const char *string = tc_buf_string(&heading);
	tc_doc_heading(tc_compare_doc(compare), string ? string : text);
	tc_compare_doc(compare)->text.failed |= !string;
	tc_buf_clear(&heading);
}

void tc_compare_put_hidden(const struct tc_compare *compare, int hidden)
{
	if (hidden > 0)
		tc_job_say_more(compare->job, (size_t)hidden, "",
			(size_t)(hidden + compare->job->options.top));
}
