/*
 * Short names of device operations. A C++ signature is cut to its function and the template
 * argument that tells most, "vectorized_elementwise_kernel<CUDAFunctor_add<float>>". Names of a
 * trace with the same short name are numbered, the one with most time first. Names that are not
 * signatures stay as they are, but words of hundreds of characters lose their middle. The store and
 * the JSON have the full names.
 */
#pragma once

#include "core/buf.h"
#include "store/sql.h"

struct tc_name_entry;

/* The shortened names of one trace. */
struct tc_names {
	struct tc_name_entry *entries; /* by short name, then by time */
	size_t count, capacity;
};

#define TC_NAMES_EMPTY ((struct tc_names){0})

/* Reads the names of a trace's operations; tc_names_clear() afterwards, also when it failed. */
void tc_names_load(struct tc_names *names, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);
void tc_names_clear(struct tc_names *names);

/* Appends the short name, with its number if several names of the trace share it. names may be
 * NULL. */
void tc_names_append(const struct tc_names *names, struct tc_buf *buf, struct tc_text name);
