/* The pages docs/heuristics/ID.md, kept in the program so that it explains itself anywhere. */
#ifndef TC_CMD_PAGE_H
#define TC_CMD_PAGE_H

/* A page as it stands in the file; the array ends with an id of NULL. Made when building. */
struct tc_page {
	const char *id;
	const char *markdown;
};

extern const struct tc_page tc_pages[];

/*
 * Prints the sections of an id's page that were written by hand, the text wrapped to width; nothing
 * when there is no page. Of Markdown it knows what these pages use: sections, paragraphs, lists of
 * one level, code and links.
 */
void tc_page_print(const char *id, int width);

#endif
