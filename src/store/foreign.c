/* The copy of a database that another program may be writing to, and queries on it. */
#include "store/foreign.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIR_ROOM = 4096, PATH_ROOM = DIR_ROOM + 32, VALUE_MAX = 1 << 20, PIECE = 1 << 24 };
enum { TRIES = 5, PAUSE_US = 200 * 1000 };
enum { COPY_MAX = 1 << 30 };                 /* bytes of each part; histories of many years have a tenth */
enum { STEPS = 1 << 20, STEPS_MAX = 1 << 28, ROW_STEPS = 64 }; /* of SQLite's machine; whoever takes a row works too */

/* A database is up to three files. */
static const char *const parts[] = {"", "-wal", "-journal"};
enum { PARTS = sizeof parts / sizeof *parts };

struct foreign {
    sqlite3 *db;
    char *path; /* of the original, for messages */
    int64_t steps;
};

static scent_status fail(const struct foreign *foreign, int rc, struct errmsg *err)
{
    const char *why = foreign->db ? sqlite3_errmsg(foreign->db) : sqlite3_errstr(rc);

    switch (rc & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return errmsg_fail(err, SCENT_E_FORMAT,
                           "%s is damaged or not an SQLite database (%s); restore it from a copy, or let its program "
                           "repair it", foreign->path, why);
    case SQLITE_NOMEM:
        return errmsg_fail(err, SCENT_E_NOMEM, "there is no memory to read %s", foreign->path);
    case SQLITE_TOOBIG:
        return errmsg_fail(err, SCENT_E_LIMIT, "%s holds a value of more than %d bytes", foreign->path, VALUE_MAX);
    case SQLITE_INTERRUPT:
        return errmsg_fail(err, SCENT_E_LIMIT, "%s takes too long to search: it is too large, or lacks the indexes "
                           "that its program makes", foreign->path);
    default:
        return errmsg_fail(err, SCENT_E_IO, "cannot read %s: %s", foreign->path, why);
    }
}

/* ---- the copy ---- */

/* Changes when the file is written to. */
struct stamp {
    off_t size;
    struct timespec written;
};

static void take_stamps(const char *path, struct stamp stamps[PARTS])
{
    char name[PATH_ROOM];
    struct stat about;

    memset(stamps, 0, PARTS * sizeof *stamps);
    for (int i = 0; i < PARTS; i++) {
        snprintf(name, sizeof name, "%s%s", path, parts[i]);
        if (stat(name, &about) == 0) {
            stamps[i].size = about.st_size;
            stamps[i].written = about.st_mtim;
        }
    }
}

static scent_status fail_errno(const char *what, const char *path, struct errmsg *err)
{
    int code = errno;

    return errmsg_fail(err, scent_status_of_errno(code), "cannot %s %s: %s", what, path, strerror(code));
}

/* It may grow while it is copied. */
static scent_status copy_bytes(int from, const char *from_path, const char *to_path, struct errmsg *err)
{
    int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t got = to < 0 ? -1 : 1;

    for (size_t copied = 0; got > 0 && copied <= COPY_MAX; copied += (size_t)got)
        got = sendfile(to, from, NULL, PIECE);
    if (got < 0) {
        scent_status status = scent_status_of_errno(errno);

        errmsg_fail(err, status, "cannot copy %s to %s: %s; TMPDIR names another place", from_path, to_path,
                    strerror(errno));
        if (to >= 0)
            close(to);
        return status;
    }
    close(to);
    return SCENT_OK;
}

/* A part that is not there is no part of this database; the first one must be there. */
static scent_status copy_part(const char *path, const char *dir, int part, struct errmsg *err)
{
    char from_path[PATH_ROOM], to_path[PATH_ROOM];
    scent_status status;
    struct stat about;
    int from;

    snprintf(from_path, sizeof from_path, "%s%s", path, parts[part]);
    snprintf(to_path, sizeof to_path, "%s/copy%s", dir, parts[part]);
    if (unlink(to_path) != 0 && errno != ENOENT)
        return fail_errno("remove", to_path, err);
    from = open(from_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (from < 0)
        return errno == ENOENT && part ? SCENT_OK : fail_errno("open", from_path, err);
    if (fstat(from, &about) != 0 || !S_ISREG(about.st_mode))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s is not a file", from_path);
    else if (about.st_size > COPY_MAX)
        status = errmsg_fail(err, SCENT_E_LIMIT, "%s has more than %d MiB", from_path, COPY_MAX >> 20);
    else
        status = copy_bytes(from, from_path, to_path, err);
    close(from);
    return status;
}

/* The other program's locks do not keep us from reading, and ours would not keep it from writing: a copy is good when
 * nothing was written to while it was made. */
static scent_status copy_all(const char *path, const char *dir, struct errmsg *err)
{
    struct stamp before[PARTS], after[PARTS];

    for (int try = 0; try < TRIES; try++) {
        take_stamps(path, before);
        for (int i = 0; i < PARTS; i++) {
            scent_status status = copy_part(path, dir, i, err);

            if (status != SCENT_OK)
                return status;
        }
        take_stamps(path, after);
        if (memcmp(before, after, sizeof before) == 0)
            return SCENT_OK;
        usleep(PAUSE_US);
    }
    return errmsg_fail(err, SCENT_E_LOCKED, "%s is being written to all the time; close the program that uses it and "
                       "try again", path);
}

/* ---- opening ---- */

static int count_row(void *ctx, int n, char **values, char **names)
{
    (void)ctx, (void)n, (void)values, (void)names;
    return 0;
}

/* A made-up database can make a join as slow as it likes. */
static int count_steps(void *ctx)
{
    struct foreign *foreign = ctx;

    foreign->steps += STEPS;
    return foreign->steps > STEPS_MAX;
}

/* Reads once, so that every file of the copy is open. Recovery from a log or a journal needs to write. What is sorted
 * goes to a file without a name where it is large. */
static int open_copy(struct foreign *foreign, const char *name)
{
    int rc = sqlite3_open_v2(name, &foreign->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (rc != SQLITE_OK)
        return rc;
    sqlite3_db_config(foreign->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(foreign->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(foreign->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_limit(foreign->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    sqlite3_progress_handler(foreign->db, STEPS, count_steps, foreign);
    return sqlite3_exec(foreign->db, "pragma cell_size_check = on; pragma temp_store = file; pragma query_only = on;"
                                     "select count(*) from sqlite_schema", count_row, NULL, NULL);
}

static scent_status copy_and_open(struct foreign *foreign, const char *dir, struct errmsg *err)
{
    char name[PATH_ROOM];
    scent_status status = copy_all(foreign->path, dir, err);
    int rc;

    if (status != SCENT_OK)
        return status;
    snprintf(name, sizeof name, "%s/copy", dir);
    rc = open_copy(foreign, name);
    return rc == SQLITE_OK ? SCENT_OK : fail(foreign, rc, err);
}

scent_status foreign_open(const char *path, struct foreign **out, struct errmsg *err)
{
    const char *tmp = getenv("TMPDIR");
    struct foreign *foreign;
    char dir[DIR_ROOM];
    scent_status status, removed;

    *out = NULL;
    if (snprintf(dir, sizeof dir, "%s/scent-copy-XXXXXX", tmp && tmp[0] ? tmp : "/tmp") >= DIR_ROOM ||
        strlen(path) >= DIR_ROOM)
        return errmsg_fail(err, SCENT_E_INVALID, "the path is too long: %.200s…", path);
    if (!mkdtemp(dir)) /* with mode 0700 */
        return fail_errno("make a folder such as", dir, err);
    foreign = calloc(1, sizeof *foreign);
    SCENT_BUG_IF(!foreign);
    foreign->path = strdup(path);
    SCENT_BUG_IF(!foreign->path);
    status = copy_and_open(foreign, dir, err);
    removed = file_remove_tree(dir, status == SCENT_OK ? err : NULL);
    status = status == SCENT_OK ? removed : status;
    if (status == SCENT_OK)
        *out = foreign;
    else
        foreign_close(foreign);
    return status;
}

void foreign_close(struct foreign *foreign)
{
    if (!foreign)
        return;
    sqlite3_close_v2(foreign->db);
    free(foreign->path);
    free(foreign);
}

/* ---- reading ---- */

static sqlite3_stmt *statement_of(const struct foreign_row *row)
{
    return (sqlite3_stmt *)(uintptr_t)row;
}

struct str foreign_text(const struct foreign_row *row, int column)
{
    const void *text = sqlite3_column_text(statement_of(row), column);

    return (struct str){text, text ? (size_t)sqlite3_column_bytes(statement_of(row), column) : 0};
}

int64_t foreign_int(const struct foreign_row *row, int column)
{
    return sqlite3_column_int64(statement_of(row), column);
}

bool foreign_has(struct foreign *foreign, const char *table, const char *column)
{
    static const char sql[] = "select 1 from sqlite_schema s, pragma_table_info(s.name) c "
                              "where s.type = 'table' and s.name = ?1 and c.name = ?2";
    sqlite3_stmt *statement = NULL;
    bool has;

    if (sqlite3_prepare_v2(foreign->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
    has = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return has;
}

scent_status foreign_query(struct foreign *foreign, const char *sql, const char *parameter, foreign_take *take,
                           void *ctx, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    scent_status status = SCENT_OK;
    int rc = sqlite3_prepare_v2(foreign->db, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK && parameter)
        rc = sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC);
    if (rc != SQLITE_OK) {
        sqlite3_finalize(statement);
        return fail(foreign, rc, err);
    }
    for (; status == SCENT_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW; foreign->steps += ROW_STEPS)
        status = take(ctx, (const struct foreign_row *)statement, err);
    if (status == SCENT_OK && rc != SQLITE_DONE)
        status = fail(foreign, rc, err);
    sqlite3_finalize(statement);
    return status;
}
