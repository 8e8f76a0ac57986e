/*
 * Keeps docs/names.md equal to the table of names (lib/names/table/names.def) and the lists of its
 * values. names-doc [--check] SOURCE_DIR. With --check nothing is written; the exit code is 1 when
 * the page differs. What follows the line END_MARK is written by hand and kept.
 */
#include "names/names.h"
#include "page.h"

#define END_MARK "<!-- end of the part made from the table -->\n"

static void append_lists(struct tc_buf *out)
{
	tc_buf_append_string(out, "\n## Classes\n\n| `class` | meaning |\n|---|---|\n");
#define TC_CLASS(id, name, help) tc_buf_append_string(out, "| `" name "` | " help " |\n");
#include "names/label/classes.def"
	tc_buf_append_string(out, "\n## Precisions\n\n| `precision` | meaning |\n|---|---|\n");
#define TC_PRECISION(id, name, help) tc_buf_append_string(out, "| `" name "` | " help " |\n");
#include "names/label/precisions.def"
	tc_buf_append_string(out, "| `unknown` | The name does not say |\n"
				  "\n## Collectives\n\n| `collective` | meaning |\n|---|---|\n");
#define TC_COLLECTIVE(id, name, help) tc_buf_append_string(out, "| `" name "` | " help " |\n");
#include "names/label/collectives.def"
	tc_buf_append_string(out, "\n## Marks\n\n| `mark` | meaning |\n|---|---|\n");
#define TC_MARK(id, name, help) tc_buf_append_string(out, "| `" name "` | " help " |\n");
#include "names/label/marks.def"
	tc_buf_append_string(out,
		"\n## Traits\n\nThe view `trait` says which of these hold for a trace; words of "
		"advice ask them.\n\n| trait | meaning |\n|---|---|\n");
#define TC_TRAIT(name, help) tc_buf_append_string(out, "| `" name "` | " help " |\n");
#include "advice/trace/traits.def"
#undef TC_TRAIT
}

/* '|' would end a cell. */
static void append_pattern(struct tc_buf *out, const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '|')
			tc_buf_append_char(out, '\\');
		tc_buf_append_char(out, *pattern);
	}
}

static const char *where_name(const struct tc_name_rule *rule)
{
	if (rule->holds_in == TC_NAME_HOST)
		return "host";
	if (rule->holds_in == TC_NAME_DEVICE)
		return "device";
	return rule->holds_in == TC_NAME_ARGUMENT ? "argument" : "any";
}

static void append_rule(struct tc_buf *out, const struct tc_name_rule *rule)
{
	const char *before = "";

	tc_buf_format(out, "| `");
	append_pattern(out, rule->name);
	tc_buf_format(out, "` | %s", where_name(rule));
	if (rule->category) {
		tc_buf_append_string(out, ", category `");
		append_pattern(out, rule->category);
		tc_buf_append_string(out, "`");
	}
	tc_buf_append_string(out, " | ");
	for (int fact = 0; fact < TC_FACT_COUNT; fact++) {
		uint8_t value = rule->facts[fact];
		if (!value)
			continue;
		tc_buf_format(out, "%s%s %s", before, tc_fact_name((enum tc_fact)fact),
			tc_fact_value_name((enum tc_fact)fact, value));
		before = ", ";
	}
	tc_buf_append_string(out, " |\n");
}

static void append_rules(struct tc_buf *out)
{
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);

	tc_buf_append_string(out,
		"\n## Rules\n\nIn a pattern `*` matches any text, `%` digits, letters themselves "
		"in either case. The first row that matches and states a fact decides "
		"it.\n");
	for (size_t i = 0; i < count; i++) {
		if (rules[i].name) {
			append_rule(out, &rules[i]);
			continue;
		}
		tc_buf_format(out, "\n%s%s%s.\n\n| name | where | says |\n|---|---|---|\n",
			rules[i].vendor ? rules[i].vendor : "", rules[i].vendor ? ": " : "",
			rules[i].source);
	}
}

int main(int argc, char **argv)
{
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
	struct tc_buf path = TC_BUF_EMPTY, made = TC_BUF_EMPTY;

	if (argc != (check ? 3 : 2)) {
		fprintf(stderr, "usage: names-doc [--check] SOURCE_DIR\n");
		return 2;
	}
	tc_buf_append_string(&made,
		"# Names\n\n"
		"Made by `names-doc` from `lib/names/`. What the name of a lane, a host slice or "
		"device work means stands in one table. It is looked up once for each name, at "
		"import; the answers are columns of `label`, `op_total` and `host_total`.\n");
	append_lists(&made);
	append_rules(&made);
	tc_buf_format(&path, "%s/docs/names.md", argv[argc - 1]);
	const char *name = tc_buf_string(&path);
	int failed = name ? page_settle(name, &made, END_MARK, true, check) : 1;
	tc_buf_clear(&path);
	return failed;
}
