/*
 * The parts of a report. Each adds blocks to the page of the job (job->doc, see doc/doc.h), or
 * nothing when it has nothing to say. The first screen has at most 40 lines of 80 columns;
 * everything after it is folded.
 */
#pragma once

#include "report/view/view.h"

/* Lines of the first screen, and the order in which its parts give way to that; see
 * tc_doc_set_shrink_order(). */
#define TC_SCREEN_LINES 40
enum tc_shrink_order {
	TC_SHRINK_LAST = 1, /* what the run was, the verdict, the account */
	TC_SHRINK_LIMITS,   /* what is wrong with the recording */
	TC_SHRINK_PLAN,
	TC_SHRINK_REST,    /* fixes outside of the table, settings */
	TC_SHRINK_READING, /* how to read a table */
	TC_SHRINK_FIXES
};

/* The findings of a trace that say what to change, in the order of the ranking. A report numbers
 * them from 1. */
struct tc_shown_fix {
	const struct tc_finding *finding;
	int depth; /* 1: a special case of the one with depth 0 above */
	/* Parts of the whole of the list: what the fix saves alone, beside those before it, and
	 * what is left then; the last two where the fix is in the plan. */
	int64_t alone_ns, added_ns, left_ns;
	bool is_hidden_before; /* it wins over 1 % more in its place than the one above, which hid
				  it */
};

struct tc_fix_list {
	struct tc_shown_fix *all; /* owned */
	size_t count;
	int least_rows;   /* of its table where the screen has no room: those of the plan */
	int64_t whole_ns; /* a steady step, without steps the steady run; 0: there is no plan */
	bool has_steps;
};

/* False when memory is out. */
bool tc_fix_list_load(struct tc_fix_list *fixes, struct tc_job *job, int64_t trace_id);
void tc_fix_list_clear(struct tc_fix_list *fixes);

/* Writes a page for every job and trace that the options ask for. put_trace writes that of a
 * trace. */
void tc_put_pages(
	struct tc_job *job, void (*put_trace)(struct tc_job *job, const struct tc_view *view));
/* One line that says what the run was. */
void tc_put_run(struct tc_job *job, const struct tc_view *view);
/* The rest of the first screen: verdict, where the time went, what to fix, and the account in one
 * line. */
void tc_put_screen(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes);

/* The table of fixes with what to do, what they save together, and the rest in one line. */
void tc_put_fixes(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes);
/* The columns of a table of fixes that has a plan: of a run, and with steps. */
extern const char *const tc_plan_columns[2][7];
/* Adds four cells of a fix: alone, in this order, what is left then, and a bar of the second. NULL:
 * a fix that is not one of the trace. */
void tc_put_plan_cells(
	struct tc_doc *doc, const struct tc_fix_list *fixes, const struct tc_shown_fix *fix);
/* Whether the plan leaves it nothing to win. A table leaves such fixes out, and a sentence below
 * names them. False for NULL. */
static inline bool tc_adds_nothing(const struct tc_shown_fix *fix)
{
	return fix && fix->finding->plan_order == TC_PLAN_COVERED;
}
/* Appends to that sentence a fix, by its number in the report. */
void tc_append_nothing_more(struct tc_buf *text, const struct tc_fix_list *fixes,
	const struct tc_shown_fix *fix, size_t number);
/* Puts the sentence, if there is any, and clears it. */
void tc_put_nothing_more(struct tc_doc *doc, struct tc_buf *text);
/* Adds a cell with a gain of the finding, which says where it is guessed; "-" for none. */
void tc_put_gain_cell(
	struct tc_doc *doc, const struct tc_finding *finding, const struct tc_gain_shown *gain);
/* Appends the first sentence of what to do, and the place if it is short. */
void tc_append_do(struct tc_buf *line, const struct tc_finding *finding);
/* Appends why a fix, of that number, is not further up, if it wins more than the one above it. */
static inline void tc_append_order(
	struct tc_buf *line, const struct tc_shown_fix *fix, size_t number)
{
	if (fix && fix->is_hidden_before)
		tc_buf_format(line, " Best after #%zu.", number - 1);
}
/* Appends the anchor of a finding, the target of links to it. */
void tc_append_anchor(struct tc_buf *buf, const struct tc_finding *finding);
/* The first notes on the recording itself: what is wrong with it, and what to do. */
void tc_put_first_notes(struct tc_job *job, const struct tc_view *view);
/* All notes and all findings, without their queries. */
void tc_put_findings(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes);
/* All notes, and a card for each finding: a fold with an anchor, closed at first. */
void tc_put_cards(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes);
/* One card. Where the fixes come from several ranks, the view is that of the fix's rank, and the
 * card names it. */
void tc_put_card(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes,
	size_t index, bool names_rank);
/* The worst place of a finding, as rows of blocks; nothing where it has none. */
void tc_put_strip(struct tc_job *job, const struct tc_view *view, const struct tc_finding *finding);
/* The finding that the options ask for, with its query; TC_ERR_USAGE if there is none and no check
 * has that id. */
void tc_explain(struct tc_job *job);
/* The heuristic whose finding has that number ("2", "#2") in the report on the first job, or on the
 * first trace where there is none; NULL after a failure. */
const struct tc_heuristic *tc_explain_number(struct tc_job *job, const char *asked);

/* Where the time of the devices went: bars with the causes of idle time and their fixes, or a row
 * for each device. */
void tc_put_time(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes);
/* More about device time: overlaps, lanes, work outside of the steps, all devices. */
void tc_put_device_details(struct tc_job *job, const struct tc_view *view);
void tc_put_host_time(struct tc_job *job, const struct tc_view *view);
void tc_put_account(struct tc_job *job, const struct tc_view *view);
/* The account in a line: the number of checks by outcome, and whether the import lost anything. */
void tc_put_account_line(struct tc_job *job, const struct tc_view *view);

/* Tables of steps, gaps, operations, host events, memory. */
void tc_put_details(struct tc_job *job, const struct tc_view *view);
/* The tables of the details about memory. */
void tc_put_memory(struct tc_job *job, const struct tc_view *view);

/* How much faster the run is with all fixes of its plan, and what limits it then. */
void tc_put_plan(struct tc_job *job, int64_t trace_id);
