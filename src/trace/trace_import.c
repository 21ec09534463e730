/* Accesses become a trace: those of logs (every line is an access of a person, or is left out for one reason and
 * counted), or some of those of other traces.
 *
 * Accesses come in any order, under the names that logs give. At the end those of programs are dropped, users get their
 * pseudonyms, names are sorted and numbered anew, and the accesses after them. Memory: 24 bytes an access while they
 * come and as much again while they are sorted, and two tables of names. */
#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "http/http.h"
#include "trace/logline.h"
#include "trace/trace_parts.h"
#include "url/url.h"
#include "warc/warc.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- building: accesses as they come, then a trace of them ---- */

void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN])
{
    unsigned char digest[DIGEST_KEYED];

    digest_keyed(key, name, digest);
    escape_hex(digest, PSEUDONYM_LEN / 2, out);
}

#define NOBODY UINT32_MAX

struct trace_builder {
    const struct trace_options *options;
    struct names users, pages; /* as they came; users under the names that the logs give them */
    bool *bots;                /* of users, by number */
    size_t nbots, bots_room;
    struct trace_access *accesses;
    uint32_t count;
    size_t room;
    struct trace_counts counts;
};

static void trace_builder_init(struct trace_builder *builder, const struct trace_options *options)
{
    uint64_t seed = rng_entropy();

    *builder = (struct trace_builder){.options = options};
    names_init(&builder->users, seed);
    names_init(&builder->pages, seed);
}

static void trace_builder_release(struct trace_builder *builder)
{
    names_release(&builder->users);
    names_release(&builder->pages);
    free(builder->bots);
    free(builder->accesses);
}

/* The user's number; bots[] covers it. */
static scent_status add_user(struct trace_builder *builder, struct str name, uint32_t *out)
{
    SCENT_TRY(names_add(&builder->users, name, out));
    if (*out < builder->nbots)
        return SCENT_OK;
    if (!vec_reserve(&builder->bots, &builder->bots_room, *out + (size_t)1, sizeof *builder->bots))
        return SCENT_E_NOMEM;
    while (builder->nbots <= *out)
        builder->bots[builder->nbots++] = false;
    return SCENT_OK;
}

/* What it will take at its peak: accesses and an array beside them while they are sorted, names and sorted ones. */
static size_t trace_builder_memory(const struct trace_builder *builder)
{
    return builder->count * (2 * sizeof *builder->accesses + sizeof(uint32_t)) + builder->users.count * PSEUDONYM_LEN +
           2 * (names_memory(&builder->users) + names_memory(&builder->pages));
}

/* None of the accesses of `user` will be taken. SCENT_E_LIMIT: as trace_builder_add(). */
static scent_status trace_builder_bot(struct trace_builder *builder, struct str user)
{
    uint32_t number;

    if (trace_builder_memory(builder) >= builder->options->memory)
        return SCENT_E_LIMIT;
    SCENT_TRY(add_user(builder, user, &number));
    builder->bots[number] = true;
    return SCENT_OK;
}

/* SCENT_E_LIMIT: no memory is allowed for it; nothing changes. */
static scent_status trace_builder_add(struct trace_builder *builder, int64_t time, struct str user, struct str href)
{
    struct trace_access access = {.time = time};

    if (builder->count >= TRACE_ACCESSES_MAX || trace_builder_memory(builder) >= builder->options->memory)
        return SCENT_E_LIMIT;
    if (!vec_reserve(&builder->accesses, &builder->room, builder->count + 1, sizeof *builder->accesses))
        return SCENT_E_NOMEM;
    SCENT_TRY(add_user(builder, user, &access.user));
    SCENT_TRY(names_add(&builder->pages, href, &access.page));
    builder->accesses[builder->count++] = access;
    return SCENT_OK;
}

static void drop_bots(struct trace_builder *builder)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < builder->count; i++)
        if (!builder->bots[builder->accesses[i].user])
            builder->accesses[kept++] = builder->accesses[i];
    builder->counts.left[TRACE_LEFT_BOT] += builder->count - kept;
    builder->count = kept;
}

/* The user's name as the trace shall have it. */
static struct str shown_name(const struct trace_builder *builder, uint32_t user, char room[PSEUDONYM_LEN])
{
    struct str name = names_at(&builder->users, user);

    if (builder->options->keep_users)
        return name;
    pseudonym_make(builder->options->key, name, room);
    return (struct str){room, PSEUDONYM_LEN};
}

static int by_name(const void *a, const void *b, void *ctx)
{
    return str_cmp(names_at(ctx, *(const uint32_t *)a), names_at(ctx, *(const uint32_t *)b));
}

/* `out` gets the names of `from` whose map is not NOBODY, sorted; map[i] becomes the new number of i. */
static scent_status sort_names(const struct names *from, uint32_t *map, struct names *out)
{
    uint32_t *order = calloc((size_t)from->count + 1, sizeof *order), count = 0;
    scent_status status = SCENT_OK;

    if (!order)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < from->count; i++)
        if (map[i] != NOBODY)
            order[count++] = i;
    if (count > 1)
        qsort_r(order, count, sizeof *order, by_name, (void *)from);
    for (uint32_t k = 0; k < count && status == SCENT_OK; k++) {
        /* Two users under one pseudonym would be one user; the file has no name twice. */
        if (k == 0 || by_name(&order[k - 1], &order[k], (void *)from) != 0)
            status = names_append(out, names_at(from, order[k]));
        map[order[k]] = out->count - 1;
    }
    free(order);
    return status;
}

static scent_status rename_users(struct trace_builder *builder)
{
    char room[PSEUDONYM_LEN];
    scent_status status = SCENT_OK;
    struct names shown;

    names_init(&shown, builder->users.seed);
    for (uint32_t i = 0; i < builder->users.count && status == SCENT_OK; i++)
        status = names_append(&shown, shown_name(builder, i, room));
    names_release(&builder->users);
    builder->users = shown;
    return status;
}

/* Names that have accesses are numbered by their order, and the accesses accordingly. */
static scent_status renumber_accesses(struct trace_builder *builder, struct trace *trace)
{
    size_t nusers = builder->users.count, npages = builder->pages.count;
    uint32_t *users = malloc((nusers + npages + 1) * sizeof *users), *pages = users + nusers;
    scent_status status;

    if (!users)
        return SCENT_E_NOMEM;
    memset(users, 0xff, (nusers + npages) * sizeof *users); /* NOBODY */
    for (uint32_t i = 0; i < builder->count; i++)
        users[builder->accesses[i].user] = pages[builder->accesses[i].page] = 0;
    status = sort_names(&builder->users, users, &trace->users);
    if (status == SCENT_OK)
        status = sort_names(&builder->pages, pages, &trace->pages);
    for (uint32_t i = 0; i < builder->count && status == SCENT_OK; i++) {
        builder->accesses[i].user = users[builder->accesses[i].user];
        builder->accesses[i].page = pages[builder->accesses[i].page];
    }
    free(users);
    return status;
}

static int by_place(const void *a, const void *b)
{
    return trace_parts_order(a, b);
}

static scent_status fill_trace(struct trace_builder *builder, struct trace *trace)
{
    drop_bots(builder);
    SCENT_TRY(rename_users(builder));
    SCENT_TRY(renumber_accesses(builder, trace));
    trace->idle = builder->options->idle;
    trace->keep_users = builder->options->keep_users;
    trace->counts = builder->counts;
    trace->accesses = builder->accesses;
    trace->naccesses = builder->count;
    builder->accesses = NULL;
    if (trace->naccesses > 1)
        qsort(trace->accesses, trace->naccesses, sizeof *trace->accesses, by_place);
    return trace_parts_index(trace);
}

/* The accesses are taken out of `builder`. */
static scent_status trace_builder_finish(struct trace_builder *builder, struct trace **out)
{
    struct trace *trace = trace_parts_new();
    scent_status status = fill_trace(builder, trace);

    if (status == SCENT_OK)
        *out = trace;
    else
        trace_free(trace);
    return status;
}

/* ---- a part of traces ---- */

static void add_counts(struct trace_counts *sum, const struct trace_counts *counts)
{
    sum->files += counts->files;
    sum->lines += counts->lines;
    sum->backwards += counts->backwards;
    sum->unknown += counts->unknown;
    sum->damaged += counts->damaged;
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        sum->left[i] += counts->left[i];
}

static scent_status add_accesses(struct trace_builder *builder, const struct trace *trace, const struct trace_cut *cut)
{
    for (uint32_t i = 0; i < trace->naccesses; i++) {
        const struct trace_access *access = &trace->accesses[i];
        struct str name = names_at(&trace->pages, access->page);

        if (access->time < cut->from || access->time >= cut->until)
            continue;
        if (cut->name)
            name = cut->name(cut->ctx, name);
        if (name.len)
            SCENT_TRY(trace_builder_add(builder, access->time, names_at(&trace->users, access->user), name));
    }
    return SCENT_OK;
}

scent_status trace_part(const struct trace *const *traces, size_t count, const struct trace_cut *cut,
                        struct trace **out, struct errmsg *err)
{
    /* The users have the names that they shall have. */
    struct trace_options options = {.keep_users = true, .memory = SIZE_MAX};
    bool keep_users = false;
    struct trace_builder builder;
    scent_status status = SCENT_OK;

    *out = NULL;
    if (count)
        options.idle = traces[0]->idle;
    trace_builder_init(&builder, &options);
    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        add_counts(&builder.counts, &traces[i]->counts);
        keep_users |= traces[i]->keep_users;
        status = add_accesses(&builder, traces[i], cut);
    }
    if (status == SCENT_OK)
        status = trace_builder_finish(&builder, out);
    if (status == SCENT_OK)
        (*out)->keep_users = keep_users;
    else
        errmsg_fail(err, status, "there is no memory for a part of the trace");
    trace_builder_release(&builder);
    return status;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t trace_time_at(const struct trace *trace, double share)
{
    uint32_t n = trace->naccesses, at = (uint32_t)(share * n);
    int64_t *times, time;

    if (at >= n)
        return INT64_MAX;
    times = malloc(n * sizeof *times);
    SCENT_BUG_IF(!times);
    for (uint32_t i = 0; i < n; i++)
        times[i] = trace->accesses[i].time;
    qsort(times, n, sizeof *times, by_time);
    time = times[at];
    free(times);
    return time;
}

/* ---- is a line the look of a person at a page? ---- */

/* What programs call themselves: parts of words, in lower case. */
static const char *const bots[] = {
    "bot", "crawl", "spider", "slurp", "archiver", "scrap", "curl", "wget", "libwww", "python", "java/", "go-http",
    "okhttp", "httpclient", "headless", "monitor", "pingdom", "feedfetcher", "feedburner", "facebookexternalhit",
    "mediapartners", "lighthouse", "validator", "check_http", "perl", "ruby", "scent/",
};
static const char *const suffixes[] = {
    "png", "jpg", "jpeg", "gif", "ico", "svg", "webp", "bmp", "tif", "tiff", "avif", "css", "js", "mjs", "map", "json",
    "xml", "rss", "atom", "txt", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "m4a", "m4v", "ogg", "ogv", "oga",
    "wav", "flac", "webm", "avi", "mov", "mpg", "mpeg", "wmv", "flv", "swf", "zip", "gz", "bz2", "xz", "zst", "7z",
    "rar", "tar", "tgz", "deb", "rpm", "exe", "msi", "dmg", "iso", "apk", "jar", "bin", "pdf", "ps", "doc", "docx",
    "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "csv", "tsv", "wasm", "torrent",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool has_nocase(struct str s, struct str part)
{
    for (size_t i = 0; i + part.len <= s.len; i++)
        if (str_starts_nocase(str_sub(s, i, s.len), part))
            return true;
    return false;
}

static bool is_bot(struct str agent)
{
    for (size_t i = 0; i < COUNT(bots); i++)
        if (has_nocase(agent, str_of(bots[i])))
            return true;
    return false;
}

static bool is_page_type(struct str type)
{
    type = http_mime(type);
    return str_eq_nocase(type, STR("text/html")) || str_eq_nocase(type, STR("application/xhtml+xml"));
}

/* Not by its suffix an image, a style, a script, an archive, … */
static bool is_page_path(struct str path)
{
    size_t dot = path.len;

    while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/')
        dot--;
    if (dot == 0 || path.p[dot - 1] != '.')
        return true;
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (str_eq_nocase(str_sub(path, dot, path.len), str_of(suffixes[i])))
            return false;
    return true;
}

/* Or not told. */
static bool is_get(struct str method)
{
    return !method.len || str_eq(method, STR("GET"));
}

/* By user agent, status and content type, or suffix where that is not told; false: *why it is not. */
static bool is_page_access(const struct logline *line, const struct url *url, enum trace_left *why)
{
    *why = TRACE_LEFT_BOT;
    if (is_bot(line->agent))
        return false;
    *why = TRACE_LEFT_STATUS;
    if (line->status >= 0 && line->status / 100 != 2 && line->status != 304)
        return false;
    *why = TRACE_LEFT_TYPE;
    return line->type.len ? is_page_type(line->type) : is_page_path(url_path(url));
}

/* ---- logs ---- */

enum { ARENA_CAP = 1 << 20 /* for one URL */, LINES_A_LOOK = 10000 /* at the clock */ };
static const int64_t IDLE = 30 * 60 * (int64_t)1000000;

struct trace_options trace_options_default(void)
{
    return (struct trace_options){
        .idle = IDLE, .memory = TRACE_MEMORY, .url_flags = URL_STRIP_TRACKING | URL_STRIP_SESSION};
}

struct import {
    struct trace_builder builder;
    const struct log *log;
    struct arena arena;      /* for the URL of one line */
    struct arena base_arena;
    struct url base;         /* href.len 0: none */
    bool full;               /* the memory: nothing more is read */
    int64_t next_told;       /* log_is_due() */
};

static scent_status read_base(struct import *import, struct str base, struct errmsg *err)
{
    if (!base.len)
        return SCENT_OK;
    if (url_parse(&import->base_arena, base, NULL, &import->base) == SCENT_OK)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "the base '%.*s' is not a URL of http or https; give the site of the log, "
                       "such as http://www.example.org/", STR_ARG(base));
}

/* The URL of a line as a crawl knows it. */
static scent_status read_url(struct import *import, struct str text, struct url *out, enum trace_left *why)
{
    bool has_base = import->base.href.len > 0;
    scent_status status;

    *why = TRACE_LEFT_SITE;
    if (!has_base && str_starts(text, STR("/")))
        return SCENT_E_INVALID;
    status = url_parse(&import->arena, text, has_base ? &import->base : NULL, out);
    if (status == SCENT_OK)
        status = url_normalise(&import->arena, out, import->builder.options->url_flags, out);
    *why = status == SCENT_E_LIMIT ? TRACE_LEFT_URL_LONG : TRACE_LEFT_URL;
    return status;
}

static scent_status leave_out(struct import *import, enum trace_left why)
{
    import->builder.counts.left[why]++;
    return SCENT_OK;
}

static scent_status take_bot(struct import *import, const struct logline *line)
{
    scent_status status = trace_builder_bot(&import->builder, line->user);

    return status == SCENT_OK ? leave_out(import, TRACE_LEFT_BOT) : status;
}

/* SCENT_E_LIMIT: the memory is full. */
static scent_status take_line(struct import *import, struct logsource *source, enum trace_format format,
                              struct str text, int64_t *latest)
{
    struct logline line;
    struct url url;
    enum trace_left why;
    scent_status status;

    if (!logline_parse(format, text, &line, &why))
        return leave_out(import, why);
    logsource_used(source);
    import->builder.counts.backwards += line.time < *latest;
    *latest = line.time > *latest ? line.time : *latest;
    if (!is_get(line.method))
        return leave_out(import, TRACE_LEFT_METHOD);
    arena_reset(&import->arena);
    status = read_url(import, line.url, &url, &why);
    if (status != SCENT_OK)
        return status == SCENT_E_NOMEM ? status : leave_out(import, why);
    if (str_eq(url_path(&url), STR("/robots.txt")))
        return take_bot(import, &line);
    if (!is_page_access(&line, &url, &why))
        return leave_out(import, why);
    return trace_builder_add(&import->builder, line.time, line.user, url.href);
}

/* A log may have no end, and even a finite one may take minutes: people are told what is going on. */
static void tell_progress(struct import *import, const char *path)
{
    if (!log_is_due(&import->next_told))
        return;
    log_line(import->log, LOG_INFO, "%s: %" PRIu64 " lines read, %" PRIu32 " accesses so far", path,
             import->builder.counts.lines, import->builder.count);
}

/* No memory is a reason to end here, not to fail. To read on would not end where a log does not. */
static scent_status end_full(struct import *import, const char *path)
{
    import->full = true;
    log_line(import->log, LOG_WARN, "%s: not read to its end: %" PRIu32 " accesses of %" PRIu64 " lines take the %zu "
             "MiB of memory that are allowed; 'scent trace import --memory' allows more", path, import->builder.count,
             import->builder.counts.lines, import->builder.options->memory >> 20);
    return leave_out(import, TRACE_LEFT_FULL);
}

static scent_status read_lines(struct import *import, struct logsource *source, enum trace_format format,
                               const char *path, struct errmsg *err)
{
    struct trace_counts *counts = &import->builder.counts;
    int64_t latest = 0;
    struct str line;

    for (;;) {
        scent_status status = logsource_line(source, &line, err);

        if (status == SCENT_E_END)
            return SCENT_OK;
        if (status != SCENT_OK && status != SCENT_E_LIMIT)
            return status;
        if (status == SCENT_OK && !logline_counts(line))
            continue;
        counts->lines++;
        status = status == SCENT_OK ? take_line(import, source, format, line, &latest)
                                    : leave_out(import, TRACE_LEFT_LONG);
        if (status == SCENT_E_LIMIT)
            return end_full(import, path);
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "there is no memory for more accesses; allow less of it");
        if (counts->lines % LINES_A_LOOK == 0)
            tell_progress(import, path);
    }
}

static scent_status read_source(struct import *import, struct logsource *source, const char *path, struct errmsg *err)
{
    enum trace_format format = import->builder.options->format;
    struct trace_counts *counts = &import->builder.counts;
    struct str head;

    if (format == TRACE_GUESS) {
        SCENT_TRY(logsource_head(source, &head, err));
        format = logline_guess(head);
    }
    if (format == TRACE_GUESS) {
        counts->unknown++;
        log_line(import->log, LOG_WARN, "%s: left out: none of its first lines is one of Squid's, of the Common or "
                 "Combined log format, or 'time user url'; name its format if it has one", path);
        return SCENT_OK;
    }
    SCENT_TRY(read_lines(import, source, format, path, err));
    if (logsource_damaged(source)) {
        counts->damaged++;
        log_line(import->log, LOG_WARN, "%s: the data is damaged or cut off; read as far as it goes", path);
    }
    return SCENT_OK;
}

static scent_status read_log(struct import *import, const char *path, struct errmsg *err)
{
    struct logsource *source;
    scent_status status;

    SCENT_TRY(logsource_open(path, &source, err));
    import->builder.counts.files++;
    status = read_source(import, source, path, err);
    logsource_close(source);
    return status;
}

scent_status trace_simulated(const struct trace_given *accesses, size_t count, struct trace **out)
{
    struct trace_options options = trace_options_default();
    struct trace_builder builder;
    scent_status status = SCENT_OK;

    *out = NULL;
    options.keep_users = true;
    options.memory = SIZE_MAX;
    trace_builder_init(&builder, &options);
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = trace_builder_add(&builder, accesses[i].time, accesses[i].user, accesses[i].url);
    if (status == SCENT_OK)
        status = trace_builder_finish(&builder, out);
    trace_builder_release(&builder);
    return status;
}

scent_status trace_import(const char *const *logs, size_t count, const struct trace_options *options,
                          const struct log *log, struct trace **out, struct errmsg *err)
{
    struct import import = {.log = log};
    scent_status status;

    *out = NULL;
    trace_builder_init(&import.builder, options);
    arena_init(&import.arena, ARENA_CAP);
    arena_init(&import.base_arena, ARENA_CAP);
    status = read_base(&import, options->base, err);
    for (size_t i = 0; i < count && status == SCENT_OK && !import.full; i++)
        status = read_log(&import, logs[i], err);
    if (status == SCENT_OK) {
        status = trace_builder_finish(&import.builder, out);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "there is no memory to sort the accesses; allow less of it");
    }
    trace_builder_release(&import.builder);
    arena_release(&import.arena);
    arena_release(&import.base_arena);
    return status;
}
