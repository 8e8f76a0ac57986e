/*
 * The HTML writer of a document. A cell with a number has it twice: as text for people, and
 * exact as data-v, by which the page sorts.
 */
#include <math.h>

#include "report/doc/doc.h"
#include "report/text/format.h"

struct html_writer {
	const struct tc_doc *doc;
	struct tc_sink *sink;
	bool in_list, in_fold;
};

void tc_html_escape(struct tc_sink *sink, struct tc_text text)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	tc_sink_escaped(sink, text, "&<>\"'", entities);
}

static void put_clean(struct html_writer *writer, struct tc_text text)
{
	struct tc_buf clean = TC_BUF_EMPTY;

	tc_format_clean(&clean, text, false, 0);
	tc_html_escape(writer->sink, tc_buf_text(&clean));
	tc_buf_end(&writer->sink->buf, &clean);
}

/* Writes text between two strings of ours. */
static void put_between(
	struct html_writer *writer, const char *before, struct tc_text text, const char *behind)
{
	tc_sink_put(writer->sink, before);
	put_clean(writer, text);
	tc_sink_put(writer->sink, behind);
}

static struct tc_text text_of(const struct html_writer *writer, const struct tc_block *block)
{
	return tc_text_trim(tc_doc_text_at(writer->doc, block->text));
}

/* Opens an element that stands for the block: its tone is its class, its anchor its id. */
static void open_tag(struct html_writer *writer, const char *tag, const struct tc_block *block)
{
	static const char *const classes[] = {
		[TC_TONE_STRONG] = " class=\"strong\"", [TC_TONE_GAIN] = " class=\"gain\""};

	tc_sink_format(writer->sink, "<%s%s", tag,
		block->tone != TC_TONE_PLAIN ? classes[block->tone] : "");
	if (block->anchor > 0)
		put_between(writer, " id=\"", tc_doc_text_at(writer->doc, block->anchor), "\"");
	tc_sink_put(writer->sink, ">");
}

static void put_element(struct html_writer *writer, const char *tag, const struct tc_block *block)
{
	open_tag(writer, tag, block);
	put_clean(writer, text_of(writer, block));
	tc_sink_format(writer->sink, "</%s>\n", tag);
}

/* A label that is a word and not just a mark is shown: "Why". */
static void put_item(struct html_writer *writer, const struct tc_block *block)
{
	struct tc_text label = tc_text_trim(tc_text_from(block->label));

	open_tag(writer, "li", block);
	if (!tc_text_equal(label, TC_TEXT("-")))
		put_between(writer, "<b>", label, "</b> ");
	put_between(writer, "", text_of(writer, block), "</li>\n");
}

static void put_code(struct html_writer *writer, const struct tc_block *block)
{
	static const char *const tags[] = {[TC_TONE_OLD] = "del", [TC_TONE_NEW] = "ins"};
	struct tc_text rest = tc_doc_code_text(writer->doc, block), line;
	enum tc_tone tone;

	tc_sink_format(writer->sink, "<pre tabindex=\"0\"><code class=\"%s\">", block->label);
	while (tc_doc_code_line(&line, &tone, block, &rest)) {
		if (tone != TC_TONE_PLAIN)
			tc_sink_format(writer->sink, "<%s>", tags[tone]);
		tc_html_escape(writer->sink, line);
		if (tone != TC_TONE_PLAIN)
			tc_sink_format(writer->sink, "</%s>", tags[tone]);
		tc_sink_put(writer->sink, rest.len > 0 ? "\n" : "");
	}
	tc_sink_put(writer->sink, "</code></pre>\n");
}

static bool is_words(const struct tc_block *table, int column)
{
	return tc_doc_column_has(table, column, '<');
}

/* The column for the line below a row: the first one of words. */
static int words_column(const struct tc_block *table)
{
	for (int c = 0; c < table->column_count; c++)
		if (is_words(table, c))
			return c;
	return 0;
}

static void put_head(struct html_writer *writer, const struct tc_block *table)
{
	bool titled = false;

	for (int c = 0; c < table->column_count; c++)
		titled |= tc_doc_column_title(writer->doc, table, c).len > 0;
	if (!titled)
		return;
	tc_sink_put(writer->sink, "<thead><tr>");
	for (int c = 0; c < table->column_count; c++) {
		struct tc_text title = tc_doc_column_title(writer->doc, table, c);
		const char *tag = title.len > 0 ? "th" : "td";
		tc_sink_format(
			writer->sink, "<%s%s>", tag, is_words(table, c) ? "" : " class=\"n\"");
		put_clean(writer, title);
		tc_sink_format(writer->sink, "</%s>", tag);
	}
	tc_sink_put(writer->sink, "</tr></thead>\n");
}

/* The number of a cell by which rows are sorted; texts have none. */
static void put_value(struct tc_sink *sink, const struct tc_doc_cell *cell)
{
	switch (cell->kind) {
	case TC_CELL_TEXT:
	case TC_CELL_BAR: break;
	case TC_CELL_PCT:
	case TC_CELL_SHARE_PCT:
	case TC_CELL_CHANGE_PCT:
	case TC_CELL_HOURS:
		if (!isnan(cell->real))
			tc_sink_format(sink, " data-v=\"%.17g\"", cell->real);
		break;
	default: tc_sink_format(sink, " data-v=\"%lld\"", (long long)cell->integer);
	}
}

static void put_cell_text(struct html_writer *writer, const struct tc_doc_cell *cell)
{
	struct tc_text link = tc_doc_text_at(writer->doc, cell->link);
	struct tc_buf text = TC_BUF_EMPTY;

	tc_doc_format_cell(&text, writer->doc, cell);
	if (link.len > 0)
		put_between(writer, "<a href=\"", link, "\">");
	put_between(writer, "", tc_buf_text(&text), link.len > 0 ? "</a>" : "");
	tc_buf_end(&writer->sink->buf, &text);
}

static void put_below(struct html_writer *writer, struct tc_text text)
{
	if (text.len > 0)
		put_between(writer, "<div class=\"below\">", text, "</div>");
}

/* The number beside a bar says the same, so screen readers skip the bar. */
static void put_bar(struct tc_sink *sink, double pct)
{
	tc_sink_format(sink,
		"<td class=\"bar\" aria-hidden=\"true\"><svg viewBox=\"0 0 100 1\""
		" preserveAspectRatio=\"none\"><rect width=\"%.2f\" height=\"1\"/></svg></td>",
		pct < 0     ? 0
		: pct > 100 ? 100
			    : pct);
}

static void put_row(
	struct html_writer *writer, const struct tc_block *table, const struct tc_doc_cell *row)
{
	struct tc_sink *sink = writer->sink;
	int words = words_column(table);

	tc_sink_put(sink, "<tr>");
	for (int c = 0; c < table->column_count; c++) {
		if (row[c].kind == TC_CELL_BAR) {
			put_bar(sink, row[c].real);
			continue;
		}
		tc_sink_format(sink, "<td class=\"%s%s%s\"", is_words(table, c) ? "w" : "n",
			row[c].tone == TC_TONE_GAIN ? " gain" : "",
			row[c].depth > 0 ? " part" : "");
		put_value(sink, &row[c]);
		tc_sink_put(sink, ">");
		put_cell_text(writer, &row[c]);
		for (int k = 0; k < table->column_count && c == words; k++)
			put_below(writer, tc_doc_text_at(writer->doc, row[k].below));
		tc_sink_put(sink, "</td>");
	}
	tc_sink_put(sink, "</tr>\n");
}

static void put_table(struct html_writer *writer, const struct tc_block *block)
{
	const struct tc_doc_cell *cells = &writer->doc->cells[block->first_cell];
	size_t columns = (size_t)block->column_count;

	if (block->label)
		tc_sink_format(
			writer->sink, "<figure class=\"picture\" data-kind=\"%s\">", block->label);
	tc_sink_put(writer->sink, "<div class=\"scroll\" tabindex=\"0\"><table>");
	put_head(writer, block);
	tc_sink_put(writer->sink, "<tbody>\n");
	for (size_t row = 0; row + columns <= block->cell_count; row += columns)
		put_row(writer, block, cells + row);
	tc_sink_format(writer->sink, "</tbody></table></div>%s\n", block->label ? "</figure>" : "");
}

static void end_fold(struct html_writer *writer)
{
	tc_sink_put(writer->sink, writer->in_fold ? "</details>\n" : "");
	writer->in_fold = false;
}

static void begin_fold(struct html_writer *writer, const struct tc_block *block)
{
	end_fold(writer);
	open_tag(writer, "details", block);
	put_between(writer, "<summary>", text_of(writer, block), "</summary>\n");
	writer->in_fold = true;
}

static void put_block(struct html_writer *writer, const struct tc_block *block)
{
	switch (block->kind) {
	case TC_BLOCK_TITLE: put_element(writer, "h1", block); break;
	case TC_BLOCK_HEADING:
		if (text_of(writer, block).len > 0)
			put_element(writer, writer->in_fold ? "h3" : "h2", block);
		break;
	case TC_BLOCK_PARAGRAPH: put_element(writer, "p", block); break;
	case TC_BLOCK_ITEM: put_item(writer, block); break;
	case TC_BLOCK_TABLE: put_table(writer, block); break;
	case TC_BLOCK_CODE: put_code(writer, block); break;
	case TC_BLOCK_FOLD: begin_fold(writer, block); break;
	case TC_BLOCK_FOLD_END: end_fold(writer); break;
	}
}

static void set_list(struct html_writer *writer, bool in_list)
{
	if (in_list != writer->in_list)
		tc_sink_put(writer->sink, in_list ? "<ul>\n" : "</ul>\n");
	writer->in_list = in_list;
}

void tc_doc_write_html(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options)
{
	struct html_writer writer = {.doc = doc, .sink = sink};

	(void)options;
	sink->buf.failed |= tc_buf_failed(&doc->text);
	for (size_t i = 0; i < doc->block_count && !tc_sink_dead(sink); i++) {
		const struct tc_block *block = &doc->blocks[i];
		if (!tc_doc_shows(doc, i))
			continue;
		set_list(&writer, block->kind == TC_BLOCK_ITEM);
		put_block(&writer, block);
	}
	set_list(&writer, false);
	end_fold(&writer);
}
