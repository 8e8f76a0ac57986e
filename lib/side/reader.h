/*
 * A kind of side file: how it is recognised, read and stored. Each kind is one file of this room
 * and a row of readers.def; nothing else in the program knows it.
 */
#ifndef TC_SIDE_READER_H
#define TC_SIDE_READER_H

#include "side/file.h"

struct tc_side_reader {
	const char *name;       /* as side_file.kind */
	const char *capability; /* the metric that is 1 for a trace with such a file */
	/* the end of its name: "BASE" plus this belongs to "BASE.json"; or NULL */
	const char *beside;
	bool (*is_it)(struct tc_text head); /* decides by the first bytes, never by the name */
	/* Reads the open file to its end and adds its rows; counts and skips what it cannot
	 * read. */
	void (*read)(struct tc_side_file *file);
};

#define TC_SIDE_READER(reader) extern const struct tc_side_reader tc_side_##reader;
#include "side/readers.def"
#undef TC_SIDE_READER

#endif
