/*
 * Imports a trace and prints its findings, one a line: severity, what it saves in ms, id, title.
 * Compiles as C and as C++.
 *
 *   cc findings.c $(pkg-config --cflags --libs tracecoach) -o findings && ./findings trace.json
 */
#include <stdio.h>
#include <string.h>

#include <tracecoach/advice.h>
#include <tracecoach/import.h>
#include <tracecoach/settings.h>

static void print_finding(const struct tc_finding *finding)
{
	printf("%-6s ", tc_severity_name(finding->severity));
	/* A note, or a finding for which nobody can tell, has no gain. */
	if (finding->gain_ns == TC_GAIN_NONE)
		printf("%10s", "-");
	else
		printf("%10.3f", (double)finding->gain_ns / 1e6);
	printf(" %s: %s\n", finding->heuristic->id, finding->heuristic->title);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "-";
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_settings *settings = NULL;
	struct tc_advice *advice = NULL;
	struct tc_store *store = NULL;
	struct tc_import_options options;

	memset(&options, 0, sizeof(options));
	if (!ctx)
		return 4;
	enum tc_status status = tc_settings_new(&settings, ctx, NULL);
	if (status == TC_OK) {
		options.settings = settings;
		options.advice = &advice;
		status = tc_import(&store, ctx, &path, 1, NULL, &options);
	}
	for (size_t i = 0; status == TC_OK && i < advice->finding_count; i++)
		print_finding(&advice->findings[i]);
	if (status != TC_OK)
		fprintf(stderr, "%s\n", tc_ctx_error(ctx));
	tc_store_close(store);
	tc_advice_free(advice);
	tc_settings_free(settings);
	tc_ctx_free(ctx);
	return status == TC_OK ? 0 : 1;
}
