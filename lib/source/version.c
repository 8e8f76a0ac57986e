/* The versions of zlib and zstd that run. */
#include "tracecoach/version.h"

#include <zlib.h>
#include <zstd.h>

const char *tc_version_zlib(void)
{
	return zlibVersion();
}

const char *tc_version_zstd(void)
{
	return ZSTD_versionString();
}
