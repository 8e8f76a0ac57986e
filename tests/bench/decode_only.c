/* How fast the decoder reads a file into a sink that does nothing. Usage: decode_only FILE */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/limits.h"
#include "decode/decode.h"

static enum tc_status on_event(void *user, const struct tc_raw_event *event)
{
	(void)user;
	(void)event;
	return TC_OK;
}

static enum tc_status on_meta(void *user, struct tc_text key, struct tc_text json)
{
	(void)user;
	(void)key;
	(void)json;
	return TC_OK;
}

static enum tc_status on_log(void *user, const struct tc_log_entry *entry)
{
	int64_t *log_count = user;

	(void)entry;
	++*log_count;
	return TC_OK;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static char chunk[TC_CHUNK_BYTES];
	int64_t log_count = 0;
	struct tc_decode_sink sink = {&log_count, on_event, on_meta, on_log};
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_decoder *decoder = NULL;
	enum tc_status status = ctx ? tc_decoder_new(&decoder, ctx, &sink) : TC_ERR_NOMEM;
	double spent_s = 0;
	size_t len;

	if (!file || status != TC_OK) {
		fprintf(stderr, "usage: decode_only FILE\n");
		return 2;
	}
	while (status == TC_OK && (len = fread(chunk, 1, sizeof(chunk), file)) > 0) {
		double start_s = now_s();
		status = tc_decoder_feed(decoder, chunk, len);
		spent_s += now_s() - start_s;
	}
	if (status == TC_OK)
		status = tc_decoder_finish(decoder, false);
	double megabytes = (double)tc_decoder_facts(decoder).byte_count / 1e6;
	printf("decode_only %.1f MB in %.3f s: %.0f MB/s, %lld events, %lld log rows, %s\n",
		megabytes, spent_s, megabytes / spent_s,
		(long long)tc_decoder_facts(decoder).event_count, (long long)log_count,
		tc_status_name(status));
	tc_decoder_free(decoder);
	tc_ctx_free(ctx);
	fclose(file);
	return status == TC_OK ? 0 : 4;
}
