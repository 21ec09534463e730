#include "store/fulltext.h"

#include "base/clock.h"
#include "store/page_sums.h"
#include "store/store_parts.h"
#include "text/search_terms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x53434E46, VERSION = 1 }; /* "SCNF"; the version changes with the terms, too */
enum { PATH_ROOM = 4096 + 300, BUSY_MS = 10000, STEPS = 4096, MERGE_PAGES = 512, LANG_MAX = 8 };

#define WORDS_SQL                                                                                                      \
    "CREATE VIRTUAL TABLE words USING fts5(title, url, content, content='', tokenize='search_terms')"
#define VALUE_SQL "CREATE TABLE value(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID"

enum statement { BEGIN, COMMIT, ADD, SET, GET, RAISE, EACH_LANG, FIND, MERGE, STATEMENTS };
static const char *const statements[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ADD] = "INSERT INTO words(rowid, title, url, content) VALUES(?, ?, ?, ?)",
    [SET] = "INSERT OR REPLACE INTO value VALUES(?, ?)",
    [GET] = "SELECT value FROM value WHERE name = ?",
    [RAISE] = "INSERT INTO value VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = value + excluded.value",
    [EACH_LANG] = "SELECT substr(name, 6), value FROM value WHERE name GLOB 'lang *' ORDER BY value DESC LIMIT 16",
    [FIND] = "SELECT look_at(words) FROM words WHERE words MATCH ?",
    [MERGE] = "INSERT INTO words(words, rank) VALUES('merge', ?)",
};

/* Snowball takes a microsecond a word, which was two thirds of the time of an update. */
enum { STEMS = 1 << 14 };
struct stem {
    uint64_t word; /* the hash of word and language; 0: none yet */
    uint8_t len;   /* 0: the stem is the word */
    char text[TEXT_WORD_MAX];
};

struct fulltext {
    sqlite3 *db;
    char *path; /* "" for a temporary one */
    sqlite3_stmt *statements[STATEMENTS];
    struct text_stemmer *stemmer;
    struct stem *stems; /* by hash; the last word of a place stays */
    char lang[LANG_MAX]; /* of the page that is being added */
    /* Of the search under way. */
    fulltext_row_fn *fn;
    void *ctx;
    bool ended, cut;
    int64_t deadline;
};

struct fulltext_row {
    const Fts5ExtensionApi *api;
    Fts5Context *context;
};

/* ---- failures ---- */

static scent_status fail(const struct fulltext *fulltext, int rc, struct errmsg *err)
{
    const char *why = fulltext->db ? sqlite3_errmsg(fulltext->db) : sqlite3_errstr(rc);
    scent_status status = SCENT_E_IO;

    switch (rc & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* its schema is not ours */
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
        status = SCENT_E_FORMAT;
        break;
    case SQLITE_NOMEM:
        status = SCENT_E_NOMEM;
        break;
    case SQLITE_FULL:
        status = SCENT_E_FULL;
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        status = SCENT_E_LOCKED;
        break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        status = SCENT_E_UNSUPPORTED;
        break;
    default:
        break;
    }
    return errmsg_fail(err, status, "%s: %s", fulltext->path[0] ? fulltext->path : "the temporary index", why);
}

static scent_status run_sql(struct fulltext *fulltext, const char *sql, struct errmsg *err)
{
    int rc = sqlite3_exec(fulltext->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? SCENT_OK : fail(fulltext, rc, err);
}

static scent_status get_statement(struct fulltext *fulltext, enum statement which, sqlite3_stmt **out,
                                  struct errmsg *err)
{
    if (!fulltext->statements[which]) {
        int rc = sqlite3_prepare_v3(fulltext->db, statements[which], -1, SQLITE_PREPARE_PERSISTENT,
                                    &fulltext->statements[which], NULL);

        if (rc != SQLITE_OK)
            return fail(fulltext, rc, err);
    }
    *out = fulltext->statements[which];
    return SCENT_OK;
}

/* Steps to its end; a row is more than it should give. */
static scent_status finish_statement(struct fulltext *fulltext, sqlite3_stmt *statement, struct errmsg *err)
{
    int rc = sqlite3_step(statement);
    scent_status status = rc == SQLITE_DONE || rc == SQLITE_ROW ? SCENT_OK : fail(fulltext, rc, err);

    sqlite3_reset(statement);
    return status;
}

static scent_status run_statement(struct fulltext *fulltext, enum statement which, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;

    SCENT_TRY(get_statement(fulltext, which, &statement, err));
    return finish_statement(fulltext, statement, err);
}

/* Was a page read whose checksum is wrong? FTS5 takes most of what it reads as it is. */
static scent_status check_sums(struct fulltext *fulltext, struct errmsg *err)
{
    struct page_sums_report report;

    if (!fulltext->path[0])
        return SCENT_OK;
    page_sums_ask(fulltext->db, &report);
    return report.wrong ? errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged: a checksum is wrong", fulltext->path)
                        : SCENT_OK;
}

/* ---- the tokenizer ---- */

static int create_tokenizer(void *ctx, const char **arguments, int count, Fts5Tokenizer **out)
{
    (void)arguments;
    (void)count;
    *out = ctx;
    return SQLITE_OK;
}

static void delete_tokenizer(Fts5Tokenizer *tokenizer)
{
    (void)tokenizer;
}

typedef int take_token(void *ctx, int flags, const char *token, int len, int start, int end);

/* A phrase of an expression is made of terms already. */
static int split_phrase(struct str phrase, void *ctx, take_token *take)
{
    int rc = SQLITE_OK;
    struct str term;

    while (rc == SQLITE_OK && str_split(&phrase, ' ', &term))
        if (term.len)
            rc = take(ctx, 0, term.p, (int)term.len, 0, 0);
    return rc;
}

/* The stem of the term without accents; empty where it is the same. */
static struct str stem_of(struct fulltext *fulltext, const struct search_term *term)
{
    struct str word = {term->word, term->word_len}, lang = str_of(fulltext->lang);
    uint64_t hash = hash_str(word, hash_str(lang, TEXT_HASH_SEED));
    struct stem *stem = &fulltext->stems[hash % STEMS];

    if (stem->word != hash || !hash) {
        stem->word = hash;
        stem->len = (uint8_t)search_terms_plain(text_stem(fulltext->stemmer, lang, word), stem->text);
        if (str_eq((struct str){stem->text, stem->len}, (struct str){term->text, term->len}))
            stem->len = 0;
    }
    return (struct str){stem->text, stem->len};
}

static int tokenize(Fts5Tokenizer *tokenizer, void *ctx, int flags, const char *text, int len, take_token *take)
{
    struct fulltext *fulltext = (struct fulltext *)tokenizer;
    struct str lang = str_of(fulltext->lang), s = {text, len > 0 ? (size_t)len : 0};
    struct search_terms terms;
    struct search_term term;
    int rc = SQLITE_OK;

    if (flags & FTS5_TOKENIZE_QUERY)
        return split_phrase(s, ctx, take);
    search_terms_init(&terms, s);
    while (rc == SQLITE_OK && search_terms_next(&terms, &term)) {
        rc = take(ctx, 0, term.text, (int)term.len, (int)term.start, (int)term.end);
        if (rc == SQLITE_OK && lang.len && term.word_len) {
            struct str stem = stem_of(fulltext, &term);

            if (stem.len)
                rc = take(ctx, FTS5_TOKEN_COLOCATED, stem.p, (int)stem.len, (int)term.start, (int)term.end);
        }
    }
    return rc;
}

static void look_at(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count,
                    sqlite3_value **values)
{
    struct fulltext *fulltext = api->xUserData(context);
    struct fulltext_row row = {api, context};

    (void)count;
    (void)values;
    if (fulltext->fn && !fulltext->ended)
        fulltext->ended = !fulltext->fn(fulltext->ctx, &row);
    sqlite3_result_int(result, 0);
}

/* FTS5 gives its functions through a pointer that a statement returns. */
static int extend(struct fulltext *fulltext)
{
    fts5_tokenizer tokenizer = {create_tokenizer, delete_tokenizer, tokenize};
    sqlite3_stmt *statement = NULL;
    fts5_api *api = NULL;
    int rc = sqlite3_prepare_v2(fulltext->db, "SELECT fts5(?1)", -1, &statement, NULL);

    if (rc == SQLITE_OK) {
        sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", NULL);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    if (!api)
        return rc == SQLITE_OK ? SQLITE_ERROR : rc;
    rc = api->xCreateTokenizer(api, "search_terms", fulltext, &tokenizer, NULL);
    return rc == SQLITE_OK ? api->xCreateFunction(api, "look_at", fulltext, look_at, NULL) : rc;
}

/* ---- opening ---- */

static int on_progress(void *ctx)
{
    struct fulltext *fulltext = ctx;

    if (!fulltext->deadline || clock_mono(&clock_system) < fulltext->deadline)
        return 0;
    fulltext->cut = true;
    return 1;
}

static scent_status get_number(struct fulltext *fulltext, const char *sql, int64_t *out, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(fulltext->db, sql, -1, &statement, NULL);

    *out = 0;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SCENT_OK : fail(fulltext, rc, err);
}

static scent_status get_value(struct fulltext *fulltext, const char *name, int64_t *out, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    int rc;

    SCENT_TRY(get_statement(fulltext, GET, &statement, err));
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    rc = sqlite3_step(statement);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SCENT_OK : fail(fulltext, rc, err);
}

static scent_status set_value(struct fulltext *fulltext, enum statement how, const char *name, int64_t value,
                              struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;

    SCENT_TRY(get_statement(fulltext, how, &statement, err));
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, value);
    return finish_statement(fulltext, statement, err);
}

/* Exactly our tables, and those that FTS5 makes for one of ours: no view and no trigger of somebody else. */
static scent_status check_schema(struct fulltext *fulltext, struct errmsg *err)
{
    int64_t strange = 1, ours = 0;

    SCENT_TRY(get_number(fulltext,
                         "SELECT count(*) FROM sqlite_schema WHERE type <> 'table' OR name NOT IN"
                         " ('value', 'words', 'words_data', 'words_idx', 'words_docsize', 'words_config')",
                         &strange, err));
    SCENT_TRY(get_number(fulltext,
                         "SELECT count(*) FROM sqlite_schema WHERE sql = '" VALUE_SQL "' OR sql ="
                         " replace('" "CREATE VIRTUAL TABLE words USING fts5(title, url, content, content=$$,"
                         " tokenize=$search_terms$)" "', '$', '''')",
                         &ours, err));
    return strange == 0 && ours == 2 ? SCENT_OK
                                     : errmsg_fail(err, SCENT_E_FORMAT, "%s: its tables are not ours", fulltext->path);
}

/* Another process may be doing the same: who comes second finds what the first has made. */
static scent_status create_schema(struct fulltext *fulltext, uint64_t key, struct errmsg *err)
{
    char versions[128];
    int64_t tables = 0;

    snprintf(versions, sizeof versions, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
             VERSION);
    if (fulltext->path[0]) {
        if (page_sums_reserve(fulltext->db) != SQLITE_OK)
            return fail(fulltext, SQLITE_IOERR, err);
        SCENT_TRY(run_sql(fulltext, "PRAGMA journal_mode = WAL", err));
    }
    SCENT_TRY(run_sql(fulltext, "BEGIN IMMEDIATE", err));
    SCENT_TRY(get_number(fulltext, "SELECT count(*) FROM sqlite_schema", &tables, err));
    if (tables)
        return run_sql(fulltext, "ROLLBACK", err);
    SCENT_TRY(run_sql(fulltext, VALUE_SQL "; " WORDS_SQL, err));
    SCENT_TRY(run_sql(fulltext, "INSERT INTO words(words, rank) VALUES('hashsize', 8388608)", err));
    SCENT_TRY(set_value(fulltext, SET, "key", (int64_t)key, err));
    SCENT_TRY(run_sql(fulltext, versions, err));
    return run_sql(fulltext, "COMMIT", err);
}

static scent_status check_index(struct fulltext *fulltext, enum fulltext_mode mode, uint64_t key, struct errmsg *err)
{
    int64_t application = 0, version = 0, tables = 0, found = 0;

    SCENT_TRY(get_number(fulltext, "PRAGMA application_id", &application, err));
    SCENT_TRY(get_number(fulltext, "PRAGMA user_version", &version, err));
    SCENT_TRY(get_number(fulltext, "SELECT count(*) FROM sqlite_schema", &tables, err));
    if (application == 0 && version == 0 && tables == 0 && mode != FULLTEXT_READ) {
        SCENT_TRY(create_schema(fulltext, key, err));
        SCENT_TRY(get_number(fulltext, "PRAGMA application_id", &application, err));
        SCENT_TRY(get_number(fulltext, "PRAGMA user_version", &version, err));
    }
    if (application != APPLICATION_ID || version != VERSION)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is of another program or version", fulltext->path);
    SCENT_TRY(check_schema(fulltext, err));
    SCENT_TRY(get_value(fulltext, "key", &found, err));
    return found == (int64_t)key
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_FORMAT, "%s belongs to another crawl", fulltext->path);
}

/* synchronous=NORMAL: after a power failure the last pages may be missing, and are added again. */
static scent_status open_db(struct fulltext *fulltext, enum fulltext_mode mode, uint64_t key, struct errmsg *err)
{
    static const char settings[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
                                   "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768;"
                                   "PRAGMA journal_size_limit = 16777216; PRAGMA temp_store = MEMORY;"
                                   "PRAGMA secure_delete = OFF;";
    int flags = mode == FULLTEXT_READ ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                      : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    struct stat info;
    char *name = NULL;
    int rc;

    /* Through a link we would write to a file of somebody else's. */
    if (fulltext->path[0] && lstat(fulltext->path, &info) == 0 && !S_ISREG(info.st_mode))
        return errmsg_fail(err, SCENT_E_INVALID, "%s is not a file: remove it", fulltext->path);
    if (mode == FULLTEXT_READ) {
        name = store_immutable_name(fulltext->path);
        if (!name)
            return SCENT_E_NOMEM;
    }
    rc = sqlite3_open_v2(name ? name : fulltext->path, &fulltext->db,
                         flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, page_sums_vfs());
    free(name);
    if (rc != SQLITE_OK)
        return fail(fulltext, rc, err);
    sqlite3_busy_timeout(fulltext->db, BUSY_MS);
    sqlite3_db_config(fulltext->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_progress_handler(fulltext->db, STEPS, on_progress, fulltext);
    SCENT_TRY(run_sql(fulltext, settings, err));
    rc = extend(fulltext);
    return rc == SQLITE_OK ? check_index(fulltext, mode, key, err) : fail(fulltext, rc, err);
}

scent_status fulltext_open(const char *path, enum fulltext_mode mode, uint64_t key, struct fulltext **out,
                           struct errmsg *err)
{
    struct fulltext *fulltext = calloc(1, sizeof *fulltext);
    scent_status status;

    SCENT_BUG_IF(!fulltext);
    fulltext->path = str_dup(str_of(mode == FULLTEXT_TEMPORARY ? "" : path));
    fulltext->stemmer = text_stemmer_new();
    fulltext->stems = calloc(STEMS, sizeof *fulltext->stems);
    SCENT_BUG_IF(!fulltext->path || !fulltext->stems);
    status = open_db(fulltext, mode, key, err);
    if (status != SCENT_OK) {
        fulltext_close(fulltext);
        fulltext = NULL;
    }
    *out = fulltext;
    return status;
}

void fulltext_close(struct fulltext *fulltext)
{
    if (!fulltext)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(fulltext->statements[i]);
    SCENT_BUG_IF(sqlite3_close(fulltext->db) != SQLITE_OK);
    text_stemmer_free(fulltext->stemmer);
    free(fulltext->stems);
    free(fulltext->path);
    free(fulltext);
}

scent_status fulltext_is_here(struct fulltext *fulltext, struct errmsg *err)
{
    int moved = 0;

    if (fulltext->path[0] && sqlite3_file_control(fulltext->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
        moved)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s was removed", fulltext->path);
    return SCENT_OK;
}

scent_status fulltext_remove(const char *path, struct errmsg *err)
{
    static const char *const parts[] = {"", "-wal", "-shm", "-journal"};
    char name[PATH_ROOM];

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "%s%s", path, parts[i]);
        if (unlink(name) != 0 && errno != ENOENT)
            return errmsg_fail(err, scent_status_of_errno(errno), "cannot remove %s: %s", name, strerror(errno));
    }
    return SCENT_OK;
}

/* ---- adding ---- */

scent_status fulltext_begin(struct fulltext *fulltext, struct errmsg *err)
{
    return run_statement(fulltext, BEGIN, err);
}

scent_status fulltext_commit(struct fulltext *fulltext, struct errmsg *err)
{
    SCENT_TRY(check_sums(fulltext, err));
    return run_statement(fulltext, COMMIT, err);
}

void fulltext_rollback(struct fulltext *fulltext)
{
    if (!sqlite3_get_autocommit(fulltext->db))
        sqlite3_exec(fulltext->db, "ROLLBACK", NULL, NULL, NULL);
}

static void bind_text(sqlite3_stmt *statement, int column, struct str text)
{
    sqlite3_bind_text(statement, column, text.p ? text.p : "", (int)text.len, SQLITE_STATIC);
}

scent_status fulltext_add(struct fulltext *fulltext, const struct fulltext_page *page, struct errmsg *err)
{
    bool stems = page->lang.len < LANG_MAX && text_has_stemmer(page->lang);
    sqlite3_stmt *statement = NULL;
    char counter[16];

    snprintf(fulltext->lang, sizeof fulltext->lang, "%.*s", stems ? (int)page->lang.len : 0, page->lang.p);
    SCENT_TRY(get_statement(fulltext, ADD, &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)page->number);
    bind_text(statement, 2, page->title);
    bind_text(statement, 3, page->url);
    bind_text(statement, 4, page->content);
    SCENT_TRY(finish_statement(fulltext, statement, err));
    SCENT_TRY(set_value(fulltext, RAISE, "pages", 1, err));
    if (!stems)
        return SCENT_OK;
    snprintf(counter, sizeof counter, "lang %s", fulltext->lang);
    return set_value(fulltext, RAISE, counter, 1, err);
}

scent_status fulltext_set_last(struct fulltext *fulltext, uint64_t number, int64_t wall, struct errmsg *err)
{
    SCENT_TRY(set_value(fulltext, SET, "last", (int64_t)number, err));
    return set_value(fulltext, SET, "last_wall", wall, err);
}

scent_status fulltext_merge(struct fulltext *fulltext, bool *more, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    int before = sqlite3_total_changes(fulltext->db);

    SCENT_TRY(get_statement(fulltext, MERGE, &statement, err));
    sqlite3_bind_int(statement, 1, MERGE_PAGES);
    SCENT_TRY(finish_statement(fulltext, statement, err));
    *more = sqlite3_total_changes(fulltext->db) - before >= 2; /* as FTS5's documentation has it */
    return SCENT_OK;
}

/* ---- searching ---- */

uint64_t fulltext_row_number(const struct fulltext_row *row)
{
    return (uint64_t)row->api->xRowid(row->context);
}

void fulltext_row_counts(const struct fulltext_row *row, int phrase, uint32_t counts[FULLTEXT_COLUMNS])
{
    Fts5PhraseIter iterator;
    int column = -1, offset = 0;

    memset(counts, 0, FULLTEXT_COLUMNS * sizeof *counts);
    if (row->api->xPhraseFirst(row->context, phrase, &iterator, &column, &offset) != SQLITE_OK)
        return;
    for (; column >= 0; row->api->xPhraseNext(row->context, &iterator, &column, &offset))
        if (column < FULLTEXT_COLUMNS)
            counts[column]++;
}

void fulltext_row_sizes(const struct fulltext_row *row, uint32_t sizes[FULLTEXT_COLUMNS])
{
    for (int i = 0; i < FULLTEXT_COLUMNS; i++) {
        int size = 0;

        sizes[i] = row->api->xColumnSize(row->context, i, &size) == SQLITE_OK && size > 0 ? (uint32_t)size : 0;
    }
}

void fulltext_row_averages(const struct fulltext_row *row, double sizes[FULLTEXT_COLUMNS])
{
    sqlite3_int64 rows = 0, total;

    if (row->api->xRowCount(row->context, &rows) != SQLITE_OK || rows < 1)
        rows = 1;
    for (int i = 0; i < FULLTEXT_COLUMNS; i++) {
        total = 0;
        if (row->api->xColumnTotalSize(row->context, i, &total) != SQLITE_OK || total < 0)
            total = 0;
        sizes[i] = (double)total / (double)rows;
    }
}

scent_status fulltext_find(struct fulltext *fulltext, const char *expression, int64_t deadline, fulltext_row_fn *fn,
                           void *ctx, bool *cut, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    scent_status status = SCENT_OK;
    int rc = SQLITE_ROW;

    SCENT_TRY(get_statement(fulltext, FIND, &statement, err));
    fulltext->fn = fn;
    fulltext->ctx = ctx;
    fulltext->deadline = deadline;
    fulltext->ended = fulltext->cut = false;
    sqlite3_bind_text(statement, 1, expression, -1, SQLITE_STATIC);
    while (rc == SQLITE_ROW && !fulltext->ended)
        rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE && !fulltext->cut)
        status = fail(fulltext, rc, err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    fulltext->fn = NULL;
    fulltext->deadline = 0;
    *cut = fulltext->cut;
    return status == SCENT_OK ? check_sums(fulltext, err) : status;
}

scent_status fulltext_each_lang(struct fulltext *fulltext, void (*fn)(void *ctx, struct str lang, uint64_t pages),
                                void *ctx, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    int rc;

    SCENT_TRY(get_statement(fulltext, EACH_LANG, &statement, err));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *lang = (const char *)sqlite3_column_text(statement, 0);

        fn(ctx, (struct str){lang, lang ? (size_t)sqlite3_column_bytes(statement, 0) : 0},
           (uint64_t)sqlite3_column_int64(statement, 1));
    }
    sqlite3_reset(statement);
    return rc == SQLITE_DONE ? SCENT_OK : fail(fulltext, rc, err);
}

scent_status fulltext_get_state(struct fulltext *fulltext, struct fulltext_state *out, struct errmsg *err)
{
    int64_t last = 0, pages = 0;

    SCENT_TRY(get_value(fulltext, "last", &last, err));
    SCENT_TRY(get_value(fulltext, "pages", &pages, err));
    *out = (struct fulltext_state){.last = (uint64_t)last, .pages = (uint64_t)pages};
    return get_value(fulltext, "last_wall", &out->last_wall, err);
}
