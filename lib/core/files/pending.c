/*
 * Outputs that appear whole:
 *
 *   create    a file without a name (O_TMPFILE); where that is not possible, ".tracecoach-X.tmp"
 *   write     by the caller
 *   publish   rights of the old file, fsync, link to the name; where a file is there already, link
 *             to a temporary name and rename over it; fsync of the directory
 *
 * A temporary name is locked while its run lives, and the next run removes those that are not.
 */
#define _GNU_SOURCE /* O_TMPFILE, getentropy() */
#include "core/files/pending.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/place.h"
#include "core/files/files.h"

/* Rights: mode, owner, group and access list, handed from a file to the one that replaces it. */

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

/* Gives the file behind fd the rights of the regular file at the place; nothing to do when none is
 * there. Returns 0, or an errno value: EPERM when the owner cannot be kept, EISDIR or EEXIST for
 * what is no regular file. */
static int rights_keep(int fd, const struct tc_place *place)
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

/* From <stdio.h>, which lib/ does not include; C and POSIX allow to declare it. */
int renameat(int from_directory, const char *from, int to_directory, const char *to);

/* Random names tried before giving up; a collision is practically impossible. */
enum { NAME_TRIES = 8 };

static const char name_start[] = ".tracecoach-", name_end[] = ".tmp";
enum { DIGIT_COUNT = 16, START_LEN = sizeof(name_start) - 1 };

static int make_name(char *name)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char random[DIGIT_COUNT];

	if (getentropy(random, sizeof(random)))
		return errno;
	memcpy(name, name_start, START_LEN);
	for (int i = 0; i < DIGIT_COUNT; i++)
		name[START_LEN + i] = digits[random[i] % 16];
	memcpy(name + START_LEN + DIGIT_COUNT, name_end, sizeof(name_end));
	return 0;
}

static bool is_our_name(const char *name)
{
	return strncmp(name, name_start, START_LEN) == 0 &&
	       strspn(name + START_LEN, "0123456789abcdef") == DIGIT_COUNT &&
	       strcmp(name + START_LEN + DIGIT_COUNT, name_end) == 0;
}

static bool is_named(int fd, int directory, const char *name)
{
	struct stat file, named;

	return fstat(fd, &file) == 0 &&
	       fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       file.st_dev == named.st_dev && file.st_ino == named.st_ino;
}

/* NFS locks only what is open for writing. */
static int open_to_lock(int directory, const char *name)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(directory, name, O_RDWR | flags);

	return fd >= 0 ? fd : openat(directory, name, O_RDONLY | flags);
}

/* A file of ours that nobody has locked belongs to a run that was killed. Where locks do not work,
 * nothing is removed. */
static void remove_stale(int directory, const char *name)
{
	struct stat file;
	int fd = open_to_lock(directory, name);

	if (fd < 0)
		return;
	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
		flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, directory, name))
		unlinkat(directory, name, 0);
	close(fd);
}

static void sweep(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!entries) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(entries))) {
		if (is_our_name(entry->d_name))
			remove_stale(directory, entry->d_name);
	}
	closedir(entries);
}

/* A path that leads to the file behind fd, for linking it; NULL when memory is out. */
static const char *path_of(struct tc_buf *path, int fd)
{
	tc_buf_reset(path);
	tc_buf_format(path, "/proc/self/fd/%d", fd);
	return tc_buf_string(path);
}

/* Without /proc no such path exists. */
static bool has_path(int fd)
{
	struct tc_buf buf = TC_BUF_EMPTY;
	const char *path = path_of(&buf, fd);
	bool there = path && access(path, F_OK) == 0;

	tc_buf_clear(&buf);
	return there;
}

static int open_nameless(int directory, mode_t mode)
{
	int fd = -1;

#ifdef O_TMPFILE
	if (!tc_temporary_names_forced())
		fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
#else
	(void)directory;
	(void)mode;
#endif
	/* No one else can have it open, so locking fails only without support for locks. */
	if (fd >= 0 && has_path(fd)) {
		(void)flock(fd, LOCK_EX | LOCK_NB);
	} else if (fd >= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Another run may take the file for a stale one until it is locked; then it is made again. */
static int open_named(struct tc_pending *file, mode_t mode)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int directory = file->place.directory, error = EEXIST;

	for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
		error = make_name(file->name);
		int fd = error ? -1 : openat(directory, file->name, flags, mode);
		if (fd < 0) {
			error = error ? error : errno;
			continue;
		}
		if ((flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
			is_named(fd, directory, file->name)) {
			file->fd = fd;
			return 0;
		}
		close(fd);
		error = EEXIST;
	}
	file->name[0] = '\0';
	return error;
}

/* A file that replaces another is not readable by anybody else before it has its rights. */
static int open_file(struct tc_pending *file)
{
	int directory = file->place.directory;
	struct stat old;

	/* Asked first: making a file beside it may not be allowed. */
	if (fstatat(directory, file->place.name, &old, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISDIR(old.st_mode))
		return EISDIR;
	bool replaces = faccessat(directory, file->place.name, F_OK, 0) == 0;
	mode_t mode = replaces ? 0600 : 0666;

	if (!replaces && errno != ENOENT)
		return errno;
	if (replaces && faccessat(directory, file->place.name, W_OK, AT_EACCESS))
		return errno;
	file->fd = open_nameless(directory, mode);
	return file->fd < 0 ? open_named(file, mode) : 0;
}

static enum tc_status fail(struct tc_ctx *ctx, const char *path, int error)
{
	if (error == ENOMEM)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot create %s: out of memory", path);
	return tc_fail_errno(ctx, TC_ERR_IO, error, TC_TO_WRITE, "cannot create %s", path);
}

static enum tc_status fail_rights(struct tc_ctx *ctx, const char *path, int error)
{
	if (error == EISDIR || error == EEXIST)
		return fail(ctx, path, error);
	return tc_fail(ctx, TC_ERR_IO,
		"cannot replace %s: its owner and mode cannot be kept: %s: remove it first, or "
		"choose another place",
		path, strerror(error));
}

enum tc_status tc_pending_create(struct tc_pending *file, struct tc_ctx *ctx, const char *path)
{
	int fd, error;

	*file = TC_PENDING_NONE;
	if (tc_place_is_descriptor(&fd, path))
		return tc_fail(ctx, TC_ERR_USAGE,
			"cannot create %s: it is a descriptor, and no file can be made under a "
			"name there: give the name of a file",
			path);
	error = tc_place_open(&file->place, path);

	if (!error) {
		sweep(file->place.directory);
		error = open_file(file);
	}
	enum tc_status status = error ? fail(ctx, path, error) : TC_OK;
	/* Repeated at publishing; done here to fail early. */
	if (!error && (error = rights_keep(file->fd, &file->place)))
		status = fail_rights(ctx, path, error);
	if (status)
		tc_pending_discard(file);
	return status;
}

/* Linking cannot replace a file; then the file gets a name of its own, to be renamed. */
static int give_name(struct tc_pending *file)
{
	const struct tc_place *place = &file->place;
	struct tc_buf buf = TC_BUF_EMPTY;
	const char *path = path_of(&buf, file->fd), *name = place->name;
	int error = path ? EEXIST : ENOMEM;

	for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
		int code = linkat(AT_FDCWD, path, place->directory, name, AT_SYMLINK_FOLLOW);
		error = code ? errno : 0;
		if (error == EEXIST && make_name(file->name) == 0)
			name = file->name;
	}
	tc_buf_clear(&buf);
	if (error || name == place->name)
		file->name[0] = '\0';
	return error;
}

static int publish(struct tc_pending *file)
{
	const struct tc_place *place = &file->place;

	if (fsync(file->fd))
		return errno;
	int error = file->name[0] ? 0 : give_name(file);
	if (!error && file->name[0] &&
		renameat(place->directory, file->name, place->directory, place->name))
		error = errno;
	return error;
}

/* Makes the new name durable. Not every file system can; the file is whole without it. */
static void sync_directory(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

enum tc_status tc_pending_publish(struct tc_pending *file, struct tc_ctx *ctx)
{
	int error = rights_keep(file->fd, &file->place);

	if (error)
		return fail_rights(ctx, file->place.path.ptr, error);
	error = publish(file);
	if (error)
		return fail(ctx, file->place.path.ptr, error);
	sync_directory(file->place.directory);
	file->name[0] = '\0';
	flock(file->fd, LOCK_UN);
	return TC_OK;
}

void tc_pending_discard(struct tc_pending *file)
{
	if (file->name[0])
		unlinkat(file->place.directory, file->name, 0);
	if (file->fd >= 0)
		close(file->fd);
	tc_place_close(&file->place);
	*file = TC_PENDING_NONE;
}
