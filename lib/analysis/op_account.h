/*
 * Operation account (table op_total): device time by operation, data type and engine. At every
 * instant in which a device is busy, the time belongs to one operation: that of the working
 * engine with the highest priority (order of enum tc_engine; NIC lanes and lanes of no engine
 * never have it), and on it the one that started first. So exclusive_ns adds up to busy time.
 */
#ifndef TC_ANALYSIS_OP_ACCOUNT_H
#define TC_ANALYSIS_OP_ACCOUNT_H

#include <sqlite3.h>

#include "analysis/sweep.h"
#include "model/timeline.h"

enum tc_precision { TC_PRECISION_UNKNOWN, TC_PRECISION_FP32, TC_PRECISION_LOW, TC_PRECISION_OTHER };

/* What args.dataType says: "bf16" and "hf8" are LOW, "float32" is FP32, "" is UNKNOWN. */
enum tc_precision tc_precision_of(struct tc_text data_type);

struct tc_op_total {
	uint32_t device, label, data_type; /* TC_STRTAB_NONE: no data type */
	enum tc_engine engine;
	enum tc_precision precision;
	int64_t count, dur_ns, exclusive_ns, min_ns, max_ns;
};

/* Who has the time of one device at the moment. */
struct tc_op_owner {
	struct tc_open_list working[TC_ENGINE_COUNT]; /* by engine, on the sweep's list 0 */
	uint32_t engines;                             /* bits of those with something on them */
	struct tc_op_total *owner;
	int64_t since_ns;
};

struct tc_op_account {
	const struct tc_timeline *timeline;
	struct tc_op_total **totals; /* in the order of first sight; pointers never move */
	size_t count, capacity;
	uint32_t *slots; /* hash table of positions; UINT32_MAX is free */
	size_t slot_count;
	struct tc_op_total **last_of_label;
	struct tc_op_owner *owners; /* by device */
};

enum tc_status tc_op_account_init(
	struct tc_op_account *account, const struct tc_timeline *timeline);
void tc_op_account_clear(struct tc_op_account *account);

/* The row that a slice belongs to, made when new; NULL when memory is out. */
struct tc_op_total *tc_op_account_find(
	struct tc_op_account *account, const struct tc_span *span, enum tc_engine engine);
/* Counts a slice of dur_ns in its row. */
void tc_op_total_count(struct tc_op_total *total, int64_t dur_ns);

/* A slice of the open struct below starts or ends to take part in the device's time. */
struct tc_op_open {
	struct tc_open open;
	struct tc_op_total *total;
	uint32_t classes; /* of work, see busy.h; 0 when it is no work */
	bool is_timed;    /* its lane counts it as open */
};
void tc_op_account_start(struct tc_op_account *account, struct tc_op_open *op);
void tc_op_account_end(struct tc_op_account *account, struct tc_op_open *op);

enum tc_status tc_op_account_write(
	const struct tc_op_account *account, struct tc_ctx *ctx, sqlite3 *db);

#endif
