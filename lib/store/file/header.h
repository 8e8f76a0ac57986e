/*
 * Private to the store: facts about a file before SQLite sees it. Its first hundred bytes, so that
 * a foreign file is never opened as a database or replaced, and the journals beside it. A sealed
 * store has no journal; another program left it there, often for an older file of that name. SQLite
 * would apply it to the store and destroy the store.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"
#include "core/files/place.h"

struct tc_store_header {
	bool has_magic; /* the file starts like an SQLite database */
	bool is_sqlite; /* and has a complete header */
	uint32_t application_id;
	int32_t user_version;
	int64_t expected_bytes; /* according to the header; 0 when it does not say */
	int64_t file_bytes;
};

/* Opens the file at path for reading. *out is -1 when it is not a regular file and so not a store.
 * Returns 0 or an errno. */
int tc_store_file_open(int *out, const char *path);

/* Reads the header of the file behind fd; is_sqlite is false for fd -1. Returns 0 or an errno. */
int tc_store_header_read(struct tc_store_header *out, int fd);

/* Reads the header of the file at path. */
int tc_store_header_find(struct tc_store_header *out, const char *path);

/* Fails when a file at path is not an SQLite file with this application_id, and so must not be
 * replaced. what names the wanted kind: "an index". */
enum tc_status tc_store_check_target(
	struct tc_ctx *ctx, const char *path, uint32_t application_id, const char *what);

/* Whether the file at path can be read and starts like an SQLite database. */
bool tc_store_probe(const char *path);
/* Whether the file also has the application_id of tracecoach. */
bool tc_store_is_ours(const char *path);

/* Sets path to a journal next to the place, as a terminated string, or to nothing. Returns 0 or
 * ENOMEM. */
int tc_stray_find(struct tc_buf *path, const struct tc_place *place);

/* When the place has the name of a journal: sets base to the path of its store, as a terminated
 * string. False otherwise, and when memory is out. */
bool tc_stray_base(struct tc_buf *base, const struct tc_place *place);
