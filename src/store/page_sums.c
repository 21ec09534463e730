#include "store/page_sums.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/status.h"

#include <pthread.h>
#include <stdlib.h>

#define NAME "scent"
enum {
    ASK = 0x53434E01, /* our file control: gives the report */
    HEADER = 100,     /* bytes of the head of a database (www.sqlite.org/fileformat.html, section 1.3) */
    AT_PAGE_SIZE = 16,
    AT_RESERVED = 20,
    SMALLEST = 512,
    SUBPAGE_READ = 0x8000 /* SQLITE_IOCAP_SUBPAGE_READ */
};

/* What SQLite takes for its file; that of the system lies behind it. */
struct sums_file {
    sqlite3_file base;
    int page_size; /* 0: not known, or a database without checksums */
    char *copy;    /* a page on its way to the disk: the caller's is not ours to change */
    struct page_sums_report report;
};

static sqlite3_file *real(sqlite3_file *file)
{
    return (sqlite3_file *)((struct sums_file *)file + 1);
}

static uint64_t sum_of(const char *page, int size, sqlite3_int64 offset)
{
    return hash_bytes(page, (size_t)(size - PAGE_SUMS_BYTES), (uint64_t)(offset / size) + 1);
}

/* The head says how large pages are, and whether they have room for a checksum. */
static void learn(struct sums_file *file, const unsigned char *head)
{
    int size = head[AT_PAGE_SIZE] << 8 | head[AT_PAGE_SIZE + 1];

    size = size == 1 ? 65536 : size;
    if (head[AT_RESERVED] != PAGE_SUMS_BYTES || size < SMALLEST || (size & (size - 1)))
        size = 0;
    if (size == file->page_size)
        return;
    free(file->copy);
    file->copy = size ? malloc((size_t)size) : NULL;
    SCENT_BUG_IF(size && !file->copy);
    file->page_size = size;
    file->report.present = size != 0;
}

static bool is_page(const struct sums_file *file, int amount, sqlite3_int64 offset)
{
    return file->page_size && amount == file->page_size && offset % amount == 0;
}

static void note_wrong(struct page_sums_report *report, uint32_t page)
{
    report->wrong++;
    for (uint32_t i = 0; i < report->named; i++)
        if (report->pages[i] == page)
            return;
    if (report->named < PAGE_SUMS_NAMED)
        report->pages[report->named++] = page;
}

static int sums_read(sqlite3_file *base, void *to, int amount, sqlite3_int64 offset)
{
    struct sums_file *file = (struct sums_file *)base;
    int rc = real(base)->pMethods->xRead(real(base), to, amount, offset);
    struct bytes tail;

    if (rc != SQLITE_OK)
        return rc;
    if (offset == 0 && amount >= HEADER)
        learn(file, to);
    if (!is_page(file, amount, offset))
        return rc;
    tail = bytes_of((struct str){(char *)to + amount - PAGE_SUMS_BYTES, PAGE_SUMS_BYTES});
    if (bytes_get(&tail, PAGE_SUMS_BYTES) != sum_of(to, amount, offset))
        note_wrong(&file->report, (uint32_t)(offset / amount) + 1);
    return rc;
}

static int sums_write(sqlite3_file *base, const void *from, int amount, sqlite3_int64 offset)
{
    struct sums_file *file = (struct sums_file *)base;
    struct buf tail;

    if (offset == 0 && amount >= HEADER)
        learn(file, from);
    if (!is_page(file, amount, offset))
        return real(base)->pMethods->xWrite(real(base), from, amount, offset);
    memcpy(file->copy, from, (size_t)amount);
    /* The room for the terminator of a buffer is not used. */
    tail = (struct buf){
        .p = file->copy + amount - PAGE_SUMS_BYTES, .room = PAGE_SUMS_BYTES + 1, .cap = PAGE_SUMS_BYTES};
    bytes_put(&tail, sum_of(from, amount, offset), PAGE_SUMS_BYTES);
    return real(base)->pMethods->xWrite(real(base), file->copy, amount, offset);
}

static int sums_control(sqlite3_file *base, int op, void *argument)
{
    if (op != ASK)
        return real(base)->pMethods->xFileControl(real(base), op, argument);
    *(struct page_sums_report *)argument = ((struct sums_file *)base)->report;
    return SQLITE_OK;
}

static int sums_close(sqlite3_file *base)
{
    free(((struct sums_file *)base)->copy);
    return real(base)->pMethods->xClose(real(base));
}

/* ---- what is passed on as it is ---- */

static int sums_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    return real(base)->pMethods->xTruncate(real(base), size);
}

static int sums_sync(sqlite3_file *base, int flags)
{
    return real(base)->pMethods->xSync(real(base), flags);
}

static int sums_size(sqlite3_file *base, sqlite3_int64 *size)
{
    return real(base)->pMethods->xFileSize(real(base), size);
}

static int sums_lock(sqlite3_file *base, int lock)
{
    return real(base)->pMethods->xLock(real(base), lock);
}

static int sums_unlock(sqlite3_file *base, int lock)
{
    return real(base)->pMethods->xUnlock(real(base), lock);
}

static int sums_is_reserved(sqlite3_file *base, int *out)
{
    return real(base)->pMethods->xCheckReservedLock(real(base), out);
}

static int sums_sector(sqlite3_file *base)
{
    return real(base)->pMethods->xSectorSize(real(base));
}

/* But for the leave of newer libraries to read a part of a page, which could not be compared. */
static int sums_device(sqlite3_file *base)
{
    return real(base)->pMethods->xDeviceCharacteristics(real(base)) & ~SUBPAGE_READ;
}

static int sums_shm_map(sqlite3_file *base, int page, int size, int extend, void volatile **out)
{
    return real(base)->pMethods->xShmMap(real(base), page, size, extend, out);
}

static int sums_shm_lock(sqlite3_file *base, int offset, int count, int flags)
{
    return real(base)->pMethods->xShmLock(real(base), offset, count, flags);
}

static void sums_shm_barrier(sqlite3_file *base)
{
    real(base)->pMethods->xShmBarrier(real(base));
}

static int sums_shm_unmap(sqlite3_file *base, int remove)
{
    return real(base)->pMethods->xShmUnmap(real(base), remove);
}

/* Version 2: without mapping of the file into memory, which would pass us by. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = sums_close,
    .xRead = sums_read,
    .xWrite = sums_write,
    .xTruncate = sums_truncate,
    .xSync = sums_sync,
    .xFileSize = sums_size,
    .xLock = sums_lock,
    .xUnlock = sums_unlock,
    .xCheckReservedLock = sums_is_reserved,
    .xFileControl = sums_control,
    .xSectorSize = sums_sector,
    .xDeviceCharacteristics = sums_device,
    .xShmMap = sums_shm_map,
    .xShmLock = sums_shm_lock,
    .xShmBarrier = sums_shm_barrier,
    .xShmUnmap = sums_shm_unmap,
};

/* ---- the file system: only the database itself is ours; journals and temporary files are the system's ---- */

static int sums_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags)
{
    sqlite3_vfs *below = vfs->pAppData;
    struct sums_file *file = (struct sums_file *)base;
    int rc;

    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return below->xOpen(below, name, base, flags, out_flags);
    *file = (struct sums_file){0};
    rc = below->xOpen(below, name, real(base), flags, out_flags);
    /* A failed opening must leave no methods, or SQLite would close it. */
    file->base.pMethods = real(base)->pMethods ? &methods : NULL;
    return rc;
}

static sqlite3_vfs system_above; /* the system's, but for what it opens; filled in once */
static bool registered;

static void register_once(void)
{
    sqlite3_vfs *below = sqlite3_vfs_find(NULL);

    if (!below)
        return;
    system_above = *below;
    system_above.pNext = NULL;
    system_above.zName = NAME;
    system_above.pAppData = below;
    system_above.szOsFile = (int)sizeof(struct sums_file) + below->szOsFile;
    system_above.xOpen = sums_open;
    registered = sqlite3_vfs_register(&system_above, 0) == SQLITE_OK;
}

const char *page_sums_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, register_once);
    return registered ? NAME : NULL;
}

int page_sums_reserve(sqlite3 *db)
{
    int bytes = PAGE_SUMS_BYTES;

    return sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

void page_sums_ask(sqlite3 *db, struct page_sums_report *out)
{
    *out = (struct page_sums_report){0};
    (void)!sqlite3_file_control(db, "main", ASK, out);
}
