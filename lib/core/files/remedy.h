/* The advice at the end of an error message about a file. */
#ifndef TC_CORE_FILES_REMEDY_H
#define TC_CORE_FILES_REMEDY_H

/* The purpose for which a file was opened: the remedy for an error depends on it. */
enum tc_purpose {
	TC_TO_READ,
	TC_TO_WRITE,           /* or to make it */
	TC_TO_WRITE_TEMPORARY, /* in a place that TMPDIR names */
	TC_PURPOSE_COUNT
};

/* Advice for a file that cannot be opened or written, to end a message with: ": check the name" and
 * the like for an errno value, "" where nothing is known. A constant. */
const char *tc_remedy(int error, enum tc_purpose purpose);

#endif
