/* Bytes shown and kept; see window.h. */
#include "decode/window.h"

void tc_window_init(struct tc_window *window, int64_t offset)
{
	*window = (struct tc_window){.ptr = "", .base = offset};
}

void tc_window_clear(struct tc_window *window)
{
	tc_buf_clear(&window->kept);
}

void tc_window_jump(struct tc_window *window, int64_t offset)
{
	tc_buf_reset(&window->kept);
	window->ptr = "";
	window->base = offset;
	window->len = 0;
}

void tc_window_show(struct tc_window *window, const char *bytes, size_t len)
{
	window->base = tc_window_end(window);
	window->ptr = bytes;
	window->len = len;
}

bool tc_window_keep(struct tc_window *window, struct tc_window_move *move, int64_t from)
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

bool tc_window_add(struct tc_window *window, struct tc_window_move *move, int64_t from,
	const char *bytes, size_t len)
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
