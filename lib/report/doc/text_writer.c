/* The writer of a document for a terminal. Paragraphs are indented to column 2, titles are not. */

#include <limits.h>

#include "core/alloc.h"
#include "report/doc/doc.h"
#include "report/text/format.h"
#include "report/text/sink.h"

/*
 * A table of a document laid out for a terminal. When the line is too short, optional columns go
 * first, from the right, but the last one stays if titles on several lines make room for it; then
 * the last column is cut in its middle to what is left, or goes on in the next line. When that is
 * not enough, titles take several lines, columns of words are cut, and more columns go. Bars take
 * what the other columns leave; for short ones, words that go on in the next line give way.
 */

#define TC_LAYOUT_MAX_COLUMNS 12

struct tc_layout {
	const struct tc_doc *doc;
	const struct tc_block *block;
	const struct tc_report_options *options;
	struct tc_buf text; /* all cells, made safe for a terminal */
	size_t *ends;       /* where each cell ends in text */
	int widths[TC_LAYOUT_MAX_COLUMNS];
	size_t whole_rows; /* below them, words that would go on in the next line are cut */
};

#define TABLE_INDENT 2
#define TABLE_GAP 2
#define TABLE_WANTED_LAST 36 /* width for names; optional columns are hidden to reach it */
#define TABLE_MIN_LAST 12    /* names cut shorter than this are useless */
#define TABLE_MOST_BAR 32
#define TABLE_MIN_BAR 5
#define TABLE_MIN_WRAPPED 24 /* sentences that give way to bars take three lines at most */
#define TABLE_HIDDEN -1
#define DEPTH_COLUMNS 2
#define CUT " ..."

/* Begins or ends a tone, if colours are on. */
static void put_tone(
	struct tc_sink *sink, const struct tc_report_options *options, enum tc_tone tone)
{
	static const char *const codes[] = {[TC_TONE_PLAIN] = "\033[0m",
		[TC_TONE_STRONG] = "\033[1m",
		[TC_TONE_GAIN] = "\033[1;32m",
		[TC_TONE_OLD] = "\033[31m",
		[TC_TONE_NEW] = "\033[32m"};

	if (options->color)
		tc_buf_append_string(&sink->buf, codes[tone]);
}

static const struct tc_doc_cell *cell_at(const struct tc_layout *table, size_t index)
{
	return &table->doc->cells[table->block->first_cell + index];
}

static struct tc_text text_at(const struct tc_layout *table, size_t index)
{
	size_t start = index > 0 ? table->ends[index - 1] : 0;

	return (struct tc_text){tc_buf_text(&table->text).ptr + start, table->ends[index] - start};
}

/* Columns by which its depth in a tree indents a cell. */
static int pad_of(const struct tc_layout *table, size_t index)
{
	return cell_at(table, index)->depth * DEPTH_COLUMNS;
}

static struct tc_text title_of(const struct tc_layout *table, int column)
{
	return tc_doc_column_title(table->doc, table->block, column);
}

static int last_of(const struct tc_layout *table)
{
	return table->block->column_count - 1;
}

/* Is the column marked, before its title? */
static bool is_marked(const struct tc_layout *table, int column, char mark)
{
	return tc_doc_column_has(table->block, column, mark);
}

/* May the cells of the column be cut? */
static bool is_cut(const struct tc_layout *table, int column)
{
	return is_marked(table, column, '<') && !is_marked(table, column, '!');
}

/* Columns of the line that all shown columns but the last one take. */
static int used_columns(const struct tc_layout *table)
{
	int used = TABLE_INDENT;

	for (int c = 0; c < last_of(table); c++)
		used += table->widths[c] == TABLE_HIDDEN ? 0 : table->widths[c] + TABLE_GAP;
	return used;
}

/* Columns of the longest word of a title: what it needs on several lines. */
static int longest_word(struct tc_text title)
{
	int longest = 0;

	for (size_t from = 0, i = 0; i <= title.len; i++) {
		if (i < title.len && title.ptr[i] != ' ')
			continue;
		int columns = tc_format_columns((struct tc_text){title.ptr + from, i - from});
		longest = columns > longest ? columns : longest;
		from = i + 1;
	}
	return longest;
}

/* The least width of the last column: shorter words are useless, and numbers are never cut. */
static int least_last(const struct tc_layout *table)
{
	int last = last_of(table);

	if (is_marked(table, last, '='))
		return table->widths[last] == 0 ? 0 : TABLE_MIN_BAR;
	if (table->widths[last] < TABLE_MIN_LAST || !is_cut(table, last))
		return table->widths[last];
	return TABLE_MIN_LAST;
}

/* The width that the last column should have while optional columns are shown. */
static int wanted_last(const struct tc_layout *table)
{
	int width = table->widths[last_of(table)];

	if (is_marked(table, last_of(table), '=') || is_marked(table, last_of(table), '!'))
		return least_last(table);
	return width < TABLE_WANTED_LAST ? width : TABLE_WANTED_LAST;
}

/* How much the rows exceed the line when the last column is cut. */
static int excess(const struct tc_layout *table)
{
	return used_columns(table) + least_last(table) - table->options->width;
}

/* Lets titles take several lines, as far as the rows are too long; cells are the widths without
 * them. */
static void fold_titles(struct tc_layout *table, const int *cells)
{
	for (int c = 0; c <= last_of(table); c++) {
		int word = longest_word(title_of(table, c));
		int least = cells[c] > word ? cells[c] : word;
		int over = excess(table), width = table->widths[c];
		if (over > 0 && width > least)
			table->widths[c] = width - over > least ? width - over : least;
	}
}

/* Hides columns with the mark, from the right, while the last column has less than `wanted`. */
static void hide(struct tc_layout *table, char mark, int wanted)
{
	int last = last_of(table);

	for (int c = last; c > 0 && used_columns(table) + wanted > table->options->width; c--) {
		if (!is_marked(table, c, mark))
			continue;
		if (c == last) /* the column before it becomes the last one */
			table->widths[c] = wanted = 0;
		else
			table->widths[c] = TABLE_HIDDEN;
	}
}

/* Cuts columns of words, the widest first, until the rows fit. */
static void cut_words(struct tc_layout *table)
{
	int *widths = table->widths;

	for (int over = excess(table); over > 0; over = excess(table)) {
		int widest = -1;

		for (int c = 0; c < last_of(table); c++)
			if (is_cut(table, c) && widths[c] > TABLE_MIN_LAST &&
				(widest < 0 || widths[c] > widths[widest]))
				widest = c;
		if (widest < 0)
			break;
		int left = widths[widest] - over;
		widths[widest] = left < TABLE_MIN_LAST ? TABLE_MIN_LAST : left;
	}
}

/* Bytes of the longest start of the text that ends with a word and fits; when no word fits, the
 * part of the first word that does. */
static size_t fitting(struct tc_text text, int columns)
{
	size_t best = 0;

	for (size_t i = 1; i <= text.len; i++) {
		if (i < text.len && text.ptr[i] != ' ')
			continue;
		if (best > 0 && tc_format_columns((struct tc_text){text.ptr, i}) > columns)
			break;
		best = i;
	}
	return best;
}

/* Takes the next line off a text. */
static struct tc_text take_line(struct tc_text *text, int columns)
{
	struct tc_text line = {text->ptr, fitting(*text, columns)};
	size_t taken = line.len < text->len ? line.len + 1 : line.len;

	*text = (struct tc_text){text->ptr + taken, text->len - taken};
	return line;
}

/* Columns of the longest line of a column whose words go on in the next line. */
static int longest_line(const struct tc_layout *table, int column)
{
	size_t columns = (size_t)table->block->column_count;
	int longest = longest_word(title_of(table, column));

	for (size_t i = (size_t)column; i < table->block->cell_count; i += columns) {
		struct tc_text text = text_at(table, i);
		while (text.len > 0) {
			int pad = pad_of(table, i), width = table->widths[column] - pad;
			int line = pad + tc_format_columns(take_line(&text, width));
			longest = line > longest ? line : longest;
		}
	}
	return longest;
}

/* Wraps words until there is room for bars; where that is not enough, they stay as they are. */
static void wrap_for_bars(struct tc_layout *table)
{
	int over = excess(table);

	for (int c = 0; c < last_of(table) && over > 0; c++)
		if (is_marked(table, c, '~') && table->widths[c] - over >= TABLE_MIN_WRAPPED) {
			int unwrapped = table->widths[c];
			table->widths[c] -= over;
			table->widths[c] = longest_line(table, c);
			if (excess(table) > 0) /* a word is too long */
				table->widths[c] = unwrapped;
			return;
		}
}

/* Makes the rows fit into the line; cells are the widths without the titles. */
static void fit(struct tc_layout *table, const int *cells)
{
	int last = last_of(table), *widths = table->widths, whole[TC_LAYOUT_MAX_COLUMNS];

	if (is_marked(table, last, '=')) {
		fold_titles(table, cells);
		wrap_for_bars(table);
		if (excess(table) > 0)
			widths[last] = 0;
	}
	memcpy(whole, widths, sizeof(whole));
	if (is_marked(table, last, '?'))
		fold_titles(table, cells);
	hide(table, '?', wanted_last(table));
	for (int c = 0; c <= last; c++)
		widths[c] = widths[c] > 0 ? whole[c] : widths[c];
	fold_titles(table, cells);
	cut_words(table);
	hide(table, '-', least_last(table));
	int left = table->options->width - used_columns(table);
	int least = least_last(table);
	if (is_marked(table, last, '!') && least > TABLE_MIN_LAST)
		least = TABLE_MIN_LAST; /* nothing else is left to give way */
	left = left < least ? least : left;
	if (widths[last] > left)
		widths[last] = left;
	if (widths[last] == 0)
		widths[last] = TABLE_HIDDEN;
}

static void measure_columns(struct tc_layout *table)
{
	int cells[TC_LAYOUT_MAX_COLUMNS] = {0}, *widths = table->widths;

	for (size_t i = 0; i < table->block->cell_count; i++) {
		int columns = pad_of(table, i) + tc_format_columns(text_at(table, i));
		int *width = &cells[i % (size_t)table->block->column_count];
		if (cell_at(table, i)->kind == TC_CELL_BAR)
			columns = TABLE_MOST_BAR;
		*width = columns > *width ? columns : *width;
	}
	for (int c = 0; c <= last_of(table); c++) {
		int columns = tc_format_columns(title_of(table, c));
		widths[c] = columns > cells[c] ? columns : cells[c];
	}
	fit(table, cells);
}

static void make_cell(struct tc_layout *table, size_t index)
{
	const struct tc_doc_cell *cell = cell_at(table, index);
	struct tc_buf raw = TC_BUF_EMPTY;

	tc_doc_format_cell(&raw, table->doc, cell);
	tc_format_clean(&table->text, tc_buf_text(&raw), table->options->ascii, 0);
	tc_buf_end(&table->text, &raw);
	table->ends[index] = table->text.len;
}

/* Makes the cells and measures the columns; the block is a table of the document. */
static void layout_init(struct tc_layout *table, const struct tc_doc *doc,
	const struct tc_block *block, const struct tc_report_options *options)
{
	*table = (struct tc_layout){
		.doc = doc, .block = block, .options = options, .whole_rows = SIZE_MAX};
	table->ends = tc_calloc(block->cell_count, sizeof(*table->ends));
	table->text.failed = !table->ends || block->column_count > TC_LAYOUT_MAX_COLUMNS ||
			     tc_buf_failed(&doc->text);
	for (size_t i = 0; i < block->cell_count && !tc_buf_failed(&table->text); i++)
		make_cell(table, i);
	if (!tc_buf_failed(&table->text))
		measure_columns(table);
}

static bool layout_shows(const struct tc_layout *table, int column)
{
	return !tc_buf_failed(&table->text) && table->widths[column] != TABLE_HIDDEN;
}

static void layout_clear(struct tc_layout *table)
{
	tc_buf_clear(&table->text);
	tc_free(table->ends);
	table->ends = NULL;
}

/* What fills a bar, in percent. */
static double whole_of_bars(const struct tc_layout *table)
{
	double longest = 0;

	if (!is_marked(table, last_of(table), '^'))
		return 100;
	for (size_t i = 0; i < table->block->cell_count; i++)
		if (cell_at(table, i)->kind == TC_CELL_BAR && cell_at(table, i)->real > longest)
			longest = cell_at(table, i)->real;
	return longest > 0 ? longest : 100;
}

static void put_bar(const struct tc_layout *table, struct tc_sink *sink, double pct)
{
	int width = table->widths[last_of(table)];

	if (width == TABLE_HIDDEN)
		return;
	tc_format_pad(&sink->buf, TABLE_GAP);
	tc_format_bar(&sink->buf, pct / whole_of_bars(table), width, table->options->ascii);
}

/* A text in a column, behind the pad that its depth takes. */
static void put_text(const struct tc_layout *table, struct tc_sink *sink, struct tc_text text,
	int column, int pad, enum tc_tone tone)
{
	bool last = column == last_of(table), left = is_marked(table, column, '<');
	int width = table->widths[column] - pad, blank = width - tc_format_columns(text);

	if (table->widths[column] == TABLE_HIDDEN)
		return;
	tc_format_pad(&sink->buf, (column == 0 ? TABLE_INDENT : TABLE_GAP) + pad);
	tc_format_pad(&sink->buf, left ? 0 : blank);
	if (tone != TC_TONE_PLAIN)
		put_tone(sink, table->options, tone);
	tc_format_clean(&sink->buf, text, table->options->ascii, width);
	if (tone != TC_TONE_PLAIN)
		put_tone(sink, table->options, TC_TONE_PLAIN);
	tc_format_pad(&sink->buf, left && !last ? blank : 0);
}

/* Removes the blanks at the end. */
static void trim(struct tc_buf *buf)
{
	while (buf->len > 0 && buf->ptr[buf->len - 1] == ' ')
		buf->len--;
}

static void end_line(struct tc_sink *sink)
{
	trim(&sink->buf);
	tc_sink_put(sink, "\n");
}

/* How many lines a title takes. */
static int title_lines(const struct tc_layout *table, int column)
{
	struct tc_text title = title_of(table, column);
	int count = 0;

	while (title.len > 0 && table->widths[column] != TABLE_HIDDEN) {
		take_line(&title, table->widths[column]);
		count++;
	}
	return count;
}

/* All titles, aligned at the bottom. */
static void put_titles(const struct tc_layout *table, struct tc_sink *sink)
{
	int lines = 0;

	for (int c = 0; c <= last_of(table); c++) {
		int count = title_lines(table, c);
		lines = count > lines ? count : lines;
	}
	for (int line = 0; line < lines; line++) {
		for (int c = 0; c <= last_of(table); c++) {
			struct tc_text title = title_of(table, c), part = TC_TEXT("");
			for (int at = lines - title_lines(table, c); at <= line && title.len > 0;
				at++)
				part = take_line(&title, table->widths[c]);
			put_text(table, sink, part, c, 0, TC_TONE_PLAIN);
		}
		end_line(sink);
	}
}

/* Where the first column of words starts. */
static int first_words(const struct tc_layout *table)
{
	int column = TABLE_INDENT;

	for (int c = 0; c <= last_of(table) && !is_marked(table, c, '<'); c++)
		column += table->widths[c] == TABLE_HIDDEN ? 0 : table->widths[c] + TABLE_GAP;
	return column;
}

/* A line below a row, indented like its cells. */
static void put_below(
	const struct tc_layout *table, struct tc_sink *sink, struct tc_text text, int depth)
{
	int indent = first_words(table) + depth * DEPTH_COLUMNS;
	struct tc_buf clean = TC_BUF_EMPTY;

	if (text.len == 0)
		return;
	tc_format_clean(&clean, text, table->options->ascii, 0);
	tc_format_pad(&sink->buf, indent);
	tc_format_wrap(&sink->buf, tc_buf_text(&clean), indent, indent, table->options->width);
	tc_buf_end(&sink->buf, &clean);
	end_line(sink);
}

/* Puts the next line of a cell, and leaves in *text what goes on below it; nothing where words are
 * cut, which then end with a whole one. */
static void put_line(const struct tc_layout *table, struct tc_sink *sink, size_t index, int column,
	struct tc_text *text)
{
	int pad = pad_of(table, index), width = table->widths[column] - pad;
	bool goes_on = is_marked(table, column, '~') && tc_format_columns(*text) > width &&
		       table->widths[column] != TABLE_HIDDEN;
	bool is_whole = index / (size_t)table->block->column_count < table->whole_rows;
	struct tc_buf cut = TC_BUF_EMPTY;
	struct tc_text line = *text;

	if (goes_on && !is_whole) {
		int room = width - ((int)sizeof(CUT) - 1);
		struct tc_text words = take_line(text, room);
		if (tc_format_columns(words) <= room) {
			TC_APPEND(&cut, words, TC_TEXT(CUT));
			line = tc_buf_text(&cut);
		}
	} else if (goes_on) {
		line = take_line(text, width);
	}
	if (!goes_on || !is_whole)
		*text = TC_TEXT_NONE;
	put_text(table, sink, line, column, pad, cell_at(table, index)->tone);
	tc_buf_end(&sink->buf, &cut);
}

/* The next line of the cells that go on; false where none does. */
static bool put_next_line(const struct tc_layout *table, struct tc_sink *sink, size_t row,
	struct tc_text texts[TC_LAYOUT_MAX_COLUMNS])
{
	bool goes_on = false;

	for (int c = 0; c <= last_of(table); c++)
		goes_on |= texts[c].len > 0;
	for (int c = 0; goes_on && c <= last_of(table); c++)
		put_line(table, sink, row + (size_t)c, c, &texts[c]);
	if (goes_on)
		end_line(sink);
	return goes_on;
}

static void put_row(const struct tc_layout *table, struct tc_sink *sink, size_t row)
{
	struct tc_text texts[TC_LAYOUT_MAX_COLUMNS];
	int depth = 0;

	for (int c = 0; c <= last_of(table); c++) {
		const struct tc_doc_cell *cell = cell_at(table, row + (size_t)c);
		texts[c] = text_at(table, row + (size_t)c);
		if (cell->kind == TC_CELL_BAR)
			put_bar(table, sink, cell->real);
		else
			put_line(table, sink, row + (size_t)c, c, &texts[c]);
		depth = cell->depth > depth ? cell->depth : depth;
	}
	end_line(sink);
	while (put_next_line(table, sink, row, texts))
		;
	for (int c = 0; c <= last_of(table); c++)
		put_below(table, sink,
			tc_doc_text_at(table->doc, cell_at(table, row + (size_t)c)->below), depth);
}

/* Prints the first rows; the widths are those of all rows. */
static void layout_print(const struct tc_layout *table, struct tc_sink *sink, size_t rows)
{
	size_t columns = (size_t)table->block->column_count;

	if (tc_buf_failed(&table->text)) {
		sink->buf.failed = true;
		return;
	}
	put_titles(table, sink);
	for (size_t row = 0; row < rows; row++)
		put_row(table, sink, row * columns);
}

#define INDENT 2

struct text_writer {
	const struct tc_doc *doc;
	struct tc_sink *sink;
	const struct tc_report_options *options;
	struct tc_layout table; /* the last one, for notes on its columns */
	bool folded;            /* inside a fold that is not shown */
	bool begun;             /* something was written */
	int most;               /* lines or rows that the block may have */
	size_t cut_rows;        /* the last ones of a table whose words are cut */
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
		put_tone(sink, options, block->tone);
	size_t start = sink->buf.len;
	tc_format_wrap(&sink->buf, tc_buf_text(&clean), indent, first, options->width);
	cut_lines(writer, &sink->buf, start, first);
	if (block->tone != TC_TONE_PLAIN)
		put_tone(sink, options, TC_TONE_PLAIN);
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
		!layout_shows(&writer->table, block->column))
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

	layout_clear(&writer->table);
	layout_init(&writer->table, writer->doc, block, writer->options);
	writer->table.whole_rows = shown > writer->cut_rows ? shown - writer->cut_rows : 0;
	layout_print(&writer->table, writer->sink, shown);
	if (rows > shown || block->more > 0)
		tc_sink_format(writer->sink, "  %zu more: %s %zu shows all.\n",
			rows - shown + block->more, tc_ctx_word(writer->sink->ctx, "--top"),
			rows + block->more);
}

/* Never wrapped, so that it can be copied. */
static void put_code(struct text_writer *writer, const struct tc_block *block)
{
	struct tc_text rest = tc_doc_code_text(writer->doc, block), line;
	enum tc_tone tone;

	while (tc_doc_code_line(&line, &tone, block, &rest)) {
		tc_format_pad(&writer->sink->buf, INDENT);
		if (tone != TC_TONE_PLAIN)
			put_tone(writer->sink, writer->options, tone);
		tc_sink_text(writer->sink, line);
		if (tone != TC_TONE_PLAIN)
			put_tone(writer->sink, writer->options, TC_TONE_PLAIN);
		tc_sink_put(writer->sink, "\n");
	}
}

/* Says how to see what is left out. */
static void put_folded(struct text_writer *writer, const struct tc_block *block)
{
	tc_format_pad(&writer->sink->buf, INDENT);
	const char *details = tc_ctx_word(writer->sink->ctx, "--details");

	tc_sink_format(writer->sink, "%s shows ", details);
	put_wrapped(writer, block, INDENT + (int)strlen(details) + 7, INDENT);
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

/* Rows of a table that stay in any case. */
#define LAST_ROWS 2

/* The block that gives way next; block_count for none. Where all words are cut already, tables give
 * all but their last rows. */
static size_t next_to_give(const struct tc_doc *doc, const struct extent *extents, bool gives_all)
{
	size_t next = doc->block_count;

	for (size_t i = 0; i < doc->block_count; i++)
		if (doc->blocks[i].shrink_order > 0 &&
			extents[i].most > (gives_all && doc->blocks[i].least_rows > LAST_ROWS
							  ? LAST_ROWS
							  : doc->blocks[i].least_rows) &&
			(next == doc->block_count ||
				doc->blocks[i].shrink_order >= doc->blocks[next].shrink_order))
			next = i;
	return next;
}

/* Takes rows and lines off the blocks until the page fits; whether it does. */
static bool shrink(struct text_writer *writer, struct extent *extents, bool gives_all)
{
	const struct tc_doc *doc = writer->doc;
	int lines = measure_all(writer, extents);

	while (lines > doc->line_limit) {
		size_t i = next_to_give(doc, extents, gives_all);
		if (i == doc->block_count)
			return false;
		int before = extents[i].lines;
		extents[i].most--;
		extents[i].lines = doc->blocks[i].kind == TC_BLOCK_TABLE
					   ? measure(writer, &doc->blocks[i], extents[i].most)
					   : before - 1;
		lines += extents[i].lines - before;
	}
	return true;
}

/* Rows of the longest table whose words go on in the next line. */
static size_t most_wrapped_rows(const struct tc_doc *doc)
{
	size_t most = 0;

	for (size_t i = 0; i < doc->block_count; i++) {
		const struct tc_block *block = &doc->blocks[i];
		size_t rows = row_count(block);
		for (int c = 0; c < block->column_count; c++)
			if (tc_doc_column_has(block, c, '~') && rows > most)
				most = rows;
	}
	return most;
}

/* Where rows and lines are not enough, words of tables are cut, those of the last rows first, as
 * many as it takes. */
static void fit_page(struct text_writer *writer, struct extent *extents)
{
	size_t most = most_wrapped_rows(writer->doc);

	while (!shrink(writer, extents, writer->cut_rows == most) && writer->cut_rows < most)
		writer->cut_rows++;
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
	layout_clear(&writer.table);
	tc_free(extents);
}
