/* Any bytes as a sitemap: what is reported must agree with the report, and a reason stands where nothing was read. The
 * same bytes as XML tokens, whole and in pieces (the first byte tells their size), must be the same tokens. */
#include "base/date.h"
#include "base/hash.h"
#include "page/token.h"
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

static uint64_t mix(uint64_t hash, struct str s)
{
    for (size_t i = 0; i < s.len; i++) /* byte by byte: texts may come in other pieces */
        hash = hash_mix(hash, (uint8_t)s.p[i]);
    return hash;
}

static uint64_t read_tokens(struct str text, size_t piece)
{
    struct tokenizer tokenizer;
    struct token token;
    uint64_t hash = 0;
    size_t at = 0;

    tokenizer_init(&tokenizer);
    tokenizer_start_xml(&tokenizer);
    do {
        size_t end = text.len - at < piece ? text.len : at + piece;

        SCENT_BUG_IF(tokenizer_feed(&tokenizer, str_sub(text, at, end), end == text.len) != SCENT_OK);
        while (token_next_xml(&tokenizer, &token)) {
            hash = mix(hash, token.kind == TOKEN_TEXT ? token.text : token.written);
            for (unsigned i = 0; token.kind == TOKEN_START && i < token.attributes.count; i++)
                hash = mix(mix(hash, token.attributes.items[i].name), token.attributes.items[i].value);
        }
        at = end;
    } while (at < text.len);
    tokenizer_release(&tokenizer);
    return hash;
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
    if (len > 1 && len < TOKEN_HELD_MAX && !memchr(data, 0, len))
        SCENT_BUG_IF(read_tokens(str_sub(body, 1, len), (size_t)data[0] + 1) != read_tokens(str_sub(body, 1, len), len));
    return 0;
}
