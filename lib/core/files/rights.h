/* Rights: mode, owner, group and access list, handed from a file to the one that replaces it. */
#ifndef TC_CORE_FILES_RIGHTS_H
#define TC_CORE_FILES_RIGHTS_H

#include "core/files/place.h"

/* Gives the file behind fd the rights of the regular file at the place; nothing to do when none is
 * there. Returns 0, or an errno value: EPERM when the owner cannot be kept, EISDIR or EEXIST for
 * what is no regular file. */
int tc_rights_keep(int fd, const struct tc_place *place);

#endif
