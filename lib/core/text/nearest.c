/* The nearest of some names to a mistyped word: fewest insertions, deletions and changes; where
 * none is close, the one that shares the longest run of letters with it. */
#include "tracecoach/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST 40 /* longer words are not compared */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t low = a < b ? a : b;

	return low < c ? low : c;
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

/* Copies text in lower case and without what separates words; returns the length. */
static size_t squeeze(char out[LONGEST], const char *text)
{
	size_t len = 0;

	for (; *text && len < LONGEST; text++) {
		char c = *text;
		if (!strchr("-_. ", c))
			out[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	return len;
}

/* Letters of the longest run that both have. */
static size_t common_run(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[LONGEST + 1] = {0}, longest = 0;

	for (size_t i = 0; i < a_len; i++) {
		for (size_t j = b_len; j > 0; j--) {
			row[j] = a[i] == b[j - 1] ? row[j - 1] + 1 : 0;
			longest = row[j] > longest ? row[j] : longest;
		}
	}
	return longest;
}

/* Whether the run is long enough for the word to be a part of the name, or nearly one. */
static bool is_telling(size_t run, size_t word_len)
{
	return run >= 3 && (run == word_len || (run >= 4 && run * 5 >= word_len * 3));
}

/* For words that are not mistyped: half of a name, or another form of a word in it. */
static const char *nearest_part(const char *word, const char *const *names, size_t count)
{
	char a[LONGEST], b[LONGEST];
	size_t a_len = squeeze(a, word), best_run = 0;
	const char *best = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t run = common_run(a, a_len, b, squeeze(b, names[i]));

		if (run > best_run && is_telling(run, a_len)) {
			best = names[i];
			best_run = run;
		}
	}
	return best;
}

const char *tc_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	const size_t len = strlen(word);
	/* Every name is two letters away from a word of two. */
	size_t best_distance = len < 3 ? 1 : len < 5 ? 2 : len / 3 + 1;

	if (len > LONGEST)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t far = strlen(names[i]) > LONGEST ? SIZE_MAX : distance(word, names[i]);

		if (far < best_distance || (far == best_distance && !best)) {
			best = names[i];
			best_distance = far;
		}
	}
	return best ? best : nearest_part(word, names, count);
}
