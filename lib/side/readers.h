/*
 * Readers: one a kind of side file. Each reads the open file to its end and puts its rows; what it
 * cannot read it counts and skips.
 */
#ifndef TC_SIDE_READERS_H
#define TC_SIDE_READERS_H

#include "side/file.h"

enum tc_side_kind {
#define TC_SIDE_KIND(id, name, reader, capability) TC_SIDE_##id,
#include "side/kinds.def"
#undef TC_SIDE_KIND
	TC_SIDE_KIND_COUNT,
};

#define TC_SIDE_KIND(id, name, reader, capability) enum tc_status reader(struct tc_side_file *file);
#include "side/kinds.def"
#undef TC_SIDE_KIND

/* The kind that the first bytes tell; TC_SIDE_LOG for text that is nothing else, and
 * TC_SIDE_KIND_COUNT with *what a constant that names the thing when it is surely no side file. */
enum tc_side_kind tc_side_sniff(struct tc_text head, const char **what);

#endif
