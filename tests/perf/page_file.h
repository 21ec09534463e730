/* page_file - a file of HTML as a page. */
#ifndef SCENT_TESTS_PERF_PAGE_FILE_H
#define SCENT_TESTS_PERF_PAGE_FILE_H

#include "base/file.h"
#include "page/page.h"

static inline bool page_file_read(struct page_analyser *analyser, const char *path, struct arena *arena,
                                  struct page *out)
{
    struct errmsg err;
    struct buf body;
    bool fine;

    buf_init(&body, 16 << 20);
    fine = file_read(path, &body, &err) == SCENT_OK &&
           page_analyse_stored(analyser, STR("http://host.test/"), STR("Content-Type: text/html\r\n"), buf_str(&body),
                               arena, out) == SCENT_OK;
    buf_release(&body);
    return fine;
}

#endif
