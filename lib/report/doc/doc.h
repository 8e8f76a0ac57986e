/*
 * A document: the content of a report, independent of its layout. A builder adds blocks from top to
 * bottom; a writer lays them out for a terminal, as Markdown or as HTML. A builder
 * never escapes, wraps, cuts or colours anything and knows no width: it adds texts unchanged, and
 * numbers as numbers. Texts are copied.
 *
 * 	static const char *const columns[] = {"<job", "step", "idle", "?<cause", NULL};
 * 	struct tc_doc doc = TC_DOC_EMPTY;
 *
 * 	tc_buf_append_string(tc_doc_title(&doc), path);
 * 	tc_buf_format(tc_doc_paragraph(&doc), "%zu jobs, %zu traces", jobs, traces);
 * 	tc_doc_heading(&doc, "Most idle first");
 * 	tc_doc_table(&doc, columns);
 * 	for (...) {
 * 		tc_doc_cell_string(&doc, job->name);
 * 		tc_doc_cell_ns(&doc, job->step_ns);
 * 		tc_doc_cell_pct(&doc, job->idle_pct);
 * 		tc_names_append(names, tc_doc_cell(&doc), cause);
 * 	}
 * 	tc_doc_say(&doc, "A job is named after its folder.");
 * 	tc_doc_write_text(&doc, &sink, &options);
 * 	tc_doc_clear(&doc);
 *
 * Writers leave out a block with an empty text, a table without rows, and a heading with nothing
 * below it. So a builder may add the heading first and then look for content. A function that
 * returns a buffer has begun a text; append to it until the next block, cell or line begins. When
 * memory runs out, the text is marked as failed, and the writer passes the failure to the sink.
 */
#pragma once

#include <stdint.h>

#include "core/buf.h"
#include "report/text/sink.h"

enum tc_block_kind {
	TC_BLOCK_TITLE,
	TC_BLOCK_HEADING,
	TC_BLOCK_PARAGRAPH,
	TC_BLOCK_ITEM,
	TC_BLOCK_TABLE,
	TC_BLOCK_CODE,
	TC_BLOCK_FOLD,
	TC_BLOCK_FOLD_END
};

enum tc_cell_kind {
	TC_CELL_TEXT,
	TC_CELL_NS,
	TC_CELL_CHANGE_NS, /* with its sign */
	TC_CELL_BYTES,
	TC_CELL_PCT,
	TC_CELL_SHARE_PCT, /* without decimals */
	TC_CELL_CHANGE_PCT,
	TC_CELL_HOURS, /* NAN where they are unknown: "-" */
	TC_CELL_COUNT,
	TC_CELL_BAR
};

/* Importance of a text; a terminal shows it in colour. */
enum tc_tone { TC_TONE_PLAIN, TC_TONE_STRONG, TC_TONE_GAIN, TC_TONE_OLD, TC_TONE_NEW };

struct tc_block {
	enum tc_block_kind kind;
	enum tc_tone tone;
	size_t text;                /* number of its text; see tc_doc_text_at() */
	size_t anchor;              /* number of the text that is its name for links, or 0 */
	const char *label;          /* of an item; the language of code; the picture of a table */
	const char *const *columns; /* of a table; NULL at the end */
	size_t first_cell, cell_count;
	int column_count;
	int column; /* the column of the table above that this paragraph explains, or -1 */
	int shrink_order, least_rows; /* see tc_doc_set_shrink_order() */
	size_t more;                  /* rows that a table leaves out */
};

struct tc_doc_cell {
	enum tc_cell_kind kind;
	enum tc_tone tone;
	int depth; /* of a text: depth in a tree whose parents are in the rows above */
	union {
		int64_t integer;
		double real;
	};
	size_t text, below, link; /* numbers of texts */
};

/* Zeroed is empty. Read by writers only. */
struct tc_doc {
	struct tc_buf text;
	size_t *starts; /* of each text; it ends where the next one starts */
	size_t start_count, start_capacity;
	struct tc_block *blocks;
	size_t block_count, block_capacity;
	struct tc_doc_cell *cells;
	size_t cell_count, cell_capacity;
	int line_limit; /* of the text outside of folds; 0 for none */
};

#define TC_DOC_EMPTY ((struct tc_doc){0})

void tc_doc_clear(struct tc_doc *doc); /* frees; ready for use again */

/* The title of the document, and of a part. */
struct tc_buf *tc_doc_title(struct tc_doc *doc);
void tc_doc_heading(struct tc_doc *doc, const char *heading);
/* A new part without a name. */
void tc_doc_break(struct tc_doc *doc);
struct tc_buf *tc_doc_paragraph(struct tc_doc *doc);
void tc_doc_say(struct tc_doc *doc, const char *text); /* a paragraph of this text */
/* A paragraph that explains a column of the table above, shown only if the column is. */
struct tc_buf *tc_doc_column_note(struct tc_doc *doc, int column);
/* A line of a list; label is a literal: "-", "!", "Why". Blanks at its end align what follows. */
struct tc_buf *tc_doc_item(struct tc_doc *doc, const char *label);
/* Lines to copy, as they are; language is a literal: "sql", "sh"; of "diff", writers colour the
 * lines that begin with - and +. */
struct tc_buf *tc_doc_code(struct tc_doc *doc, const char *language);
/* Begins details, shown only on request, up to the end of the fold. */
void tc_doc_fold(struct tc_doc *doc, const char *summary);
void tc_doc_fold_end(struct tc_doc *doc);

/*
 * Begins a table; cells follow row by row. columns is static: titles with marks before them; when
 * all titles are empty, the table has no head. '<': words, left-aligned, the only columns that are
 * cut. '?': hidden first when the line is too short; '-': hidden when nothing else helps. '~':
 * wrapped, not cut. '!': cut only when nothing else
 * helps, as ids that a reader types. '=' (last column): bars, of which '^' on a terminal the
 * longest fills the column. '*': the title is the text that is appended to doc->text directly after
 * tc_doc_table().
 */
void tc_doc_table(struct tc_doc *doc, const char *const *columns);
struct tc_buf *tc_doc_cell(struct tc_doc *doc); /* a text */
void tc_doc_cell_text(struct tc_doc *doc, struct tc_text text);
void tc_doc_cell_string(struct tc_doc *doc, const char *string);
void tc_doc_cell_ns(struct tc_doc *doc, int64_t ns);
void tc_doc_cell_change_ns(struct tc_doc *doc, int64_t ns);
void tc_doc_cell_bytes(struct tc_doc *doc, int64_t bytes);
void tc_doc_cell_count(struct tc_doc *doc, int64_t count);
void tc_doc_cell_pct(struct tc_doc *doc, double pct);
void tc_doc_cell_share(struct tc_doc *doc, double pct);
void tc_doc_cell_change_pct(struct tc_doc *doc, double pct);
void tc_doc_cell_hours(struct tc_doc *doc, double hours);
void tc_doc_cell_bar(struct tc_doc *doc, double pct);
/* A line below the row of the last cell. */
struct tc_buf *tc_doc_below(struct tc_doc *doc);

/* Appends the buffer to the last text, and clears it. */
void tc_doc_take(struct tc_doc *doc, struct tc_buf *text);

/*
 * doc->line_limit is the budget of lines of a page on a terminal. While it is longer, blocks with
 * the largest order lose their last row or line, the lowest block first, down to least_rows; a
 * block of order 0 keeps all. A table says how many rows are missing, and tc_doc_more() adds those
 * that were never in the document. A cut text ends with "...".
 */
void tc_doc_set_shrink_order(struct tc_doc *doc, int order, int least_rows); /* of the last block */
void tc_doc_more(struct tc_doc *doc, size_t rows); /* of the last block, a table */

/* The tone of the last block or cell. */
void tc_doc_tone(struct tc_doc *doc, enum tc_tone tone);
void tc_doc_depth(struct tc_doc *doc, int depth); /* of the cell begun last */
/* Names the last block for links; sets the target of the last cell's link: "#" and such a name, or
 * a file. Only pages have links. */
struct tc_buf *tc_doc_anchor(struct tc_doc *doc);
struct tc_buf *tc_doc_link(struct tc_doc *doc);

/* A page draws the table begun last as a picture of this kind (html/page/pictures.js): a literal,
 * or a text that lasts as long as the document. */
static inline void tc_doc_picture(struct tc_doc *doc, const char *kind)
{
	if (doc->block_count > 0)
		doc->blocks[doc->block_count - 1].label = kind;
}

/* For writers. */
/* Code without empty lines around it. */
struct tc_text tc_doc_code_text(const struct tc_doc *doc, const struct tc_block *block);
/* Takes the next line off that; only lines of a diff have a tone. False at the end. */
bool tc_doc_code_line(struct tc_text *line, enum tc_tone *tone, const struct tc_block *block,
	struct tc_text *rest);
struct tc_text tc_doc_text_at(const struct tc_doc *doc, size_t number);
/* A column's title without its marks, and whether it has one. */
struct tc_text tc_doc_column_title(
	const struct tc_doc *doc, const struct tc_block *table, int column);
bool tc_doc_column_has(const struct tc_block *table, int column, char mark);
/* Appends the text of a cell, nothing for a bar; texts as they are. */
void tc_doc_format_cell(
	struct tc_buf *buf, const struct tc_doc *doc, const struct tc_doc_cell *cell);
/* False for blocks without content. */
bool tc_doc_shows(const struct tc_doc *doc, size_t index);

/* ---- writers. Texts from a trace are escaped here for each format: a name is never taken for a
 * mark, a line end, a tag or the end of a cell. */

/* Options that apply: width, ascii, color, and details for folds. */
typedef void (*tc_doc_write_fn)(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

/* For a terminal; folds are shown only with details. */
void tc_doc_write_text(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
/* Writes the body of an HTML page: elements with classes of the page's style, without scripts or
 * styles; folds open with a click. */
void tc_doc_write_html(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
/* Writes text for HTML, between tags or as the value of an attribute in quotes. */
void tc_html_escape(struct tc_sink *sink, struct tc_text text);
/* Writes Markdown of GitHub and GitLab; folds open with a click. */
void tc_doc_write_markdown(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
