/* A document for a terminal; see writers.h. Paragraphs are indented to column 2, titles are not. */
#include <limits.h>

#include "core/alloc.h"
#include "report/doc/layout.h"
#include "report/doc/writers.h"
#include "report/text/format.h"

#define INDENT 2
#define FOLDED "--details shows "
#define CUT " ..."

struct text_writer {
	const struct tc_doc *doc;
	struct tc_sink *sink;
	const struct tc_report_options *options;
	struct tc_layout table; /* the last one, for notes on its columns */
	bool folded;            /* inside a fold that is not shown */
	bool begun;             /* something was written */
	int most;               /* lines or rows that the block may have */
};

/* Where the text of `len` bytes ends without its last character. */
static size_t without_last(const char *text, size_t len)
{
	do
		len--;
	while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80);
	return len;
}

/* Where a text that may have `len` bytes ends best: after a sentence, else after a word of its last
 * line. */
static size_t good_end(const char *text, size_t len, size_t line)
{
	for (size_t end = len; end > 0; end--)
		if (text[end - 1] == '.' && (text[end] == ' ' || text[end] == '\n'))
			return end;
	for (size_t end = len; end > line; end--)
		if ((text[end] == ' ' || text[end] == '\n') && text[end - 1] != ' ')
			return end;
	return len;
}

/* Cuts the text from `start` on to the lines that the block may have; `first` columns of its first
 * line are used. */
static void cut_lines(const struct text_writer *writer, struct tc_buf *buf, size_t start, int first)
{
	size_t len = 0, line = 0;
	int lines = 0, width = writer->options->width - ((int)sizeof(CUT) - 1);

	if (tc_buf_failed(buf) || buf->len == start)
		return;
	const char *text = buf->ptr + start;
	size_t all = buf->len - start;
	for (; len < all; len++) {
		if (text[len] != '\n')
			continue;
		if (++lines >= writer->most)
			break;
		line = len + 1;
	}
	if (len == all)
		return;
	while (len > line && tc_format_columns((struct tc_text){text + line, len - line}) +
					     (line == 0 ? first : 0) >
				     width)
		len = without_last(text, len);
	buf->len = start + good_end(text, len, line);
	tc_buf_append_string(buf, CUT);
}

static void put_wrapped(
	struct text_writer *writer, const struct tc_block *block, int first, int indent)
{
	struct tc_sink *sink = writer->sink;
	const struct tc_report_options *options = writer->options;
	struct tc_buf clean = TC_BUF_EMPTY;

	tc_format_clean(&clean, tc_doc_text_at(writer->doc, block->text), options->ascii, 0);
	if (block->tone != TC_TONE_PLAIN)
		tc_put_tone(sink, options, block->tone);
	size_t start = sink->buf.len;
	tc_format_wrap(&sink->buf, tc_buf_text(&clean), indent, first, options->width);
	cut_lines(writer, &sink->buf, start, first);
	if (block->tone != TC_TONE_PLAIN)
		tc_put_tone(sink, options, TC_TONE_PLAIN);
	tc_sink_put(sink, "\n");
	tc_buf_end(&sink->buf, &clean);
}

static void put_bold(struct text_writer *writer, const struct tc_block *block)
{
	struct tc_block bold = *block;

	bold.tone = TC_TONE_STRONG;
	put_wrapped(writer, &bold, 0, 0);
}

static void put_title(struct text_writer *writer, const struct tc_block *block)
{
	if (writer->begun)
		tc_sink_put(writer->sink, "\n");
	put_bold(writer, block);
}

static void put_heading(struct text_writer *writer, const struct tc_block *block)
{
	if (writer->begun)
		tc_sink_put(writer->sink, "\n");
	if (tc_doc_text_at(writer->doc, block->text).len > 0)
		put_bold(writer, block);
}

static void put_paragraph(struct text_writer *writer, const struct tc_block *block)
{
	if (block->column >= 0 && writer->table.block &&
		!tc_layout_shows(&writer->table, block->column))
		return;
	tc_format_pad(&writer->sink->buf, INDENT);
	put_wrapped(writer, block, INDENT, INDENT);
}

static void put_item(struct text_writer *writer, const struct tc_block *block)
{
	int indent = INDENT + tc_format_columns(tc_text_from(block->label)) + 1;

	tc_format_pad(&writer->sink->buf, INDENT);
	tc_sink_put(writer->sink, block->label);
	tc_sink_put(writer->sink, " ");
	put_wrapped(writer, block, indent, indent);
}

static size_t row_count(const struct tc_block *block)
{
	return block->column_count > 0 ? block->cell_count / (size_t)block->column_count : 0;
}

static void put_table(struct text_writer *writer, const struct tc_block *block)
{
	size_t rows = row_count(block);
	size_t shown = rows < (size_t)writer->most ? rows : (size_t)writer->most;

	tc_layout_clear(&writer->table);
	tc_layout_init(&writer->table, writer->doc, block, writer->options);
	tc_layout_print(&writer->table, writer->sink, shown);
	if (rows > shown || block->more > 0)
		tc_sink_format(writer->sink, "  %zu more: --top %zu shows all.\n",
			rows - shown + block->more, rows + block->more);
}

/* Never wrapped, so that it can be copied. */
static void put_code(struct text_writer *writer, const struct tc_block *block)
{
	struct tc_text text = tc_text_trim(tc_doc_text_at(writer->doc, block->text));

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;
		tc_format_pad(&writer->sink->buf, INDENT);
		tc_sink_text(writer->sink, (struct tc_text){text.ptr, len});
		tc_sink_put(writer->sink, "\n");
		text.ptr += end ? len + 1 : len;
		text.len -= end ? len + 1 : len;
	}
}

/* Says how to see what is left out. */
static void put_folded(struct text_writer *writer, const struct tc_block *block)
{
	tc_format_pad(&writer->sink->buf, INDENT);
	tc_sink_put(writer->sink, FOLDED);
	put_wrapped(writer, block, INDENT + (int)sizeof(FOLDED) - 1, INDENT);
}

static void put_block(struct text_writer *writer, const struct tc_block *block)
{
	switch (block->kind) {
	case TC_BLOCK_TITLE: put_title(writer, block); break;
	case TC_BLOCK_HEADING: put_heading(writer, block); break;
	case TC_BLOCK_PARAGRAPH: put_paragraph(writer, block); break;
	case TC_BLOCK_ITEM: put_item(writer, block); break;
	case TC_BLOCK_TABLE: put_table(writer, block); break;
	case TC_BLOCK_CODE: put_code(writer, block); break;
	case TC_BLOCK_FOLD: put_folded(writer, block); break;
	case TC_BLOCK_FOLD_END: break;
	}
}

/* Whether the block is written; call once for each block, in order. */
static bool takes(struct text_writer *writer, size_t index)
{
	enum tc_block_kind kind = writer->doc->blocks[index].kind;

	if (kind == TC_BLOCK_FOLD_END)
		writer->folded = false;
	if (writer->folded || !tc_doc_shows(writer->doc, index) ||
		(kind == TC_BLOCK_FOLD && writer->options->details))
		return false;
	writer->folded = kind == TC_BLOCK_FOLD;
	return true;
}

/* A block on the terminal. */
struct extent {
	int most;  /* lines of a text, rows of a table */
	int lines; /* with that */
};

static int count_lines(void *user, const char *bytes, size_t len)
{
	int *lines = user;

	for (size_t i = 0; i < len; i++)
		*lines += bytes[i] == '\n';
	return 0;
}

/* Lines of the block when it may have `most`, counted by writing it. */
static int measure(struct text_writer *writer, const struct tc_block *block, int most)
{
	struct tc_sink *sink = writer->sink, scratch;
	int lines = 0;

	tc_sink_init(&scratch, count_lines, &lines);
	writer->sink = &scratch;
	writer->most = most;
	put_block(writer, block);
	writer->sink = sink;
	count_lines(&lines, tc_buf_text(&scratch.buf).ptr, tc_buf_text(&scratch.buf).len);
	tc_buf_end(&sink->buf, &scratch.buf);
	return lines;
}

/* Measures all blocks as they are; those that are not written cannot shrink. Returns the
 * lines of all. */
static int measure_all(struct text_writer *writer, struct extent *extents)
{
	int lines = 0;

	for (size_t i = 0; i < writer->doc->block_count; i++) {
		const struct tc_block *block = &writer->doc->blocks[i];
		extents[i] = (struct extent){0};
		if (!takes(writer, i))
			continue;
		extents[i].lines = measure(writer, block, INT_MAX);
		extents[i].most =
			block->kind == TC_BLOCK_TABLE ? (int)row_count(block) : extents[i].lines;
		writer->begun = true;
		lines += extents[i].lines;
	}
	writer->folded = writer->begun = false;
	return lines;
}

/* The block that gives way next; block_count for none. */
static size_t next_to_give(const struct tc_doc *doc, const struct extent *extents)
{
	size_t next = doc->block_count;

	for (size_t i = 0; i < doc->block_count; i++)
		if (doc->blocks[i].shrink_order > 0 &&
			extents[i].most > doc->blocks[i].least_rows &&
			(next == doc->block_count ||
				doc->blocks[i].shrink_order >= doc->blocks[next].shrink_order))
			next = i;
	return next;
}

/* Takes rows and lines off the blocks until the page fits. */
static void fit_page(struct text_writer *writer, struct extent *extents)
{
	const struct tc_doc *doc = writer->doc;
	int lines = measure_all(writer, extents);

	while (lines > doc->line_limit) {
		size_t i = next_to_give(doc, extents);
		if (i == doc->block_count)
			return;
		int before = extents[i].lines;
		extents[i].most--;
		extents[i].lines = doc->blocks[i].kind == TC_BLOCK_TABLE
					   ? measure(writer, &doc->blocks[i], extents[i].most)
					   : before - 1;
		lines += extents[i].lines - before;
	}
}

void tc_doc_write_text(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options)
{
	struct text_writer writer = {.doc = doc, .sink = sink, .options = options};
	bool limited = doc->line_limit > 0 && !options->details;
	struct extent *extents = limited ? tc_calloc(doc->block_count, sizeof(*extents)) : NULL;

	sink->buf.failed |= tc_buf_failed(&doc->text) || (limited && !extents);
	if (extents && !tc_buf_failed(&sink->buf))
		fit_page(&writer, extents);
	for (size_t i = 0; i < doc->block_count && !tc_sink_dead(sink); i++) {
		writer.most = extents ? extents[i].most : INT_MAX;
		if (!takes(&writer, i) || writer.most == 0)
			continue;
		put_block(&writer, &doc->blocks[i]);
		writer.begun = true;
	}
	tc_layout_clear(&writer.table);
	tc_free(extents);
}
