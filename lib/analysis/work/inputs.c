/* Inputs of an operation from its args; see inputs.h. */

#include "analysis/work/inputs.h"

#include "core/array.h"
#include "core/text.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"
#include "names/label/label.h"

/* Types of tensors by the names that PyTorch gives them; types.def is the table. */

/* The precision of a type, and the bytes of an element; UNKNOWN and 0 for anything else. */
static enum tc_precision type_find(int64_t *element_bytes, struct tc_text name)
{
	static const struct {
		const char *name;
		enum tc_precision precision;
		int64_t bytes;
	} rows[] = {
#define TC_TYPE(name, precision, bytes) {name, TC_PRECISION_##precision, bytes},
#include "names/types.def"
	};

	*element_bytes = 0;
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(rows); i++) {
		if (!tc_text_equal(name, tc_text_from(rows[i].name)))
			continue;
		*element_bytes = rows[i].bytes;
		return rows[i].precision;
	}
	return TC_PRECISION_UNKNOWN;
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

static bool open_list(struct tc_text *inside, struct tc_text list)
{
	if (!list.ptr || list.len < 2 || list.ptr[0] != '[')
		return false;
	*inside = (struct tc_text){list.ptr + 1, list.len - 2};
	return true;
}

/* A list of tensors contains lists and is not a tensor. */
static void read_sizes(struct tc_input *input, struct tc_text sizes)
{
	struct tc_text inside, element;
	bool is_tensor = open_list(&inside, sizes);

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

static void read_lists(struct tc_inputs *inputs, struct tc_text sizes, struct tc_text types,
	struct tc_text concretes)
{
	struct tc_text size, type, concrete;

	while (inputs->count < TC_INPUTS_MAX && next_element(&size, &sizes) &&
		next_element(&type, &types)) {
		struct tc_input *input = &inputs->input[inputs->count++];

		*input = (struct tc_input){.element_bytes = 0};
		input->precision = type_find(&input->element_bytes, between_quotes(type));
		read_sizes(input, size);
		if (concretes.ptr && next_element(&concrete, &concretes))
			input->concrete = between_quotes(concrete);
	}
}

bool tc_inputs_read(struct tc_inputs *inputs, struct tc_text args)
{
	struct tc_text sizes = TC_TEXT_NONE, types = TC_TEXT_NONE, concretes = TC_TEXT_NONE;
	struct tc_json_iter iter;
	struct tc_json_member member;

	inputs->count = 0;
	tc_json_iter_init(&iter, args);
	while (tc_json_iter_next(&iter, &member)) {
		if (tc_text_equal(member.key, TC_TEXT("Input Dims")) ||
			tc_text_equal(member.key, TC_TEXT("Input dims")))
			sizes = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Input type")) ||
			 tc_text_equal(member.key, TC_TEXT("Input Type")))
			types = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Concrete Inputs")))
			concretes = member.value;
	}
	if (!open_list(&sizes, sizes) || !open_list(&types, types))
		return false;
	if (!open_list(&concretes, concretes))
		concretes = TC_TEXT_NONE;
	read_lists(inputs, sizes, types, concretes);
	return true;
}

const struct tc_input *tc_inputs_tensor(const struct tc_inputs *inputs, size_t at)
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

bool tc_inputs_numbers(int64_t *out, size_t count, const struct tc_inputs *inputs, size_t at)
{
	struct tc_text inside;
	size_t got = 0;

	if (at >= inputs->count || !inputs->input[at].concrete.ptr)
		return false;
	if (!open_list(&inside, inputs->input[at].concrete))
		inside = inputs->input[at].concrete;
	while (got < count && inside.len > 0)
		if (!next_number(&out[got++], &inside))
			return false;
	for (size_t i = got; got == 1 && i < count; i++)
		out[i] = out[0];
	return inside.len == 0 && (got == count || got == 1);
}

bool tc_inputs_truth(bool *out, const struct tc_inputs *inputs, size_t at)
{
	struct tc_text text = at < inputs->count ? inputs->input[at].concrete : TC_TEXT_NONE;

	*out = text.ptr && tc_text_equal(text, TC_TEXT("True"));
	return *out || (text.ptr && tc_text_equal(text, TC_TEXT("False")));
}
