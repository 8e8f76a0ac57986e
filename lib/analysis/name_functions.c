/* See name_functions.h. */
#include "analysis/name_functions.h"

#include "analysis/work/inputs.h"
#include "core/array.h"
#include "core/text.h"
#include "names/names.h"

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

/* The bytes of the inputs of a slice; NULL unless the sizes and types of all inputs are known. */
static void input_bytes_function(sqlite3_context *out, int count, sqlite3_value **values)
{
	struct tc_text args = text_of(values[0]);
	struct tc_inputs inputs = {.count = 0};
	int64_t sum = 0;

	(void)count;
	if (!args.ptr || !tc_inputs_read(&inputs, args) || inputs.count == TC_INPUTS_MAX)
		return;
	for (size_t i = 0; i < inputs.count; i++) {
		int64_t bytes = 0;
		const struct tc_input *input = tc_inputs_tensor(&inputs, i);
		if (!input || !tc_input_elements(&bytes, input) ||
			__builtin_mul_overflow(bytes, input->element_bytes, &bytes) ||
			__builtin_add_overflow(sum, bytes, &sum))
			return;
	}
	if (sum > 0)
		sqlite3_result_int64(out, sum);
}

enum tc_status tc_with_name_functions(struct tc_ctx *ctx, sqlite3 *db, tc_fill_fn fill, void *user)
{
	struct tc_names *names = tc_names_new();
	enum tc_status status = TC_OK;

	if (!names ||
		sqlite3_create_function(db, "tc_collective", 1, SQLITE_UTF8, names,
			collective_function, NULL, NULL) ||
		sqlite3_create_function(db, "tc_type_bytes", 1, SQLITE_UTF8, NULL,
			type_bytes_function, NULL, NULL) ||
		sqlite3_create_function(db, "tc_input_bytes", 1, SQLITE_UTF8, NULL,
			input_bytes_function, NULL, NULL))
		status = tc_no_memory(ctx);
	if (!status) {
		status = fill(user);
		sqlite3_create_function(
			db, "tc_collective", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
		sqlite3_create_function(
			db, "tc_type_bytes", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
		sqlite3_create_function(
			db, "tc_input_bytes", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
	}
	tc_names_free(names);
	return status;
}
