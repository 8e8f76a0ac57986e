/*
 * Record log: what a batch has read so far, a file that records are appended to, each with its length
 * and hash. A batch that was killed loses at most the record that it was about to append. One batch
 * at a time has a log.
 */
#ifndef TC_FLEET_RECORD_LOG_H
#define TC_FLEET_RECORD_LOG_H

#include "core/buf.h"
#include "tracecoach/context.h"

struct tc_record_log;

/* A record that is in the log, and where; TC_OK to go on. */
typedef enum tc_status (*tc_record_log_fn)(void *user, int64_t place, struct tc_text record);

/*
 * Opens the log at path, or makes one. The first record is head: a log with another one is emptied.
 * Calls take with each other record; what follows the last sound one is cut off. TC_ERR_USAGE when
 * another process has it. *out is the caller's.
 */
enum tc_status tc_record_log_open(struct tc_record_log **out, struct tc_ctx *ctx, const char *path,
	struct tc_text head, tc_record_log_fn take, void *user);

/* Appends a record; *place is where it is. */
enum tc_status tc_record_log_append(
	int64_t *place, struct tc_record_log *log, struct tc_text record);
/* Sets buf to the record at a place. */
enum tc_status tc_record_log_read(struct tc_buf *buf, struct tc_record_log *log, int64_t place);

/* Closes the log; remove says that its file is not needed any more. NULL is fine. */
void tc_record_log_close(struct tc_record_log *log, bool remove);

#endif
