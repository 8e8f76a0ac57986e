/* Finds the end of a damaged value, by its brackets and quotes alone. */
#ifndef TC_DECODE_SALVAGE_SKIP_H
#define TC_DECODE_SALVAGE_SKIP_H

#include <stdbool.h>
#include <stdint.h>

/* Brackets open, and inside a string or after its backslash. Zeroed at the value's start. */
struct tc_skip {
	int64_t depth;
	bool string, escape, started;
};

/* Takes one byte; true when the value ended, before the byte if *used is false. */
bool tc_skip_byte(struct tc_skip *skip, char c, bool *used);

#endif
