#include "report/html/items.h"
#include "report/html/parts.h"

#include "core/alloc.h"
#include "core/array.h"
#include "report/text/format.h"

#define READ_LETTERS 8000 /* of the args of a slice that are read */
#define ARGS_COLUMNS 2000 /* of them that are shown, with long names shortened */
#define ARGS_ITEMS 10000  /* the longest ones, whose args are in the page */
#define LONG_BYTES 60     /* longer strings may be shortened */

TC_ORDER(longest_first, int64_t, TC_DOWN_ITSELF);

/* The shortest duration of a slice whose args go into the page. */
static int64_t args_limit(struct tc_ctx *ctx, const struct tc_items *items)
{
	if (items->count <= ARGS_ITEMS)
		return 0;
	int64_t *lengths = tc_calloc(items->count, sizeof(*lengths));
	if (!lengths) {
		tc_no_memory(ctx);
		return 0;
	}
	for (size_t i = 0; i < items->count; i++)
		lengths[i] = items->all[i].longest_ns;
	TC_SORT(lengths, items->count, longest_first);
	int64_t limit_ns = lengths[ARGS_ITEMS] + 1;
	tc_free(lengths);
	return limit_ns;
}

/* The JSON string that starts at the quote at `from`, without its quotes. It may be cut off. */
static struct tc_text string_at(struct tc_text json, size_t from)
{
	size_t end = from + 1;

	while (end < json.len && json.ptr[end] != '"')
		end += json.ptr[end] == '\\' ? 2 : 1;
	end = end < json.len ? end : json.len;
	return (struct tc_text){json.ptr + from + 1, end - from - 1};
}

/* Appends JSON with long names in its strings shortened. A string with escapes stays as it is. */
static void append_short(struct tc_buf *buf, const struct tc_names *names, struct tc_text json)
{
	for (size_t i = 0; i < json.len;) {
		if (json.ptr[i] != '"') {
			tc_buf_append_char(buf, json.ptr[i++]);
			continue;
		}
		struct tc_text string = string_at(json, i);
		bool is_plain = !memchr(string.ptr, '\\', string.len);
		tc_buf_append_char(buf, '"');
		if (string.len > LONG_BYTES && is_plain)
			tc_names_append(names, buf, string);
		else
			tc_buf_append_text(buf, string);
		i += string.len + 1;
		if (i < json.len)
			tc_buf_append_char(buf, json.ptr[i++]);
	}
}

void tc_page_put_args(struct tc_json *json, struct tc_job *job, const struct tc_items *items,
	const struct tc_names *names)
{
	int64_t limit_ns = args_limit(job->ctx, items);
	struct tc_buf text = TC_BUF_EMPTY;
	struct tc_rows rows = tc_rows_prepare(job->ctx, job->db,
		"SELECT substr(args, 1, ?2) FROM slice_args WHERE slice_id = ?1 AND args <> '{}'");

	tc_rows_bind(&rows, 2, READ_LETTERS);
	tc_json_array(json, "args");
	for (size_t i = 0; i < items->count && !tc_ctx_failed(job->ctx); i++) {
		const struct tc_item *item = &items->all[i];
		if (item->id < 0 || item->count > 1 || item->longest_ns < limit_ns)
			continue;
		tc_rows_again(&rows, item->id);
		if (!tc_rows_next(&rows))
			continue;
		tc_buf_reset(&text);
		append_short(&text, names, tc_rows_text(&rows, 0));
		tc_json_int(json, NULL, (int64_t)i);
		tc_json_text(json, NULL,
			(struct tc_text){tc_buf_text(&text).ptr,
				tc_format_prefix(tc_buf_text(&text), ARGS_COLUMNS)});
	}
	tc_json_end(json);
	tc_buf_end(&json->sink->buf, &text);
	tc_rows_close(&rows);
}
