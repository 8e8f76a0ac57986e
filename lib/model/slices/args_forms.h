/*
 * Forms of args. Profilers repeat the args of an operation at each of its calls and put numbers of
 * the single event among them (External id, correlation, Ev Idx). A text that was seen before but
 * for such numbers is stored as the form and its numbers, which is exact: the numbers that are left
 * out have one way to be written.
 */
#ifndef TC_MODEL_ARGS_FORMS_H
#define TC_MODEL_ARGS_FORMS_H

#include "core/buf.h"
#include "store/batch.h"

struct tc_args_forms;

struct tc_args_forms *tc_args_forms_new(void); /* NULL when memory is out */
void tc_args_forms_free(struct tc_args_forms *forms);

enum tc_args_sight {
	TC_ARGS_FIRST, /* unlike all that is remembered, or too long, or of large numbers: store the text */
	TC_ARGS_NEW_FORM, /* seen once before: next_id is now its form */
	TC_ARGS_KNOWN,
};

/*
 * Fills form_id and numbers of *out but for TC_ARGS_FIRST. has_id: args may hold numbers of the
 * event, so look for them. Of the forms that fall on one place in memory the latest is remembered;
 * an earlier one that comes again gets another id.
 */
enum tc_args_sight tc_args_forms_see(struct tc_args_forms *forms, struct tc_text args, bool has_id,
	int64_t next_id, struct tc_row_args *out);

/* Appends the form of args as a pattern of SQLite's printf(): %d for each number. Returns how many
 * bits each has in tc_row_args.numbers. */
uint32_t tc_args_forms_append_pattern(struct tc_buf *out, struct tc_text args, bool has_id);

#endif
