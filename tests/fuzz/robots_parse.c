/* A target, a line break, a robots.txt. Nothing but a rule forbids, and what the file says must be the same after
 * saving and loading. */
#include "robots/robots.h"

static void check_same(const struct robots *a, const struct robots *b, struct str target)
{
    struct str rule_a, rule_b;
    size_t i = 0;

    SCENT_BUG_IF(robots_allows(a, target, &rule_a) != robots_allows(b, target, &rule_b));
    SCENT_BUG_IF(!str_eq(rule_a, rule_b));
    SCENT_BUG_IF(robots_crawl_delay(a) != robots_crawl_delay(b) || robots_bytes(a) != robots_bytes(b));
    for (; robots_sitemap(a, i).len; i++)
        SCENT_BUG_IF(!str_eq(robots_sitemap(a, i), robots_sitemap(b, i)));
    SCENT_BUG_IF(robots_sitemap(b, i).len || i > 1000);
}

static void check_saved(const struct robots *robots, struct str target)
{
    struct robots *again;
    struct buf blob;

    buf_init(&blob, 0);
    SCENT_BUG_IF(robots_save(robots, &blob) != SCENT_OK);
    SCENT_BUG_IF(robots_load(buf_str(&blob), &again) != SCENT_OK);
    check_same(robots, again, target);
    robots_free(again);
    buf_release(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str input = {(const char *)data, len}, target, rule;
    struct robots *robots;
    size_t line = str_find(input, '\n');

    if (robots_load(input, &robots) == SCENT_OK)
        robots_free(robots);
    target = str_sub(input, 0, line);
    input = line < len ? str_sub(input, line + 1, len) : STR("");
    SCENT_BUG_IF(robots_parse(input, STR("scent"), &robots) != SCENT_OK);
    /* Only a rule forbids. */
    SCENT_BUG_IF(!robots_allows(robots, target, &rule) && !rule.len);
    SCENT_BUG_IF(robots_crawl_delay(robots) > INT64_C(86400000000));
    check_saved(robots, target);
    robots_free(robots);
    return 0;
}
