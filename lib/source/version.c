/* The versions of zlib and zstd that run. */
#include "source/version.h"

#include <zlib.h>
#include <zstd.h>

const char *tc_zlib_version(void)
{
	return zlibVersion();
}

const char *tc_zstd_version(void)
{
	return ZSTD_versionString();
}
