/* A document for a terminal; see writers.h. Paragraphs are indented to column 2, titles are not. */
#include "report/doc/layout.h"
#include "report/doc/writers.h"
#include "report/text/format.h"

#define INDENT 2
#define FOLDED "--details shows "

struct text_writer {
	const struct tc_doc *doc;
	struct tc_sink *sink;
	const struct tc_report_options *options;
	struct tc_layout table; /* the last one, for notes on its columns */
	bool folded;            /* inside a fold that is not shown */
	bool begun;             /* something was written */
};

static void put_wrapped(
	struct text_writer *writer, const struct tc_block *block, int first, int indent)
{
	struct tc_sink *sink = writer->sink;
	const struct tc_report_options *options = writer->options;
	struct tc_buf clean = TC_BUF_EMPTY;

	tc_format_clean(&clean, tc_doc_text_at(writer->doc, block->text), options->ascii, 0);
	if (block->tone != TC_TONE_PLAIN)
		tc_put_tone(sink, options, block->tone);
	tc_format_wrap(&sink->buf, tc_buf_text(&clean), indent, first, options->width);
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

static void put_table(struct text_writer *writer, const struct tc_block *block)
{
	tc_layout_clear(&writer->table);
	tc_layout_init(&writer->table, writer->doc, block, writer->options);
	tc_layout_print(&writer->table, writer->sink);
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

void tc_doc_write_text(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options)
{
	struct text_writer writer = {.doc = doc, .sink = sink, .options = options};

	sink->buf.failed |= tc_buf_failed(&doc->text);
	for (size_t i = 0; i < doc->block_count && !tc_sink_dead(sink); i++) {
		const struct tc_block *block = &doc->blocks[i];
		bool fold = block->kind == TC_BLOCK_FOLD;
		if (block->kind == TC_BLOCK_FOLD_END)
			writer.folded = false;
		if (writer.folded || !tc_doc_shows(doc, i) || (fold && options->details))
			continue;
		put_block(&writer, block);
		writer.begun = true;
		writer.folded = fold;
	}
	tc_layout_clear(&writer.table);
}
