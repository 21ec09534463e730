/* Any bytes, read whole and in pieces (the first byte tells their size), must give the same events and the same
 * fault. */
#include "base/hash.h"
#include "xml/xml.h"

struct digest {
    uint64_t hash;
    unsigned depth;
};

static void mix(struct digest *digest, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        digest->hash = hash_mix(digest->hash, (uint8_t)s.p[i]);
}

static bool on_start(void *ctx, const struct xml_element *element)
{
    struct digest *digest = ctx;

    SCENT_BUG_IF(element->depth != ++digest->depth || element->depth > XML_MAX_DEPTH);
    mix(digest, element->name);
    mix(digest, element->ns);
    for (size_t i = 0; i < element->nattrs; i++) {
        mix(digest, element->attrs[i].name);
        mix(digest, element->attrs[i].value);
    }
    return true;
}

static bool on_end(void *ctx, struct str name, unsigned depth)
{
    struct digest *digest = ctx;

    SCENT_BUG_IF(depth != digest->depth--);
    mix(digest, name);
    return true;
}

static bool on_text(void *ctx, struct str text)
{
    mix(ctx, text); /* byte by byte: texts may come in other pieces */
    return true;
}

static uint64_t read_in(struct str text, size_t piece)
{
    static const struct xml_events events = {on_start, on_end, on_text};
    struct digest digest = {0, 0};
    struct xml *xml = xml_new(&events, &digest);

    for (size_t at = 0; at < text.len; at += piece)
        SCENT_BUG_IF(xml_feed(xml, str_sub(text, at, text.len - at < piece ? text.len : at + piece)) != SCENT_OK);
    SCENT_BUG_IF(xml_finish(xml) != SCENT_OK);
    mix(&digest, str_of(xml_fault(xml)));
    xml_free(xml);
    return digest.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str text = {(const char *)data + 1, len - 1};

    if (len < 1)
        return 0;
    SCENT_BUG_IF(read_in(text, (size_t)data[0] + 1) != read_in(text, len));
    return 0;
}
