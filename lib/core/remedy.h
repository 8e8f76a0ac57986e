/* What to do when a file that somebody named cannot be opened, for the end of a message. */
#ifndef TC_CORE_REMEDY_H
#define TC_CORE_REMEDY_H

/* ": check the name" and the like for an errno value, "" where nothing is known. */
const char *tc_remedy(int error);

#endif
