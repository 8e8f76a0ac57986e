/*
 * The operator tree of a trace in a page: its heaviest nodes, as packed JSON (columns.h). Each
 * column is an array: id, id of the parent or -1, name, phase or null, calls, and ns of host time,
 * host self time, device time and device self time. page/tree.js draws it.
 */
#ifndef TC_REPORT_HTML_TREE_H
#define TC_REPORT_HTML_TREE_H

#include "report/view/view.h"

#define TC_TREE_NODES 3000

/* Writes the tree; nothing for a trace without host slices. */
void tc_put_tree(struct tc_job *job, const struct tc_view *view);

#endif
