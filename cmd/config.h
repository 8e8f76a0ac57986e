/* The ini file of --config: sections are heuristics, keys are their parameters or "enabled". */
#ifndef TC_CMD_CONFIG_H
#define TC_CMD_CONFIG_H

#include "tracecoach/settings.h"

/* Applies the file at path to settings. A fault fails with TC_ERR_USAGE and "path:line: ...". */
enum tc_status tc_config_read(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *path);

#endif
