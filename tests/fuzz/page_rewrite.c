/* Any bytes as an archived document or stylesheet: what is shown refers to nothing outside of the archive and runs
 * nothing, as far as our own tokenizers see. The first byte chooses. */
#include "page/css.h"
#include "page/rewrite.h"
#include "page/token.h"

#include <stdlib.h>

#define PREFIX "/replay/x/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(struct str value)
{
    return value.len == 0 || str_starts(value, STR("#")) || str_starts(value, STR(PREFIX)) ||
           str_starts_nocase(value, STR("data:"));
}

static void check_css(struct str css)
{
    struct css_reference reference;
    struct css_reader reader;

    css_reader_init(&reader, css);
    while (css_next(&reader, &reference)) {
        SCENT_BUG_IF(reference.start >= reference.end || reference.end > css.len);
        SCENT_BUG_IF(!is_inside(reference.value));
    }
    css_reader_release(&reader);
}

static void check_srcset(struct str value)
{
    struct str part;
    bool is_url = true;

    while (str_split(&value, ' ', &part)) { /* "URL descriptors, URL descriptors" */
        if (is_url)
            SCENT_BUG_IF(!is_inside(part));
        is_url = str_ends(part, STR(","));
    }
}

static void check_attribute(const struct token_attribute *attribute, const struct token *token)
{
    static const char *const urls[] = {"href", "src", "xlink:href", "poster", "action", "formaction", "background"};

    SCENT_BUG_IF(str_starts_nocase(attribute->name, STR("on")));
    SCENT_BUG_IF(str_eq_nocase(attribute->name, STR("srcdoc")) || str_eq_nocase(attribute->name, STR("ping")));
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        SCENT_BUG_IF(str_eq_nocase(attribute->name, str_of(urls[i])) && !is_inside(attribute->value));
    if (str_eq_nocase(attribute->name, STR("srcset")))
        check_srcset(attribute->value);
    if (str_eq_nocase(attribute->name, STR("style")))
        check_css(attribute->value);
    if (token->tag == PAGE_TAG_META && str_eq_nocase(attribute->name, STR("http-equiv")))
        SCENT_BUG_IF(!str_eq(attribute->value, STR("refresh")));
}

static void check_html(struct str html)
{
    struct tokenizer tokenizer;
    struct token token;

    tokenizer_init(&tokenizer);
    tokenizer.all_attributes = true;
    tokenizer_start(&tokenizer, html);
    while (token_next(&tokenizer, &token)) {
        if (token.kind == TOKEN_TEXT) /* all that is no tag was escaped */
            SCENT_BUG_IF(str_find(token.text, '<') < token.text.len);
        if (token.kind != TOKEN_START)
            continue;
        SCENT_BUG_IF(token.tag == PAGE_TAG_SCRIPT || token.tag == PAGE_TAG_BASE || token.tag == PAGE_TAG_NOSCRIPT);
        for (unsigned i = 0; i < token.attributes.count; i++)
            check_attribute(&token.attributes.items[i], &token);
        if (token.tag == PAGE_TAG_STYLE)
            check_css(token_raw_text(&tokenizer, PAGE_TAG_STYLE));
    }
    tokenizer_release(&tokenizer);
}

static void rewrite(const struct rewrite_options *options, bool css, struct str in, struct buf *out)
{
    scent_status status = css ? rewrite_css(options, in, out) : rewrite_html(options, in, out);

    SCENT_BUG_IF(status != SCENT_OK && status != SCENT_E_LIMIT);
    SCENT_BUG_IF(out->len > out->cap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rewrite_options options = {.resources = STR(PREFIX), .links = STR(PREFIX)};
    struct buf in, out;
    struct arena arena;
    struct url url;
    bool css;

    if (!size)
        return 0;
    css = data[0] & 1;
    options.xml = data[0] & 2;
    options.keep_targets = data[0] & 4;
    arena_init(&arena, 1 << 16);
    SCENT_BUG_IF(url_parse(&arena, STR("http://fuzz.test/a/b?c"), NULL, &url) != SCENT_OK);
    options.url = &url;
    buf_init(&in, 0);
    buf_init(&out, data[0] & 8 ? 500 : 1 << 20);
    for (size_t i = 1; i < size; i++) /* a decoded document has none */
        if (data[i])
            buf_addc(&in, (char)data[i]);
    rewrite(&options, css, buf_str(&in), &out);
    if (css && !out.failed)
        check_css(buf_str(&out));
    else if (!css)
        check_html(buf_str(&out));
    buf_release(&in);
    buf_release(&out);
    arena_release(&arena);
    return 0;
}
