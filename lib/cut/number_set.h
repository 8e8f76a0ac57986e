/* A set of 64-bit numbers: open addressing, grows by doubling. Zeroed it is empty. */
#ifndef TC_CUT_NUMBER_SET_H
#define TC_CUT_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tc_number_set {
	uint64_t *slots; /* 0: free */
	size_t slot_count, count;
	bool has_zero;
};

void tc_number_set_clear(struct tc_number_set *set); /* frees */
/* False when memory is out. */
bool tc_number_set_add(struct tc_number_set *set, uint64_t number);
bool tc_number_set_has(const struct tc_number_set *set, uint64_t number);

#endif
