/* A batch as its two halves see it: batch.c, which decides and gathers, and read.c, which reads one
 * job, mostly in a process of its own. */
#pragma once

#include <sys/stat.h>

#include "fleet/index.h"
#include "fleet/record_log.h"
#include "import/inputs/find.h"
#include "tracecoach/fleet.h"
#include "tracecoach/store.h"

/* Where the rows of a job come from. */
enum tc_fleet_source {
	TC_FLEET_WANTED, /* has to be read */
	TC_FLEET_GIVEN,  /* is being read */
	TC_FLEET_OLD,    /* the index of the last batch */
	TC_FLEET_LOG     /* the log of this one */
};

/* What people say of a job: whose it is, the commit of its code, the price of a device hour. */
struct tc_fleet_notes {
	const char *owner, *revision; /* NULL: nobody said */
	struct tc_sql_value price;
};

struct tc_fleet_job {
	enum tc_fleet_source source;
	int64_t place;  /* job.id in the old index, or place in the log */
	bool touched;   /* its rows have the same content but other times */
	char **stopped; /* NULL, or for each trace NULL or why this run does not read it */
	struct tc_fleet_notes notes; /* read at the end */
};

struct tc_fleet {
	struct tc_ctx *ctx;
	struct tc_fleet_options options; /* borrowed texts */
	struct tc_found *found;
	struct tc_index_facts facts;
	struct tc_fleet_job *jobs; /* parallel to found->jobs */
	size_t next;               /* no job before this one is wanted */
	char *index_path, *log_path;
	struct tc_store *old;   /* the index of the last batch; NULL when it is of no use */
	struct tc_ctx *old_ctx; /* context of `old`: its errors do not fail the batch */
	struct tc_index_reader *reader;
	int claim; /* on the directory; -1 where a watch has it */
	struct tc_record_log *log;
	bool is_published; /* the log is no longer needed */
	struct tc_fleet_counts counts;
	int64_t now_ns;
};

/* Whether a path is the directory `out`, or one with an index: no input. */
static inline bool tc_fleet_is_out(const char *out, const char *path)
{
	struct stat file, directory;

	return (stat(out, &file) == 0 && stat(path, &directory) == 0 &&
		       file.st_dev == directory.st_dev && file.st_ino == directory.st_ino) ||
	       tc_index_is(path);
}

/* ---- What a trace was when it was read: whether its rows are still valid goes by this. */

/* The hash of a file's bytes. False when they cannot be read. */
bool tc_fleet_hash_file(uint64_t *out, struct tc_ctx *ctx, const char *path);
/* The hash of names, sizes and times of side files beside a trace; 0 without any. */
uint64_t tc_fleet_hash_side(const struct tc_fleet *batch, const char *path);
/* The path of a file that a batch keeps of a job, "OUT/jobs/PATH.db". The caller's to free; NULL
 * when memory is out. */
char *tc_fleet_kept_path(
	const struct tc_fleet *batch, const struct tc_found_job *job, const char *end);
