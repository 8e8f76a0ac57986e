/* The table of names, made once for all tests of a program. */
#ifndef TC_TESTS_NAMES_FIXTURE_H
#define TC_TESTS_NAMES_FIXTURE_H

#include "names/names.h"

static struct tc_names *names;

static int set_up(void **state)
{
	(void)state;
	names = tc_names_new();
	return names ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	tc_names_free(names);
	return 0;
}

#endif
