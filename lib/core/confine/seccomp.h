/* System calls that reading a trace never needs are refused with EPERM. See
 * tracecoach/confine.h. */
#ifndef TC_CORE_CONFINE_SECCOMP_H
#define TC_CORE_CONFINE_SECCOMP_H

#include <stdbool.h>

bool tc_seccomp_offered(void);
/* For this thread and those that it makes. False where the system does not offer it. */
bool tc_seccomp_begin(void);

#endif
