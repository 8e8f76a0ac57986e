/* A batch as the files of this room see it, and the state of its jobs. See tracecoach/fleet.h. */
#ifndef TC_FLEET_BATCH_STATE_H
#define TC_FLEET_BATCH_STATE_H

#include "fleet/index/index_reader.h"
#include "fleet/index/index_writer.h"
#include "fleet/batch/record_log.h"
#include "import/inputs/find.h"
#include "tracecoach/fleet.h"

/* Where the rows of a job come from. */
enum tc_fleet_source {
	TC_FLEET_WANTED, /* has to be read */
	TC_FLEET_GIVEN,  /* is being read */
	TC_FLEET_OLD,    /* the index of the last batch */
	TC_FLEET_LOG     /* the log of this one */
};

struct tc_fleet_job {
	enum tc_fleet_source source;
	int64_t place;  /* job.id in the old index, or place in the log */
	bool touched;   /* its rows have the same content but other times */
	char **stopped; /* NULL, or for each trace NULL or why this run does not read it */
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
	struct tc_record_log *log;
	bool is_published; /* the log is no longer needed */
	struct tc_fleet_counts counts;
	int64_t now_ns;
};

#endif
