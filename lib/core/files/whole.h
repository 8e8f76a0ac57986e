/* Whole reads and writes at a place of a file, whatever interrupts them. */
#ifndef TC_CORE_FILES_WHOLE_H
#define TC_CORE_FILES_WHOLE_H

#include <stdint.h>
#include <sys/types.h>

/* How many of len bytes are there; -1 with errno. */
ssize_t tc_whole_read(int fd, void *bytes, size_t len, int64_t place);
/* Returns 0, or an errno value. */
int tc_whole_write(int fd, const void *bytes, size_t len, int64_t place);

#endif
