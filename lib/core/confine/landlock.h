/*
 * What Landlock's system calls take. The header of the kernel may be older than the kernel, or not
 * be there: the numbers and structures never change.
 */
#ifndef TC_CORE_CONFINE_LANDLOCK_H
#define TC_CORE_CONFINE_LANDLOCK_H

#include <stdint.h>

enum {
	TC_LANDLOCK_CREATE_RULESET = 444,
	TC_LANDLOCK_ADD_RULE = 445,
	TC_LANDLOCK_RESTRICT_SELF = 446,
	TC_LANDLOCK_ASK_VERSION = 1, /* flag of the first */
	TC_LANDLOCK_RULE_PATH = 1,   /* kind of rule */
};

/* A kernel takes a longer one than it knows where the rest is zero. */
struct tc_landlock_ruleset {
	uint64_t rights; /* refused unless a rule allows them */
	uint64_t ports;  /* the same of the network, from version 4 on */
	uint64_t scopes; /* what does not leave the process and its children, from version 6 on */
};

enum {
	TC_LANDLOCK_PORTS = 3,  /* to bind a TCP socket, and to connect one */
	TC_LANDLOCK_SCOPES = 3, /* abstract sockets, and signals */
};

struct tc_landlock_path {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

#define TC_LANDLOCK_EXECUTE (UINT64_C(1) << 0)
#define TC_LANDLOCK_WRITE_FILE (UINT64_C(1) << 1)
#define TC_LANDLOCK_REMOVE_DIRECTORY (UINT64_C(1) << 4)
#define TC_LANDLOCK_REMOVE_FILE (UINT64_C(1) << 5)
#define TC_LANDLOCK_MAKE_DIRECTORY (UINT64_C(1) << 7)
#define TC_LANDLOCK_MAKE_FILE (UINT64_C(1) << 8)
#define TC_LANDLOCK_MAKE_ANY (UINT64_C(0x7f) << 6) /* those, and devices, sockets, pipes, links */
#define TC_LANDLOCK_REFER (UINT64_C(1) << 13)      /* link or rename to another directory */
#define TC_LANDLOCK_TRUNCATE (UINT64_C(1) << 14)
#define TC_LANDLOCK_IOCTL (UINT64_C(1) << 15) /* of devices that are opened from now on */

/* A sanitizer asks another program for the names of functions. */
#ifdef TC_SANITIZED
#define TC_LANDLOCK_RUNNING UINT64_C(0)
#else
#define TC_LANDLOCK_RUNNING TC_LANDLOCK_EXECUTE
#endif

/* All that the first version can refuse, except reading. */
#define TC_LANDLOCK_OF_1                                                                           \
	(TC_LANDLOCK_RUNNING | TC_LANDLOCK_WRITE_FILE | TC_LANDLOCK_REMOVE_DIRECTORY |             \
		TC_LANDLOCK_REMOVE_FILE | TC_LANDLOCK_MAKE_ANY)
/* What outputs need: of a file, of a device and in their directory. */
#define TC_LANDLOCK_OF_FILE (TC_LANDLOCK_WRITE_FILE | TC_LANDLOCK_TRUNCATE)
#define TC_LANDLOCK_OF_DEVICE (TC_LANDLOCK_OF_FILE | TC_LANDLOCK_IOCTL)
#define TC_LANDLOCK_OF_DIRECTORY                                                                   \
	(TC_LANDLOCK_OF_FILE | TC_LANDLOCK_REMOVE_DIRECTORY | TC_LANDLOCK_REMOVE_FILE |            \
		TC_LANDLOCK_MAKE_DIRECTORY | TC_LANDLOCK_MAKE_FILE | TC_LANDLOCK_REFER)

#endif
