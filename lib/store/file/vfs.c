/* A file system for SQLite whose files are descriptors. Nobody else writes to them, so locks do
 * nothing and journals do not exist; temporary files count towards the bounds of a statement. */
#include "store/file/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/files/files.h"
#include "store/bounds.h"

/* As many as in the default file system of SQLite. */
enum { SECTOR_BYTES = 4096 };

struct file {
	sqlite3_file base;
	int fd;
	int error; /* errno of the last failure */
	bool sealed;
	bool is_temporary;
	sqlite3_int64 end; /* of a temporary file */
};

static int fd_of(sqlite3_file *file)
{
	return ((struct file *)file)->fd;
}

static int fail(sqlite3_file *file, int code)
{
	((struct file *)file)->error = errno;
	return code;
}

/* A temporary file ends somewhere else. */
static void note_end(sqlite3_file *base, sqlite3_int64 end)
{
	struct file *file = (struct file *)base;

	if (file->is_temporary)
		tc_bounds_note_temporary(end - file->end);
	file->end = end;
}

static int close_file(sqlite3_file *file)
{
	note_end(file, 0);
	close(fd_of(file));
	return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *bytes, int len, sqlite3_int64 offset)
{
	ssize_t got = tc_whole_read(fd_of(file), bytes, (size_t)len, offset);

	if (got < 0)
		return fail(file, SQLITE_IOERR_READ);
	if (got == len)
		return SQLITE_OK;
	memset((char *)bytes + got, 0, (size_t)(len - got));
	return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
	if (offset + len > ((struct file *)file)->end)
		note_end(file, offset + len);
	errno = tc_whole_write(fd_of(file), bytes, (size_t)len, offset);
	return errno ? fail(file, errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE) : SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
	note_end(file, size);
	return ftruncate(fd_of(file), (off_t)size) ? fail(file, SQLITE_IOERR_TRUNCATE) : SQLITE_OK;
}

static int sync_file(sqlite3_file *file, int flags)
{
	(void)flags;
	return fsync(fd_of(file)) ? fail(file, SQLITE_IOERR_FSYNC) : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct stat st;

	if (fstat(fd_of(file), &st))
		return fail(file, SQLITE_IOERR_FSTAT);
	*size = st.st_size;
	return SQLITE_OK;
}

static int set_lock(sqlite3_file *file, int lock)
{
	(void)file;
	(void)lock;
	return SQLITE_OK;
}

static int check_lock(sqlite3_file *file, int *locked)
{
	(void)file;
	*locked = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *file, int operation, void *argument)
{
	if (operation != SQLITE_FCNTL_LAST_ERRNO)
		return SQLITE_NOTFOUND;
	*(int *)argument = ((struct file *)file)->error;
	return SQLITE_OK;
}

static int sector_size(sqlite3_file *file)
{
	(void)file;
	return SECTOR_BYTES;
}

static int characteristics(sqlite3_file *file)
{
	return ((struct file *)file)->sealed ? SQLITE_IOCAP_IMMUTABLE
					     : SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = file_size,
	.xLock = set_lock,
	.xUnlock = set_lock,
	.xCheckReservedLock = check_lock,
	.xFileControl = control,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = characteristics,
};

/* The name is the number of a descriptor, from tc_vfs_open(). */
static int open_named(const char *name, int flags)
{
	char *end = NULL;
	long fd = strtol(name, &end, 10);

	if (!(flags & SQLITE_OPEN_MAIN_DB) || end == name || *end)
		return -1;
	return fcntl((int)fd, F_DUPFD_CLOEXEC, 3);
}

static int open_file(
	sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags)
{
	struct file *file = (struct file *)base;

	(void)vfs;
	*file = (struct file){.sealed = (flags & SQLITE_OPEN_READONLY) != 0, .is_temporary = !name};
	file->fd = name ? open_named(name, flags) : tc_temporary_open();
	if (file->fd < 0)
		return SQLITE_CANTOPEN;
	file->base.pMethods = &methods;
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)name;
	(void)sync;
	return SQLITE_OK;
}

/* Called for journals, which never exist. */
static int has_file(sqlite3_vfs *vfs, const char *name, int flags, int *there)
{
	(void)vfs;
	(void)name;
	(void)flags;
	*there = 0;
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
	size_t len = strlen(name) + 1;

	(void)vfs;
	if (len > (size_t)size)
		return SQLITE_CANTOPEN;
	memcpy(out, name, len);
	return SQLITE_OK;
}

static const char vfs_name[] = "tracecoach";

/* Time, randomness and the like come from the default file system. */
static int register_vfs(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static sqlite3_vfs vfs;
	const sqlite3_vfs *standard = sqlite3_vfs_find(NULL);
	int code = SQLITE_OK;

	if (!standard)
		return SQLITE_NOMEM;
	pthread_mutex_lock(&lock);
	if (!sqlite3_vfs_find(vfs_name)) {
		vfs = *standard;
		vfs.pNext = NULL;
		vfs.zName = vfs_name;
		vfs.szOsFile = sizeof(struct file);
		vfs.xOpen = open_file;
		vfs.xDelete = delete_file;
		vfs.xAccess = has_file;
		vfs.xFullPathname = full_name;
		code = sqlite3_vfs_register(&vfs, 0);
	}
	pthread_mutex_unlock(&lock);
	return code;
}

int tc_vfs_open(sqlite3 **db, int fd, bool write)
{
	int flags = write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	struct tc_buf name = TC_BUF_EMPTY;
	int code = register_vfs();

	*db = NULL;
	tc_buf_format(&name, "%d", fd);
	if (code == SQLITE_OK && !tc_buf_string(&name))
		code = SQLITE_NOMEM;
	if (code == SQLITE_OK)
		code = sqlite3_open_v2(name.ptr, db, flags | SQLITE_OPEN_NOMUTEX, vfs_name);
	tc_buf_clear(&name);
	return code;
}
