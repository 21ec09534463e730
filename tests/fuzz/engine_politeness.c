/* A life with two hosts: each byte is something that happens to one of them, the text behind it a robots.txt or a
 * Retry-After. Waits stay within their bounds, the dead stay dead, and nobody is welcome before his rules are known. */
#include "engine/politeness.h"
#include "http/http.h"

#define HTTP(number) ((struct politeness_origin){.host = (number)})

#define SECOND INT64_C(1000000)
#define DAY (24 * 3600 * SECOND)

enum { GIVE_UP_AFTER = 4, HOSTS = 2 };

static void ask(struct politeness *politeness, uint32_t host, int64_t now)
{
    int64_t expires;
    bool known = politeness_robots(politeness, HTTP(host), &expires) != NULL;
    enum politeness_verdict verdict = politeness_ask(politeness, HTTP(host), STR("/a"), now);

    SCENT_BUG_IF(verdict == POLITENESS_ALLOWED && !known);
    SCENT_BUG_IF((verdict == POLITENESS_DEAD) != (politeness_failures(politeness, host) >= GIVE_UP_AFTER));
}

/* "value|date" */
static int64_t retry_after(struct str text, int64_t now)
{
    struct str value;

    if (!str_split(&text, '|', &value))
        return 0;
    return http_retry_after(value, text, now);
}

static int64_t happen(struct politeness *politeness, uint8_t what, uint32_t host, struct str text, int64_t now)
{
    switch (what % 8) {
    case 0:
        return politeness_robots_file(politeness, HTTP(host), text, now);
    case 1:
        return politeness_robots_none(politeness, HTTP(host), now);
    case 2:
        return politeness_robots_failed(politeness, HTTP(host), "http 500", now);
    case 3:
        return politeness_visit_done(politeness, host, NULL, 0, (int64_t)(what / 8) * SECOND);
    case 4:
        return politeness_visit_done(politeness, host, "connect", retry_after(text, now), 0);
    case 5:
        politeness_restore(politeness, host, what / 8, (int64_t)what * SECOND);
        return 0;
    case 6:
        return politeness_restore_robots(politeness, HTTP(host), text, now + DAY) == SCENT_OK ? 0 : 1;
    default:
        ask(politeness, host, now);
        return 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct politeness_options options = {STR("scent/1"), SECOND, GIVE_UP_AFTER, 7};
    struct str text = {(const char *)data, len};
    size_t events = str_find(text, '\n');
    struct politeness *politeness = politeness_new(&options);
    int64_t now = INT64_C(1800000000) * SECOND;

    text = events < len ? str_sub(text, events + 1, len) : STR("");
    SCENT_BUG_IF(politeness_reserve(politeness, HOSTS) != SCENT_OK);
    for (size_t i = 0; i < events && i < 200; i++) {
        uint32_t host = i % HOSTS;
        int64_t wait = happen(politeness, data[i], host, text, now);

        SCENT_BUG_IF(wait < 0 || wait > DAY);
        SCENT_BUG_IF(politeness_delay(politeness, host) < SECOND || politeness_delay(politeness, host) > DAY);
        now += wait + SECOND;
    }
    politeness_free(politeness);
    return 0;
}
