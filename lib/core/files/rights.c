/* Owner before mode: changing the owner takes bits of the mode away. See rights.h. */
#include "core/files/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>

static const char acl_name[] = "system.posix_acl_access";

/* Where there is an access list the bits of the group are its mask, so the mode alone would give
 * the group what the list denies. A list inherited from the directory goes, too. */
static int keep_access_list(int fd, const struct tc_place *place)
{
	char list[4096];
	ssize_t len = lgetxattr(place->path.ptr, acl_name, list, sizeof(list));

	if (len >= 0)
		return fsetxattr(fd, acl_name, list, (size_t)len, 0) ? errno : 0;
	if (errno != ENODATA)
		return errno == ENOTSUP ? 0 : errno;
	return fremovexattr(fd, acl_name) && errno != ENODATA && errno != ENOTSUP ? errno : 0;
}
#else
static int keep_access_list(int fd, const struct tc_place *place)
{
	(void)fd;
	(void)place;
	return 0;
}
#endif

int tc_rights_keep(int fd, const struct tc_place *place)
{
	const mode_t bits = S_IRWXU | S_IRWXG | S_IRWXO;
	struct stat old, own;

	if (fstatat(place->directory, place->name, &old, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : errno;
	if (!S_ISREG(old.st_mode))
		return S_ISDIR(old.st_mode) ? EISDIR : EEXIST;
	if (fstat(fd, &own))
		return errno;
	if ((old.st_uid != own.st_uid || old.st_gid != own.st_gid) &&
		fchown(fd, old.st_uid, old.st_gid))
		return errno;
	int error = keep_access_list(fd, place);
	if (error)
		return error;
	/* Asked again: taking over the owner and the list may have changed it. A file system that
	 * has one mode for all files may refuse to set any. */
	if (fstat(fd, &own))
		return errno;
	if ((own.st_mode & bits) == (old.st_mode & bits))
		return 0;
	return fchmod(fd, old.st_mode & bits) ? errno : 0;
}
