/*
 * Inputs that were left out of a store. Reports say so before anything else, since they then cover
 * less than the user asked for.
 */
#ifndef TC_REPORT_VIEW_LEFT_OUT_H
#define TC_REPORT_VIEW_LEFT_OUT_H

#include "core/buf.h"
#include "report/job.h"

/* Columns path and reason, in the order in which the inputs were given. */
extern const char tc_left_out_sql[];

/* Appends "2 of 12 inputs were left out", nothing where none was. */
void tc_left_out_append(struct tc_buf *text, struct tc_ctx *ctx, sqlite3 *db);

/* Writes a page of the report that says how many were left out, and why. Nothing if none was. */
void tc_left_out_put(struct tc_job *job);

#endif
