/* The advice at the end of an error message about a file. */
#ifndef TC_CORE_FILES_REMEDY_H
#define TC_CORE_FILES_REMEDY_H

/* What was to be done with a file when it failed: its error means another thing each time. */
enum tc_purpose {
	TC_TO_READ,
	TC_TO_WRITE,           /* or to make it */
	TC_TO_WRITE_TEMPORARY, /* in a place that TMPDIR names */
	TC_PURPOSE_COUNT
};

/* What to do about a file that cannot be opened or written, for the end of a message: ": check the
 * name" and the like for an errno value, "" where nothing is known. A constant. */
const char *tc_remedy(int error, enum tc_purpose purpose);

#endif
