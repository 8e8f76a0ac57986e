/* The nearest of some names to a mistyped word: fewest insertions, deletions and changes. */
#include "core/nearest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST 40 /* words longer than this are no typing errors of ours */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

static size_t distance(const char *a, const char *b)
{
	size_t row[LONGEST + 1];
	size_t a_len = strlen(a), b_len = strlen(b);

	for (size_t j = 0; j <= b_len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[b_len];
}

const char *tc_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) < 5 ? 2 : strlen(word) / 3 + 1;

	if (strlen(word) > LONGEST)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t far = strlen(names[i]) > LONGEST ? SIZE_MAX : distance(word, names[i]);

		if (far < best_distance || (far == best_distance && !best)) {
			best = names[i];
			best_distance = far;
		}
	}
	return best;
}
