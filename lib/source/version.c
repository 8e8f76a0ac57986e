/* The version of zlib that runs. */
#include "tracecoach/version.h"

#include <zlib.h>

const char *tc_version_zlib(void)
{
	return zlibVersion();
}
