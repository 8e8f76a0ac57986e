/*
 * Asks a store twice: a query in SQL, and how long a step takes without the work that an edit names.
 * Compiles as C and as C++.
 *
 *   cc ask.c $(pkg-config --cflags --libs tracecoach) -o ask
 *   tracecoach import trace.json -o trace.db && ./ask trace.db "SELECT count(*) FROM slice" 'remove role = dataloader'
 */
#include <stdio.h>
#include <string.h>

#include <tracecoach/query.h>
#include <tracecoach/settings.h>
#include <tracecoach/store.h>
#include <tracecoach/whatif.h>

static int write_out(void *user, const char *bytes, size_t len)
{
	return fwrite(bytes, 1, len, (FILE *)user) == len ? 0 : -1;
}

static enum tc_status ask(
	struct tc_ctx *ctx, struct tc_store *store, const char *sql, const char *edit)
{
	const char *edits[] = {edit, NULL};
	struct tc_settings *settings = NULL;
	struct tc_whatif_options options;
	enum tc_status status = tc_query(ctx, store, sql, NULL, write_out, stdout);

	memset(&options, 0, sizeof(options));
	if (status == TC_OK)
		status = tc_settings_new(&settings, ctx, NULL);
	if (status == TC_OK) {
		options.settings = settings;
		options.edits = edits;
		status = tc_whatif(ctx, store, &options, TC_WHATIF_TEXT, write_out, stdout);
	}
	tc_settings_free(settings);
	return status;
}

int main(int argc, char **argv)
{
	struct tc_store *store = NULL;
	struct tc_ctx *ctx = tc_ctx_new();

	if (!ctx || argc != 4) {
		fprintf(stderr, ctx ? "usage: ask STORE SQL EDIT\n" : "ask: out of memory\n");
		tc_ctx_free(ctx);
		return 2;
	}
	enum tc_status status = tc_store_open(&store, ctx, argv[1]);
	if (status == TC_OK)
		status = ask(ctx, store, argv[2], argv[3]);
	if (status != TC_OK)
		fprintf(stderr, "%s\n", tc_ctx_error(ctx));
	tc_store_close(store);
	tc_ctx_free(ctx);
	return status == TC_OK ? 0 : 1;
}
