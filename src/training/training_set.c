#include "training/training_set.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/vec.h"
#include "page/page.h"
#include "pdf/pdf_reader.h"
#include "training/general_pages.h"
#include "training/linked_pages.h"
#include "warc/pagefile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE_ARENA = 512 << 20, SHOWN_WARNINGS = 5, VOCABULARY_MAX = 2000000, LANGS = 16 };
static const size_t max_memory = (size_t)8 << 30;

/* A bag of words that is known, and its class. */
struct bag {
    uint64_t hash;
    uint32_t class;
};

struct gather {
    const struct training_plan *plan;
    struct training_set *out;
    struct page_analyser *analyser;
    struct pdf_reader *pdf;
    struct arena page_arena;
    struct archive *collection, *fetched; /* NULL: none */
    struct buf lookup;
    struct learn_word *words; /* the text of each stem that examples have, for explanations: its first word. At most
                                 VOCABULARY_MAX: further stems have no text */
    size_t nwords, words_room;
    struct map words_by_stem;
    struct learn_example *examples;
    struct str *names;
    size_t count, examples_room, names_room;
    struct bag *bags;
    size_t nbags, bags_room;
    struct map bags_by_hash;
    uint32_t class; /* of the item being read */
    bool drawing;   /* its pages are drawn: `first` to `wanted` */
    size_t first, wanted;
    uint64_t offered; /* pages that could have been drawn from archives so far */
    struct rng rng;
    uint64_t items, warnings;
    struct {
        char lang[8];
        uint32_t pages;
    } langs[LANGS]; /* of the examples */
};

/* ---- one example ---- */

/* Does an example with these words exist, in this class, or (for two classes) in any? If not, it does now. */
static scent_status note_bag(struct gather *gather, const struct page *page, struct str name, bool *is_copy)
{
    uint64_t hash = gather->plan->learns == TOPIC_CATEGORIES ? gather->class + 1 : 1;
    struct map_walk walk;

    for (uint32_t k = 0; k < page->nbag; k++)
        hash = hash_mix(hash ^ page->bag[k].stem, page->bag[k].tf);
    walk = map_find(&gather->bags_by_hash, hash);
    while (map_next(&walk)) {
        const struct bag *bag = &gather->bags[walk.value];

        if (bag->hash != hash)
            continue;
        if (bag->class != gather->class && gather->warnings++ < SHOWN_WARNINGS)
            log_line(gather->plan->log, LOG_WARN,
                     "%.*s, a negative example, says the same as a positive one and is left out", STR_ARG(name));
        *is_copy = true;
        return SCENT_OK;
    }
    *is_copy = false;
    if (!vec_reserve(&gather->bags, &gather->bags_room, gather->nbags + 1, sizeof *gather->bags))
        return SCENT_E_NOMEM;
    gather->bags[gather->nbags] = (struct bag){hash, gather->class};
    return map_add(&gather->bags_by_hash, hash, (uint32_t)gather->nbags++);
}

static scent_status add_word(struct gather *gather, uint64_t stem, struct str text)
{
    struct map_walk walk = map_find(&gather->words_by_stem, stem);

    while (map_next(&walk))
        if (gather->words[walk.value].stem == stem)
            return SCENT_OK;
    if (!text.len || gather->nwords == VOCABULARY_MAX)
        return SCENT_OK;
    if (!vec_reserve(&gather->words, &gather->words_room, gather->nwords + 1, sizeof *gather->words))
        return SCENT_E_NOMEM;
    gather->words[gather->nwords] = (struct learn_word){stem, arena_str(&gather->out->arena, text)};
    if (!gather->words[gather->nwords].text.p)
        return SCENT_E_NOMEM;
    return map_add(&gather->words_by_stem, stem, (uint32_t)gather->nwords++);
}

static scent_status copy_bag(struct gather *gather, const struct page *page, struct text_vector *out)
{
    uint32_t n = page->nbag < TRAINING_SET_MAX_TERMS ? page->nbag : TRAINING_SET_MAX_TERMS;
    struct text_weight *items = arena_array(&gather->out->arena, n, sizeof *items);

    if (!items)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
        SCENT_TRY(add_word(gather, page->bag[i].stem, page->bag[i].text));
    }
    *out = (struct text_vector){items, n};
    return SCENT_OK;
}

/* Where a drawn page goes: to the end while some are wanted, else to the place of another drawn one, or nowhere (as in
 * taxonomy_add: each page of the archives has the same chance). */
static bool choose_place(struct gather *gather, size_t *place)
{
    *place = gather->count;
    if (!gather->drawing)
        return gather->count < TRAINING_SET_MAX;
    gather->offered++;
    if (gather->count - gather->first < gather->wanted)
        return gather->count < TRAINING_SET_MAX;
    *place = gather->first + (size_t)rng_below(&gather->rng, gather->offered);
    return *place < gather->count;
}

static void count_language(struct gather *gather, struct str lang)
{
    for (size_t i = 0; i < LANGS && lang.len < sizeof gather->langs[i].lang; i++) {
        if (!gather->langs[i].pages)
            snprintf(gather->langs[i].lang, sizeof gather->langs[i].lang, "%.*s", STR_ARG(lang));
        if (str_eq(str_of(gather->langs[i].lang), lang)) {
            gather->langs[i].pages++;
            return;
        }
    }
}

static scent_status keep_page(struct gather *gather, const struct page *page, struct str name)
{
    const struct training_plan *plan = gather->plan;
    size_t place;
    bool is_copy;

    SCENT_TRY(note_bag(gather, page, name, &is_copy));
    if (is_copy) {
        gather->out->copies++;
        return SCENT_OK;
    }
    if (gather->out->sample && (plan->learns == TOPIC_CATEGORIES || gather->class == 0))
        query_counts_add(gather->out->sample, page);
    if (!choose_place(gather, &place))
        return SCENT_OK;
    if (!vec_reserve(&gather->examples, &gather->examples_room, gather->count + 1, sizeof *gather->examples) ||
        !vec_reserve(&gather->names, &gather->names_room, gather->count + 1, sizeof *gather->names))
        return SCENT_E_NOMEM;
    SCENT_TRY(copy_bag(gather, page, &gather->examples[place].tf));
    if (plan->linked)
        SCENT_TRY(linked_pages_add_page(plan->linked, gather->class, page,
                                        !plan->topic->politeness.ignore_rel_nofollow));
    count_language(gather, page->lang);
    gather->examples[place].class = gather->class;
    gather->names[place] = arena_str(&gather->out->arena, name);
    gather->count += place == gather->count;
    return gather->names[place].p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status take_page(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct gather *gather = ctx;
    struct arena *arena = &gather->page_arena;
    struct page page;
    scent_status status;

    arena_reset(arena);
    status = page_analyse_stored(gather->analyser, from->url, from->headers, from->body, arena, &page);
    if (status != SCENT_OK && status != SCENT_E_NOMEM) /* not a URL: its words are what counts */
        status = page_analyse_stored(gather->analyser, STR("http://file.invalid/"), from->headers, from->body, arena,
                                     &page);
    if (status == SCENT_OK && page.nbag == 0) {
        gather->out->empty++;
        return SCENT_OK;
    }
    if (status == SCENT_OK)
        status = keep_page(gather, &page, from->name);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%.*s: no memory for this example",
                                                     STR_ARG(from->name));
}

/* ---- items ---- */

static scent_status take_url(struct gather *gather, struct str href, struct errmsg *err)
{
    scent_status status = SCENT_E_NOTFOUND;

    errmsg_fail(err, status, "it was not fetched");
    if (gather->collection)
        status = pagefile_find(gather->collection, href, &gather->lookup, take_page, gather, err);
    if (status == SCENT_E_NOTFOUND && gather->fetched)
        status = pagefile_find(gather->fetched, href, &gather->lookup, take_page, gather, err);
    return status;
}

static scent_status take_item(struct gather *gather, const struct training_item *item, struct errmsg *err)
{
    struct pagefile_counts counts = {0};
    struct errmsg why = {{0}};
    scent_status status;

    gather->items++;
    gather->class = item->class;
    if (item->is_url)
        status = take_url(gather, item->where, &why);
    else
        status = pagefile_read(item->where.p, item->file, take_page, gather, &counts, &why);
    if (status == SCENT_OK && item->file == PAGEFILE_WARC && !item->is_url && counts.pages == 0)
        status = errmsg_fail(&why, SCENT_E_FORMAT, "there is no page in it");
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "%s", why.text);
    if (counts.damaged && status == SCENT_OK)
        log_line(gather->plan->log, LOG_WARN, "%s: %" PRIu64 " damaged records; what could be read of them is used",
                 item->where.p, counts.damaged);
    if (status != SCENT_OK) {
        gather->out->unreadable++;
        if (gather->warnings++ < SHOWN_WARNINGS)
            log_line(gather->plan->log, LOG_WARN, "example left out: %.*s: %s", STR_ARG(item->where), why.text);
    }
    return SCENT_OK;
}

/* ---- all of them ---- */

static size_t count_positives(const struct gather *gather)
{
    size_t count = 0;

    for (size_t i = 0; i < gather->count; i++)
        count += gather->examples[i].class == 1;
    return count;
}

static scent_status draw_negatives(struct gather *gather, struct errmsg *err)
{
    const struct training_items *draws = &gather->plan->draws;
    size_t fetched = training_plan_wanted(gather->plan, gather->plan->npositive); /* further URLs were not fetched */
    scent_status status = SCENT_OK;

    gather->drawing = true;
    gather->first = gather->count;
    gather->wanted = training_plan_wanted(gather->plan, count_positives(gather));
    for (size_t i = 0; i < draws->count && status == SCENT_OK; i++) {
        const struct training_item *item = &draws->items[i];
        bool is_archive = !item->is_url && item->file == PAGEFILE_WARC;

        if (item->is_url && !gather->collection && i >= fetched)
            continue;
        if (gather->count - gather->first < gather->wanted || is_archive)
            status = take_item(gather, item, err);
    }
    gather->out->set.nweak = gather->plan->weak ? gather->count - gather->first : 0;
    if (status == SCENT_OK && !gather->plan->weak && gather->count - gather->first < gather->wanted)
        log_line(gather->plan->log, LOG_WARN, "only %zu of %zu wanted negative examples could be drawn",
                 gather->count - gather->first, gather->wanted);
    return status;
}

/* Into the set's own memory. */
static void *keep_array(struct training_set *out, const void *items, size_t count, size_t size)
{
    void *copy = arena_array(&out->arena, count + 1, size);

    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

/* The language of most examples; where nothing says which it is, English. */
static const struct background *find_background(const struct gather *gather, struct errmsg *err)
{
    const struct background *background;
    size_t most = 0;

    for (size_t i = 1; i < LANGS; i++)
        if (gather->langs[i].pages > gather->langs[most].pages)
            most = i;
    background = background_for(gather->langs[most].lang[0] ? str_of(gather->langs[most].lang) : STR("en"));
    if (!background)
        errmsg_fail(err, SCENT_E_INVALID,
                    "there are no negative examples, and the program does not know how common the words of this "
                    "language ('%s') are. Add 'negative: PATH' to 'examples' (pages on other subjects), or "
                    "'background: PATH' (pages of all kinds)", gather->langs[most].lang);
    return background;
}

/* Negatives where nobody gave any. The texts of their stems are not added: none tells the topic. */
static scent_status add_general(struct gather *gather, struct errmsg *err)
{
    const struct background *background = gather->count ? find_background(gather, err) : NULL;
    size_t wanted = training_plan_wanted(gather->plan, gather->count);
    struct general_pages general;
    struct str name = STR("a page about nothing in particular");

    if (!background)
        return gather->count ? SCENT_E_INVALID : SCENT_OK; /* without any example: check_enough() */
    gather->out->whole = gather->out->set;
    gather->out->whole.examples = keep_array(gather->out, gather->examples, gather->count, sizeof *gather->examples);
    gather->out->whole.nexamples = gather->count;
    if (!gather->out->whole.examples)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the examples");
    for (size_t i = 0; i < gather->count; i++)
        if (general_pages_known(background, &gather->out->arena, &gather->examples[i].tf) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the examples");
    general = general_pages_of(background, general_pages_length(gather->examples, gather->count));
    if (!vec_reserve(&gather->examples, &gather->examples_room, gather->count + wanted, sizeof *gather->examples) ||
        !vec_reserve(&gather->names, &gather->names_room, gather->count + wanted, sizeof *gather->names))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the negatives");
    for (size_t i = 0; i < wanted; i++, gather->count++) {
        gather->names[gather->count] = name;
        gather->examples[gather->count].class = 0;
        if (general_pages_draw(&general, &gather->rng, &gather->out->arena, &gather->examples[gather->count].tf))
            return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the negatives");
    }
    gather->out->set.nweak = wanted;
    log_line(gather->plan->log, LOG_INFO,
             "no negative examples are given: words are weighed against how common they are in general");
    return SCENT_OK;
}

static scent_status read_all(struct gather *gather, void (*on_read)(void *, size_t, size_t), void *ctx,
                             struct errmsg *err)
{
    const struct training_items *given = &gather->plan->given;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < given->count && status == SCENT_OK; i++) {
        status = take_item(gather, &given->items[i], err);
        if (on_read && i % 64 == 0)
            on_read(ctx, i, given->count);
    }
    if (status == SCENT_OK && gather->plan->draws.count)
        status = draw_negatives(gather, err);
    if (status == SCENT_OK && gather->plan->general)
        status = add_general(gather, err);
    if (on_read)
        on_read(ctx, given->count, given->count);
    return status;
}

/* ---- is it enough? ---- */

/* A class that lost all its examples cannot be learned; the others move together. */
static scent_status drop_empty_classes(struct gather *gather)
{
    const struct training_plan *plan = gather->plan;
    struct training_set *out = gather->out;
    struct str *classes = arena_array(&out->arena, plan->nclasses, sizeof *classes);
    uint32_t *moved = arena_array(&out->arena, plan->nclasses, sizeof *moved), n = 0;
    uint64_t *counts = arena_array(&out->arena, plan->nclasses, sizeof *counts);

    if (!classes || !moved || !counts)
        return SCENT_E_NOMEM;
    memset(counts, 0, plan->nclasses * sizeof *counts);
    for (size_t i = 0; i < gather->count; i++)
        counts[gather->examples[i].class]++;
    for (uint32_t i = 0; i < plan->nclasses; i++) {
        moved[i] = n;
        if (plan->learns == TOPIC_CATEGORIES && !counts[i])
            continue;
        classes[n] = arena_str(&out->arena, plan->classes[i]);
        if (!classes[n].p)
            return SCENT_E_NOMEM;
        if (plan->linked)
            linked_pages_move(plan->linked, i, n);
        counts[n++] = counts[i];
    }
    for (size_t i = 0; i < gather->count; i++)
        gather->examples[i].class = moved[gather->examples[i].class];
    if (n < plan->nclasses)
        log_line(plan->log, LOG_WARN, "%" PRIu32 " categories have no readable example and are left out",
                 plan->nclasses - n);
    out->set.classes = classes;
    out->set.nclasses = n;
    out->counts = counts;
    return SCENT_OK;
}

static scent_status check_enough(const struct gather *gather, struct errmsg *err)
{
    const struct training_set *out = gather->out;
    uint64_t few = 0, first = UINT64_MAX;

    if (out->unreadable * 2 > gather->items)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%" PRIu64 " of %" PRIu64 " examples could not be read: more than half; see the warnings "
                                                     "above",
                           out->unreadable, gather->items);
    if (out->set.nclasses < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "a model needs two classes with examples, only %" PRIu32 " has some",
                           out->set.nclasses);
    for (uint32_t i = 0; i < out->set.nclasses; i++) {
        if (gather->plan->learns == TOPIC_TWO_CLASSES && out->counts[i] < 2)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "there %s %s example%s; a model needs at least 2 of each class, and 20 are better",
                               out->counts[i] ? "is only one" : "is no", out->set.classes[i].p,
                               !out->counts[i] && out->copies ? " that is not also a positive one" : "");
        few += out->counts[i] < TRAINING_SET_FEW;
        first = out->counts[i] < TRAINING_SET_FEW && first == UINT64_MAX ? i : first;
    }
    if (few)
        log_line(gather->plan->log, LOG_WARN,
                 "%" PRIu64 " of %" PRIu32 " classes have fewer than %d examples (%s: %" PRIu64
                 "); the model may know little, and its figures say little",
                 few, out->set.nclasses, TRAINING_SET_FEW, out->set.classes[first].p, out->counts[first]);
    return SCENT_OK;
}

static int by_stem(const void *a, const void *b)
{
    uint64_t x = ((const struct learn_word *)a)->stem, y = ((const struct learn_word *)b)->stem;

    return (x > y) - (x < y);
}

static scent_status finish(struct gather *gather, struct errmsg *err)
{
    struct training_set *out = gather->out;
    scent_status status = drop_empty_classes(gather);

    if (gather->nwords)
        qsort(gather->words, gather->nwords, sizeof *gather->words, by_stem);
    out->names = keep_array(out, gather->names, gather->count, sizeof *gather->names);
    out->set.examples = keep_array(out, gather->examples, gather->count, sizeof *gather->examples);
    out->set.nexamples = gather->count;
    out->set.words = keep_array(out, gather->words, gather->nwords, sizeof *gather->words);
    out->set.nwords = gather->nwords;
    if (status != SCENT_OK || !out->names || !out->set.examples || !out->set.words)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the examples");
    out->others = gather->plan->others;
    if (!gather->plan->general)
        out->whole = out->set;
    if (out->unreadable || out->empty || out->copies || out->others)
        log_line(gather->plan->log, out->unreadable || out->others ? LOG_WARN : LOG_INFO,
                 "left out: %" PRIu64 " files that are not pages, %" PRIu64 " that could not be read, %" PRIu64
                 " without words, %" PRIu64 " copies of others",
                 out->others, out->unreadable, out->empty, out->copies);
    return check_enough(gather, err);
}

static scent_status open_archives(struct gather *gather, const char *fetched, struct errmsg *err)
{
    const struct training_plan *plan = gather->plan;
    struct errmsg why = {{0}};
    scent_status status = SCENT_OK;

    if (training_plan_has_collection(plan))
        status = archive_open(plan->topic->taxonomy.collection.p, plan->log, &gather->collection, err);
    if (status == SCENT_OK && fetched && archive_open(fetched, plan->log, &gather->fetched, &why) != SCENT_OK)
        log_line(plan->log, LOG_WARN, "%s", why.text); /* nothing could be fetched: the count will tell */
    return status;
}

static void release(struct gather *gather)
{
    archive_free(gather->collection);
    archive_free(gather->fetched);
    page_analyser_free(gather->analyser);
    pdf_reader_free(gather->pdf);
    arena_release(&gather->page_arena);
    buf_release(&gather->lookup);
    free(gather->words);
    map_release(&gather->words_by_stem);
    free(gather->examples);
    free(gather->names);
    free(gather->bags);
    map_release(&gather->bags_by_hash);
}

scent_status training_set_read(const struct training_plan *plan, const char *fetched,
                               void (*on_read)(void *ctx, size_t done, size_t all), void *ctx,
                               struct training_set **out, struct errmsg *err)
{
    struct gather gather = {.plan = plan, .out = calloc(1, sizeof *gather.out)};
    struct errmsg no_pdf;
    scent_status status;

    SCENT_BUG_IF(!gather.out);
    arena_init(&gather.out->arena, max_memory);
    if (plan->topic->query)
        gather.out->sample = query_counts_new(plan->topic->query);
    arena_init(&gather.page_arena, PAGE_ARENA);
    buf_init(&gather.lookup, 0);
    gather.pdf = pdf_reader_new(NULL, NULL, &no_pdf); /* without it they are left out, as empty ones are */
    gather.analyser = page_analyser_new(
        &(struct page_options){.max_bytes = PAGEFILE_MAX_BYTES,
                               .whole_page = plan->topic->content == TOPIC_CONTENT_ALL,
                               .pdf = pdf_reader_option(gather.pdf)});
    rng_seed(&gather.rng, plan->topic->model.seed);
    status = open_archives(&gather, fetched, err);
    if (plan->linked)
        linked_pages_limit(plan->linked, gather.collection);
    if (status == SCENT_OK)
        status = read_all(&gather, on_read, ctx, err);
    if (plan->linked)
        linked_pages_limit(plan->linked, NULL); /* it goes with the others */
    if (status == SCENT_OK)
        status = finish(&gather, err);
    release(&gather);
    if (status != SCENT_OK) {
        training_set_free(gather.out);
        return status;
    }
    *out = gather.out;
    return SCENT_OK;
}

void training_set_free(struct training_set *examples)
{
    if (!examples)
        return;
    query_counts_free(examples->sample);
    arena_release(&examples->arena);
    free(examples);
}
