#include "crawldir/text_reader.h"

#include "page/repeats.h"
#include "pdf/pdf_reader.h"
#include "warc/pagefile.h"

#include <stdlib.h>

enum { PAGE_ARENA = 512 << 20, TEXT_MAX = 16 << 20 };

struct text_reader {
    struct page_analyser *analyser;
    struct pdf_reader *pdf;
    struct repeats *repeats;
    struct arena arena;
    struct buf text;
};

static scent_status load_repeats(struct store *store, struct repeats *repeats, struct errmsg *err)
{
    struct buf saved;
    scent_status status;

    buf_init(&saved, 0);
    status = store_get(store, "repeats", &saved, err);
    if (status == SCENT_OK)
        (void)!repeats_load(repeats, buf_str(&saved)); /* of another version: pages are seen alone */
    buf_release(&saved);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status text_reader_new(struct store *store, enum page_form form, struct text_reader **out, struct errmsg *err)
{
    struct page_options options = {.form = form, .text_only = true, .max_bytes = PAGEFILE_MAX_BYTES};
    struct text_reader *reader = calloc(1, sizeof *reader);
    struct errmsg without;
    scent_status status;

    SCENT_BUG_IF(!reader);
    reader->pdf = pdf_reader_new(NULL, NULL, &without);
    options.pdf = pdf_reader_option(reader->pdf);
    reader->analyser = page_analyser_new(&options);
    reader->repeats = repeats_new();
    arena_init(&reader->arena, PAGE_ARENA);
    buf_init(&reader->text, TEXT_MAX);
    status = load_repeats(store, reader->repeats, err);
    if (status != SCENT_OK) {
        text_reader_free(reader);
        reader = NULL;
    }
    *out = reader;
    return status;
}

void text_reader_free(struct text_reader *reader)
{
    if (!reader)
        return;
    page_analyser_free(reader->analyser);
    pdf_reader_free(reader->pdf);
    repeats_free(reader->repeats);
    arena_release(&reader->arena);
    buf_release(&reader->text);
    free(reader);
}

scent_status text_reader_read(struct text_reader *reader, const struct warc_record *record, size_t cap,
                              struct str *out)
{
    struct repeats_host *host;
    struct page page;
    scent_status status;

    arena_reset(&reader->arena);
    buf_clear(&reader->text);
    reader->text.failed = false;
    *out = STR("");
    status = page_analyse_stored(reader->analyser, record->url, record->http_head, record->payload, &reader->arena,
                                 &page);
    if (status != SCENT_OK)
        return status == SCENT_E_NOMEM ? status : SCENT_OK; /* not a URL: no text */
    host = repeats_of(reader->repeats, &page.url);
    repeats_apply(host, &page);
    repeats_host_unref(host);
    page_write(reader->analyser, &page, &reader->text);
    *out = buf_str(&reader->text);
    if (out->len > cap)
        for (out->len = cap; out->len && ((unsigned char)out->p[out->len] & 0xC0) == 0x80;)
            out->len--;
    return SCENT_OK;
}
