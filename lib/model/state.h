/*
 * What the files of the model share while a trace is imported. Each part is filled by one file
 * (named in its comment) and nobody outside lib/model/ sees this.
 */
#ifndef TC_MODEL_STATE_H
#define TC_MODEL_STATE_H

#include "core/buf.h"
#include "core/sorter.h"
#include "core/spill.h"
#include "model/import_log.h"
#include "model/tracks/labels.h"
#include "model/slices/args_forms.h"
#include "model/model.h"
#include "model/tracks/tracks.h"

/* launch/links.c: launches and steps of device work, by slice */
struct tc_links {
	struct tc_sorter *sorter;
	struct tc_link_group *groups; /* slices that are not yet in the sorter */
	size_t latest;                /* of groups */
};

/*
 * launch/correlation.c: what tells that work was launched before the recording. Tracers count their calls
 * up, so a number below that of every call belongs to one of before.
 */
struct tc_first_calls {
	struct tc_strtab spaces; /* those in which ids are counted: of a rank, of a library */
	int64_t *lowest;         /* id of a call, by space */
	size_t capacity;
	int64_t space; /* the latest one, and its number */
	uint32_t number;
	bool has_launched; /* some work is tied to its call */
	int64_t first_ns;  /* and this is the start of the first such call */
};

struct tc_meta_row {
	uint32_t key, value; /* strings of tracks.strings */
};

struct tc_model {
	struct tc_ctx *ctx;
	struct tc_next_ids *ids;
	struct tc_next_ids first; /* *ids when the model began */
	tc_emit_fn emit;
	void *emit_user;
	struct tc_batch *batch;
	struct tc_args_forms *args_forms;
	struct tc_labels labels;
	struct tc_tracks tracks;
	struct tc_import_log log;
	struct tc_timeline *timeline;
	uint32_t last_recipe, last_data_type; /* of timeline->texts, or TC_STRTAB_NONE */
	struct tc_meta_row *metas;
	size_t meta_count, meta_capacity;
	int64_t sequence; /* of events that wait in sorters: the order of the file */
	struct tc_buf scratch;
	/* pairs.c: begin and end events, and the text of their args */
	struct tc_sorter *pairs;
	struct tc_spill *pair_args;
	/* launch/correlation.c: host calls and device work that share a correlation id */
	struct tc_sorter *correlated;
	struct tc_first_calls first_calls;
	/* launch/calls.c: launch calls of runtimes without correlation ids, by class and time */
	struct tc_sorter *recipe_calls;
	struct tc_links links;
	/* flows.c: flow points by track and time, then bound ones by flow */
	struct tc_sorter *flow_points, *flow_ends;
	struct tc_sorter *memory_links; /* rows of memory_slice */
	int64_t unbound_count;          /* points that no slice is there for */
	/* steps.c: slices that are steps, by arrival */
	struct tc_step *steps;
	size_t step_count, step_capacity;
	uint32_t *step_tracks; /* of steps[] */
	size_t step_track_capacity;
};

/* Tracers number correlations from 1; 0 means none. */
#define TC_CORRELATION_NONE 0

/* Everything that emit.c needs to know of a finished slice. */
struct tc_slice {
	int64_t ts_ns, dur_ns;
	uint32_t track, label;
	struct tc_text args;
	uint8_t zero_depth; /* as of tc_span */
	bool has_id;        /* args may hold numbers of the single event */
	bool has_step;      /* args say that it is a step, and its number */
	int64_t step_number;
	int64_t correlation;        /* TC_CORRELATION_NONE without one */
	uint32_t recipe, data_type; /* numbers in timeline->texts, or TC_STRTAB_NONE */
};

/* state.c */
/* Adds an entry to the import log. */
enum tc_status tc_model_log(
	struct tc_model *model, enum tc_log_kind kind, int64_t byte_offset, struct tc_text message);
enum tc_status tc_model_no_memory(struct tc_model *model);
/* Hands the batch over when it is full, or in any case when all is set. */
enum tc_status tc_model_flush(struct tc_model *model, bool all);

/* emit.c */
/* Gives the slice its row, its id, and its place in the timeline. */
enum tc_status tc_model_emit_slice(
	struct tc_model *model, const struct tc_slice *slice, int64_t *slice_id);
/* A copy of args in the batch. */
enum tc_status tc_model_batch_args(
	struct tc_model *model, struct tc_text args, struct tc_row_args *out);
/* What model knows of a slice from its event, whose label is set: correlation, recipe, data type or,
 * of framework operations, shapes. */
enum tc_status tc_model_read_args(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_slice *slice);

/* events.c */
enum tc_status tc_model_event(void *user, const struct tc_raw_event *event);

/* pairs.c */
enum tc_status tc_pairs_add(struct tc_model *model, const struct tc_raw_event *event,
	uint32_t track, uint32_t label, bool is_begin);
enum tc_status tc_pairs_finish(struct tc_model *model);

/* launch/correlation.c */
enum tc_status tc_launches_add(
	struct tc_model *model, const struct tc_span *span, int64_t correlation, bool is_device);
enum tc_status tc_launches_finish(struct tc_model *model);
void tc_launches_clear(struct tc_model *model);
/* Takes note of work whose launch is known: time is its start, or that of the arrow to it. */
void tc_launches_seen(struct tc_model *model, uint32_t track, int64_t ts_ns, int64_t call_ns);
/* True for work without a launch in the trace that was launched before the recording began. */
bool tc_launches_precede(const struct tc_model *model, const struct tc_span *span);

/* launch/calls.c */
/* Takes a call of a runtime without correlation ids. */
enum tc_status tc_calls_add(
	struct tc_model *model, const struct tc_span *span, enum tc_call_class call_class);

/* launch/resolve.c */
/* Gives work of the sorted timeline whose launch is not known yet its launch and its step. */
enum tc_status tc_launches_resolve(struct tc_model *model);

/* steps.c */
/* number NULL: the slice's name tells, if it can. */
enum tc_status tc_steps_add(
	struct tc_model *model, const struct tc_span *span, const int64_t *number);
/* Hands them to the timeline and forgets them. */
enum tc_status tc_steps_finish(struct tc_model *model);
void tc_steps_clear(struct tc_model *model);
/* Index of the last step that starts at or before ts_ns; -1 before the first. */
int32_t tc_steps_at_or_before(const struct tc_timeline *timeline, int64_t ts_ns);

/* flows.c */
/* The last is no part of a flow: an allocator event, which binds to the slice around it. */
enum tc_flow_role { TC_FLOW_START = 0, TC_FLOW_STEP, TC_FLOW_END, TC_FLOW_MEMORY };
struct tc_flow_point {
	int64_t ts_ns, sequence;
	uint32_t track, label;
	struct tc_ident id;
	bool is_v2;
	bool binds_next; /* to the next slice of the track instead of the enclosing one */
	enum tc_flow_role role;
	int64_t slice_id; /* v2: known at once; v1: bound by nest.c */
};
enum tc_status tc_flows_add(
	struct tc_model *model, const struct tc_raw_event *event, uint32_t track, uint32_t label);
/* Flow v2: what the bind_id of an event says of the slice that it makes or begins. */
struct tc_flow_end {
	bool is_there;
	enum tc_flow_role role;
	struct tc_ident id;
};
enum tc_status tc_flows_end_of(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_flow_end *end);
/* Nothing when it is not there. */
enum tc_status tc_flows_add_v2(struct tc_model *model, const struct tc_flow_end *end,
	const struct tc_slice *slice, int64_t slice_id);
/* An allocator event; its id is that of its row. */
enum tc_status tc_flows_add_memory(
	struct tc_model *model, int64_t ts_ns, uint32_t track, int64_t memory_id);
enum tc_status tc_flows_bound(struct tc_model *model, const struct tc_flow_point *point);
enum tc_status tc_flows_emit(struct tc_model *model);
/* An arrow between two bound points. */
typedef enum tc_status (*tc_flow_arrow_fn)(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to);
/* Hands every arrow to fn. *unmatched_count is what has no other end. */
enum tc_status tc_flows_each(
	struct tc_model *model, tc_flow_arrow_fn fn, void *user, int64_t *unmatched_count);

/* nest.c: depth and parent of host slices, and the slices that flow points bind to */
enum tc_status tc_nest_emit(struct tc_model *model);
/* Binds the flow points before that, which then finds none. */
enum tc_status tc_nest_bind(struct tc_model *model);

/* tables.c: everything small */
enum tc_status tc_tables_write(
	struct tc_model *model, sqlite3 *db, const struct tc_input_facts *facts);
enum tc_status tc_trace_write(
	struct tc_model *model, sqlite3 *db, const struct tc_input_facts *facts);

/* launch/links.c */
/* Takes the launch and step of a device operation; once per operation. */
enum tc_status tc_links_add(struct tc_model *model, const struct tc_span *span);
enum tc_status tc_links_emit(struct tc_model *model);
void tc_links_clear(struct tc_links *links);

#endif
