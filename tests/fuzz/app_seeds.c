/* Any bytes are a list, an index, a page or nothing. What is proposed are addresses of the web without secrets, and a
 * list of them that is read again proposes the same. */
#include "app/seed_sources.h"
#include "json/json.h"
#include "logged.h"
#include "url/url.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* False: the source cannot be read. */
static bool propose(struct str bytes, enum seed_form form, struct buf *out)
{
    const struct seed_pool_options options = {.per_host = 0};
    struct seed_pool *pool = seed_pool_new(&options);
    struct seed_sources *sources = seed_sources_new(pool);
    int fd = logged_open(bytes);
    struct errmsg err;
    scent_status status;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    status = seed_sources_read(sources, path, &err);
    (void)seed_pool_write(pool, SEED_POOL_MAX, form, out);
    SCENT_BUG_IF(seed_sources_names(sources)->count > seed_sources_names(sources)->seen);
    seed_sources_free(sources);
    seed_pool_free(pool);
    close(fd);
    return status == SCENT_OK;
}

static size_t count_lines(struct str s)
{
    struct str line;
    size_t count = 0;

    while (str_split(&s, '\n', &line))
        count += line.len > 0;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct buf json, list, again;
    struct str rest, line;

    buf_init(&json, 0);
    buf_init(&list, 0);
    buf_init(&again, 0);
    if (propose((struct str){(const char *)data, len}, SEED_JSON, &json)) {
        for (rest = buf_str(&json); str_split(&rest, '\n', &line) && line.len;) {
            struct json *root;

            SCENT_BUG_IF(json_parse(line, &root, NULL) != SCENT_OK);
            SCENT_BUG_IF(!url_is_absolute(json_as_str(json_get(root, "url"))));
            buf_add(&list, json_as_str(json_get(root, "url")));
            buf_addc(&list, '\n');
            json_free(root);
        }
        SCENT_BUG_IF(!propose(buf_str(&list), SEED_JSON, &again));
        SCENT_BUG_IF(count_lines(buf_str(&again)) != count_lines(buf_str(&list)));
    }
    buf_release(&json);
    buf_release(&list);
    buf_release(&again);
    return 0;
}
