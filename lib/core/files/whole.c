#include "core/files/whole.h"

#include <errno.h>
#include <unistd.h>

ssize_t tc_whole_read(int fd, void *bytes, size_t len, int64_t place)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got =
			pread(fd, (char *)bytes + done, len - done, (off_t)(place + (int64_t)done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int tc_whole_write(int fd, const void *bytes, size_t len, int64_t place)
{
	size_t done = 0;

	while (done < len) {
		ssize_t put = pwrite(
			fd, (const char *)bytes + done, len - done, (off_t)(place + (int64_t)done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put < 0 ? errno : ENOSPC;
		done += (size_t)put;
	}
	return 0;
}
