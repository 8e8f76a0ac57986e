/*
 * Inflater: one gzip member after another, decompressed and checked against its trailer. ISA-L
 * where it was built in, several times as fast; else zlib.
 */
#ifndef TC_SOURCE_INFLATER_H
#define TC_SOURCE_INFLATER_H

#include <stddef.h>

struct tc_inflater;

/* What is left to read and the room to write; both move on. */
struct tc_inflate_io {
	const unsigned char *in;
	size_t in_len;
	unsigned char *out;
	size_t out_len;
};

enum tc_inflate_result {
	TC_INFLATE_MORE,    /* wants input or room; moves nothing when it can get neither */
	TC_INFLATE_END,     /* the member is complete and its trailer right */
	TC_INFLATE_DAMAGED, /* *why is a constant string */
	TC_INFLATE_NO_MEMORY,
};

/* At the start of a member. NULL when memory is out. */
struct tc_inflater *tc_inflater_new(void);
void tc_inflater_free(struct tc_inflater *inflater); /* NULL is fine */
/* Ready for the next member. */
void tc_inflater_restart(struct tc_inflater *inflater);
enum tc_inflate_result tc_inflate(
	struct tc_inflater *inflater, struct tc_inflate_io *io, const char **why);

#endif
