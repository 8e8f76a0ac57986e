/* --shard: which part of the jobs this process reads, said or taken from what started it. */
#ifndef TC_CMD_SHARD_H
#define TC_CMD_SHARD_H

#include <stdint.h>

/* Sets *shard, from 0, and *count; a count of 0 for no text. "K/N" says it; "auto" takes both from
 * a Slurm array; "auto/N" K from it, or from a Kubernetes indexed Job. Returns 0, or prints what is
 * wrong and returns an exit code. */
int tc_shard_parse(int64_t *shard, int64_t *count, const char *text);

#endif
