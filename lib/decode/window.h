/*
 * The window: the bytes of the input that are at hand. New bytes are read where the caller has
 * them; what is still needed of them is kept for the next ones, so that an unfinished element
 * always stands in one piece. Offsets are those of the whole input. With the input in two pieces,
 *
 *   [{"ph":"X"},{"ph     show(): both events are read in place, and the second is not complete
 *   {"ph                 keep(): it is copied, and base is its offset, 12
 *   {"ph":"i"}]          add(): the second piece is joined to it
 */
#pragma once

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

/* An empty window at an offset. */
static inline void tc_window_init(struct tc_window *window, int64_t offset)
{
	*window = (struct tc_window){.ptr = "", .base = offset};
}

/* Frees what is kept. */
static inline void tc_window_clear(struct tc_window *window)
{
	tc_buf_clear(&window->kept);
}

/* Nothing before an offset is needed any more, and the next bytes are those at it. */
static inline void tc_window_jump(struct tc_window *window, int64_t offset)
{
	tc_buf_reset(&window->kept);
	window->ptr = "";
	window->base = offset;
	window->len = 0;
}

/* Shows the next bytes where they are; nothing of the window is needed any more. */
static inline void tc_window_show(struct tc_window *window, const char *bytes, size_t len)
{
	window->base = tc_window_end(window);
	window->ptr = bytes;
	window->len = len;
}

/* Copies what was shown, from an offset on. False when memory is out. */
static inline bool tc_window_keep(
	struct tc_window *window, struct tc_window_move *move, int64_t from)
{
	struct tc_text rest = tc_window_rest(window, from);

	tc_buf_reset(&window->kept);
	tc_buf_append_text(&window->kept, rest);
	if (tc_buf_failed(&window->kept))
		return false;
	window->ptr = tc_buf_text(&window->kept).ptr;
	window->base = from;
	window->len = rest.len;
	*move = (struct tc_window_move){rest.ptr, window->ptr, rest.len};
	return true;
}

/* Adds a copy of the next bytes to what is kept, from an offset on. False when memory is out. */
static inline bool tc_window_add(struct tc_window *window, struct tc_window_move *move,
	int64_t from, const char *bytes, size_t len)
{
	struct tc_text rest = tc_window_rest(window, from);
	size_t done = (size_t)(from - window->base);

	tc_buf_append(&window->kept, bytes, len);
	if (tc_buf_failed(&window->kept))
		return false;
	/* Moving costs as much as is kept: only worth it when more than that goes. */
	if (done > window->kept.len / 2) {
		tc_buf_consume(&window->kept, done);
		window->base = from;
	}
	window->ptr = window->kept.ptr;
	window->len = window->kept.len;
	*move = (struct tc_window_move){rest.ptr, tc_window_at(window, from), rest.len};
	return true;
}
