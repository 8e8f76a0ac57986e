/*
 * Which run a trace file belongs to, as far as its path shows. Traces of one directory and one run
 * are ranks and recordings of one job. Profilers name files after host, process, rank and time:
 *   run/host_pid.1699999999.pt.trace.json.gz    TensorBoard: the directory is the run
 *   run/dp0_pp0_tp3_rank3.1699999999.pt.trace.json.gz    vLLM
 *   run/rank-3.json.gz, run/rank3/trace.json    Megatron and others
 * What is left of a name when ranks, numbers and times are taken out of it is the run.
 */
#pragma once

#include "core/buf.h"

/* Whether a name ends as those of traces do: .json, .json.gz, .json.zst. */
bool tc_run_is_trace(struct tc_text name);

/* The directory of a path that is the job's: without parts at its end that only name a rank. ""
 * when there is none. Points into path. */
struct tc_text tc_run_directory(struct tc_text path);

/* Appends the run of the last part of a path. A name of TensorBoard's says the host, or what the
 * user put there: with_host appends that, else nothing, for the directory is the run. */
void tc_run_name(struct tc_buf *out, struct tc_text path, bool with_host);

/* The number of the rank that the file or a directory of it is named after: 3 for "rank-3.json" and
 * "rank3/trace.json"; -1 for none. */
int64_t tc_run_rank(struct tc_text path);
