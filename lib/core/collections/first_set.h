/*
 * First set: numbers below a bound, of which the lowest is asked for often. Bits in words, and
 * above them levels of bits for the words that are not zero, so all is done in as many steps as
 * there are levels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TC_FIRST_SET_LEVELS = 6 }; /* of 64 each: more than 2^32 numbers */

struct tc_first_set {
	uint64_t *words[TC_FIRST_SET_LEVELS]; /* the numbers, then what is not zero below */
	int level_count;
};

#define TC_FIRST_SET_NONE SIZE_MAX

/* An empty set of numbers below count. False when memory is out. */
bool tc_first_set_init(struct tc_first_set *set, size_t count);
void tc_first_set_clear(struct tc_first_set *set); /* frees; fine with all zero */

void tc_first_set_put(struct tc_first_set *set, size_t number, bool is_in);
/* The lowest number of the set, TC_FIRST_SET_NONE when it is empty. */
size_t tc_first_set_first(const struct tc_first_set *set);
