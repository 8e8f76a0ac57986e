/*
 * Private to the store: SQLite on descriptors. A database is opened by a descriptor and not by a
 * name. So no name has a special meaning, the file that was checked is the one that is read, and
 * SQLite never looks for a journal next to it. Temporary files have no name either
 * (core/files/files.h). There are no locks: nobody else sees a file being written, and a sealed
 * one does not change.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

/*
 * Opens the database in the file behind fd, which stays the caller's and may be closed at any time.
 * Without write, SQLite treats the file as immutable. Returns an SQLite code; as with
 * sqlite3_open_v2(), close *db also on failure; it may be NULL.
 */
int tc_vfs_open(sqlite3 **db, int fd, bool write);
