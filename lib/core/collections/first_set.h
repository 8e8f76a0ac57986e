/*
 * First set: numbers below a bound, of which the lowest is asked for often. Bits in words, and
 * above them levels of bits: bit n of a level says that word n of the level below is not zero. So
 * all is done in as many steps as there are levels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/alloc.h"

enum { TC_FIRST_SET_LEVELS = 6 }; /* of 64 each: more than 2^32 numbers */

struct tc_first_set {
	uint64_t *words[TC_FIRST_SET_LEVELS]; /* the numbers, then what is not zero below */
	int level_count;
};

#define TC_FIRST_SET_NONE SIZE_MAX

/* Frees; fine with all zero. */
static inline void tc_first_set_clear(struct tc_first_set *set)
{
	for (int i = 0; i < set->level_count; i++)
		tc_free(set->words[i]);
	*set = (struct tc_first_set){0};
}

/* An empty set of numbers below count. False when memory is out. */
static inline bool tc_first_set_init(struct tc_first_set *set, size_t count)
{
	*set = (struct tc_first_set){0};
	do {
		count = count / 64 + 1;
		uint64_t *words = tc_calloc(count, sizeof(*words));
		if (!words) {
			tc_first_set_clear(set);
			return false;
		}
		set->words[set->level_count++] = words;
	} while (count > 1 && set->level_count < TC_FIRST_SET_LEVELS);
	return true;
}

static inline void tc_first_set_put(struct tc_first_set *set, size_t number, bool is_in)
{
	for (int i = 0; i < set->level_count; i++) {
		uint64_t *word = &set->words[i][number / 64];
		uint64_t bit = UINT64_C(1) << number % 64;
		*word = is_in ? *word | bit : *word & ~bit;
		is_in = *word != 0;
		number /= 64;
	}
}

/* The lowest number of the set, TC_FIRST_SET_NONE when it is empty. */
static inline size_t tc_first_set_first(const struct tc_first_set *set)
{
	size_t number = 0;

	if (set->level_count == 0 || set->words[set->level_count - 1][0] == 0)
		return TC_FIRST_SET_NONE;
	for (int i = set->level_count; i-- > 0;)
		number = number * 64 + (size_t)__builtin_ctzll(set->words[i][number]);
	return number;
}
