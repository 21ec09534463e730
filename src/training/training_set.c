#include "base/hash.h"
#include "page/page.h"
#include "training/linked_pages.h"
#include "training/lookup.h"
#include "training/training_plan.h"
#include "training/vocabulary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_ARENA = 512 << 20, SHOWN_WARNINGS = 5 };
static const size_t max_memory = (size_t)8 << 30;

/* Which bag of words is known, and as which example. */
struct known {
    uint64_t hash; /* 0: empty */
    uint32_t class;
};

struct gather {
    const struct training_plan *plan;
    struct training_set *out;
    struct page_analyser *analyser;
    struct arena page_arena;
    struct archive *collection, *fetched; /* NULL: none */
    struct lookup lookup;
    struct vocabulary words;
    struct learn_example *examples;
    struct str *names;
    size_t count, room;
    struct known *known;
    size_t nknown, known_room; /* slots, a power of two */
    uint32_t class;            /* of the item being read */
    bool drawing;              /* its pages are drawn: `first` to `wanted` */
    size_t first, wanted;
    uint64_t offered;          /* pages that could have been drawn from archives so far */
    struct rng rng;
    uint64_t items, warnings;
};

/* ---- one example ---- */

static scent_status make_room(struct gather *gather)
{
    size_t room = gather->room ? gather->room * 2 : 256;
    struct learn_example *examples;
    struct str *names;

    if (gather->count < gather->room)
        return SCENT_OK;
    if (!(examples = realloc(gather->examples, room * sizeof *examples)))
        return SCENT_E_NOMEM;
    gather->examples = examples;
    if (!(names = realloc(gather->names, room * sizeof *names)))
        return SCENT_E_NOMEM;
    gather->names = names;
    gather->room = room;
    return SCENT_OK;
}

static bool grow_known(struct gather *gather)
{
    size_t room = gather->known_room ? gather->known_room * 2 : 1024;
    struct known *known = calloc(room, sizeof *known);

    if (!known)
        return false;
    for (size_t i = 0; i < gather->known_room; i++) {
        size_t k = gather->known[i].hash & (room - 1);

        if (!gather->known[i].hash)
            continue;
        while (known[k].hash)
            k = (k + 1) & (room - 1);
        known[k] = gather->known[i];
    }
    free(gather->known);
    gather->known = known;
    gather->known_room = room;
    return true;
}

/* Does an example with these words exist, in this class, or (for two classes) in any? If not, it does now. */
static scent_status know(struct gather *gather, const struct page *page, struct str name, bool *is_copy)
{
    uint64_t hash = gather->plan->lesson == TOPIC_CATEGORIES ? gather->class + 1 : 1;
    size_t i;

    if (gather->nknown * 2 >= gather->known_room && !grow_known(gather))
        return SCENT_E_NOMEM;
    for (uint32_t k = 0; k < page->nbag; k++)
        hash = hash_mix(hash ^ page->bag[k].stem, page->bag[k].tf);
    hash = hash ? hash : 1;
    for (i = hash & (gather->known_room - 1); gather->known[i].hash && gather->known[i].hash != hash;)
        i = (i + 1) & (gather->known_room - 1);
    *is_copy = gather->known[i].hash != 0;
    if (!*is_copy) {
        gather->known[i] = (struct known){hash, gather->class};
        gather->nknown++;
    } else if (gather->known[i].class != gather->class && gather->warnings++ < SHOWN_WARNINGS) {
        log_line(gather->plan->log, LOG_WARN, "%.*s, a negative example, says the same as a positive one and is left "
                                              "out",
                 STR_ARG(name));
    }
    return SCENT_OK;
}

static scent_status copy_bag(struct gather *gather, const struct page *page, struct text_vector *out)
{
    uint32_t n = page->nbag < TRAINING_SET_MAX_TERMS ? page->nbag : TRAINING_SET_MAX_TERMS;
    struct text_weight *items = arena_array(&gather->out->arena, n, sizeof *items);
    scent_status status = items ? SCENT_OK : SCENT_E_NOMEM;

    for (uint32_t i = 0; i < n && status == SCENT_OK; i++) {
        items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
        status = vocabulary_add(&gather->words, page->bag[i].stem, page->bag[i].text, &gather->out->arena);
    }
    *out = (struct text_vector){items, n};
    return status;
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

static scent_status keep_page(struct gather *gather, const struct page *page, struct str name)
{
    size_t place;
    bool is_copy;
    scent_status status = know(gather, page, name, &is_copy);

    if (status != SCENT_OK)
        return status;
    if (is_copy) {
        gather->out->copies++;
        return SCENT_OK;
    }
    if (gather->out->sample && (gather->plan->lesson == TOPIC_CATEGORIES || gather->class == 0))
        census_add(gather->out->sample, page);
    if (!choose_place(gather, &place))
        return SCENT_OK;
    status = make_room(gather);
    if (status == SCENT_OK)
        status = copy_bag(gather, page, &gather->examples[place].tf);
    if (status == SCENT_OK && gather->plan->linked)
        status = linked_pages_add_page(gather->plan->linked, gather->class, page,
                                 !gather->plan->topic->politeness.ignore_rel_nofollow);
    if (status != SCENT_OK)
        return status;
    gather->examples[place].class = gather->class;
    gather->names[place] = arena_str(&gather->out->arena, name);
    gather->count += place == gather->count;
    return gather->names[place].p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status take_page(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct gather *gather = ctx;
    struct page_input input = {.headers = from->headers, .body = from->body};
    struct page page;
    struct url url;
    scent_status status;

    arena_reset(&gather->page_arena);
    status = url_parse(&gather->page_arena, from->url, NULL, &url);
    if (status != SCENT_OK && status != SCENT_E_NOMEM)
        status = url_parse(&gather->page_arena, STR("http://file.invalid/"), NULL, &url); /* its words are what counts */
    input.url = &url;
    if (status == SCENT_OK)
        status = page_analyse(gather->analyser, &input, &gather->page_arena, &page);
    if (status == SCENT_OK && page.nbag == 0) {
        gather->out->empty++;
        return SCENT_OK;
    }
    if (status == SCENT_OK)
        status = keep_page(gather, &page, from->name);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%.*s: no memory for this example", STR_ARG(from->name));
}

/* ---- items ---- */

static scent_status take_url(struct gather *gather, struct str href, struct errmsg *err)
{
    scent_status status = SCENT_E_NOTFOUND;

    errmsg_fail(err, status, "it was not fetched");
    if (gather->collection)
        status = lookup_page(&gather->lookup, gather->collection, href, take_page, gather, err);
    if (status == SCENT_E_NOTFOUND && gather->fetched)
        status = lookup_page(&gather->lookup, gather->fetched, href, take_page, gather, err);
    return status;
}

static scent_status take_item(struct gather *gather, const struct plan_item *item, struct errmsg *err)
{
    struct pagefile_counts counts = {0};
    struct errmsg why = {{0}};
    scent_status status;

    gather->items++;
    gather->class = item->class;
    if (item->kind == PLAN_URL)
        status = take_url(gather, item->where, &why);
    else
        status = pagefile_read(item->where.p, item->file, take_page, gather, &counts, &why);
    if (status == SCENT_OK && item->file == PAGEFILE_WARC && item->kind == PLAN_FILE && counts.pages == 0)
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

static scent_status draw(struct gather *gather, struct errmsg *err)
{
    const struct plan_list *draws = &gather->plan->draws;
    size_t fetched = plan_wanted(gather->plan, gather->plan->npositive); /* URLs behind these were not asked for */
    scent_status status = SCENT_OK;

    gather->drawing = true;
    gather->first = gather->count;
    gather->wanted = plan_wanted(gather->plan, gather->count);
    for (size_t i = 0; i < draws->count && status == SCENT_OK; i++) {
        const struct plan_item *item = &draws->items[i];
        bool is_archive = item->kind == PLAN_FILE && item->file == PAGEFILE_WARC;

        if (item->kind == PLAN_URL && !gather->collection && i >= fetched)
            continue;
        if (gather->count - gather->first < gather->wanted || is_archive)
            status = take_item(gather, item, err);
    }
    if (status == SCENT_OK && gather->count - gather->first < gather->wanted)
        log_line(gather->plan->log, LOG_WARN, "only %zu of %zu wanted negative examples could be drawn",
                 gather->count - gather->first, gather->wanted);
    return status;
}

static scent_status read_all(struct gather *gather, void (*on_read)(void *, size_t, size_t), void *ctx,
                             struct errmsg *err)
{
    const struct plan_list *given = &gather->plan->given;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < given->count && status == SCENT_OK; i++) {
        status = take_item(gather, &given->items[i], err);
        if (on_read && i % 64 == 0)
            on_read(ctx, i, given->count);
    }
    if (status == SCENT_OK && gather->plan->draws.count)
        status = draw(gather, err);
    if (on_read)
        on_read(ctx, given->count, given->count);
    return status;
}

/* ---- is it enough? ---- */

static void say_left_out(const struct gather *gather)
{
    const struct training_set *out = gather->out;

    if (out->unreadable || out->empty || out->copies)
        log_line(gather->plan->log, out->unreadable ? LOG_WARN : LOG_INFO,
                 "left out: %" PRIu64 " that could not be read, %" PRIu64 " without words, %" PRIu64 " copies of others",
                 out->unreadable, out->empty, out->copies);
}

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
        if (plan->lesson == TOPIC_CATEGORIES && !counts[i])
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
        if (gather->plan->lesson == TOPIC_TWO_CLASSES && out->counts[i] < 2)
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

static scent_status finish(struct gather *gather, struct errmsg *err)
{
    struct training_set *out = gather->out;
    struct learn_example *examples = arena_array(&out->arena, gather->count + 1, sizeof *examples);
    struct str *names = arena_array(&out->arena, gather->count + 1, sizeof *names);
    struct learn_word *words = NULL;
    scent_status status = examples && names ? vocabulary_list(&gather->words, &out->arena, &words) : SCENT_E_NOMEM;

    if (status == SCENT_OK)
        status = drop_empty_classes(gather);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the examples");
    if (gather->count) {
        memcpy(examples, gather->examples, gather->count * sizeof *examples);
        memcpy(names, gather->names, gather->count * sizeof *names);
    }
    out->names = names;
    out->set.examples = examples;
    out->set.nexamples = gather->count;
    out->set.words = words;
    out->set.nwords = gather->words.count;
    say_left_out(gather);
    return check_enough(gather, err);
}

static scent_status open_archives(struct gather *gather, const char *fetched, struct errmsg *err)
{
    const struct training_plan *plan = gather->plan;
    struct errmsg why = {{0}};
    scent_status status = SCENT_OK;

    if (plan_has_collection(plan))
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
    arena_release(&gather->page_arena);
    lookup_release(&gather->lookup);
    vocabulary_release(&gather->words);
    free(gather->examples);
    free(gather->names);
    free(gather->known);
}

scent_status training_set_read(const struct training_plan *plan, const char *fetched,
                             void (*on_read)(void *ctx, size_t done, size_t all), void *ctx, struct training_set **out,
                             struct errmsg *err)
{
    struct gather gather = {.plan = plan, .out = calloc(1, sizeof *gather.out)};
    scent_status status;

    SCENT_BUG_IF(!gather.out);
    arena_init(&gather.out->arena, max_memory);
    if (plan->topic->query)
        gather.out->sample = census_new(plan->topic->query);
    arena_init(&gather.page_arena, PAGE_ARENA);
    lookup_init(&gather.lookup);
    gather.analyser = page_analyser_new(&(struct page_options){0});
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
    census_free(examples->sample);
    arena_release(&examples->arena);
    free(examples);
}
