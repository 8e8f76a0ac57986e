/* Rows of side_metric; see metrics.h. */
#include "side/metrics.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"

static const struct tc_side_table table = {
	"side_metric(trace_id, source, metric, triggered_by, generated_on, "
	"ord, name, item, value)"};

void tc_side_dump_clear(struct tc_side_dump *dump)
{
	tc_buf_clear(&dump->name);
	tc_buf_clear(&dump->item);
	tc_buf_clear(&dump->value);
}

static void put(struct tc_side_dump *dump, struct tc_text name, struct tc_text item,
	struct tc_sql_value value)
{
	const struct tc_sql_value values[] = {tc_sql_text(dump->metric),
		tc_sql_text(dump->triggered_by), tc_sql_text(dump->generated_on),
		tc_sql_int(dump->ord), tc_sql_text(name), tc_sql_text(item), value};

	tc_side_file_put(dump->file, &table, values, TC_COUNT_OF(values));
}

static struct tc_sql_value number_or_text(struct tc_text text)
{
	int64_t integer;
	double real;

	if (tc_decimal_int64(&integer, text))
		return tc_sql_int(integer);
	if (tc_decimal_double(&real, text))
		return tc_sql_real(real);
	return tc_sql_text(text);
}

/* One value as SQLite stores it; deeper nesting stays JSON text. False when memory is out. */
static bool scalar(struct tc_side_dump *dump, struct tc_text json, struct tc_sql_value *value)
{
	*value = tc_sql_null();
	tc_buf_reset(&dump->value);
	switch (json.ptr[0]) {
	case '"':
		tc_json_unescape(&dump->value, (struct tc_text){json.ptr + 1, json.len - 2});
		*value = tc_sql_text(tc_buf_text(&dump->value));
		break;
	case '{':
	case '[':
		tc_json_compact(&dump->value, json);
		*value = tc_sql_text(tc_buf_text(&dump->value));
		break;
	case 't': *value = tc_sql_int(1); break;
	case 'f': *value = tc_sql_int(0); break;
	case 'n':
	case 'N': break;
	default: *value = number_or_text(json);
	}
	return !tc_buf_failed(&dump->value);
}

static void put_item(
	struct tc_side_dump *dump, struct tc_text name, struct tc_text item, struct tc_text json)
{
	struct tc_sql_value value;

	if (tc_buf_failed(&dump->item) || !scalar(dump, json, &value))
		tc_side_no_memory(dump->file);
	else
		put(dump, name, item, value);
}

static void put_object(struct tc_side_dump *dump, struct tc_text name, struct tc_text json)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, json);
	while (tc_json_iter_next(&iter, &member)) {
		tc_buf_reset(&dump->item);
		tc_json_unescape(&dump->item, member.key);
		put_item(dump, name, tc_buf_text(&dump->item), member.value);
	}
}

/* The next element of an array whose rest is *text; ptr NULL at its end. */
static struct tc_text next_element(struct tc_text *text)
{
	struct tc_text element;

	while (text->len > 0 && (tc_json_blank(*text->ptr) || *text->ptr == ',')) {
		text->ptr++;
		text->len--;
	}
	element = (struct tc_text){text->ptr, tc_json_value_length(*text)};
	if (element.len == 0)
		return TC_TEXT_NONE;
	text->ptr += element.len;
	text->len -= element.len;
	return element;
}

static struct tc_text inside(struct tc_text json)
{
	return (struct tc_text){json.ptr + 1, json.len - 1};
}

/* A pair ["name", value] is an item of that name; any other element is an item of its number. */
static void put_array(struct tc_side_dump *dump, struct tc_text name, struct tc_text json)
{
	struct tc_text left = inside(json), element;

	for (int i = 0; (element = next_element(&left)).ptr; i++) {
		struct tc_text pair = inside(element), value = TC_TEXT_NONE;
		struct tc_text key = *element.ptr == '[' ? next_element(&pair) : TC_TEXT_NONE;
		tc_buf_reset(&dump->item);
		if (key.ptr && *key.ptr == '"')
			value = next_element(&pair);
		if (value.ptr)
			tc_json_unescape(&dump->item, (struct tc_text){key.ptr + 1, key.len - 2});
		else
			tc_buf_format(&dump->item, "%d", i);
		put_item(dump, name, tc_buf_text(&dump->item), value.ptr ? value : element);
	}
}

void tc_side_dump_json(struct tc_side_dump *dump, struct tc_text name, struct tc_text json)
{
	tc_buf_reset(&dump->item);
	if (json.len == 0)
		put(dump, name, TC_TEXT_NONE, tc_sql_null());
	else if (json.ptr[0] == '{')
		put_object(dump, name, json);
	else if (json.ptr[0] == '[')
		put_array(dump, name, json);
	else
		put_item(dump, name, TC_TEXT_NONE, json);
}

void tc_side_dump_text(struct tc_side_dump *dump, struct tc_text name, struct tc_text text)
{
	put(dump, name, TC_TEXT_NONE, number_or_text(text));
}
