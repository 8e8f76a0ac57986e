/*
 * Labels: each distinct pair of category and name of a trace, classified once.
 */
#pragma once

#include "core/buf.h"
#include "model/timeline/timeline.h"
#include "names/names.h"

enum { TC_LABEL_RECENT_COUNT = 1024 };

struct tc_labels {
	struct tc_ctx *ctx;    /* borrowed */
	struct tc_strtab keys; /* one byte of presence, category, 0, name; number = label index */
	struct tc_label *rows;
	size_t count, capacity;
	struct tc_buf key;
	struct tc_names *names;                 /* made with the first label */
	uint32_t recent[TC_LABEL_RECENT_COUNT]; /* labels of recent lookups, by hash */
	size_t max_count; /* TC_LABEL_MAX_COUNT and TC_LABEL_MAX_BYTES, less in tests */
	int64_t max_bytes;
	int64_t over_count; /* lookups beyond a limit, which got the common label */
};

#define TC_LABEL_NONE UINT32_MAX

void tc_labels_init(struct tc_labels *labels, struct tc_ctx *ctx);
void tc_labels_clear(struct tc_labels *labels);
/* The index of a label, which is added when new. Absent texts have ptr NULL. Beyond the limits
 * all new labels share one. TC_LABEL_NONE after a failure, which the context has. */
uint32_t tc_labels_intern(struct tc_labels *labels, struct tc_text category, struct tc_text name);

/* Moves the labels to the timeline, which has none yet; their texts stay here. No lookups may
 * follow. */
void tc_labels_hand_over(struct tc_labels *labels, struct tc_timeline *timeline);
