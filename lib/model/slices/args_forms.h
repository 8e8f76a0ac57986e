/*
 * Forms of args. Profilers repeat the args of an operation in each of its calls, with a few numbers
 * that differ in every event (External id, correlation, Ev Idx). A text that differs from an
 * earlier one in such numbers alone is stored as a form and the numbers. That is exact, because
 * these numbers can be written in one way only.
 */
#pragma once

#include "core/buf.h"
#include "store/batch.h"

struct tc_args_forms;

struct tc_args_forms *tc_args_forms_new(void); /* NULL when memory is out */
void tc_args_forms_free(struct tc_args_forms *forms);

enum tc_args_match {
	TC_ARGS_FIRST,    /* new, too long or with large numbers: store the text */
	TC_ARGS_NEW_FORM, /* seen for the second time: its form is now next_id */
	TC_ARGS_KNOWN,
};

/*
 * Sets form_id and numbers of *out, except for TC_ARGS_FIRST. has_id: args may have numbers of the
 * single event. label: of the event, a hint what they are like. The cache has places for the latest
 * forms only; an older form that comes again gets another id.
 */
enum tc_args_match tc_args_forms_match(struct tc_args_forms *forms, struct tc_text args,
	bool has_id, uint32_t label, int64_t next_id, struct tc_row_args *out);

/* Appends the form of args as a pattern of SQLite's printf(): %d for each number. Returns how many
 * bits each has in tc_row_args.numbers. */
uint32_t tc_args_forms_append_pattern(struct tc_buf *out, struct tc_text args, bool has_id);
