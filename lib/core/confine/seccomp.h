/*
 * A list of system calls: those that reading a trace and writing a report need. All others fail
 * with ENOSYS, as on a system that does not have them, so a C library falls back to an older one.
 * See tracecoach/confine.h. Built with libseccomp; without it nothing is offered.
 */
#ifndef TC_CORE_CONFINE_SECCOMP_H
#define TC_CORE_CONFINE_SECCOMP_H

#include <stdbool.h>

bool tc_seccomp_offered(void);
/* For this thread and those that it makes. Without children it makes no process and signals none.
 * False where the system does not offer it. */
bool tc_seccomp_begin(bool has_children);

#endif
