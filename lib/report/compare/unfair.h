/* Reasons why a comparison is unfair. */
#ifndef TC_REPORT_COMPARE_UNFAIR_H
#define TC_REPORT_COMPARE_UNFAIR_H

#include "report/compare/facts.h"

/* Appends a sentence when the reason applies. */
struct tc_unfair {
	const char *id;
	void (*append)(struct tc_buf *buf, const struct tc_compare *compare);
};
const struct tc_unfair *tc_unfair_reasons(size_t *count);

/* The reason why the sides cannot be compared at all, without a full stop; NULL when they can.
 * Needs loaded sides. */
const char *tc_unlike(const struct tc_compare *compare);

#endif
