/*
 * The window: the bytes of the input that are at hand. New bytes are read where the caller has
 * them; what is still needed of them is kept for the next ones, so that an unfinished element
 * always stands in one piece. Offsets are those of the whole input.
 */
#ifndef TC_DECODE_WINDOW_H
#define TC_DECODE_WINDOW_H

#include <stdint.h>

#include "core/buf.h"

struct tc_window {
	const char *ptr;
	size_t len;
	int64_t base; /* the offset of ptr[0] */
	bool at_end;  /* the input ends with these bytes */
	struct tc_buf kept;
};

/* Text that stood at from[0..len) now stands at to. */
struct tc_window_move {
	const char *from, *to;
	size_t len;
};

/* An empty window at an offset. */
void tc_window_init(struct tc_window *window, int64_t offset);
void tc_window_clear(struct tc_window *window); /* frees */

/* Nothing before an offset is needed any more, and the next bytes are those at it. */
void tc_window_jump(struct tc_window *window, int64_t offset);
/* Shows the next bytes where they are; nothing of the window is needed any more. */
void tc_window_show(struct tc_window *window, const char *bytes, size_t len);
/* Copies what was shown, from an offset on. False when memory is out. */
bool tc_window_keep(struct tc_window *window, struct tc_window_move *move, int64_t from);
/* Adds a copy of the next bytes to what is kept, from an offset on. False when memory is out. */
bool tc_window_add(struct tc_window *window, struct tc_window_move *move, int64_t from,
	const char *bytes, size_t len);

/* The byte at an offset of the window. */
static inline const char *tc_window_at(const struct tc_window *window, int64_t offset)
{
	return window->ptr + (offset - window->base);
}
static inline int64_t tc_window_end(const struct tc_window *window)
{
	return window->base + (int64_t)window->len;
}
/* The window from an offset on. */
static inline struct tc_text tc_window_rest(const struct tc_window *window, int64_t offset)
{
	return (struct tc_text){
		tc_window_at(window, offset), (size_t)(tc_window_end(window) - offset)};
}

#endif
