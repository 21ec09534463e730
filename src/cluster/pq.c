#include "cluster/pq.h"

#include "url/url.h"

#include <dlfcn.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 1024 };

/* ---- libpq, as far as it is used ---- */

#define FUNCTIONS(X)                                                                                                   \
    X(PQconnectdbParams) X(PQfinish) X(PQstatus) X(PQerrorMessage) X(PQserverVersion) X(PQconninfoParse)               \
    X(PQconndefaults) X(PQconninfoFree) X(PQfreemem) X(PQexecParams) X(PQclear) X(PQresultStatus)                      \
    X(PQresultErrorField) X(PQntuples) X(PQgetvalue) X(PQgetlength) X(PQsetNoticeProcessor)

/* Filled in once, never changed afterwards. */
static struct library {
    const char *missing; /* NULL: all are there */
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load_library(void)
{
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        lib.missing = "libpq.so.5";
#define LOAD(name)                                                                                                     \
    if (!lib.missing && !(*(void **)(void *)&lib.name = dlsym(handle, #name)))                                         \
        lib.missing = #name;
    FUNCTIONS(LOAD)
#undef LOAD
}

scent_status pq_available(struct errmsg *err)
{
    pthread_once(&loaded, load_library);
    if (!lib.missing)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_UNSUPPORTED,
                       "a crawl with other machines needs libpq, and %s is missing; install it (Debian: libpq5)",
                       lib.missing);
}

/* What libpq says ends in a line break, and may have several lines. */
static scent_status fail_with(const char *said, scent_status status, const char *doing, struct errmsg *err)
{
    char text[700];
    size_t len = strlen(said);

    len = len < sizeof text - 1 ? len : sizeof text - 1;
    memcpy(text, said, len);
    while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
        len--;
    text[len] = 0;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    return errmsg_fail(err, status, "%s: %s", doing, text);
}

/* ---- what a person wrote ---- */

static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0)
            return options->val && *options->val ? options->val : NULL;
    return NULL;
}

/* An address of this machine, or a folder with a socket. */
static bool is_here(struct str host)
{
    char bracketed[64];
    int len;

    if (host.len == 0 || host.p[0] == '/' || host.p[0] == '@')
        return true;
    if (str_find(host, ':') < host.len && host.len < sizeof bracketed - 2) {
        len = snprintf(bracketed, sizeof bracketed, "[%.*s]", STR_ARG(host));
        host = (struct str){bracketed, (size_t)len};
    }
    return url_host_is_loopback(host);
}

static bool all_here(const char *list)
{
    struct str rest = str_of(list);

    for (;;) {
        size_t end = str_find(rest, ',');

        if (!is_here(str_sub(rest, 0, end)))
            return false;
        if (end == rest.len)
            return true;
        rest = str_sub(rest, end + 1, rest.len);
    }
}

/* *verify: no server is here, or nobody knows. A service file may name any host. */
static scent_status check_options(const PQconninfoOption *given, const PQconninfoOption *usual, const char *what,
                                  bool *verify, struct errmsg *err)
{
    const char *host = value_of(given, "host"), *address = value_of(given, "hostaddr");
    const char *mode = value_of(given, "sslmode");

    if (value_of(given, "password") || value_of(given, "sslpassword"))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s: a password does not belong there, where others can read it; write it into ~/.pgpass "
                           "(libpq's own file), or use a client certificate", what);
    host = host ? host : value_of(usual, "host");
    address = address ? address : value_of(usual, "hostaddr");
    *verify = value_of(given, "service") || value_of(usual, "service") ||
              !all_here(address ? address : host ? host : "");
    if (*verify && mode && strcmp(mode, "verify-full") != 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s: sslmode=%s does not prove who answers; write sslmode=verify-full, or remove it (it is "
                           "the default for servers on other machines)", what, mode);
    return SCENT_OK;
}

static scent_status read_options(const char *uri, const char *what, bool *verify, struct errmsg *err)
{
    char *said = NULL;
    PQconninfoOption *given, *usual;
    scent_status status;

    SCENT_TRY(pq_available(err));
    given = lib.PQconninfoParse(uri, &said);
    if (!given) {
        status = fail_with(said ? said : "out of memory", SCENT_E_INVALID, what, err);
        lib.PQfreemem(said);
        return status;
    }
    usual = lib.PQconndefaults();
    status = check_options(given, usual, what, verify, err);
    lib.PQconninfoFree(usual);
    lib.PQconninfoFree(given);
    return status;
}

scent_status pq_check(const char *uri, const char *what, struct errmsg *err)
{
    bool verify;

    if (!str_starts_nocase(str_of(uri), STR("postgresql://")) && !str_starts_nocase(str_of(uri), STR("postgres://")))
        return errmsg_fail(err, SCENT_E_INVALID, "%s: expected a URI such as postgresql://scent@db.example.org/crawls",
                           what);
    return read_options(uri, what, &verify, err);
}

/* ---- connections ---- */

struct pq {
    PGconn *conn;
};

/* What goes wrong is told by who asked; libpq would print the rest on standard error. */
static void ignore_notice(void *ctx, const char *said)
{
    (void)ctx;
    (void)said;
}

scent_status pq_open(const char *uri, struct pq **out, struct errmsg *err)
{
    /* What comes later replaces what came before: ours before the URI can be changed by it. A server whose machine is
     * gone is noticed within a minute. */
    const char *keywords[] = {"connect_timeout", "tcp_user_timeout", "keepalives_idle", "application_name", "dbname",
                              "client_encoding", "sslmode", NULL};
    const char *values[] = {"10", "30000", "20", "scent", uri, "UTF8", NULL, NULL};
    bool verify;
    PGconn *conn;
    scent_status status;

    *out = NULL;
    SCENT_TRY(read_options(uri, "the server's URI", &verify, err));
    if (verify)
        values[6] = "verify-full";
    conn = lib.PQconnectdbParams(keywords, values, 1);
    if (conn && lib.PQstatus(conn) == CONNECTION_OK) {
        lib.PQsetNoticeProcessor(conn, ignore_notice, NULL);
        *out = calloc(1, sizeof **out);
        SCENT_BUG_IF(!*out);
        (*out)->conn = conn;
        return SCENT_OK;
    }
    status = fail_with(conn ? lib.PQerrorMessage(conn) : "out of memory", SCENT_E_IO, "cannot reach the server", err);
    lib.PQfinish(conn);
    return status;
}

void pq_close(struct pq *pq)
{
    if (!pq)
        return;
    lib.PQfinish(pq->conn);
    free(pq);
}

int pq_server_version(const struct pq *pq)
{
    return lib.PQserverVersion(pq->conn);
}

/* ---- statements ---- */

/* Codes after which the same may be tried again: the connection, the server's end, deadlocks, time. */
static bool may_try_again(const char *code)
{
    static const char *const codes[] = {"08", "57P", "57014", "40", "53", "55P03", "25P0"};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code && strncmp(code, codes[i], strlen(codes[i])) == 0)
            return true;
    return !code;
}

scent_status pq_run(struct pq *pq, const char *sql, const struct pq_value *values, int count, struct pq_rows **out,
                    struct errmsg *err)
{
    const char *texts[MAX_VALUES];
    int lengths[MAX_VALUES], formats[MAX_VALUES];
    scent_status status = SCENT_OK;
    PGresult *result;
    ExecStatusType how;

    SCENT_BUG_IF(count > MAX_VALUES);
    for (int i = 0; i < count; i++) {
        texts[i] = values[i].p;
        lengths[i] = (int)values[i].len;
        formats[i] = values[i].is_bytes;
    }
    if (out)
        *out = NULL;
    result = lib.PQexecParams(pq->conn, sql, count, NULL, texts, lengths, formats, 1);
    how = result ? lib.PQresultStatus(result) : PGRES_FATAL_ERROR;
    if (how != PGRES_TUPLES_OK && how != PGRES_COMMAND_OK) {
        const char *code = result ? lib.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
        bool again = lib.PQstatus(pq->conn) != CONNECTION_OK || may_try_again(code);

        status = fail_with(lib.PQerrorMessage(pq->conn), again ? SCENT_E_IO : SCENT_E_INVALID, "the server says", err);
    }
    if (status == SCENT_OK && out)
        *out = (struct pq_rows *)result;
    else
        lib.PQclear(result);
    return status;
}

/* ---- rows: a PGresult ---- */

static const PGresult *result_of(const struct pq_rows *rows)
{
    return (const PGresult *)rows;
}

void pq_rows_free(struct pq_rows *rows)
{
    if (rows)
        lib.PQclear((PGresult *)rows);
}

int pq_count(const struct pq_rows *rows)
{
    return lib.PQntuples(result_of(rows));
}

struct str pq_str(const struct pq_rows *rows, int row, int column)
{
    return (struct str){lib.PQgetvalue(result_of(rows), row, column),
                        (size_t)lib.PQgetlength(result_of(rows), row, column)};
}

uint64_t pq_u64(const struct pq_rows *rows, int row, int column)
{
    struct str bytes = pq_str(rows, row, column);
    uint64_t value = 0;

    if (bytes.len > 8)
        return 0;
    /* The sign of a smaller number is carried on. */
    if (bytes.len > 1 && bytes.len < 8 && (unsigned char)bytes.p[0] & 0x80)
        value = UINT64_MAX;
    for (size_t i = 0; i < bytes.len; i++)
        value = value << 8 | (unsigned char)bytes.p[i];
    return value;
}
