/* The few elements of a dump that matter, from the tokens of page/token.h. */
#include "training/rdf.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "page/token.h"

#include <stdlib.h>

struct rdf {
    rdf_fn *found;
    void *ctx;
    struct tokenizer tokenizer;
    bool keeping;     /* the text, of <topic> */
    struct buf text;
    struct buf topic; /* of the Topic that we are in, or that came last */
    struct buf page;  /* of the ExternalPage that we are in */
    bool in_topic, in_page;
    uint64_t *links;  /* hashes of the last topic's */
    struct map by_link;
};

struct rdf *rdf_new(rdf_fn *found, void *ctx)
{
    struct rdf *rdf = calloc(1, sizeof *rdf);

    SCENT_BUG_IF(!rdf);
    rdf->found = found;
    rdf->ctx = ctx;
    rdf->links = calloc(RDF_MAX_TOPIC_LINKS, sizeof *rdf->links);
    SCENT_BUG_IF(!rdf->links);
    tokenizer_init(&rdf->tokenizer);
    tokenizer_start_xml(&rdf->tokenizer);
    buf_init(&rdf->text, RDF_MAX_TAG);
    buf_init(&rdf->topic, RDF_MAX_TAG);
    buf_init(&rdf->page, RDF_MAX_TAG);
    return rdf;
}

void rdf_free(struct rdf *rdf)
{
    if (!rdf)
        return;
    tokenizer_release(&rdf->tokenizer);
    buf_release(&rdf->text);
    buf_release(&rdf->topic);
    buf_release(&rdf->page);
    map_release(&rdf->by_link);
    free(rdf->links);
    free(rdf);
}

/* The value of the attribute `name`, prefix ignored; empty when absent. */
static struct str attribute(const struct token *token, struct str name)
{
    for (unsigned i = 0; i < token->attributes.count; i++)
        if (str_eq(token_local_name(token->attributes.items[i].name, NULL), name))
            return str_trim(token->attributes.items[i].value);
    return STR_NONE;
}

static void keep(struct buf *out, struct str text)
{
    buf_clear(out);
    buf_add(out, text);
    out->failed = false;
}

static bool knows_link(const struct rdf *rdf, uint64_t hash)
{
    struct map_walk walk = map_find(&rdf->by_link, hash);

    while (map_next(&walk))
        if (rdf->links[walk.value] == hash)
            return true;
    return false;
}

static scent_status found_link(struct rdf *rdf, struct str url)
{
    uint64_t hash = hash_str(url, 0);

    if (!url.len || !rdf->topic.len || knows_link(rdf, hash))
        return SCENT_OK;
    if (rdf->by_link.count < RDF_MAX_TOPIC_LINKS) {
        rdf->links[rdf->by_link.count] = hash;
        SCENT_TRY(map_add(&rdf->by_link, hash, rdf->by_link.count));
    }
    return rdf->found(rdf->ctx, buf_str(&rdf->topic), url);
}

/* A page says its topic; the topic before it may have listed the page already. */
static scent_status found_page(struct rdf *rdf)
{
    struct str category = str_trim(buf_str(&rdf->text)), url = buf_str(&rdf->page);

    if (!url.len || !category.len)
        return SCENT_OK;
    if (str_eq(category, buf_str(&rdf->topic)) && knows_link(rdf, hash_str(url, 0)))
        return SCENT_OK;
    return rdf->found(rdf->ctx, category, url);
}

/* link, and link1, pdf, rss, atom beside it */
static bool is_link(struct str name)
{
    return str_eq(name, STR("link")) || str_eq(name, STR("link1")) || str_eq(name, STR("pdf")) ||
           str_eq(name, STR("pdf1"));
}

static scent_status begin_element(struct rdf *rdf, const struct token *token)
{
    struct str name = token_local_name(token->written, NULL);

    rdf->keeping = false;
    if (str_eq(name, STR("Topic"))) {
        map_clear(&rdf->by_link);
        keep(&rdf->topic, attribute(token, STR("id")));
        rdf->in_topic = !token->closes_itself;
        rdf->in_page = false;
    } else if (str_eq(name, STR("ExternalPage"))) {
        keep(&rdf->page, attribute(token, STR("about")));
        rdf->in_page = !token->closes_itself;
        rdf->in_topic = false;
    } else if (rdf->in_topic && is_link(name)) {
        return found_link(rdf, attribute(token, STR("resource")));
    } else if (rdf->in_page && str_eq(name, STR("topic"))) {
        buf_clear(&rdf->text);
        rdf->keeping = !token->closes_itself;
    }
    return SCENT_OK;
}

static scent_status end_element(struct rdf *rdf, struct str name)
{
    bool was_keeping = rdf->keeping;

    rdf->keeping = false;
    if (str_eq(name, STR("Topic")))
        rdf->in_topic = false;
    else if (str_eq(name, STR("ExternalPage")))
        rdf->in_page = false;
    else if (was_keeping && rdf->in_page && str_eq(name, STR("topic")))
        return found_page(rdf);
    return SCENT_OK;
}

scent_status rdf_feed(struct rdf *rdf, struct str piece)
{
    struct token token;

    SCENT_TRY(tokenizer_feed(&rdf->tokenizer, piece, false));
    if (rdf->tokenizer.too_long) { /* the tag is skipped: its rest reads as text */
        tokenizer_start_xml(&rdf->tokenizer);
        SCENT_TRY(tokenizer_feed(&rdf->tokenizer, piece, false));
    }
    while (token_next_xml(&rdf->tokenizer, &token)) {
        if (token.kind == TOKEN_START)
            SCENT_TRY(begin_element(rdf, &token));
        else if (token.kind == TOKEN_END)
            SCENT_TRY(end_element(rdf, token_local_name(token.written, NULL)));
        else if (token.kind == TOKEN_TEXT && rdf->keeping && !buf_add(&rdf->text, token.text))
            rdf->keeping = false; /* no category is that long */
        rdf->text.failed = false;
    }
    return SCENT_OK;
}
