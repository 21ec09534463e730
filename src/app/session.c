#include "app/session.h"

#include "app/command.h"
#include "app/progress.h"
#include "app/stopping.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static void print_json(const struct engine_page *page, atomic_int *stop)
{
    struct json_writer w;
    struct buf line;

    buf_init(&line, 0);
    json_writer_init(&w, &line);
    json_object_begin(&w);
    json_put_int(&w, "n", (int64_t)page->number);
    json_put_str(&w, "url", page->url);
    json_put_int(&w, "status", page->status);
    json_put_bool(&w, "relevant", page->relevant);
    if (page->noindex)
        json_put_bool(&w, "noindex", true);
    if (page->changed)
        json_put_bool(&w, "changed", true);
    json_put_double(&w, "score", page->score);
    json_put_double(&w, "priority", (double)page->priority);
    json_put_int(&w, "depth", page->depth);
    json_put_int(&w, "links", page->links);
    json_put_int(&w, "bytes", (int64_t)page->bytes);
    json_put_str(&w, "lang", page->lang);
    json_put_str(&w, "title", page->title);
    json_object_end(&w);
    puts(buf_z(&line));
    fflush(stdout); /* who reads this wants each page when it comes */
    buf_release(&line);
    if (ferror(stdout))
        atomic_store(stop, 1); /* nobody reads any more */
}

static void on_page(void *ctx, const struct engine_page *page)
{
    struct session *session = ctx;

    if (session->json)
        print_json(page, session->stop);
    if (session->on_page)
        session->on_page(session->ctx, page);
}

static void on_progress(void *ctx, const struct engine_progress *progress)
{
    (void)ctx;
    progress_show(progress);
}

static int exit_status_of(const struct engine_report *report)
{
    switch (report->end) {
    case ENGINE_NO_SEED:
        return EXIT_NO_SEED;
    case ENGINE_INTERRUPTED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_DONE;
    }
}

int session_run(struct session *session, struct engine_report *report)
{
    struct errmsg err = {0};
    scent_status status;

    session->engine.stop = session->stop = stopping_watch();
    session->engine.on_page = on_page;
    session->engine.ctx = session;
    if (!session->quiet && isatty(STDERR_FILENO))
        session->engine.on_progress = on_progress;
    status = engine_run(&session->engine, report, &err);
    if (session->engine.on_progress)
        progress_clear();
    fflush(stdout);
    if (status != SCENT_OK) {
        int code = command_fail(status, &err);

        code = report->started && status != SCENT_E_INVALID ? EXIT_STORAGE : code;
        if (status == SCENT_E_FULL)
            fprintf(stderr, "%s keeps what was stored before; make room, then the same command goes on\n",
                    session->engine.dir);
        return code;
    }
    if (!session->quiet)
        progress_summary(report, session->engine.dir);
    return exit_status_of(report);
}
