/* The version of SQLite that runs. */
#include "tracecoach/version.h"

#include <sqlite3.h>

const char *tc_version_sqlite(void)
{
	return sqlite3_libversion();
}
