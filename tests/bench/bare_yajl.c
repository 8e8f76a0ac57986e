/* How fast yajl alone reads a file: callbacks that do nothing, chunks as the program uses them.
 * The yardstick for decode_only. Usage: bare_yajl FILE */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <yajl/yajl_parse.h>

#include "core/limits.h"

static int on_null(void *user)
{
	(void)user;
	return 1;
}

static int on_bool(void *user, int value)
{
	(void)user;
	(void)value;
	return 1;
}

static int on_number(void *user, const char *text, size_t len)
{
	(void)user;
	(void)text;
	(void)len;
	return 1;
}

static int on_string(void *user, const unsigned char *text, size_t len)
{
	(void)user;
	(void)text;
	(void)len;
	return 1;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static const yajl_callbacks callbacks = {.yajl_null = on_null,
		.yajl_boolean = on_bool,
		.yajl_number = on_number,
		.yajl_string = on_string,
		.yajl_start_map = on_null,
		.yajl_map_key = on_string,
		.yajl_end_map = on_null,
		.yajl_start_array = on_null,
		.yajl_end_array = on_null};
	static unsigned char chunk[TC_CHUNK_BYTES];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	yajl_handle handle = yajl_alloc(&callbacks, NULL, NULL);
	double bytes = 0, spent_s = 0;
	size_t len;

	if (!file || !handle) {
		fprintf(stderr, "usage: bare_yajl FILE\n");
		return 2;
	}
	while ((len = fread(chunk, 1, sizeof(chunk), file)) > 0) {
		double start_s = now_s();
		if (yajl_parse(handle, chunk, len) != yajl_status_ok) {
			fprintf(stderr, "bare_yajl: %s is no JSON that yajl reads\n", argv[1]);
			return 3;
		}
		spent_s += now_s() - start_s;
		bytes += (double)len;
	}
	printf("bare_yajl %.1f MB in %.3f s: %.0f MB/s\n", bytes / 1e6, spent_s,
		bytes / 1e6 / spent_s);
	yajl_free(handle);
	fclose(file);
	return 0;
}
