/* The pages of the heuristics on a terminal. */
#ifndef TC_CMD_PAGE_H
#define TC_CMD_PAGE_H

/*
 * Prints the sections of a heuristic's page that were written by hand, the text wrapped to width;
 * nothing when there is no page. Of Markdown it knows what these pages use: sections, paragraphs,
 * lists of one level, code and links.
 */
void tc_page_print(const char *page, int width);

#endif
