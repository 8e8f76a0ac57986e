/* What inputs are. See tracecoach/import.h, probe.h. */
#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/text/decimal.h"
#include "import/inputs/probe.h"
#include "source/source.h"
#include "store/file/header.h"

/* The members before the events are far shorter: devices, the job, settings of the profiler. */
#define HEAD_BYTES (256 * 1024)
#define PIECE_BYTES (16 * 1024)

/* JSON of another kind, whole as far as it was read. */
static bool is_other_json(struct tc_text text, bool is_all)
{
	if (text.len == 0 || memchr(text.ptr, '\0', text.len))
		return false;
	text = tc_text_trim(text);
	if (text.len == 0 || !memchr("{[", text.ptr[0], 2))
		return false;
	return !is_all || memchr("}]", text.ptr[text.len - 1], 2);
}

static bool has_events(struct tc_text text)
{
	return tc_text_contains(text, TC_TEXT("\"traceEvents\"")) ||
	       tc_text_contains(text, TC_TEXT("\"ph\""));
}

static size_t piece_of(size_t len)
{
	return HEAD_BYTES - len < PIECE_BYTES ? HEAD_BYTES - len : PIECE_BYTES;
}

/* The number behind "key" in the head of a trace, -1 for none. */
static int64_t number_after(struct tc_text text, struct tc_text key)
{
	struct tc_text rest;
	size_t len = 0;
	int64_t number = -1;

	if (!tc_text_after(text, key, &rest))
		return -1;
	while (rest.len > 0 && memchr(" \t\r\n:", rest.ptr[0], 5)) {
		rest.ptr++;
		rest.len--;
	}
	while (len < rest.len && tc_is_digit(rest.ptr[len]))
		len++;
	return tc_decimal_int64(&number, (struct tc_text){rest.ptr, len}) ? number : -1;
}

/* What PyTorch's profiler writes before the events; the import reads it properly. */
static void look_for_rank(struct tc_input_look *look, struct tc_text text)
{
	struct tc_text job;

	if (!tc_text_after(text, TC_TEXT("\"distributedInfo\""), &job))
		return;
	look->rank = number_after(job, TC_TEXT("\"rank\""));
	look->world_size = number_after(job, TC_TEXT("\"world_size\""));
}

/* Most traces show what they are in the first piece, so no more is read of them. */
static void look_at(struct tc_input_look *look, struct tc_ctx *ctx, const char *path, char *head)
{
	struct tc_source *source = NULL;
	struct tc_text text = {head, 0};
	size_t len = 1;
	bool is_trace = false;

	if (tc_source_open(&source, ctx, path) != TC_OK)
		return;
	while (!is_trace && text.len < HEAD_BYTES && len > 0 &&
		tc_source_read(source, head + text.len, piece_of(text.len), &len) == TC_OK) {
		text.len += len;
		is_trace = has_events(text);
	}
	if (tc_source_loss(source).count > 0 || tc_ctx_status(ctx) != TC_OK)
		is_trace = true; /* the import reports what is wrong */
	tc_source_close(source);
	if (!is_trace && is_other_json(text, len == 0))
		look->input = TC_INPUT_OTHER;
	look_for_rank(look, text);
}

enum tc_status tc_input_probe(struct tc_input_look *out, struct tc_ctx *ctx, const char *path)
{
	struct stat file;

	*out = (struct tc_input_look){.input = TC_INPUT_TRACE, .rank = -1, .world_size = -1};
	if (stat(path, &file) == 0 && !S_ISREG(file.st_mode)) {
		out->input = TC_INPUT_SPECIAL;
		return TC_OK;
	}
	struct tc_ctx *own = tc_ctx_new(); /* errors of the file are not errors of the run */
	char *head = tc_malloc(HEAD_BYTES);
	if (own && head)
		look_at(out, own, path, head);
	enum tc_status status = own && head ? TC_OK : tc_no_memory(ctx);
	tc_free(head);
	tc_ctx_free(own);
	return status;
}

bool tc_import_is_store(struct tc_ctx *ctx, const char *path)
{
	return strcmp(path, "-") != 0 && tc_store_probe(path) &&
	       (tc_store_is_ours(path) || !tc_source_is_other_database(ctx, path));
}

bool tc_input_is_sound_store(const char *path)
{
	struct tc_ctx *own = tc_ctx_new();
	struct tc_store *store = NULL;
	bool is_sound = own && strcmp(path, "-") != 0 && tc_store_is_ours(path) &&
			tc_store_open(&store, own, path) == TC_OK;

	tc_store_close(store);
	tc_ctx_free(own);
	return is_sound;
}
