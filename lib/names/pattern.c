/* Compares a pattern with a name: "*gemm_%x%*" fits "sgemm_128x64_nn". */
#include "names/pattern.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Where text may go on after a '*': from at on, the next letter that is want in either case;
 * the end where there is none. Most patterns end here, so this is what classification costs. */
static size_t skip_to(char want, struct tc_text text, size_t at)
{
	char low = lower(want), high = low;

	if (want == '%')
		return at;
	if (low >= 'a' && low <= 'z')
		high = (char)(low - 'a' + 'A');
	while (at < text.len && text.ptr[at] != low && text.ptr[at] != high)
		at++;
	return at;
}

/*
 * Backtracks to the last '*' only: linear in practice, len(pattern) * len(text) at worst. '%' takes
 * all digits there are, so it needs no way back.
 */
bool tc_pattern_match(const char *pattern, struct tc_text text)
{
	const char *star = NULL;
	size_t at = 0, star_at = 0;

	while (at < text.len) {
		if (*pattern == '*') {
			star = ++pattern;
			if (!*star)
				return true;
			star_at = at = *star == '*' ? at : skip_to(*star, text, at);
		} else if (*pattern == '%' && tc_is_digit(text.ptr[at])) {
			while (at < text.len && tc_is_digit(text.ptr[at]))
				at++;
			pattern++;
		} else if (*pattern && *pattern != '%' && lower(*pattern) == lower(text.ptr[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			star_at = at = skip_to(*star, text, star_at + 1);
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
