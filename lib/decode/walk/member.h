/*
 * A member of the container, the object around the event list: metadata, unless it is that list.
 */
#ifndef TC_DECODE_WALK_MEMBER_H
#define TC_DECODE_WALK_MEMBER_H

#include "decode/delivery.h"
#include "decode/window.h"

struct tc_member {
	struct tc_buf key;
	bool is_list;       /* the key is traceEvents */
	int64_t value_from; /* the end of the key */
};

void tc_member_clear(struct tc_member *member); /* frees */

/* A member whose key, unescaped, ended before offset. False when memory is out. */
bool tc_member_start(
	struct tc_member *member, const struct tc_keys *keys, struct tc_text key, int64_t offset);
/* Delivers the member, whose value ended before offset. Like the rest below it returns false when
 * the delivery failed. */
bool tc_member_end(struct tc_member *member, struct tc_delivery *delivery,
	const struct tc_window *window, int64_t offset);

/* Delivers all members of an object, which stands at offset and may lack its end. */
bool tc_member_deliver_all(struct tc_member *member, struct tc_delivery *delivery,
	struct tc_text object, int64_t offset);

#endif
