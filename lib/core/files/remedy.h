/* Help for who reads an error. */
#ifndef TC_CORE_FILES_REMEDY_H
#define TC_CORE_FILES_REMEDY_H

/* What to do about a file that cannot be opened or written, for the end of a message: ": check the
 * name" and the like for an errno value, "" where nothing is known. A constant. */
const char *tc_remedy(int error);

#endif
