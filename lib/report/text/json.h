/*
 * Writes JSON piece by piece to a sink. It is valid for any text (bytes that are not UTF-8 become
 * U+FFFD), and the same calls give the same bytes. Each member of the outer two levels begins a
 * line; deeper members stay on the line.
 */
#pragma once

#include "report/text/sink.h"

#define TC_JSON_WRITER_DEPTH 16

struct tc_json {
	struct tc_sink *sink;
	int depth;
	char closer[TC_JSON_WRITER_DEPTH];
	bool filled[TC_JSON_WRITER_DEPTH]; /* the level has a member already */
};

/* Opens the outermost object of a document with a schema, and writes the version of the schema and
 * of tracecoach. */
void tc_json_begin(struct tc_json *json, int64_t schema_version);

/* The key is NULL inside of arrays and for the outermost value. */
void tc_json_object(struct tc_json *json, const char *key);
void tc_json_array(struct tc_json *json, const char *key);
void tc_json_end(struct tc_json *json); /* ends the innermost object or array */

void tc_json_int(struct tc_json *json, const char *key, int64_t value);
/* null if the number is not known. */
void tc_json_int_if(struct tc_json *json, const char *key, bool known, int64_t value);
/* null for NaN and infinities, which JSON does not have. */
void tc_json_real(struct tc_json *json, const char *key, double value);
void tc_json_bool(struct tc_json *json, const char *key, bool value);
void tc_json_null(struct tc_json *json, const char *key);
void tc_json_text(struct tc_json *json, const char *key, struct tc_text value); /* or null */
void tc_json_string(struct tc_json *json, const char *key, const char *value);  /* or null */
/* A text made in a buffer, which is cleared; the sink has its failure. */
void tc_json_take(struct tc_json *json, const char *key, struct tc_buf *text);
/* A value that is already JSON; the caller must know that it is valid. */
void tc_json_raw(struct tc_json *json, const char *key, struct tc_text value);
