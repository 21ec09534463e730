/* Any bytes as a sitemap: what is reported must agree with the report, and a reason stands where nothing was read. */
#include "base/date.h"
#include "robots/sitemap.h"
#include "url/url.h"

static bool on_entry(void *ctx, const struct sitemap_entry *entry)
{
    uint64_t *entries = ctx;

    SCENT_BUG_IF(!entry->url.len || entry->url.len > SCENT_URL_MAX || str_trim(entry->url).len != entry->url.len);
    SCENT_BUG_IF(entry->modified < 0 || entry->priority > 1);
    ++*entries;
    return true;
}

static bool stop_at_once(void *ctx, const struct sitemap_entry *entry)
{
    (void)entry;
    return ++*(uint64_t *)ctx == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str body = {(const char *)data, len};
    struct sitemap_report report;
    uint64_t entries = 0, first = 0;

    SCENT_BUG_IF(date_parse(body) < 0);
    SCENT_BUG_IF(sitemap_read(body, on_entry, &entries, &report) != SCENT_OK);
    SCENT_BUG_IF(entries != report.entries || entries > SITEMAP_MAX_ENTRIES);
    SCENT_BUG_IF(report.kind == SITEMAP_NONE && (entries || !report.reason[0]));
    SCENT_BUG_IF(report.cut && !report.reason[0]);
    SCENT_BUG_IF(sitemap_read(body, stop_at_once, &first, &report) != SCENT_OK);
    SCENT_BUG_IF(first != (entries ? 1 : 0));
    return 0;
}
