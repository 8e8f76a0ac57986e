/*
 * Model: turns raw events into rows of the store and a timeline for the analysis. Events go in one
 * by one in the order of the file (tc_model_sink); finished rows go out in batches; events that are
 * needed in time order wait in sorters until tc_model_resolve().
 *
 * One model is one trace. It is used by one thread at a time.
 */
#pragma once

#include "model/tables.h"
#include "model/timeline/timeline.h"

struct tc_model;

/*
 * A model for trace number ids->trace. *ids is borrowed and advanced. The first batch comes from
 * take with *batch NULL. Peaks are those of hardware, or with NULL of the device that the trace
 * names. *out is owned by the caller.
 */
enum tc_status tc_model_new(struct tc_model **out, struct tc_ctx *ctx, struct tc_next_ids *ids,
	tc_take_batch_fn take, void *take_user, const struct tc_hardware *hardware);
void tc_model_free(struct tc_model *model); /* NULL is fine */

/* Before the first event: adds a label that no slice may have; absent texts have ptr NULL. They are
 * numbered from 0 in this order. */
void tc_model_add_label(struct tc_model *model, struct tc_text category, struct tc_text name);

/* Where a decoder puts its events. */
struct tc_decode_sink tc_model_sink(struct tc_model *model);

/* Ends the events: pairs begin and end events, and emits the last batch of slices. ends_early: the
 * input is cut, so that events are missing behind the last one. */
enum tc_status tc_model_end_events(struct tc_model *model, bool ends_early);

/*
 * Resolves tracks, steps and launches. *out is the timeline for the analysis; the model keeps
 * owning it. After this the ids of the next trace are known, but for flows.
 */
enum tc_status tc_model_resolve(const struct tc_timeline **out, struct tc_model *model);

/* After that: writes the small tables (trace, process, thread, track, label, step) through db. */
void tc_model_write_tables(
	const struct tc_model *model, sqlite3 *db, const struct tc_input_facts *facts);

/*
 * After tc_model_resolve(): emits the relations between slices (nesting, flows, launches) in
 * batches. It only reads the timeline, so another thread may analyse that at the same time.
 */
enum tc_status tc_model_emit_ties(struct tc_model *model, tc_take_batch_fn take, void *take_user);

/* Last: the import log. */
void tc_model_write_log(const struct tc_model *model, sqlite3 *db);

/* Names in words the first loss of data; empty where nothing of severity data_loss was logged. */
struct tc_text tc_model_loss(const struct tc_model *model);
