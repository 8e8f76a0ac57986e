/* Pids, tids and ids of events as hashes: 7, "7" and 7.0 are one, and none is 0, as for the
 * model. */
#ifndef TC_CUT_IDENT_H
#define TC_CUT_IDENT_H

#include "core/hash.h"
#include "decode/raw_event.h"

void tc_ident_add(struct tc_hash *hash, const struct tc_scalar *scalar);
void tc_ident_add_text(struct tc_hash *hash, struct tc_text text);

uint64_t tc_ident_hash(const struct tc_scalar *scalar);
/* Of a thread; an absent tid is the pid. */
uint64_t tc_ident_track(const struct tc_scalar *pid, const struct tc_scalar *tid);

#endif
