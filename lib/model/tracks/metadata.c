/* Metadata events by their names, "process_name" and so on; see metadata.h. */
#include "model/tracks/metadata.h"

#include "core/text/decimal.h"

/* What a metadata event may set, of a process or of a thread; labels is NULL for a thread. */
struct target {
	uint32_t *name, *labels;
	bool *has_sort_index;
	int64_t *sort_index;
};

static void set_sort_index(const struct target *target, const struct tc_scalar *scalar)
{
	*target->has_sort_index |= tc_scalar_integer(target->sort_index, scalar);
}

static enum tc_status set_text(struct tc_tracks *tracks, struct tc_import_log *log,
	uint32_t *target, const struct tc_scalar *scalar)
{
	if (scalar->kind != TC_SCALAR_TEXT || !scalar->text.ptr)
		return TC_OK;
	uint32_t string = tc_tracks_string(tracks, scalar->text);
	if (string == TC_STRTAB_NONE)
		return tc_tracks_fail(tracks, log->ctx);
	*target = string;
	return TC_OK;
}

/* what is the name of the event behind "process_" or "thread_". */
static enum tc_status set(struct tc_tracks *tracks, struct tc_import_log *log,
	const struct target *target, const struct tc_raw_event *event, struct tc_text what)
{
	if (tc_text_equal(what, TC_TEXT("name")))
		return set_text(tracks, log, target->name, &event->arg[TC_ARG_NAME]);
	if (target->labels && tc_text_equal(what, TC_TEXT("labels")))
		return set_text(tracks, log, target->labels, &event->arg[TC_ARG_LABELS]);
	if (!tc_text_equal(what, TC_TEXT("sort_index")))
		return tc_import_log_add_event(log, TC_LOG_UNKNOWN_METADATA, event);
	set_sort_index(target, &event->arg[TC_ARG_SORT_INDEX]);
	return TC_OK;
}

static enum tc_status on_process(struct tc_tracks *tracks, struct tc_import_log *log,
	const struct tc_raw_event *event, struct tc_text what)
{
	uint32_t number = tc_tracks_process(tracks, &event->pid);

	if (number == TC_INDEX_NONE)
		return tc_tracks_drop(tracks, log, event);
	struct tc_process_row *row = &tracks->processes[number];
	const struct target target = {
		&row->name, &row->labels, &row->has_sort_index, &row->sort_index};
	return set(tracks, log, &target, event, what);
}

static enum tc_status on_thread(struct tc_tracks *tracks, struct tc_import_log *log,
	const struct tc_raw_event *event, struct tc_text what)
{
	uint32_t number = tc_tracks_thread(tracks, &event->pid, &event->tid);

	if (number == TC_INDEX_NONE)
		return tc_tracks_drop(tracks, log, event);
	struct tc_thread_row *row = &tracks->threads[number];
	const struct target target = {&row->name, NULL, &row->has_sort_index, &row->sort_index};
	return set(tracks, log, &target, event, what);
}

enum tc_status tc_metadata_take(
	struct tc_tracks *tracks, struct tc_import_log *log, const struct tc_raw_event *event)
{
	struct tc_text what;

	if (tc_text_starts(event->name, TC_TEXT("process_")) &&
		tc_text_after(event->name, TC_TEXT("process_"), &what))
		return on_process(tracks, log, event, what);
	if (tc_text_starts(event->name, TC_TEXT("thread_")) &&
		tc_text_after(event->name, TC_TEXT("thread_"), &what))
		return on_thread(tracks, log, event, what);
	return tc_import_log_add_event(log, TC_LOG_UNKNOWN_METADATA, event);
}
