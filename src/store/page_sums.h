/* page_sums - a checksum in each page of a database, so that a flipped bit is noticed wherever it lies.
 *
 * A virtual file system of SQLite above the system's. The last 8 bytes of a page, which SQLite leaves free where it is
 * told so, hold a hash of the others and of the number of the page; it is set when a page is written to the database
 * file (in WAL mode: by a checkpoint; frames of the WAL have checksums of SQLite's), and compared when a page is read.
 * Other programs read such a database as any other; pages that they write get no valid checksum. Databases without the
 * free bytes, those of older versions, are read and written as they are.
 * Cost: a hash of 4 KiB for each page that is read from or written to the file. Thread: that of the connection. */
#ifndef SCENT_STORE_PAGE_SUMS_H
#define SCENT_STORE_PAGE_SUMS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { PAGE_SUMS_BYTES = 8, PAGE_SUMS_NAMED = 64 };

/* What was read with this connection so far. */
struct page_sums_report {
    bool present;    /* the database has checksums */
    uint64_t wrong;  /* pages, as often as they were read */
    uint32_t pages[PAGE_SUMS_NAMED]; /* the first of these, each once */
    uint32_t named;
};

/* The name of the file system, for sqlite3_open_v2(); NULL: SQLite has no default one. Any thread. */
const char *page_sums_vfs(void);
/* A new database gets checksums; before its first table. */
int page_sums_reserve(sqlite3 *db);
void page_sums_ask(sqlite3 *db, struct page_sums_report *out);

#endif
