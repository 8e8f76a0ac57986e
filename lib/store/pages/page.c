/* Pages and the header of an SQLite file; see page.h. */
#include "store/pages/page.h"

#include <errno.h>
#include <unistd.h>

#include "core/files/whole.h"

/* SQLite takes its locks on bytes of this page, and never uses it. */
enum { LOCK_PAGE = 0x40000000 / TC_PAGE_BYTES + 1 };

int tc_page_write(int fd, uint32_t number, const uint8_t *bytes, size_t len)
{
	return tc_whole_write(fd, bytes, len, (int64_t)(number - 1) * TC_PAGE_BYTES);
}

static int read_header(uint8_t *header, int fd)
{
	ssize_t got = tc_whole_read(fd, header, TC_FILE_HEADER_BYTES, 0);

	if (got < 0)
		return errno;
	return got == TC_FILE_HEADER_BYTES ? 0 : EIO;
}

int tc_page_file_begin(struct tc_page_file *file, int fd)
{
	uint8_t header[TC_FILE_HEADER_BYTES];
	int error = read_header(header, fd);

	if (!error)
		*file = (struct tc_page_file){fd, tc_get_be32(header + TC_AT_PAGE_COUNT)};
	return error;
}

int tc_page_file_end(const struct tc_page_file *file)
{
	uint8_t header[TC_FILE_HEADER_BYTES];
	int error = read_header(header, file->fd);

	if (error)
		return error;
	uint32_t change = tc_get_be32(header + TC_AT_CHANGE_COUNTER) + 1;
	tc_put_be32(header + TC_AT_CHANGE_COUNTER, change);
	tc_put_be32(header + TC_AT_PAGE_COUNT, file->page_count);
	tc_put_be32(header + TC_AT_VALID_FOR, change);
	error = tc_whole_write(file->fd, header, sizeof(header), 0);
	if (!error && ftruncate(file->fd, (off_t)file->page_count * TC_PAGE_BYTES))
		error = errno;
	return error;
}

uint32_t tc_page_new(struct tc_page_file *file)
{
	if (++file->page_count == LOCK_PAGE)
		++file->page_count;
	return file->page_count;
}
