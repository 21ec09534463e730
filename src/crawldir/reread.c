#include "crawldir/reread.h"

#include "base/vec.h"
#include "frontier/frontier.h"
#include "robots/robots.h"

#include <stdio.h>
#include <stdlib.h>

struct reread {
    const char *dir;
    struct page_analyser *analyser;
    struct warc_reader *reader; /* of `file`; NULL: none is open */
    char file[128];
    bool whole_pages;   /* nobody looks for blocks that repeat */
    struct arena arena; /* of one page */
    struct str blocks;  /* the record of its blocks */
};

static struct reread *make(const char *dir, const struct topic *topic, const struct page_options *wanted)
{
    struct page_options options = {
        .key = wanted->key,
        .without_links = wanted->without_links,
        .url_flags = topic_url_flags(topic),
        .agent = robots_agent(topic->politeness.user_agent),
        .max_bytes = topic->limits.page_bytes,
        .whole_page = topic->content == TOPIC_CONTENT_ALL,
        .pdf = wanted->pdf,
    };
    struct reread *reread = calloc(1, sizeof *reread);

    SCENT_BUG_IF(!reread);
    reread->dir = dir;
    reread->whole_pages = topic->content != TOPIC_CONTENT_MAIN;
    reread->analyser = page_analyser_new(&options);
    arena_init(&reread->arena, SIZE_MAX);
    return reread;
}

struct reread *reread_new(const char *dir, const struct topic *topic, uint64_t key, struct page_reader pdf)
{
    return make(dir, topic, &(struct page_options){.key = key, .pdf = pdf});
}

struct reread *reread_words_new(const char *dir, const struct topic *topic, struct page_reader pdf)
{
    return make(dir, topic, &(struct page_options){.without_links = true, .pdf = pdf});
}

static void close_file(struct reread *reread)
{
    if (reread->reader)
        warc_reader_close(reread->reader);
    reread->reader = NULL;
}

void reread_free(struct reread *reread)
{
    if (!reread)
        return;
    close_file(reread);
    page_analyser_free(reread->analyser);
    arena_release(&reread->arena);
    free(reread);
}

static scent_status open_file(struct reread *reread, struct str file, struct errmsg *err)
{
    struct crawldir_path path;

    if (reread->reader && str_eq(file, str_of(reread->file)))
        return SCENT_OK;
    close_file(reread);
    SCENT_TRY(crawldir_warc_path(reread->dir, file, &path, err));
    snprintf(reread->file, sizeof reread->file, "%.*s", STR_ARG(file));
    return warc_reader_open(path.text, &reread->reader, err);
}

scent_status reread_record(struct reread *reread, const struct store_page *row, struct warc_record *out,
                           struct errmsg *err)
{
    SCENT_TRY(open_file(reread, row->warc_file, err));
    SCENT_TRY(warc_reader_seek(reread->reader, row->warc_offset, 0, err));
    return warc_reader_next(reread->reader, out, err);
}

scent_status reread_page(struct reread *reread, const struct store_page *row, struct str href, struct page *out,
                         struct arena **arena, struct errmsg *err)
{
    struct warc_record record;
    scent_status status = reread_record(reread, row, &record, err);

    arena_reset(&reread->arena);
    if (status == SCENT_OK)
        status = page_analyse_stored(reread->analyser, href, record.http_head, record.payload, &reread->arena, out);
    *arena = &reread->arena;
    if (status == SCENT_OK)
        return SCENT_OK;
    close_file(reread);
    return errmsg_fail(err, status, "cannot read %.*s back from warc/%.*s", STR_ARG(href), STR_ARG(row->warc_file));
}

static scent_status keep_blocks(void *ctx, const struct store_blocks *blocks)
{
    struct reread *reread = ctx;

    reread->blocks = arena_str(&reread->arena, blocks->blocks);
    return reread->blocks.p ? SCENT_OK : SCENT_E_NOMEM;
}

scent_status reread_content(struct reread *reread, struct store *store, const struct store_page *row, struct str href,
                            struct page *out, struct arena **arena, struct errmsg *err)
{
    struct repeats_host *host;

    SCENT_TRY(reread_page(reread, row, href, out, arena, err));
    if (reread->whole_pages)
        return SCENT_OK;
    reread->blocks = STR_NONE;
    SCENT_TRY(store_get_blocks(store, row->number, keep_blocks, reread, err));
    host = repeats_host_of(reread->blocks, REPEATS_FIRST);
    repeats_apply(host, out);
    repeats_host_unref(host);
    return SCENT_OK;
}

/* ---- seeds ---- */

struct seed {
    struct store_page row;
    struct str url;
};

struct seeds {
    struct arena arena;
    struct seed *items;
    size_t count, room;
    uint64_t most;
};

static scent_status add_seed(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct seeds *seeds = ctx;
    struct seed *seed;

    if (seeds->count == seeds->most)
        return SCENT_E_END;
    if (!store_page_is_first(row))
        return SCENT_OK;
    if (!vec_reserve(&seeds->items, &seeds->room, seeds->count + 1, sizeof *seeds->items))
        return SCENT_E_NOMEM;
    seed = &seeds->items[seeds->count++];
    *seed = (struct seed){.row = {.number = row->number, .url = row->url, .warc_offset = row->warc_offset,
                                  .warc_length = row->warc_length},
                          .url = arena_str(&seeds->arena, url->url)};
    seed->row.warc_file = arena_str(&seeds->arena, row->warc_file);
    return seed->url.p && seed->row.warc_file.p ? SCENT_OK : SCENT_E_NOMEM;
}

static int order_seeds(const void *a, const void *b)
{
    const struct seed *x = a, *y = b;
    int order = str_cmp(x->url, y->url);

    return order ? order : (x->row.number > y->row.number) - (x->row.number < y->row.number);
}

struct reread_example_name reread_example_name(uint32_t url)
{
    struct reread_example_name name;

    snprintf(name.text, sizeof name.text, "example %lu", url + 1ul);
    return name;
}

static scent_status sum_seed(struct reread *reread, struct store *store, const struct seed *seed, struct centroid *out,
                             struct errmsg *err)
{
    struct arena *arena = &reread->arena;
    struct page page;
    struct buf kept;
    scent_status status;

    if (seed->row.warc_length) {
        SCENT_TRY(reread_page(reread, &seed->row, seed->url, &page, &arena, err));
        return centroid_add_page(out, &page);
    }
    buf_init(&kept, 0);
    status = store_get(store, reread_example_name(seed->row.url).text, &kept, err);
    if (status == SCENT_OK)
        status = centroid_add_kept(out, buf_str(&kept));
    buf_release(&kept);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status; /* none was kept */
}

scent_status reread_seeds(struct reread *reread, struct store *store, uint64_t most, bool by_url, struct centroid *out,
                          struct errmsg *err)
{
    struct seeds seeds = {.most = most};
    scent_status status;

    arena_init(&seeds.arena, SIZE_MAX);
    status = store_each_flagged_page(store, CANDIDATE_SEED, add_seed, &seeds, err);
    status = status == SCENT_E_END ? SCENT_OK : status;
    if (by_url && seeds.count)
        qsort(seeds.items, seeds.count, sizeof *seeds.items, order_seeds);
    for (size_t i = 0; i < seeds.count && status == SCENT_OK; i++)
        status = sum_seed(reread, store, &seeds.items[i], out, err);
    free(seeds.items);
    arena_release(&seeds.arena);
    return status;
}
