/* Whether both sides work on inputs of the same size, by the recorded shapes of matrix products and
 * convolutions. */
#ifndef TC_REPORT_COMPARE_SHAPES_H
#define TC_REPORT_COMPARE_SHAPES_H

#include "report/compare/facts.h"

/*
 * Products and convolutions are matched by name, weight and all dimensions of the input but the
 * first. When the first has the same ratio, other than 1, in at least 90 % of the matched calls, it
 * is the batch: sets the batch of both sides and the unit of all means. Counts the shapes, and
 * those that both sides have.
 */
void tc_compare_shapes_load(struct tc_compare *compare);

#endif
