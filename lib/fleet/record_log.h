/*
 * Record log: the records of the jobs that a batch has read so far, appended to a file, each with
 * its length and hash. A batch that is killed loses at most the record that it was appending. Only
 * one batch at a time can have a log open.
 */
#pragma once

#include "core/buf.h"
#include "tracecoach/context.h"

struct tc_record_log;

/* Hears a record of the log and its place, until the context has failed. */
typedef void (*tc_record_log_fn)(void *user, int64_t place, struct tc_text record);

/*
 * Opens the log at path, or makes one. The first record is head; a log with another head is
 * emptied. Calls take with each further record, and cuts off everything after the last sound one.
 * TC_ERR_USAGE when another process has the log. The caller owns the log; NULL on failure.
 */
struct tc_record_log *tc_record_log_open(struct tc_ctx *ctx, const char *path, struct tc_text head,
	tc_record_log_fn take, void *user);

/* Appends a record. Returns its place; -1 on failure. */
int64_t tc_record_log_append(struct tc_record_log *log, struct tc_text record);
/* Sets buf to the record at a place. */
void tc_record_log_read(struct tc_buf *buf, struct tc_record_log *log, int64_t place);

/* Closes the log; remove deletes its file. NULL is fine. */
void tc_record_log_close(struct tc_record_log *log, bool remove);

/*
 * The directory OUT of logs and indexes. Batches and merges share it; logs keep batches apart. A
 * watch has it alone for as long as it runs: an index of other directories, which a batch writes
 * between two of its own, would go without what it has read.
 */
enum tc_out_claim { TC_OUT_CLAIMED, TC_OUT_SHARED, TC_OUT_ALONE };

/* Makes the directory where it is not there, and claims it unless that is done. The descriptor is
 * the caller's to close; -1 without one: on failure, where it is claimed, and where directories
 * cannot be opened or locked. TC_ERR_USAGE when another process has it. */
int tc_out_claim(struct tc_ctx *ctx, const char *out, enum tc_out_claim claim);
