/* What the generators of pages share: a page is made from sources down to its mark, and written by
 * hand below it. */
#ifndef TC_TOOLS_PAGE_H
#define TC_TOOLS_PAGE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"

/* Reads the whole file, nothing when it is not there. False on any other failure. */
static inline bool page_read(struct tc_buf *out, const char *path)
{
	char chunk[4096];
	size_t got;
	FILE *file = fopen(path, "rb");

	if (!file)
		return errno == ENOENT;
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		tc_buf_append(out, chunk, got);
	bool good = !ferror(file);
	fclose(file);
	return good;
}

static inline bool page_write(const char *path, struct tc_text text)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		return false;
	bool good = fwrite(text.ptr, 1, text.len, file) == text.len;
	return fclose(file) == 0 && good;
}

/*
 * Brings the page at path up to date, or with check only compares: made, and behind it what the
 * page has from its mark on (the mark alone where it has none and is_marked). Returns 0 when the
 * page is (now) as it should be, else prints why not. Clears made.
 */
static inline int page_settle(
	const char *path, struct tc_buf *made, const char *mark, bool is_marked, bool check)
{
	struct tc_buf found = TC_BUF_EMPTY;
	bool good = page_read(&found, path);
	const char *text = tc_buf_string(&found);
	const char *rest = text ? strstr(text, mark) : NULL;

	tc_buf_append_string(made, rest ? rest : is_marked ? mark : "");
	if (!good || !text || tc_buf_failed(made)) {
		fprintf(stderr, "%s: cannot be read\n", path);
		good = false;
	} else if (!tc_text_equal(tc_buf_text(made), tc_buf_text(&found))) {
		good = !check && page_write(path, tc_buf_text(made));
		if (!good)
			fprintf(stderr, "%s: %s\n", path,
				check ? "differs from what it is made from" : "cannot be written");
	}
	tc_buf_clear(made);
	tc_buf_clear(&found);
	return good ? 0 : 1;
}

#endif
