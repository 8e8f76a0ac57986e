/*
 * Heaps: an array of entries of which the first is never behind another one.
 *
 * TC_HEAP(heap, struct entry, is_before) defines two functions for an array whose other entries are
 * in place: heap_up() puts the entry at `at`, the last one, in its place, and heap_down() one that
 * may have to go further behind. is_before(a, b) takes pointers to entries.
 */
#pragma once

#include <stddef.h>

#define TC_HEAP(name, type, is_before)                                                             \
	static void name##_up(type *entries, size_t at)                                            \
	{                                                                                          \
		const type moved = entries[at];                                                    \
		for (; at > 0 && is_before(&moved, &entries[(at - 1) / 2]); at = (at - 1) / 2)     \
			entries[at] = entries[(at - 1) / 2];                                       \
		entries[at] = moved;                                                               \
	}                                                                                          \
	static void name##_down(type *entries, size_t count, size_t at)                            \
	{                                                                                          \
		const type moved = entries[at];                                                    \
		for (size_t child; (child = 2 * at + 1) < count; at = child) {                     \
			if (child + 1 < count && is_before(&entries[child + 1], &entries[child]))  \
				child++;                                                           \
			if (!is_before(&entries[child], &moved))                                   \
				break;                                                             \
			entries[at] = entries[child];                                              \
		}                                                                                  \
		entries[at] = moved;                                                               \
	}                                                                                          \
	struct tc_heap_ends_here /* wants a semicolon */
