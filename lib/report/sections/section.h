/*
 * Sections: the tables of a report, each in a file sections/ID.sql with its words and its queries.
 * sections/README.md has the form. Text, Markdown and HTML show the rows of the first query, and
 * the JSON report has an array of the rows behind "-- @json".
 */
#pragma once

#include "core/collections/arena.h"
#include "report/job.h"
#include "report/text/json.h"
#include "report/view/view.h"

#define TC_SECTION_COLUMNS 10

/* How a value is written in a table. */
enum tc_section_unit {
	TC_SECTION_NS,
	TC_SECTION_PCT,
	TC_SECTION_BYTES,
	TC_SECTION_COUNT,
	TC_SECTION_NAME,  /* a text of the trace, long names cut in their middle */
	TC_SECTION_PART,  /* an engine or a role: "TPC" for tpc */
	TC_SECTION_CAUSE, /* what the host does while the device is idle for this cause */
};

/* The object of the JSON report that has the array. */
enum tc_section_scope { TC_SECTION_OF_STORE, TC_SECTION_OF_TRACE, TC_SECTION_OF_DEVICE };

/* A query, and its statement once a report has asked it. */
struct tc_section_query {
	const char *sql; /* NULL for none */
	sqlite3_stmt *kept;
	int most; /* rows of the table; 0 for as many as the report has */
};

struct tc_section {
	const char *id;
	const char *title;   /* "" for none */
	const char *page;    /* the part of the report that has the table; NULL for none */
	int place;           /* there */
	const char *picture; /* its kind, where a page draws the table; or NULL */
	bool hides_in_step;  /* with --step */
	bool is_costly_text; /* goes through all slices or events: only with --details */
	bool is_costly_json; /* the same; the group is null without */
	const char *keep;    /* a view to compute once for all traces, or NULL */
	int note_column;     /* that the note explains; -1 for none */
	const char *titles[TC_SECTION_COLUMNS + 1];
	enum tc_section_unit units[TC_SECTION_COLUMNS];
	int column_count;
	enum tc_section_scope scope;
	const char *group, *key; /* an object of the JSON report, or NULL, and the array; NULL */
	int json_place;          /* 0: where the report asks for it by its id */
	struct tc_section_query rows, note, json;
};

/* All of them, in the order of their ids, of their tables, and of their arrays. */
struct tc_sections {
	struct tc_arena arena;
	struct tc_section *all;
	struct tc_section **by_place, **by_json_place;
	size_t count;
};

/* The part of a store that a query is about. */
struct tc_query_place {
	int64_t trace_id;
	const char *device; /* of the trace, or NULL */
	int64_t top;        /* 0: that of the job */
	int64_t limit;      /* rows to ask for; 0: one more than top */
};

/* Reads the files; the caller's to free. NULL after a failure: a fault is TC_ERR_INTERNAL with file
 * and line. */
struct tc_sections *tc_sections_new(struct tc_ctx *ctx);
void tc_sections_free(struct tc_sections *sections); /* NULL is fine */

/* Adds the functions of SQL that sections call: show_ns(ns), a time as reports write it. */
void tc_sections_add_functions(struct tc_ctx *ctx, sqlite3 *db);

/* Puts the tables of a page in their order, each with a heading, its rows, at most --top, and its
 * note; nothing of a table without rows. */
void tc_put_sections(struct tc_job *job, const struct tc_view *view, const char *page);
/* Call before the pages of several traces: computes the views of costly sections once for all
 * traces. Otherwise each trace would go through the slices of all traces again. */
void tc_keep_costly(struct tc_job *job);
/* The array of the section with that id as a member of the open object. */
void tc_json_section(struct tc_json *json, struct tc_job *job, const char *id,
	const struct tc_query_place *place);
/* Writes the first count columns of the row as members of the open object. */
void tc_json_columns(struct tc_json *json, const struct tc_rows *row, int count);
/* The arrays of a scope as members of the open object; place is NULL for those of the store. */
void tc_json_sections(struct tc_json *json, struct tc_job *job, enum tc_section_scope scope,
	const struct tc_query_place *place);
