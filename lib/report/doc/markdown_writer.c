/* The Markdown writer of a document. Empty lines separate blocks, but not items of a list. */
#include <ctype.h>
#include <strings.h>

#include "report/doc/doc.h"
#include "report/text/format.h"

struct markdown_writer {
	const struct tc_doc *doc;
	struct tc_sink *sink;
	const struct tc_report_options *options;
	bool begun;              /* something was written */
	bool open;               /* a fold that is shown */
	enum tc_block_kind last; /* what was written before */
};

/* Whether the hosts of code would make a link of the characters before and from `at` on: @name, #12
 * and its like of GitLab (!12, %"name"), GH-12, https://name, www.name. */
static bool is_link(struct tc_text text, size_t at)
{
	const char *c = text.ptr + at;
	bool is_word = at < text.len && isalnum((unsigned char)*c);

	if (at == 0 || at == text.len)
		return false;
	switch (c[-1]) {
	case '@': return *c != ' ';
	case '-': return at > 1 && isupper((unsigned char)c[-2]) && tc_is_digit(*c);
	case ':': return at + 1 < text.len && c[0] == '/' && c[1] == '/';
	default: break;
	}
	if (memchr("#!$%&~", c[-1], 6))
		return is_word || *c == '"';
	return *c == '.' && at > 2 && strncasecmp(c - 3, "www", 3) == 0;
}

/* Writes the text with a backslash before characters that Markdown would interpret. What becomes a
 * link after that, when backslashes are gone, is broken by a space without width. */
static void put_escaped(struct markdown_writer *writer, struct tc_text text)
{
	struct tc_buf clean = TC_BUF_EMPTY;

	tc_format_clean(&clean, text, writer->options->ascii, 0);
	for (size_t i = 0; i < clean.len; i++) {
		tc_sink_put(writer->sink, is_link(tc_buf_text(&clean), i) ? "&#8203;" : "");
		if (memchr("\\`*_[]<>#|&~$", clean.ptr[i], 13))
			tc_sink_put(writer->sink, "\\");
		tc_sink_text(writer->sink, (struct tc_text){clean.ptr + i, 1});
	}
	tc_buf_end(&writer->sink->buf, &clean);
}

static void put_toned(struct markdown_writer *writer, struct tc_text text, enum tc_tone tone)
{
	const char *mark = tone == TC_TONE_PLAIN ? "" : "**";

	tc_sink_put(writer->sink, text.len > 0 ? mark : "");
	put_escaped(writer, text);
	tc_sink_put(writer->sink, text.len > 0 ? mark : "");
}

static void put_text(struct markdown_writer *writer, const struct tc_block *block)
{
	put_toned(writer, tc_text_trim(tc_doc_text_at(writer->doc, block->text)), block->tone);
	tc_sink_put(writer->sink, "\n");
}

/* "- text"; a label that is a word and not just a mark is shown: "- **Why** text". */
static void put_item(struct markdown_writer *writer, const struct tc_block *block)
{
	struct tc_text label = tc_text_trim(tc_text_from(block->label));

	tc_sink_put(writer->sink, "- ");
	if (!tc_text_equal(label, TC_TEXT("-"))) {
		put_toned(writer, label, TC_TONE_STRONG);
		tc_sink_put(writer->sink, " ");
	}
	put_text(writer, block);
}

static bool is_bar(const struct tc_block *table, int column)
{
	return tc_doc_column_has(table, column, '=');
}

static void put_cell(struct markdown_writer *writer, const struct tc_doc_cell *cell)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_sink_put(writer->sink, cell->depth > 0 ? " - " : " ");
	tc_doc_format_cell(&text, writer->doc, cell);
	put_toned(writer, tc_buf_text(&text), cell->tone);
	tc_buf_end(&writer->sink->buf, &text);
}

/* Lines below a row stand in its first cell of words. */
static void put_row(
	struct markdown_writer *writer, const struct tc_block *block, const struct tc_doc_cell *row)
{
	int words = block->column_count - 1;

	for (int c = block->column_count - 1; c >= 0; c--)
		words = tc_doc_column_has(block, c, '<') ? c : words;
	tc_sink_put(writer->sink, "|");
	for (int c = 0; c < block->column_count; c++) {
		if (is_bar(block, c))
			continue;
		put_cell(writer, &row[c]);
		for (int k = 0; k < block->column_count && c == words; k++) {
			tc_sink_put(writer->sink, row[k].below > 0 ? "<br>" : "");
			put_escaped(writer, tc_doc_text_at(writer->doc, row[k].below));
		}
		tc_sink_put(writer->sink, " |");
	}
	tc_sink_put(writer->sink, "\n");
}

static void put_alignment(struct markdown_writer *writer, const struct tc_block *block, int column)
{
	tc_sink_put(writer->sink, tc_doc_column_has(block, column, '<') ? "---|" : "--:|");
}

static void put_table(struct markdown_writer *writer, const struct tc_block *block)
{
	const struct tc_doc_cell *cells = &writer->doc->cells[block->first_cell];
	size_t columns = (size_t)block->column_count;

	tc_sink_put(writer->sink, "|");
	for (int c = 0; c < block->column_count; c++) {
		if (is_bar(block, c))
			continue;
		tc_sink_put(writer->sink, " ");
		put_escaped(writer, tc_doc_column_title(writer->doc, block, c));
		tc_sink_put(writer->sink, " |");
	}
	tc_sink_put(writer->sink, "\n|");
	for (int c = 0; c < block->column_count; c++)
		if (!is_bar(block, c))
			put_alignment(writer, block, c);
	tc_sink_put(writer->sink, "\n");
	for (size_t row = 0; row + columns <= block->cell_count; row += columns)
		put_row(writer, block, cells + row);
}

/* The fence is longer than any in the text. */
static void put_code(struct markdown_writer *writer, const struct tc_block *block)
{
	struct tc_text text = tc_doc_code_text(writer->doc, block);
	int fence = 3, run = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.ptr[i] == '`' ? run + 1 : 0;
		fence = run >= fence ? run + 1 : fence;
	}
	tc_sink_fill(writer->sink, "`", fence);
	tc_sink_format(writer->sink, "%s\n", block->label);
	tc_sink_text(writer->sink, text);
	tc_sink_put(writer->sink, "\n");
	tc_sink_fill(writer->sink, "`", fence);
	tc_sink_put(writer->sink, "\n");
}

static void put_fold(struct markdown_writer *writer, const struct tc_block *block)
{
	tc_sink_put(writer->sink, "<details><summary>More: ");
	put_escaped(writer, tc_doc_text_at(writer->doc, block->text));
	tc_sink_put(writer->sink, "</summary>\n");
	writer->open = true;
}

static void put_fold_end(struct markdown_writer *writer)
{
	if (writer->open)
		tc_sink_put(writer->sink, "</details>\n");
	writer->open = false;
}

static void put_block(struct markdown_writer *writer, const struct tc_block *block)
{
	switch (block->kind) {
	case TC_BLOCK_TITLE: tc_sink_put(writer->sink, "# "); break;
	case TC_BLOCK_HEADING: tc_sink_put(writer->sink, "## "); break;
	default: break;
	}
	switch (block->kind) {
	case TC_BLOCK_TITLE:
	case TC_BLOCK_HEADING:
	case TC_BLOCK_PARAGRAPH: put_text(writer, block); break;
	case TC_BLOCK_ITEM: put_item(writer, block); break;
	case TC_BLOCK_TABLE: put_table(writer, block); break;
	case TC_BLOCK_CODE: put_code(writer, block); break;
	case TC_BLOCK_FOLD: put_fold(writer, block); break;
	case TC_BLOCK_FOLD_END: put_fold_end(writer); break;
	}
}

/* A break shows nothing: an empty line separates all blocks anyway. */
static bool is_break(const struct tc_doc *doc, const struct tc_block *block)
{
	return block->kind == TC_BLOCK_HEADING && tc_doc_text_at(doc, block->text).len == 0;
}

void tc_doc_write_markdown(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options)
{
	struct markdown_writer writer = {.doc = doc, .sink = sink, .options = options};

	sink->buf.failed |= tc_buf_failed(&doc->text);
	for (size_t i = 0; i < doc->block_count && !tc_sink_dead(sink); i++) {
		const struct tc_block *block = &doc->blocks[i];
		if (!tc_doc_shows(doc, i) || is_break(doc, block) ||
			(block->kind == TC_BLOCK_FOLD_END && !writer.open))
			continue;
		bool in_list = block->kind == TC_BLOCK_ITEM && writer.last == TC_BLOCK_ITEM;
		tc_sink_put(sink, writer.begun && !in_list ? "\n" : "");
		put_block(&writer, block);
		writer.begun = true;
		writer.last = block->kind;
	}
}
