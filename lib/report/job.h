/*
 * One report being written: what every renderer works on. A renderer is a function of this and
 * writes to its sink only. It passes no status up: the context keeps the first failure
 * (store/sql.h), and the sink drops everything after one.
 */
#pragma once

#include "report/doc/doc.h"
#include "report/view/names.h"
#include "report/text/sink.h"

#define TC_REPORT_DEFAULT_TOP 10

struct tc_job {
	struct tc_ctx *ctx;
	sqlite3 *db;            /* NULL for a comparison, whose sides have one each */
	const char *store_path; /* NULL for a temporary store */
	const struct tc_advice *advice;
	struct tc_report_options options; /* top and width are sane, step is -1 or a number */
	struct tc_sink sink;
	bool top_given;               /* not the default */
	struct tc_doc doc;            /* the page being built */
	tc_doc_write_fn write;        /* lays it out */
	int page_count;               /* written */
	struct tc_names names;        /* of the trace being reported */
	struct tc_sections *sections; /* owned; NULL until the first is needed */
};

/* Columns to fill: those that were asked for, 80 for none, within the limits of a report. */
int tc_report_width(int asked);

/* Checks the options. True when the report can be written. */
bool tc_job_begin(struct tc_job *job);
/* Closes the sink. Returns what failed, if anything. */
enum tc_status tc_job_end(struct tc_job *job);

/* Writes the page by job->write, behind those before it, and clears it. */
void tc_job_write(struct tc_job *job);

/* Whether it is a page in a browser, where nobody can type options. */
static inline bool tc_job_is_page(const struct tc_job *job)
{
	return job->write != tc_doc_write_text && job->write != tc_doc_write_markdown;
}

/* "3 more findings: --top 8 shows all."; a page says "3 more findings." top 0: --details shows
 * all. */
void tc_job_say_more(struct tc_job *job, size_t hidden, const char *what, size_t top);

/* The renderers, called between tc_job_begin() and tc_job_end(). */
#define TC_RENDERER(function, name, help) void tc_render_##function(struct tc_job *job);
#include "report/renderers.def"
#undef TC_RENDERER
