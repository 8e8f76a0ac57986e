/*
 * Private to the store: the kinds of database that tracecoach makes. All are sealed files, opened
 * and guarded in the same way; each has its own mark in the header, version and schema.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "store/connection.h"

/* A check for rows that a schema allows and no file of the kind may hold. Readers rely on that:
 * what they use as an index, a size or a time is within bounds. */
struct tc_store_check {
	const char *sql;  /* has a row when the file holds such a thing */
	const char *says; /* "a job has no path" */
};

/* Limits of core/limits.h as text for that SQL: one that is written without suffixes, and
 * TC_TIME_MAX_NS. */
#define TC_CHECK_LIMIT(macro) TC_CHECK_TEXT(macro)
#define TC_CHECK_TEXT(macro) #macro
#define TC_CHECK_TIME_MAX "((1 << 62) - 1)"

struct tc_store_kind {
	const char *noun;          /* the word for it in messages: "store" */
	const char *maker;         /* what makes one: "'tracecoach import' makes one of a trace" */
	const char *remedy;        /* what to do with a damaged one: "import the trace again" */
	const char *remedy_of_old; /* what to do with an older version */
	uint32_t application_id;
	/* Another kind that is often given instead, and what to do with that; or NULL. */
	uint32_t mistaken_id;
	const char *mistaken;
	int version;
	int oldest;                /* oldest version that can be opened */
	const char *const *schema; /* texts of SQL that create it; NULL at the end (layout.h) */
	const struct tc_store_check *checks;
	size_t check_count;
};

/* The store of an import, of this version or an older one. */
extern const struct tc_store_kind tc_store_of_any_version;

/* Opens a file of that kind as tc_store_open() opens a store. */
enum tc_status tc_store_open_kind(struct tc_store **out, struct tc_ctx *ctx, const char *path,
	const struct tc_store_kind *kind);
