/* Opening, closing, transactions. Rows are written in store_write.c and read in store_read.c. */
#include "store/store.h"

#include "base/file.h"
#include "store/page_sums.h"
#include "store/store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite tells ENOSPC by itself; EDQUOT is an I/O error to it, and from a commit its system_errno is not set. */
static bool is_disk_full(const struct store *store, int last_errno)
{
    int known = sqlite3_system_errno(store->db);

    return scent_status_of_errno(known ? known : last_errno) == SCENT_E_FULL;
}

static scent_status status_of(const struct store *store, int rc, int last_errno)
{
    switch (rc & 0xFF) {
    case SQLITE_FULL:
        return SCENT_E_FULL;
    case SQLITE_NOMEM:
        return SCENT_E_NOMEM;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return SCENT_E_FORMAT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SCENT_E_LOCKED;
    case SQLITE_TOOBIG:
        return SCENT_E_LIMIT;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return SCENT_E_INVALID;
    case SQLITE_IOERR:
        return is_disk_full(store, last_errno) ? SCENT_E_FULL : SCENT_E_IO;
    default:
        return SCENT_E_IO;
    }
}

/* What a person can do about it; of a full disk the command tells. */
static const char *advice(scent_status status)
{
    return status == SCENT_E_FORMAT ? "; it is damaged: restore the directory from a copy" : "";
}

scent_status store_fail(const struct store *store, int rc, const char *doing, struct errmsg *err)
{
    scent_status status = status_of(store, rc, errno);
    /* "disk I/O error" is what SQLite makes of a full disk now and then. */
    const char *why = status == SCENT_E_FULL ? scent_status_text(status) : sqlite3_errmsg(store->db);

    return errmsg_fail(err, status, "cannot %s %s: %s%s", doing, store->path, why, advice(status));
}

scent_status store_statement(struct store *store, enum schema_statement which, sqlite3_stmt **out, struct errmsg *err)
{
    if (!store->statements[which]) {
        int rc = sqlite3_prepare_v3(store->db, schema_sql(which), -1, SQLITE_PREPARE_PERSISTENT,
                                    &store->statements[which], NULL);

        if (rc != SQLITE_OK)
            return store_fail(store, rc, "prepare a statement for", err);
    }
    *out = store->statements[which];
    return SCENT_OK;
}

static scent_status run_sql(struct store *store, const char *sql, const char *doing, struct errmsg *err)
{
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? SCENT_OK : store_fail(store, rc, doing, err);
}

static scent_status read_number(struct store *store, const char *sql, int64_t *out, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? SCENT_OK : store_fail(store, rc, "read", err);
}

/* Is it ours, and of a version that we read? *version 0: nothing is in it yet. */
static scent_status check_version(struct store *store, int64_t *version, struct errmsg *err)
{
    int64_t application = 0, tables = 0;

    SCENT_TRY(read_number(store, "PRAGMA application_id", &application, err));
    SCENT_TRY(read_number(store, "PRAGMA user_version", version, err));
    SCENT_TRY(read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err));
    if (application == 0 && *version == 0 && tables == 0)
        return SCENT_OK;
    if (application != SCHEMA_APPLICATION_ID)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is not a crawl database but one of another program: move it away",
                           store->path);
    if (*version < 1 || *version > STORE_VERSION)
        return errmsg_fail(err, SCENT_E_VERSION,
                           "%s has the schema version %lld, this scent reads up to %d: use a newer scent", store->path,
                           (long long)*version, STORE_VERSION);
    return SCENT_OK;
}

/* From version to version, all in one transaction: what a crash leaves is the old one or the new one. */
static scent_status migrate_schema(struct store *store, int64_t version, struct errmsg *err)
{
    static const char doing[] = "bring up to date";
    char versions[64];

    SCENT_TRY(run_sql(store, "BEGIN IMMEDIATE", doing, err));
    for (; version < STORE_VERSION; version++)
        SCENT_TRY(run_sql(store, schema_migrations[version], doing, err));
    snprintf(versions, sizeof versions, "PRAGMA user_version = %d; COMMIT", STORE_VERSION);
    return run_sql(store, versions, doing, err);
}

static scent_status create_schema(struct store *store, const char *dir, struct errmsg *err)
{
    char versions[128];

    snprintf(versions, sizeof versions, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
             SCHEMA_APPLICATION_ID, STORE_VERSION);
    if (page_sums_reserve(store->db) != SQLITE_OK)
        return store_fail(store, SQLITE_ERROR, "create", err);
    SCENT_TRY(run_sql(store, schema_before_create, "create", err));
    SCENT_TRY(run_sql(store, "BEGIN IMMEDIATE", "create", err));
    SCENT_TRY(run_sql(store, schema_create, "create", err));
    SCENT_TRY(run_sql(store, versions, "create", err));
    return file_sync_dir(dir, err);
}

static scent_status open_file(struct store *store, const char *name, int flags, struct errmsg *err)
{
    int rc = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                             page_sums_vfs());

    if (rc != SQLITE_OK && !store->db)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory to open %s", store->path);
    return rc == SQLITE_OK ? SCENT_OK : store_fail(store, rc, "open", err);
}

static scent_status must_exist(const struct store *store, const char *dir, struct errmsg *err)
{
    if (access(store->path, F_OK) == 0)
        return SCENT_OK;
    if (errno == ENOTDIR)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s is a file; expected a crawl directory, such as NAME.crawl", dir);
    if (errno == ENOENT)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "no crawl in %s: run 'scent crawl' first", dir);
    return SCENT_OK;
}

/* ---- one crawl at a time in a directory ----
 *
 * The lock is the kernel's (flock), so it goes with the process, however that ends; the file also holds the owner's
 * process id, for the message that another one gets. */

static scent_status say_locked(const char *dir, int fd, struct errmsg *err)
{
    char text[32] = "";
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    uint64_t pid;

    if (got > 0 && str_parse_u64(str_trim((struct str){text, (size_t)got}), &pid))
        return errmsg_fail(err, SCENT_E_LOCKED,
                           "another crawl is using %s (process %llu): "
                           "wait for it, stop it, or choose another directory",
                           dir, (unsigned long long)pid);
    return errmsg_fail(err, SCENT_E_LOCKED,
                       "another crawl is using %s: wait for it, stop it, or choose another directory", dir);
}

/* A missing process id only makes another's message poorer, so that failures are none. */
static void write_owner(int fd)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)len, 0) != len)
        return;
}

/* A reader can do without writing: the lock can be taken with a descriptor that only reads, and where there is no file
 * and nobody can make one, there is no crawl. */
static int open_lock(const char *path, bool reads)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd < 0 && reads && (errno == EROFS || errno == EACCES || errno == EPERM))
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return fd;
}

/* *fd is the lock; SCENT_E_LOCKED names the owner. */
static scent_status take_lock(const char *dir, bool reads, int *fd, struct errmsg *err)
{
    char path[PATH_MAX];
    scent_status status;
    int got, rc;

    if ((size_t)snprintf(path, sizeof path, "%s/lock", dir) >= sizeof path)
        return errmsg_fail(err, SCENT_E_LIMIT, "the name of the directory is too long: %s", dir);
    /* A link could lead to a file of somebody else's, and the process id would overwrite it. */
    got = open_lock(path, reads);
    if (got < 0 && reads && errno == ENOENT)
        return SCENT_OK;
    if (got < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "cannot write to %s: %s", path,
                           errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    do
        rc = flock(got, LOCK_EX | LOCK_NB);
    while (rc != 0 && errno == EINTR);
    if (rc == 0) {
        write_owner(got);
        *fd = got;
        return SCENT_OK;
    }
    status = errno == EWOULDBLOCK
                 ? say_locked(dir, got, err)
                 : errmsg_fail(err, scent_status_of_errno(errno), "cannot lock %s: %s", path, strerror(errno));
    close(got);
    return status;
}

/* ---- opening and closing ---- */

static scent_status open_to_write(struct store *store, const char *dir, struct errmsg *err)
{
    int64_t version = 0;

    SCENT_TRY(store->mode == STORE_CHANGE ? must_exist(store, dir, err) : file_make_dir(dir, err));
    SCENT_TRY(take_lock(dir, false, &store->lock, err));
    SCENT_TRY(open_file(store, store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
    SCENT_TRY(run_sql(store, schema_settings_write, "open", err));
    SCENT_TRY(check_version(store, &version, err));
    if (version == STORE_VERSION)
        return SCENT_OK;
    return version == 0 ? create_schema(store, dir, err) : migrate_schema(store, version, err);
}

char *store_immutable_name(const char *path)
{
    struct buf name;

    buf_init(&name, 0);
    buf_addz(&name, "file:");
    for (const char *p = path; *p; p++) {
        if (strchr("?#%", *p))
            buf_printf(&name, "%%%02X", (unsigned char)*p);
        else
            buf_addc(&name, *p);
    }
    buf_addz(&name, "?immutable=1");
    buf_addc(&name, '\0');
    if (name.failed)
        buf_release(&name);
    return name.p;
}

static bool has_wal(const struct store *store)
{
    char wal[4096];
    struct stat info;

    snprintf(wal, sizeof wal, "%s-wal", store->path);
    return stat(wal, &info) == 0 && info.st_size > 0;
}

static scent_status open_reader(struct store *store, const char *name, int flags, struct errmsg *err)
{
    int64_t version = 0;

    SCENT_TRY(open_file(store, name, SQLITE_OPEN_READONLY | flags, err));
    SCENT_TRY(run_sql(store, schema_settings_read, "open", err));
    /* For a check, which remembers more of the pages than memory should give. Before any view: a change drops them. */
    if (store->mode == STORE_READ_ALONE)
        SCENT_TRY(run_sql(store, "PRAGMA temp_store = FILE", "open", err));
    SCENT_TRY(check_version(store, &version, err));
    if (version == 0)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s is empty: run 'scent crawl' first", store->path);
    if (version < STORE_VERSION)
        SCENT_TRY(run_sql(store, schema_as_if_new[version], "read the old version of", err));
    return run_sql(store, "PRAGMA query_only = ON", "open", err);
}

static scent_status open_to_read(struct store *store, const char *dir, struct errmsg *err)
{
    scent_status status;
    char *name;

    SCENT_TRY(must_exist(store, dir, err));
    if (store->mode == STORE_READ_ALONE)
        SCENT_TRY(take_lock(dir, true, &store->lock, err));
    status = open_reader(store, store->path, 0, err);
    if (status != SCENT_E_IO || has_wal(store))
        return status;
    name = store_immutable_name(store->path);
    if (!name)
        return SCENT_E_NOMEM;
    sqlite3_close(store->db);
    store->db = NULL;
    status = open_reader(store, name, SQLITE_OPEN_URI, err);
    free(name);
    return status;
}

static struct store *new_store(const char *dir, enum store_mode mode)
{
    struct store *store = calloc(1, sizeof *store);
    struct buf path;

    SCENT_BUG_IF(!store);
    buf_init(&path, 0);
    buf_printf(&path, "%s/crawl.db", dir);
    buf_addc(&path, '\0');
    SCENT_BUG_IF(path.failed);
    store->path = path.p;
    store->lock = -1;
    store->mode = mode;
    return store;
}

scent_status store_open(const char *dir, enum store_mode mode, struct store **out, struct errmsg *err)
{
    struct store *store = new_store(dir, mode);
    scent_status status =
        mode >= STORE_CHANGE ? open_to_write(store, dir, err) : open_to_read(store, dir, err);

    if (status != SCENT_OK) {
        store_close(store);
        store = NULL;
    }
    *out = store;
    return status;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    for (int i = 0; i < SCHEMA_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    SCENT_BUG_IF(sqlite3_close(store->db) != SQLITE_OK);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store);
}

scent_status store_set_cache(struct store *store, size_t bytes, struct errmsg *err)
{
    char sql[64];

    snprintf(sql, sizeof sql, "PRAGMA cache_size = -%zu", bytes / 1024);
    return run_sql(store, sql, "open", err);
}

static scent_status step_once(struct store *store, enum schema_statement which, const char *doing, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    scent_status status;
    int rc;

    SCENT_TRY(store_statement(store, which, &statement, err));
    rc = sqlite3_step(statement);
    status = rc == SQLITE_DONE ? SCENT_OK : store_fail(store, rc, doing, err);
    sqlite3_reset(statement);
    return status;
}

scent_status store_begin(struct store *store, struct errmsg *err)
{
    SCENT_BUG_IF(store->mode < STORE_CHANGE || !sqlite3_get_autocommit(store->db));
    return step_once(store, SCHEMA_BEGIN, "begin to write to", err);
}

/* SQLite would go on to write into a file that has no name any more. */
static bool was_removed(struct store *store)
{
    int moved = 0;

    return sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

scent_status store_commit(struct store *store, struct errmsg *err)
{
    if (was_removed(store))
        return errmsg_fail(err, SCENT_E_IO, "%s was removed or replaced while the crawl was running", store->path);
    /* After some errors SQLite has rolled back by itself. */
    if (sqlite3_get_autocommit(store->db))
        return errmsg_fail(err, SCENT_E_IO, "cannot write to %s: the transaction has failed before", store->path);
    return step_once(store, SCHEMA_COMMIT, "write to", err);
}

void store_rollback(struct store *store)
{
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

const char *store_url_state_text(enum store_url_state state)
{
    static const char *const texts[] = {
        [STORE_SEEN] = "seen",
        [STORE_QUEUED] = "queued",
        [STORE_FETCHED] = "fetched",
        [STORE_REDIRECTED] = "redirected",
        [STORE_FAILED] = "failed",
        [STORE_DROPPED] = "dropped",
        [STORE_PURGED] = "purged",
    };

    SCENT_BUG_IF((unsigned)state >= sizeof texts / sizeof *texts);
    return texts[state];
}

bool store_parse_state(struct str text, enum store_url_state *state)
{
    for (int i = 0; i < STORE_URL_STATES; i++)
        if (str_eq(text, str_of(store_url_state_text((enum store_url_state)i)))) {
            *state = (enum store_url_state)i;
            return true;
        }
    return false;
}

const char *store_library(void)
{
    return sqlite3_libversion();
}
