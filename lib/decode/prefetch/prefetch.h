/*
 * Prefetch: the segments of one source in their order, the next ones read and decoded by helper
 * threads while the caller works on this one, and by the caller when this one is not ready. A
 * source of one segment needs no threads.
 *
 *   reading   one thread at a time, in order; it cuts where an event seems to start
 *   decoding  on the thread that has read, where both ends of the segment are such places
 */
#ifndef TC_DECODE_PREFETCH_PREFETCH_H
#define TC_DECODE_PREFETCH_PREFETCH_H

#include "decode/prefetch/segment.h"
#include "source/source.h"

struct tc_prefetch;

struct tc_prefetch_segment {
	struct tc_segment segment; /* clean only when it was decoded */
	int64_t read_bytes;        /* of the source, once this was read */
};

/* The source is borrowed, and used until tc_prefetch_free(). The caller owns *out. */
enum tc_status tc_prefetch_new(struct tc_prefetch **out, struct tc_ctx *ctx,
	struct tc_source *source, size_t segment_bytes);

/* The next segment, borrowed until tc_prefetch_done(); NULL at the end of the source. */
enum tc_status tc_prefetch_next(
	struct tc_prefetch *prefetch, const struct tc_prefetch_segment **out);

/* Gives the segment back. taken says whether decoding it ahead was of use: decoding ahead
 * ends where it mostly is not. */
void tc_prefetch_done(struct tc_prefetch *prefetch, bool taken);

/* Ends the threads. NULL is fine. */
void tc_prefetch_free(struct tc_prefetch *prefetch);

#endif
