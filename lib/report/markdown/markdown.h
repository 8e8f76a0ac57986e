/* Text in Markdown. */
#ifndef TC_REPORT_MARKDOWN_H
#define TC_REPORT_MARKDOWN_H

#include "report/job.h"

/* Writes text as it is, but for what Markdown would take as its own; line ends become blanks. */
void tc_put_markdown(struct tc_job *job, struct tc_text text);

#endif
