/*
 * Prints the report of a trace, as "tracecoach TRACE" does, with the library alone.
 *
 *   cc report.c $(pkg-config --cflags --libs tracecoach) -o report && ./report trace.json
 */
#include <stdio.h>

#include <tracecoach/import.h>
#include <tracecoach/report.h>
#include <tracecoach/settings.h>

static int write_out(void *user, const char *bytes, size_t len)
{
	return fwrite(bytes, 1, len, (FILE *)user) == len ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct tc_report_options report = {.ascii = true, .width = 80};
	const char *const paths[] = {argc > 1 ? argv[1] : "-"};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_settings *settings = NULL;
	struct tc_advice *advice = NULL;
	struct tc_store *store = NULL;
	size_t count;

	if (!ctx)
		return 4;
	enum tc_status status = tc_settings_new(&settings, ctx, NULL);
	if (status == TC_OK) {
		/* A temporary store, with the advice that is made while it is written. */
		const struct tc_import_options import = {.settings = settings, .advice = &advice};

		status = tc_import(&store, ctx, paths, 1, NULL, &import);
	}
	if (status == TC_OK)
		status = tc_renderers(&count)[0].render(
			ctx, store, advice, &report, write_out, stdout);
	if (status != TC_OK)
		fprintf(stderr, "%s\n", tc_ctx_error(ctx));
	tc_store_close(store);
	tc_advice_free(advice);
	tc_settings_free(settings);
	tc_ctx_free(ctx);
	return status == TC_OK ? 0 : 1;
}
