/* Lists of sizes, types and values in the JSON of the arguments. An input is read when all three
 * are at hand; lists of tensors, and types that are not listed in names/types.def, are no tensor.
 */
#include "model/timeline/work_sum.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"

/* Sets type, precision and size of an element; they stay UNKNOWN and 0 for anything else. */
static void read_type(struct tc_input *input, struct tc_text name)
{
	static const struct {
		const char *name;
		enum tc_precision precision;
		enum tc_number_kind kind;
		int64_t bytes;
	} rows[] = {
#define TC_TYPE(name, precision, kind, bytes)                                                      \
	{name, TC_PRECISION_##precision, TC_NUMBER_##kind, bytes},
#include "names/types.def"
	};

	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(rows); i++) {
		if (!tc_text_equal(name, tc_text_from(rows[i].name)))
			continue;
		input->element_bytes = rows[i].bytes;
		input->precision = rows[i].precision;
		input->kind = rows[i].kind;
		return;
	}
}

/* Takes the first element off a list's inside; false at its end. */
static bool next_element(struct tc_text *element, struct tc_text *rest)
{
	const char *end = rest->ptr + rest->len;
	const char *at = tc_json_skip_blanks(rest->ptr, end);

	if (at < end && *at == ',')
		at = tc_json_skip_blanks(at + 1, end);
	*element = (struct tc_text){at, (size_t)(end - at)};
	element->len = tc_json_value_length(*element);
	*rest = (struct tc_text){at + element->len, (size_t)(end - at) - element->len};
	return element->len > 0;
}

/* A list of tensors contains lists and is not a tensor. */
static void read_sizes(struct tc_input *input, struct tc_text sizes)
{
	struct tc_text inside, element;
	bool is_tensor = tc_list_open(&inside, sizes);

	while (is_tensor && next_element(&element, &inside)) {
		is_tensor = input->rank < TC_RANK_MAX &&
			    tc_decimal_int64(&input->size[input->rank], element);
		input->rank++;
	}
	if (!is_tensor)
		input->element_bytes = 0;
}

static struct tc_text between_quotes(struct tc_text string)
{
	if (string.len < 2 || string.ptr[0] != '"')
		return TC_TEXT_NONE;
	return (struct tc_text){string.ptr + 1, string.len - 2};
}

static void read_lists(struct tc_op_inputs *inputs, struct tc_text sizes, struct tc_text types,
	struct tc_text concretes)
{
	while (inputs->count < TC_INPUTS_MAX) {
		struct tc_text size, type, concrete = TC_TEXT_NONE;
		bool has_tensor = next_element(&size, &sizes) && next_element(&type, &types);
		bool has_concrete = concretes.ptr && next_element(&concrete, &concretes);

		if (!has_tensor && !has_concrete)
			break;
		struct tc_input *input = &inputs->input[inputs->count++];
		*input = (struct tc_input){.concrete = between_quotes(concrete)};
		if (!has_tensor)
			continue;
		read_type(input, between_quotes(type));
		read_sizes(input, size);
	}
}

static void read_strides(struct tc_op_inputs *inputs, struct tc_text strides)
{
	struct tc_text list, stride;

	for (size_t i = 0; i < inputs->count && next_element(&list, &strides); i++) {
		struct tc_input *input = &inputs->input[i];

		if (!tc_list_open(&list, list))
			continue;
		while (input->stride_count < TC_RANK_MAX && next_element(&stride, &list) &&
			tc_decimal_int64(&input->stride[input->stride_count], stride))
			input->stride_count++;
	}
}

/* The lists in args; ptr NULL for those that are not there. */
struct lists {
	struct tc_text sizes, types, concretes, strides;
};

static struct lists find_lists(struct tc_text args)
{
	struct lists lists = {TC_TEXT_NONE, TC_TEXT_NONE, TC_TEXT_NONE, TC_TEXT_NONE};
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, args);
	while (tc_json_iter_next(&iter, &member)) {
		if (tc_text_equal(member.key, TC_TEXT("Input Dims")) ||
			tc_text_equal(member.key, TC_TEXT("Input dims")))
			lists.sizes = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Input type")) ||
			 tc_text_equal(member.key, TC_TEXT("Input Type")))
			lists.types = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Input Strides")))
			lists.strides = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Concrete Inputs")))
			lists.concretes = member.value;
	}
	return lists;
}

bool tc_op_inputs_read(struct tc_op_inputs *inputs, struct tc_text args)
{
	struct lists lists = find_lists(args);

	inputs->count = 0;
	if (!tc_list_open(&lists.sizes, lists.sizes) || !tc_list_open(&lists.types, lists.types))
		return false;
	if (!tc_list_open(&lists.concretes, lists.concretes))
		lists.concretes = TC_TEXT_NONE;
	read_lists(inputs, lists.sizes, lists.types, lists.concretes);
	if (tc_list_open(&lists.strides, lists.strides))
		read_strides(inputs, lists.strides);
	return true;
}

const struct tc_input *tc_op_inputs_tensor(const struct tc_op_inputs *inputs, size_t at)
{
	return at < inputs->count && inputs->input[at].element_bytes > 0 ? &inputs->input[at]
									 : NULL;
}

bool tc_input_elements(int64_t *count, const struct tc_input *input)
{
	int64_t product = 1;

	for (size_t i = 0; i < input->rank; i++)
		if (input->size[i] < 0 || __builtin_mul_overflow(product, input->size[i], &product))
			return false;
	*count = product;
	return true;
}

/* Blanks around a number of a list that Python wrote. */
static struct tc_text trimmed(struct tc_text text)
{
	while (text.len > 0 && text.ptr[0] == ' ')
		text = (struct tc_text){text.ptr + 1, text.len - 1};
	while (text.len > 0 && text.ptr[text.len - 1] == ' ')
		text.len--;
	return text;
}

static bool next_number(int64_t *out, struct tc_text *rest)
{
	size_t len = 0;

	while (len < rest->len && rest->ptr[len] != ',')
		len++;
	bool good = tc_decimal_int64(out, trimmed((struct tc_text){rest->ptr, len}));
	size_t taken = len < rest->len ? len + 1 : len;
	*rest = (struct tc_text){rest->ptr + taken, rest->len - taken};
	return good;
}

size_t tc_op_inputs_numbers(int64_t *out, size_t most, const struct tc_op_inputs *inputs, size_t at)
{
	struct tc_text inside = at < inputs->count ? inputs->input[at].concrete : TC_TEXT_NONE;
	size_t got = 0;

	if (!inside.ptr)
		return 0;
	*out = tc_text_equal(inside, TC_TEXT("True"));
	if (*out || tc_text_equal(inside, TC_TEXT("False")))
		return 1;
	tc_list_open(&inside, inside);
	while (got < most && inside.len > 0)
		if (!next_number(&out[got++], &inside))
			return 0;
	return inside.len == 0 ? got : 0;
}
