/* The lowest of a set of numbers, by levels of bits: bit n of a level says that word n of the level
 * below is not zero. The lowest number is found from the top, a word each level. */
#include "core/collections/first_set.h"

#include "core/alloc.h"

bool tc_first_set_init(struct tc_first_set *set, size_t count)
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

void tc_first_set_clear(struct tc_first_set *set)
{
	for (int i = 0; i < set->level_count; i++)
		tc_free(set->words[i]);
	*set = (struct tc_first_set){0};
}

void tc_first_set_put(struct tc_first_set *set, size_t number, bool is_in)
{
	for (int i = 0; i < set->level_count; i++) {
		uint64_t *word = &set->words[i][number / 64];
		uint64_t bit = UINT64_C(1) << number % 64;
		*word = is_in ? *word | bit : *word & ~bit;
		is_in = *word != 0;
		number /= 64;
	}
}

size_t tc_first_set_first(const struct tc_first_set *set)
{
	size_t number = 0;

	if (set->level_count == 0 || set->words[set->level_count - 1][0] == 0)
		return TC_FIRST_SET_NONE;
	for (int i = set->level_count; i-- > 0;)
		number = number * 64 + (size_t)__builtin_ctzll(set->words[i][number]);
	return number;
}
