/* Each function is defined for as long as tables are filled with it, and taken away afterwards: the
 * store that is sealed needs none of them. */
#include "analysis/name_functions.h"

#include "model/timeline/work.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/text/decimal.h"
#include "names/names.h"
#include "names/run.h"

static struct tc_text text_of(sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	return (struct tc_text){text, (size_t)sqlite3_value_bytes(value)};
}

static void collective_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	const struct tc_names *names = sqlite3_user_data(out);
	struct tc_text text = text_of(values[0]);
	const char *kind = NULL;

	(void)count;
	if (text.ptr)
		kind = tc_collective_name(tc_names_collective(names, text));
	sqlite3_result_text(out, kind, -1, SQLITE_STATIC);
}

static void type_bytes_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	static const struct {
		const char *name;
		int bytes;
	} sizes[] = {
#define TC_TYPE_SIZE(name, bytes) {name, bytes},
#include "names/type_sizes.def"
#undef TC_TYPE_SIZE
	};
	struct tc_text text = text_of(values[0]);

	(void)count;
	for (size_t i = 0; i < TC_COUNT_OF(sizes); i++)
		if (text.ptr && tc_text_equal(text, tc_text_from(sizes[i].name)))
			sqlite3_result_int(out, sizes[i].bytes);
}

/* An integer, however the trace writes it: 12, 12.0, 1.2e1, or each of them as a text. NULL for
 * what is none. */
static void integer_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	struct tc_text text = text_of(values[0]);
	int64_t number = 0;

	(void)count;
	if (text.ptr && tc_decimal_whole(&number, text))
		sqlite3_result_int64(out, number);
}

static bool is_one_of(const char *const *patterns, size_t count, struct tc_text name)
{
	for (size_t i = 0; i < count; i++)
		if (tc_name_is_asked(patterns[i], name))
			return true;
	return false;
}

/* Whether a counter, as "name member", is the clock of what computes on a device. */
static void core_clock_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	static const char *const clocks[] = {
#define TC_CORE_CLOCK(pattern) pattern,
#include "names/counters.def"
	};
	static const char *const others[] = {
#define TC_NOT_CORE_CLOCK(pattern) pattern,
#include "names/counters.def"
	};
	struct tc_text text = text_of(values[0]);

	(void)count;
	sqlite3_result_int(out, text.ptr && is_one_of(clocks, TC_COUNT_OF(clocks), text) &&
					!is_one_of(others, TC_COUNT_OF(others), text));
}

/* The bytes of the inputs of a slice; NULL unless the sizes and types of all inputs are known. */
static void input_bytes_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	struct tc_text args = text_of(values[0]);
	struct tc_op_inputs inputs = {.count = 0};
	int64_t sum = 0;

	(void)count;
	if (!args.ptr || !tc_op_inputs_read(&inputs, args) || inputs.count == TC_INPUTS_MAX)
		return;
	for (size_t i = 0; i < inputs.count; i++) {
		int64_t bytes = 0;
		const struct tc_input *input = tc_op_inputs_tensor(&inputs, i);
		if (!input || !tc_input_elements(&bytes, input) ||
			__builtin_mul_overflow(bytes, input->element_bytes, &bytes) ||
			__builtin_add_overflow(sum, bytes, &sum))
			return;
	}
	if (sum > 0)
		sqlite3_result_int64(out, sum);
}

static void run_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	struct tc_text path = text_of(values[0]);
	struct tc_buf run = TC_BUF_EMPTY;

	(void)count;
	tc_buf_append_text(&run, tc_run_directory(path));
	tc_buf_append_char(&run, ':');
	tc_run_name(&run, path, false);
	if (tc_buf_failed(&run))
		sqlite3_result_error_nomem(out);
	else
		sqlite3_result_text64(out, run.ptr, run.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	tc_buf_clear(&run);
}

/* Defines the functions, or takes them away. */
static int set_functions(sqlite3 *db, struct tc_names *names, bool are_there)
{
	static const struct {
		const char *name;
		void (*call)(sqlite3_context *out, int count, sqlite3_value **values);
	} rows[] = {
		{"tc_collective", collective_function},
		{"tc_type_bytes", type_bytes_function},
		{"tc_integer", integer_function},
		{"tc_input_bytes", input_bytes_function},
		{"tc_run", run_function},
		{"tc_is_core_clock", core_clock_function},
	};
	int code = SQLITE_OK;

	for (size_t i = 0; i < TC_COUNT_OF(rows) && code == SQLITE_OK; i++)
		code = sqlite3_create_function(db, rows[i].name, 1, SQLITE_UTF8, names,
			are_there ? rows[i].call : NULL, NULL, NULL);
	return code;
}

void tc_with_name_functions(struct tc_ctx *ctx, sqlite3 *db, tc_fill_fn fill, void *user)
{
	struct tc_names *names = tc_names_new();

	if (names && set_functions(db, names, true) == SQLITE_OK)
		fill(user);
	else
		tc_no_memory(ctx);
	set_functions(db, NULL, false);
	tc_names_free(names);
}
