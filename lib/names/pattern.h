/*
 * Patterns of names, the only kind there is: '*' matches any text, '%' digits (one or more),
 * everything else itself, letters in either case. A pattern is compared with the whole name.
 */
#pragma once

#include "core/text.h"

bool tc_pattern_match(const char *pattern, struct tc_text text);
