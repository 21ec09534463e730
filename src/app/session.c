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
    json_key(&w, "n"), json_int(&w, (int64_t)page->number);
    json_key(&w, "url"), json_str(&w, page->url);
    json_key(&w, "status"), json_int(&w, page->status);
    json_key(&w, "relevant"), json_bool(&w, page->relevant);
    if (page->noindex)
        json_key(&w, "noindex"), json_bool(&w, true);
    if (page->changed)
        json_key(&w, "changed"), json_bool(&w, true);
    json_key(&w, "score"), json_double(&w, page->score);
    json_key(&w, "priority"), json_double(&w, (double)page->priority);
    json_key(&w, "depth"), json_int(&w, page->depth);
    json_key(&w, "links"), json_int(&w, page->links);
    json_key(&w, "bytes"), json_int(&w, (int64_t)page->bytes);
    json_key(&w, "lang"), json_str(&w, page->lang);
    json_key(&w, "title"), json_str(&w, page->title);
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
