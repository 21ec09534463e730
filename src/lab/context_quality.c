#include "lab/context_quality.h"

#include "page/context.h"
#include "json/json.h"
#include "lab/labels.h"

#include <math.h>
#include <stdlib.h>

enum { NEAR = 5, TREE_MIN = 2, TREE_MAX = 40 }; /* as the strategies have it by default */

static const char *const names[CONTEXT_WAYS] = {"anchor",   "window-10", "window-20", "window-40",
                                                "tag-tree", "leaves",    "path",      "full-page"};

struct measuring {
    const struct collection *collection;
    const struct context_quality_options *options;
    struct rng rng;
    struct arena arena; /* for one context */
    struct page_analyser *analyser; /* of given descriptions, */
    struct str *texts;              /* one a page, or empty; both NULL: none are given */
    struct context_quality *quality;
    double sums[CONTEXT_WAYS], squares[CONTEXT_WAYS], zeros[CONTEXT_WAYS], words[CONTEXT_WAYS],
        shorts[CONTEXT_WAYS];
};

/* ---- one context ---- */

/* NULL: no memory. */
static const float *path_weights(struct measuring *m, const struct page *page, uint32_t link, struct context range)
{
    uint32_t *leaf_nodes = arena_array(&m->arena, page->nleaves + 1, sizeof *leaf_nodes);
    float *weights = arena_array(&m->arena, range.end - range.first + 1, sizeof *weights);

    if (!leaf_nodes || !weights)
        return NULL;
    context_leaf_nodes(page, leaf_nodes);
    context_path_weights(page, link, NEAR, leaf_nodes, range, weights);
    for (uint32_t i = 0; i < range.end - range.first; i++)
        weights[i] = weights[i] > 0;
    return weights;
}

static struct context range_of(const struct page *page, uint32_t link, enum context_way way)
{
    switch (way) {
    case CONTEXT_WAY_ANCHOR:
        return context_anchor(page, link);
    case CONTEXT_WAY_WINDOW_10:
        return context_window(page, link, 10);
    case CONTEXT_WAY_WINDOW_20:
        return context_window(page, link, 20);
    case CONTEXT_WAY_WINDOW_40:
        return context_window(page, link, 40);
    case CONTEXT_WAY_TAG_TREE:
        return context_tag_tree(page, link, TREE_MIN, TREE_MAX, false);
    case CONTEXT_WAY_LEAVES:
        return context_leaves(page, link, NEAR);
    case CONTEXT_WAY_PATH:
        return context_path(page, link, NEAR);
    default:
        return (struct context){0, page->nwords};
    }
}

static scent_status bag_of(struct measuring *m, const struct page *page, struct context range, const float *weights,
                           struct text_vector *out)
{
    struct text_weight *items = arena_array(&m->arena, range.end - range.first + 1, sizeof *items);

    if (!items)
        return SCENT_E_NOMEM;
    *out = context_bag(page, range, weights, items);
    return SCENT_OK;
}

static scent_status add_context(struct measuring *m, const struct page *page, uint32_t link, enum context_way way,
                                const struct text_vector *description)
{
    struct context range = range_of(page, link, way);
    const float *weights = way == CONTEXT_WAY_PATH ? path_weights(m, page, link, range) : NULL;
    struct text_vector bag;
    double cosine, words = range.end - range.first;

    if ((way == CONTEXT_WAY_PATH && !weights) || bag_of(m, page, range, weights, &bag) != SCENT_OK)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; weights && i < range.end - range.first; i++)
        words -= !(weights[i] > 0);
    cosine = text_cosine(&bag, description);
    m->sums[way] += cosine;
    m->squares[way] += cosine * cosine;
    m->zeros[way] += cosine == 0;
    m->words[way] += words;
    m->shorts[way] += words <= CONTEXT_SHORT;
    return SCENT_OK;
}

/* ---- one target ---- */

static scent_status add_link(struct measuring *m, struct page_backlink from, const struct text_vector *description)
{
    const struct page *page = collection_page(m->collection, from.page, NULL);
    scent_status status = page ? SCENT_OK : SCENT_E_FORMAT;

    for (enum context_way way = 0; way < CONTEXT_WAYS && status == SCENT_OK; way++)
        status = add_context(m, page, from.link, way, description);
    m->quality->contexts++;
    return status;
}

/* A given text is read as a page in the language of the target: by the same words, stems and stop words. */
static scent_status read_text(struct measuring *m, struct str text, struct str lang, struct text_vector *out)
{
    struct page page;
    struct buf html;
    scent_status status;

    buf_init(&html, 0);
    buf_addz(&html, "<html lang=");
    buf_add(&html, lang.len ? lang : STR("en"));
    buf_addz(&html, "><body><p>");
    escape_markup(&html, text);
    status = html.failed ? SCENT_E_NOMEM
                         : page_analyse_stored(m->analyser, STR("http://description.invalid/"),
                                               STR("Content-Type: text/html; charset=utf-8\r\n"), buf_str(&html),
                                               &m->arena, &page);
    buf_release(&html);
    return status == SCENT_OK ? bag_of(m, &page, (struct context){0, page.nwords}, NULL, out) : status;
}

static scent_status describe(struct measuring *m, uint32_t target, const struct page *page, struct text_vector *out)
{
    const struct labels *given = m->options->descriptions;
    uint32_t words = page->nwords < m->options->description ? page->nwords : m->options->description;

    if (!given)
        return bag_of(m, page, (struct context){0, words}, NULL, out);
    *out = (struct text_vector){0};
    return m->texts[target].len ? read_text(m, m->texts[target], page->lang, out) : SCENT_OK;
}

static scent_status add_target(struct measuring *m, const struct page_graph *backlinks, uint32_t target,
                               struct page_backlink *drawn)
{
    const struct page *page = collection_page(m->collection, target, NULL);
    struct text_vector description;
    size_t count;
    scent_status status;

    if (!page)
        return SCENT_E_FORMAT;
    arena_reset(&m->arena);
    status = describe(m, target, page, &description);
    if (status != SCENT_OK || description.count == 0)
        return status;
    count = page_graph_draw(backlinks, target, m->options->backlinks, &m->rng, drawn);
    m->quality->targets += count > 0;
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = add_link(m, drawn[i], &description);
    return status;
}

/* ---- all of them ---- */

static void find_means(const struct measuring *m, struct context_quality *out)
{
    double n = (double)out->contexts;

    for (enum context_way way = 0; way < CONTEXT_WAYS && out->contexts; way++) {
        double mean = m->sums[way] / n, variance = n > 1 ? (m->squares[way] - n * mean * mean) / (n - 1) : 0;

        out->rows[way] = (struct context_quality_row){
            .similarity = mean,
            .error = variance > 0 ? sqrt(variance / n) : 0,
            .zero = m->zeros[way] / n,
            .words = m->words[way] / n,
            .shorts = m->shorts[way] / n,
        };
    }
}

static scent_status measure_all(struct measuring *m, const struct page_graph *backlinks, struct page_backlink *drawn)
{
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < collection_count(m->collection) && status == SCENT_OK; i++)
        if (!m->options->targets || m->options->targets[i])
            status = add_target(m, backlinks, i, drawn);
    return status;
}

scent_status context_quality_measure(const struct collection *collection, const struct context_quality_options *options,
                             struct context_quality *out, struct errmsg *err)
{
    struct measuring m = {.collection = collection, .options = options, .quality = out};
    struct page_backlink *drawn = malloc((options->backlinks + (size_t)1) * sizeof *drawn);
    struct page_graph *backlinks = NULL;
    scent_status status;

    *out = (struct context_quality){0};
    if (!drawn)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %u back-links", options->backlinks);
    arena_init(&m.arena, SIZE_MAX);
    rng_seed(&m.rng, options->seed);
    if (options->descriptions) {
        m.analyser = page_analyser_new(&(struct page_options){0});
        m.texts = calloc(collection_count(collection) + (size_t)1, sizeof *m.texts);
        SCENT_BUG_IF(!m.texts);
        for (size_t i = 0; i < options->descriptions->count; i++)
            m.texts[options->descriptions->rows[i].page] = options->descriptions->rows[i].category;
    }
    status = collection_graph(collection, &backlinks, err);
    if (status == SCENT_OK) {
        status = measure_all(&m, backlinks, drawn);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "the contexts cannot be measured: %s", scent_status_text(status));
    }
    find_means(&m, out);
    page_graph_free(backlinks);
    page_analyser_free(m.analyser);
    free(m.texts);
    arena_release(&m.arena);
    free(drawn);
    return status;
}

/* ---- telling ---- */

void context_quality_print(const struct context_quality *quality, struct buf *out)
{
    buf_printf(out, "%-12s %18s %12s %10s %12s\n", "context", "similarity", "nothing", "words", "short");
    for (enum context_way way = 0; way < CONTEXT_WAYS; way++) {
        const struct context_quality_row *row = &quality->rows[way];

        buf_printf(out, "%-12s %7.4f +- %.4f %10.2f%% %10.1f %10.2f%%\n", names[way], row->similarity, row->error,
                   100 * row->zero, row->words, 100 * row->shorts);
    }
    buf_printf(out,
               "%zu links to %zu pages. similarity: mean cosine of a context to the page that it leads to +- standard "
               "error; nothing: contexts with cosine 0; words: mean length; short: contexts of at most %d words\n",
               quality->contexts, quality->targets, CONTEXT_SHORT);
}

static void put_row(struct json_writer *w, enum context_way way, const struct context_quality_row *row)
{
    json_object_begin(w);
    json_put_str(w, "context", str_of(names[way]));
    json_put_double(w, "similarity", row->similarity);
    json_put_double(w, "error", row->error);
    json_put_double(w, "zero", row->zero);
    json_put_double(w, "words", row->words);
    json_put_double(w, "short", row->shorts);
    json_object_end(w);
}

void context_quality_write_json(const struct context_quality *quality, const struct context_quality_options *options,
                                struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_int(&w, "pages", (int64_t)quality->targets);
    json_put_int(&w, "links", (int64_t)quality->contexts);
    json_put_int(&w, "description_words", options->description);
    json_put_int(&w, "backlinks", options->backlinks);
    json_put_int(&w, "seed", (int64_t)options->seed);
    json_key(&w, "contexts");
    json_array_begin(&w);
    for (enum context_way way = 0; way < CONTEXT_WAYS; way++)
        put_row(&w, way, &quality->rows[way]);
    json_array_end(&w);
    json_object_end(&w);
    buf_addc(out, '\n');
}
