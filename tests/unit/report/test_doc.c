/* Documents: what a builder adds, and how the writers lay it out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "report/doc/doc.h"

static int append(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
	return 0;
}

/* The document as the writer writes it, to be freed; it is cleared. NULL without memory. */
static char *written(
	struct tc_doc *doc, tc_doc_write_fn write, const struct tc_report_options *options)
{
	struct tc_buf out = TC_BUF_EMPTY;
	struct tc_sink sink;

	tc_sink_init(&sink, append, &out);
	sink.styled = options->color;
	write(doc, &sink, options);
	struct tc_ctx *ctx = tc_ctx_new();
	enum tc_status status = ctx ? tc_sink_close(&sink, ctx) : TC_ERR_NOMEM;
	tc_ctx_free(ctx);
	if (!ctx)
		tc_buf_clear(&sink.buf);
	tc_doc_clear(doc);
	if (status == TC_OK)
		return tc_buf_take_string(&out);
	tc_buf_clear(&out);
	return NULL;
}

static void check(struct tc_doc *doc, tc_doc_write_fn write,
	const struct tc_report_options *options, const char *want)
{
	char *text = written(doc, write, options);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static const struct tc_report_options plain = {.width = 60, .ascii = true};

static void add_sample(struct tc_doc *doc)
{
	static const char *const columns[] = {"<name", "time", "share", "=", NULL};

	tc_buf_append_string(tc_doc_title(doc), "a_b.json");
	tc_doc_say(doc, "One device.");
	tc_doc_heading(doc, "Where the time went");
	tc_doc_table(doc, columns);
	tc_doc_cell_string(doc, "MME | TPC");
	tc_doc_cell_ns(doc, 24700000);
	tc_doc_cell_share(doc, 25);
	tc_doc_cell_bar(doc, 25);
	tc_doc_cell_string(doc, "idle");
	tc_doc_cell_ns(doc, 74100000);
	tc_doc_tone(doc, TC_TONE_GAIN);
	tc_doc_cell_share(doc, 75);
	tc_doc_cell_bar(doc, 75);
	tc_buf_append_string(tc_doc_column_note(doc, 3), "One scale.");
	tc_doc_heading(doc, "Nothing below");
	tc_doc_paragraph(doc);
	tc_doc_fold(doc, "notes");
	tc_doc_heading(doc, "Notes");
	tc_buf_append_string(tc_doc_item(doc, "-"), "first");
	tc_buf_append_string(tc_doc_item(doc, "Why"), "second");
	tc_buf_append_string(tc_doc_code(doc, "sql"), "SELECT 1\nFROM a_b\n");
	tc_doc_fold_end(doc);
}

static void both_writers_say_the_same(void **state)
{
	struct tc_doc doc = TC_DOC_EMPTY;
	struct tc_report_options details = plain;

	(void)state;
	add_sample(&doc);
	check(&doc, tc_doc_write_text, &plain,
		"a_b.json\n  One device.\n\nWhere the time went\n"
		"  name           time  share\n"
		"  MME | TPC  24.70 ms   25 %  ########\n"
		"  idle       74.10 ms   75 %  #######################\n"
		"  One scale.\n  --details shows notes\n");
	details.details = true;
	add_sample(&doc);
	char *text = written(&doc, tc_doc_write_text, &details);
	assert_non_null(text);
	assert_non_null(strstr(text, "\n\nNotes\n  - first\n  Why second\n"
				     "  SELECT 1\n  FROM a_b\n"));
	free(text);
	add_sample(&doc);
	check(&doc, tc_doc_write_markdown, &plain,
		"# a\\_b.json\n\nOne device.\n\n## Where the time went\n\n"
		"| name | time | share |\n|---|--:|--:|\n"
		"| MME \\| TPC | 24.70 ms | 25 % |\n| idle | **74.10 ms** | 75 % |\n\n"
		"One scale.\n\n<details><summary>More: notes</summary>\n\n## Notes\n\n"
		"- first\n- **Why** second\n\n```sql\nSELECT 1\nFROM a_b\n```\n\n</details>\n");
}

/* Numbers are told exactly, too; what is folded, its headings one level down. */
static void pages_have_exact_numbers_and_folds(void **state)
{
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	add_sample(&doc);
	check(&doc, tc_doc_write_html, &plain,
		"<h1>a_b.json</h1>\n<p>One device.</p>\n<h2>Where the time went</h2>\n"
		"<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>name</th>"
		"<th class=\"n\">time</th><th class=\"n\">share</th><td class=\"n\"></td>"
		"</tr></thead>\n<tbody>\n"
		"<tr><td class=\"w\">MME | TPC</td>"
		"<td class=\"n\" data-v=\"24700000\">24.70 ms</td>"
		"<td class=\"n\" data-v=\"25\">25 %</td>"
		"<td class=\"bar\" aria-hidden=\"true\"><svg viewBox=\"0 0 100 1\""
		" preserveAspectRatio=\"none\"><rect width=\"25.00\" height=\"1\"/></svg></td>"
		"</tr>\n"
		"<tr><td class=\"w\">idle</td>"
		"<td class=\"n gain\" data-v=\"74100000\">74.10 ms</td>"
		"<td class=\"n\" data-v=\"75\">75 %</td>"
		"<td class=\"bar\" aria-hidden=\"true\"><svg viewBox=\"0 0 100 1\""
		" preserveAspectRatio=\"none\"><rect width=\"75.00\" height=\"1\"/></svg></td>"
		"</tr>\n</tbody></table></div>\n<p>One scale.</p>\n"
		"<details><summary>notes</summary>\n<h3>Notes</h3>\n"
		"<ul>\n<li>first</li>\n<li><b>Why</b> second</li>\n</ul>\n"
		"<pre tabindex=\"0\"><code class=\"sql\">SELECT 1\nFROM "
		"a_b</code></pre>\n</details>\n");
}

static void links_lead_to_names(void **state)
{
	static const char *const columns[] = {"", "<fix", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_table(&doc, columns);
	tc_doc_cell_count(&doc, 1);
	tc_doc_cell_string(&doc, "A & B");
	tc_buf_append_string(tc_doc_link(&doc), "#\"x");
	tc_buf_append_string(tc_doc_below(&doc), "Do this.");
	tc_doc_heading(&doc, "Findings");
	tc_doc_fold(&doc, "");
	tc_buf_append_string(&doc.text, "A");
	tc_buf_append_string(tc_doc_anchor(&doc), "\"x");
	tc_doc_say(&doc, "text");
	tc_doc_fold_end(&doc);
	check(&doc, tc_doc_write_html, &plain,
		"<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><td class=\"n\"></td>"
		"<th>fix</th></tr></thead>\n<tbody>\n<tr><td class=\"n\" data-v=\"1\">1</td>"
		"<td class=\"w\"><a href=\"#&quot;x\">A &amp; B</a>"
		"<div class=\"below\">Do this.</div></td></tr>\n</tbody></table></div>\n"
		"<h2>Findings</h2>\n<details id=\"&quot;x\"><summary>A</summary>\n"
		"<p>text</p>\n</details>\n");
}

static void parts_stand_below_what_they_are_part_of(void **state)
{
	static const char *const columns[] = {"", "<fix", "saves", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	for (int i = 0; i < 2; i++) {
		tc_doc_table(&doc, columns);
		tc_doc_cell_count(&doc, 1);
		tc_doc_cell_string(&doc, "whole");
		tc_doc_cell_ns(&doc, 2000);
		tc_doc_cell_count(&doc, 2);
		tc_doc_cell_string(&doc, "part");
		tc_doc_depth(&doc, 1);
		tc_doc_cell_ns(&doc, 1000);
		tc_buf_append_string(tc_doc_below(&doc), "Do this.");
		check(&doc, i == 0 ? tc_doc_write_text : tc_doc_write_markdown, &plain,
			i == 0 ? "     fix        saves\n"
				 "  1  whole   2.000 us\n"
				 "  2    part  1.000 us\n"
				 "       Do this.\n"
			       : "|  | fix | saves |\n|--:|---|--:|\n| 1 | whole | 2.000 us |\n"
				 "| 2 | - part<br>Do this. | 1.000 us |\n");
	}
}

static void bars_and_their_notes_go_where_there_is_no_room(void **state)
{
	static const char *const columns[] = {"<", "", "=", NULL};
	static const char name[] = "a name of so many columns that nothing fits beside it";
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_table(&doc, columns);
	tc_doc_cell_string(&doc, name);
	tc_doc_cell_pct(&doc, 50);
	tc_doc_cell_bar(&doc, 50);
	tc_buf_append_string(tc_doc_column_note(&doc, 2), "About bars.");
	tc_buf_append_string(tc_doc_column_note(&doc, 1), "About shares.");
	check(&doc, tc_doc_write_text, &plain,
		"  a name of so many colum...nothing fits beside it  50.0 %\n  About shares.\n");
}

/* Titles take several lines to keep it, and go back to what they need when it goes all the same. */
static void an_optional_last_column_stays_beside_folded_titles(void **state)
{
	static const char *const columns[] = {"<Fix", "alone saves up to", "?", NULL};
	static const char *const titles[] = {"A title of exactly forty-two columns, here",
		"A title of exactly forty-three columns, now"};
	static const char *const wanted[] = {
		"                                                 alone\n"
		"                                              saves up\n"
		"  Fix                                               to\n"
		"  A title of exactly forty-two columns, here  24.70 ms  25 %\n",
		"                                               alone saves\n"
		"  Fix                                                up to\n"
		"  A title of exactly forty-three columns, now     24.70 ms\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tc_doc doc = TC_DOC_EMPTY;
		tc_doc_table(&doc, columns);
		tc_doc_cell_string(&doc, titles[i]);
		tc_doc_cell_ns(&doc, 24700000);
		tc_doc_cell_share(&doc, 25);
		check(&doc, tc_doc_write_text, &plain, wanted[i]);
	}
}

static void styles_are_for_terminals_with_colours(void **state)
{
	struct tc_report_options color = {.width = 60, .color = true};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_say(&doc, "Idle 60 %.");
	tc_doc_tone(&doc, TC_TONE_STRONG);
	check(&doc, tc_doc_write_text, &color, "  \033[1mIdle 60 %.\033[0m\n");
}

/* The first column of a diff stays, and its lines have the colours of what goes and comes. */
static void a_diff_shows_what_goes_and_comes(void **state)
{
	static const struct {
		tc_doc_write_fn write;
		bool color;
		const char *want;
	} rows[] = {
		{tc_doc_write_text, false, "   for x in y:\n  -    a\n  +    b\n"},
		{tc_doc_write_text, true,
			"   for x in y:\n  \033[31m-    a\033[0m\n  \033[32m+    b\033[0m\n"},
		{tc_doc_write_markdown, false, "```diff\n for x in y:\n-    a\n+    b\n```\n"},
		{tc_doc_write_html, false,
			"<pre tabindex=\"0\"><code class=\"diff\"> for x in y:\n"
			"<del>-    a</del>\n<ins>+    b</ins></code></pre>\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tc_report_options options = {.width = 60, .color = rows[i].color};
		struct tc_doc doc = TC_DOC_EMPTY;

		tc_buf_append_string(tc_doc_code(&doc, "diff"), " for x in y:\n-    a\n+    b\n");
		check(&doc, rows[i].write, &options, rows[i].want);
	}
}

/* What a trace may hold is never taken for a mark of the format. */
static void texts_are_made_harmless_by_the_writer(void **state)
{
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_buf_append_string(tc_doc_title(&doc), "</details>\n# x & \033[31m");
	tc_buf_append_string(tc_doc_code(&doc, ""), "```\nout");
	check(&doc, tc_doc_write_markdown, &plain,
		"# \\</details\\>?\\# x \\& ?\\[31m\n\n````\n```\nout\n````\n");
	tc_buf_append_string(tc_doc_title(&doc), "</h1>\n<img onerror='x'> & \033[31m");
	tc_buf_append_string(tc_doc_code(&doc, ""), "</code>\n\"out\"");
	check(&doc, tc_doc_write_html, &plain,
		"<h1>&lt;/h1&gt;?&lt;img onerror=&#39;x&#39;&gt; &amp; ?[31m</h1>\n"
		"<pre tabindex=\"0\"><code "
		"class=\"\">&lt;/code&gt;\n&quot;out&quot;</code></pre>\n");
	tc_buf_append_string(tc_doc_title(&doc), "a\n\033[31m");
	check(&doc, tc_doc_write_text, &plain, "a??[31m\n");
}

/* Hosts of code make links of these after Markdown is read, so a backslash does not help. */
static void markdown_of_a_trace_links_nothing(void **state)
{
	static const char *const texts[][2] = {
		{"@team/x y@z.org", "@&#8203;team/x y@&#8203;z.org"},
		{"see #12, a/b#3 and # 4", "see \\#&#8203;12, a/b\\#&#8203;3 and \\# 4"},
		{"x!5 %\"m\" ~bug $3 &7",
			"x!&#8203;5 %&#8203;\"m\" \\~&#8203;bug \\$&#8203;3 \\&&#8203;7"},
		{"GH-12 a-1", "GH-&#8203;12 a-1"},
		{"https://h/x://", "https:&#8203;//h/x:&#8203;//"},
		{"WWW.x.org or a.www.b", "WWW&#8203;.x.org or a.www&#8203;.b"},
		{"a::b<T const&> 5 % of 7!", "a::b\\<T const\\&\\> 5 % of 7!"},
		{"@", "@"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tc_doc doc = TC_DOC_EMPTY;
		char want[128];
		tc_doc_say(&doc, texts[i][0]);
		snprintf(want, sizeof(want), "%s\n", texts[i][1]);
		check(&doc, tc_doc_write_markdown, &plain, want);
	}
}

static void without_memory_the_sink_is_told(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct tc_doc doc = TC_DOC_EMPTY;
		static const tc_doc_write_fn writers[] = {
			tc_doc_write_text, tc_doc_write_markdown, tc_doc_write_html};
		tc_doc_write_fn write = writers[i % 3];
		tc_alloc_fail_after(i);
		add_sample(&doc);
		char *text = written(&doc, write, &plain);
		tc_alloc_fail_after(-1);
		if (text)
			assert_non_null(strstr(text, "Where the time went"));
		else
			assert_true(i < 100);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_writers_say_the_same),
		cmocka_unit_test(pages_have_exact_numbers_and_folds),
		cmocka_unit_test(links_lead_to_names),
		cmocka_unit_test(parts_stand_below_what_they_are_part_of),
		cmocka_unit_test(bars_and_their_notes_go_where_there_is_no_room),
		cmocka_unit_test(an_optional_last_column_stays_beside_folded_titles),
		cmocka_unit_test(styles_are_for_terminals_with_colours),
		cmocka_unit_test(a_diff_shows_what_goes_and_comes),
		cmocka_unit_test(texts_are_made_harmless_by_the_writer),
		cmocka_unit_test(markdown_of_a_trace_links_nothing),
		cmocka_unit_test(without_memory_the_sink_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
