#include "engine/journal.h"

#include "base/buf.h"
#include "crawldir/logfile.h"
#include "json/json.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define HOUR (3600 * INT64_C(1000000))
enum { PENDING_MAX = 256 << 10, WRITE_SECONDS = 1 };

static const char *const kinds[JOURNAL_KINDS] = {"run",        "seed",    "host", "robots",
                                                 "checkpoint", "control", "hook", "note"};
static const char *const levels[] = {"error", "warning", "info", "debug"};

struct journal {
    struct journal_options options;
    struct log log;
    struct logfile file; /* the thread's */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct buf pending;
    uint64_t lost;
    int64_t hour; /* when the counts began */
    uint64_t told[JOURNAL_KINDS];
    bool stopping;
    pthread_t thread;
};

/* ---- lines ---- */

static void add_line(struct journal *journal, enum journal_kind kind, enum log_level level, struct str about,
                     struct str text)
{
    size_t before = journal->pending.len;
    struct json_writer w;
    char date[32];

    clock_format_iso(clock_wall(journal->options.clock), date, sizeof date);
    if (journal->options.json) {
        json_writer_init(&w, &journal->pending);
        json_object_begin(&w);
        json_put_str(&w, "time", str_of(date));
        json_put_str(&w, "level", str_of(levels[level]));
        json_put_str(&w, "kind", str_of(kinds[kind]));
        if (about.len)
            json_put_str(&w, "about", about);
        json_put_str(&w, "text", text);
        json_object_end(&w);
        buf_addc(&journal->pending, '\n');
    } else {
        buf_printf(&journal->pending, "%s %s%s %.*s%s%.*s\n", date, kinds[kind],
                   level <= LOG_WARN ? level == LOG_WARN ? " warning" : " error" : "", STR_ARG(about),
                   about.len ? " - " : "", STR_ARG(text));
    }
    if (!journal->pending.failed)
        return;
    journal->pending.failed = false;
    journal->pending.len = before;
    journal->lost++;
}

static void end_hour(struct journal *journal, int64_t now)
{
    char text[96];

    for (int kind = 0; kind < JOURNAL_KINDS; kind++) {
        uint64_t more = journal->told[kind] > JOURNAL_PER_HOUR ? journal->told[kind] - JOURNAL_PER_HOUR : 0;

        journal->told[kind] = 0;
        if (!more)
            continue;
        snprintf(text, sizeof text, "%" PRIu64 " more lines of this kind were left out", more);
        add_line(journal, kind, LOG_INFO, STR_NONE, str_of(text));
    }
    journal->hour = now;
}

/* True: the line may be told. */
static bool keep(struct journal *journal, enum journal_kind kind, enum log_level level, struct str about,
                 struct str text)
{
    int64_t now = clock_mono(journal->options.clock);
    bool may;

    pthread_mutex_lock(&journal->mutex);
    if (now - journal->hour >= HOUR)
        end_hour(journal, now);
    may = ++journal->told[kind] <= JOURNAL_PER_HOUR;
    if (may)
        add_line(journal, kind, level, about, text);
    pthread_mutex_unlock(&journal->mutex);
    return may;
}

void journal_tell(struct journal *journal, enum journal_kind kind, enum log_level level, struct str about,
                  const char *format, ...)
{
    char raw[1024], name[512], text[2048], who[1024];
    va_list args;

    if (!journal)
        return;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    snprintf(name, sizeof name, "%.*s", STR_ARG(about));
    log_printable(raw, text, sizeof text);
    log_printable(name, who, sizeof who);
    if (!keep(journal, kind, level, str_of(who), str_of(text)))
        return;
    if (level <= LOG_WARN || journal->options.verbose)
        log_line(journal->options.screen, level, "%s%s%s", who, *who ? ": " : "", text);
}

/* ---- the log of the program ---- */

static void take_note(void *ctx, enum log_level level, const char *line)
{
    struct journal *journal = ctx;

    (void)keep(journal, JOURNAL_NOTE, level, STR_NONE, str_of(line));
    log_line(journal->options.screen, level, "%s", line);
}

const struct log *journal_log(struct journal *journal)
{
    return &journal->log;
}

/* ---- the thread ---- */

/* The lines that wait, and how many were lost before; waits for some. False: it is the end. */
static bool take_lines(struct journal *journal, struct buf *lines, uint64_t *lost)
{
    struct timespec until;
    bool stopping;

    pthread_mutex_lock(&journal->mutex);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WRITE_SECONDS;
    while (!journal->stopping && pthread_cond_timedwait(&journal->wake, &journal->mutex, &until) == 0)
        ;
    if (journal->stopping)
        end_hour(journal, 0);
    buf_add(lines, buf_str(&journal->pending));
    buf_clear(&journal->pending);
    *lost = journal->lost;
    journal->lost = 0;
    stopping = journal->stopping;
    pthread_mutex_unlock(&journal->mutex);
    return !stopping;
}

static uint64_t count_lines(struct str text)
{
    uint64_t count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += text.p[i] == '\n';
    return count;
}

/* The disk was full, or too much was told at once. */
static void tell_lost(struct journal *journal, uint64_t lost)
{
    char text[64];

    snprintf(text, sizeof text, "%" PRIu64 " lines were lost", lost);
    pthread_mutex_lock(&journal->mutex);
    add_line(journal, JOURNAL_NOTE, LOG_WARN, STR_NONE, str_of(text));
    pthread_mutex_unlock(&journal->mutex);
}

static void *run_journal(void *arg)
{
    struct journal *journal = arg;
    uint64_t lost = 0, more;
    struct buf lines;
    bool goes_on;

    buf_init(&lines, 0);
    do {
        buf_clear(&lines);
        goes_on = take_lines(journal, &lines, &more);
        lost += more;
        if (lines.len && !logfile_append(&journal->file, buf_str(&lines)))
            lost += count_lines(buf_str(&lines));
        else if (lines.len && lost) {
            tell_lost(journal, lost);
            lost = 0;
        }
    } while (goes_on);
    buf_release(&lines);
    return NULL;
}

struct journal *journal_start(const struct journal_options *options)
{
    struct journal *journal = calloc(1, sizeof *journal);
    pthread_condattr_t attributes;

    SCENT_BUG_IF(!journal);
    journal->options = *options;
    journal->hour = clock_mono(options->clock);
    journal->log = (struct log){.level = LOG_INFO, .sink = take_note, .ctx = journal};
    buf_init(&journal->pending, PENDING_MAX);
    logfile_open(&journal->file, options->dir);
    pthread_mutex_init(&journal->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&journal->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    SCENT_BUG_IF(pthread_create(&journal->thread, NULL, run_journal, journal));
    return journal;
}

void journal_stop(struct journal *journal)
{
    if (!journal)
        return;
    pthread_mutex_lock(&journal->mutex);
    journal->stopping = true;
    pthread_cond_signal(&journal->wake);
    pthread_mutex_unlock(&journal->mutex);
    pthread_join(journal->thread, NULL);
    logfile_close(&journal->file);
    buf_release(&journal->pending);
    pthread_cond_destroy(&journal->wake);
    pthread_mutex_destroy(&journal->mutex);
    free(journal);
}
