/*
 * A kind of side file: how it is recognised, read and kept. Each kind is one file of this room and
 * a row of readers.def; nothing else in the program knows it.
 */
#ifndef TC_SIDE_READER_H
#define TC_SIDE_READER_H

#include "side/file.h"

struct tc_side_reader {
	const char *name;       /* as side_file.kind */
	const char *capability; /* the metric that is set to 1 for the trace of such a file */
	const char *beside;     /* "BASE" and this is one that belongs to "BASE.json"; or NULL */
	bool (*is_it)(struct tc_text head); /* by the first bytes, never by the name */
	/* Reads the open file to its end and puts its rows; what it cannot read it counts and
	 * skips. */
	enum tc_status (*read)(struct tc_side_file *file);
};

#define TC_SIDE_READER(reader) extern const struct tc_side_reader tc_side_##reader;
#include "side/readers.def"
#undef TC_SIDE_READER

#endif
