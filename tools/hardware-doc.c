/*
 * Keeps docs/hardware.md equal to lib/names/hardware/hardware.def. hardware-doc [--check]
 * SOURCE_DIR. With
 * --check nothing is written; a page that differs is named and the exit code is 1. What follows the
 * line END_MARK is written by hand.
 */
#include "names/hardware/hardware.h"
#include "page.h"

#define END_MARK "<!-- end of the part made from the table -->\n"

static void append_number(struct tc_buf *out, double value)
{
	tc_buf_append_string(out, " | ");
	if (value > 0)
		tc_buf_format(out, "%.10g", value);
	else
		tc_buf_append_char(out, '-');
}

static void append_row(struct tc_buf *out, const struct tc_hardware *row)
{
	tc_buf_format(out, "| `%s`", row->pattern);
	for (int i = TC_PRECISION_FP64; i < TC_PRECISION_OTHER; i++)
		append_number(out, row->flops_per_s[i] / 1e12);
	append_number(out, (double)row->core_count);
	append_number(out, row->memory_bytes / 1e9);
	append_number(out, row->bytes_per_s / 1e9);
	append_number(out, row->link_bytes_per_s / 1e9);
	append_number(out, row->core_mhz);
	tc_buf_format(out, " | [%s](%s) |\n", row->source, row->url);
}

static void append_table(struct tc_buf *out)
{
	size_t count;
	const struct tc_hardware *rows = tc_hardware_all(&count);

	tc_buf_append_string(out,
		"# Hardware\n\n"
		"Made by `hardware-doc` from `lib/names/hardware/hardware.def`. Peaks of devices, "
		"by the "
		"names that traces give them (`*` stands for any text, `%` for a number).\n\n"
		"| device");
	for (int i = TC_PRECISION_FP64; i < TC_PRECISION_OTHER; i++)
		tc_buf_format(out, " | %s", tc_precision_name((enum tc_precision)i));
	tc_buf_append_string(out, " | cores | GB | GB/s | links | MHz | source |\n|---|");
	for (int i = TC_PRECISION_FP64; i < TC_PRECISION_OTHER; i++)
		tc_buf_append_string(out, "---|");
	tc_buf_append_string(out, "---|---|---|---|---|---|\n");
	for (size_t i = 0; i < count; i++)
		append_row(out, &rows[i]);
}

int main(int argc, char **argv)
{
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
	struct tc_buf path = TC_BUF_EMPTY, made = TC_BUF_EMPTY;

	if (argc != (check ? 3 : 2)) {
		fprintf(stderr, "usage: hardware-doc [--check] SOURCE_DIR\n");
		return 2;
	}
	tc_buf_format(&path, "%s/docs/hardware.md", argv[argc - 1]);
	append_table(&made);
	const char *name = tc_buf_string(&path);
	int failed = name ? page_settle(name, &made, END_MARK, false, check) : 1;
	tc_buf_clear(&path);
	return failed;
}
