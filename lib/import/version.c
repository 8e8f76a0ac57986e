/* The versions of tracecoach, of the forms it writes, and of the libraries it runs with. */
#include "tracecoach/version.h"

#include <sqlite3.h>
#include <stddef.h>

#include "decode/json/parser.h"
#include "source/codec.h"

#define DIGITS_OF(number) DIGITS(number)
#define DIGITS(number) #number

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
	case TC_VERSION_OF_YAJL: return tc_yajl_version();
	case TC_VERSION_OF_SQLITE: return sqlite3_libversion();
	case TC_VERSION_OF_ZLIB: return tc_zlib_version();
	case TC_VERSION_OF_ZSTD: return tc_zstd_version();
	}
	return NULL;
}
