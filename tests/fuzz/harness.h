/*
 * What fuzz targets share: a file for each input, a choice of what an input tries, and every
 * output of a store. Each must be valid UTF-8 without characters that hide, turn text around or
 * move the cursor.
 */
#ifndef TC_FUZZ_HARNESS_H
#define TC_FUZZ_HARNESS_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/buf.h"
#include "tracecoach/compare.h"
#include "tracecoach/report.h"
#include "tracecoach/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* Begins an input, from whose bytes follows what fuzz_chance() says, and ends it, after which
 * SQLite has nothing left of it. */
struct tc_ctx *fuzz_begin(const uint8_t *data, size_t size);
void fuzz_end(struct tc_ctx *ctx);

/* True for one input in so many. SQLite compiles each statement anew for each store, so that all
 * outputs of an input take nine times as long as its import. Always true where TC_FUZZ_ALL is set:
 * the replay of seeds sets it. */
bool fuzz_chance(unsigned one_in);

/* Names of files for the inputs of this process, in memory where that is possible. */
enum { FUZZ_PATHS = 3 };
const char *fuzz_path(int index);
void fuzz_write(int index, const void *bytes, size_t len);
void fuzz_write_file(const char *path, const void *bytes, size_t len);

/* Takes a file whole, and removes it; writes it with the changes that an input lists (changes.c).
 */
void fuzz_take_file(struct tc_buf *good, const char *path);
void fuzz_write_changed(int index, const struct tc_buf *good, const uint8_t *data, size_t size);

/* The built-in heuristics with their defaults, all of them or a part by chance. Borrowed. */
const struct tc_settings *fuzz_settings(bool all);

/* Where outputs go, and what they must be; the buffer is empty afterwards. */
int fuzz_keep(void *user, const char *bytes, size_t len);
void fuzz_check_output(struct tc_buf *out, const char *format);

/* A failure is fine where the input is at fault, never one of ours; inputs are small, so that what
 * takes all memory was not checked. Clears the error. */
void fuzz_check_status(struct tc_ctx *ctx, enum tc_status status);

/* What a query returns. */
int64_t fuzz_number(sqlite3 *db, const char *sql);

/* Statements on a store or an index, the first rows of each. */
void fuzz_check_queries(
	struct tc_ctx *ctx, struct tc_store *store, const char *const *queries, size_t count);

/* Renderers, and formats of a comparison, each by chance. */
void fuzz_check_reports(struct tc_ctx *ctx, struct tc_store *store, const struct tc_advice *advice,
	bool must_succeed);
void fuzz_check_compare(struct tc_ctx *ctx, const struct tc_compare_side sides[2]);

/* Memory of its own for SQLite, and blocks of it in use: sqlite_memory.c. */
void fuzz_own_sqlite(void);
int64_t fuzz_sqlite_blocks(void);

#endif
