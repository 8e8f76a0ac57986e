/* The versions of tracecoach, of the forms it writes, and of the libraries it runs with. */
#include "tracecoach/version.h"

#include <sqlite3.h>
#include <stddef.h>
#include <yajl/yajl_version.h>
#include <zlib.h>
#include <zstd.h>

#define DIGITS_OF(number) DIGITS(number)
#define DIGITS(number) #number

/* The version of yajl that runs: "2.1.0". */
static const char *yajl_text(void)
{
	static char text[sizeof("99.99.99")];
	int version = yajl_version();
	const int parts[] = {version / 10000 % 100, version / 100 % 100, version % 100};
	char *p = text;

	for (int i = 0; i < 3; i++) {
		if (i > 0)
			*p++ = '.';
		if (parts[i] >= 10)
			*p++ = (char)('0' + parts[i] / 10);
		*p++ = (char)('0' + parts[i] % 10);
	}
	return text;
}

const char *tc_version(enum tc_version_of what)
{
	switch (what) {
	case TC_VERSION_OF_TRACECOACH: return TC_VERSION;
	case TC_VERSION_OF_STORE: return DIGITS_OF(TC_STORE_VERSION);
	case TC_VERSION_OF_INDEX: return DIGITS_OF(TC_INDEX_VERSION);
	case TC_VERSION_OF_REPORT: return DIGITS_OF(TC_REPORT_VERSION);
	case TC_VERSION_OF_SUMMARY: return DIGITS_OF(TC_SUMMARY_VERSION);
	case TC_VERSION_OF_COMPARE: return DIGITS_OF(TC_COMPARE_VERSION);
	case TC_VERSION_OF_WHATIF: return DIGITS_OF(TC_WHATIF_VERSION);
	case TC_VERSION_OF_FLEET: return DIGITS_OF(TC_FLEET_VERSION);
	case TC_VERSION_OF_YAJL: return yajl_text();
	case TC_VERSION_OF_SQLITE: return sqlite3_libversion();
	case TC_VERSION_OF_ZLIB: return zlibVersion();
	case TC_VERSION_OF_ZSTD: return ZSTD_versionString();
	}
	return NULL;
}
