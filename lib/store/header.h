/*
 * Inside of the store room: what the first hundred bytes of an SQLite file say, read without
 * SQLite, so that somebody else's file is never opened as a database, let alone replaced.
 */
#ifndef TC_STORE_HEADER_H
#define TC_STORE_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecoach/context.h"

struct tc_store_header {
	bool is_sqlite;
	uint32_t application_id;
	int32_t user_version;
	int64_t expected_bytes; /* what the header says; 0 when it does not say */
	int64_t file_bytes;
};

/*
 * Reads the header of the file at path; what is no regular file has is_sqlite false. Returns 0,
 * or an errno value.
 */
int tc_store_header_read(struct tc_store_header *out, const char *path);

#endif
