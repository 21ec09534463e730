/* Any bytes as a URL: a generated web has an answer, and a head that fits its body. */
#include "web/web.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct web *open_web(void)
{
    struct errmsg err;
    struct web *web;

    SCENT_BUG_IF(web_open_spec(STR("hosts: 50\ntopics: 4\npages_per_host: 5\nwords: 20\nlinks: 5\ntraps: 0.6\n"
                                   "dead_hosts: 0\nlanguages: {en: 1, ru: 1, zh: 1}\n"),
                               "fuzz", &web, &err) != SCENT_OK);
    return web;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct web *web; /* immutable once it is there */
    struct web_response response;
    struct arena arena;
    struct buf buf;

    if (!web)
        web = open_web();
    buf_init(&buf, 0);
    arena_init(&arena, 1 << 16);
    SCENT_BUG_IF(web_get(web, (struct str){(const char *)data, size}, &buf, &response, NULL) != SCENT_OK);
    SCENT_BUG_IF(response.fault == WEB_FINE && (response.status < 200 || !str_ends(response.head, STR("\r\n\r\n"))));
    SCENT_BUG_IF(web_label(web, (struct str){(const char *)data, size}, &arena).len && response.status != 200);
    buf_release(&buf);
    arena_release(&arena);
    return 0;
}
