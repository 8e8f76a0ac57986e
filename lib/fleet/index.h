/* Inside of the fleet room: what an index is to the store room. See tracecoach/fleet.h. */
#ifndef TC_FLEET_INDEX_H
#define TC_FLEET_INDEX_H

#include "store/kind.h"

extern const struct tc_store_kind tc_store_of_batch;

#endif
