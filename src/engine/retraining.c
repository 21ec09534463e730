#include "engine/retraining.h"

#include "base/hash.h"
#include "base/vec.h"
#include "crawldir/marks.h"
#include "crawldir/reread.h"
#include "learn/evaluate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { FOLDS = 5, STEMS_MAX = 5000, MODELS_MAX = 64, MARKS_MAX = 1000 };
#define TOLERANCE .01 /* what a judge may lose on held-out pages where people have marked others */

struct sampled {
    uint64_t hash;
    struct text_vector tf; /* from malloc() */
};

struct growing {
    struct learn_example *examples;
    size_t count, room;
};

/* A training: all that it reads is its own, or never changes. */
struct task {
    struct arena arena;
    const struct topic *topic;
    const char *dir;
    const struct learn_set *old, *whole;
    struct model_options options;
    struct text_vector *sample;
    size_t nsample;
    uint64_t known_marks; /* those that the judge has learned from */
    struct marks marks;
    struct growing marked;
    struct trained_examples *examples; /* of the candidate */
    struct trained trained;
    struct evaluate_rival rivals[2];
    scent_status status;
    struct errmsg err;
    atomic_bool done;
    pthread_t thread;
};

struct retraining {
    const struct topic *topic;
    const char *dir;
    const struct log *log;
    uint64_t seed, marks;
    const struct learn_set *set, *whole; /* what the judge has learned from; what all judges learn from */
    struct sampled sample[RETRAINING_SAMPLE];
    size_t nsample;
    uint64_t noted;   /* marks that have changed since the last training began */
    uint64_t learned; /* from so many marks */
    struct task *task; /* under way; NULL: none is */
    struct trained kept[MODELS_MAX]; /* snapshots may use any of them */
    size_t nkept;
};

struct retraining *retraining_new(const struct topic *topic, const struct knowledge *knowledge, const char *dir,
                                  uint64_t seed, const struct log *log)
{
    struct retraining *retraining;

    if (!knowledge || !knowledge->examples || !(topic->model.weak > 0))
        return NULL;
    retraining = calloc(1, sizeof *retraining);
    SCENT_BUG_IF(!retraining);
    *retraining = (struct retraining){.topic = topic,
                                      .dir = dir,
                                      .log = log,
                                      .seed = seed,
                                      .set = knowledge->examples,
                                      .whole = knowledge->whole};
    return retraining;
}

static void task_free(struct task *task)
{
    if (!task)
        return;
    marks_release(&task->marks);
    free(task->marked.examples);
    trained_examples_free(task->examples);
    trained_release(&task->trained);
    arena_release(&task->arena);
    free(task);
}

void retraining_free(struct retraining *retraining)
{
    if (!retraining)
        return;
    if (retraining->task && !retraining->topic->window)
        pthread_join(retraining->task->thread, NULL);
    task_free(retraining->task);
    for (size_t i = 0; i < retraining->nsample; i++)
        free(retraining->sample[i].tf.items);
    for (size_t i = 0; i < retraining->nkept; i++)
        trained_release(&retraining->kept[i]);
    free(retraining);
}

void retraining_note_marks(struct retraining *retraining)
{
    retraining->noted++;
}

/* At once, as long as there is room for many more models: then when there are an eighth more marks. */
static bool marks_are_due(const struct retraining *retraining)
{
    return retraining->noted && (retraining->nkept < MODELS_MAX / 2 || retraining->noted * 8 >= retraining->learned);
}

bool retraining_is_due(const struct retraining *retraining)
{
    return retraining->task ? atomic_load(&retraining->task->done) : marks_are_due(retraining);
}

/* ---- the sample ---- */

struct value_name {
    char text[32];
};

static struct value_name slot_name(size_t slot)
{
    struct value_name name;

    snprintf(name.text, sizeof name.text, "weak %zu", slot);
    return name;
}

static bool fill_slot(struct retraining *retraining, size_t slot, uint64_t hash, const void *items, size_t count)
{
    struct sampled *sampled = &retraining->sample[slot];
    struct text_weight *copy = malloc((count + 1) * sizeof *copy);

    if (!copy)
        return false;
    memcpy(copy, items, count * sizeof *copy);
    free(sampled->tf.items);
    *sampled = (struct sampled){hash, {copy, count}};
    retraining->nsample += slot == retraining->nsample;
    return true;
}

/* The smallest hashes of all URLs: each page has the same chance, whenever it comes. */
static bool choose_slot(const struct retraining *retraining, uint64_t hash, size_t *slot)
{
    *slot = retraining->nsample;
    if (retraining->nsample < RETRAINING_SAMPLE)
        return true;
    *slot = 0;
    for (size_t i = 1; i < retraining->nsample; i++)
        if (retraining->sample[i].hash > retraining->sample[*slot].hash)
            *slot = i;
    return hash < retraining->sample[*slot].hash;
}

scent_status retraining_see(struct retraining *retraining, const struct page *page, struct rows *rows)
{
    uint64_t hash = hash_str(page->url.href, retraining->seed);
    struct text_vector tf;
    struct str name, value;
    char *bytes;
    size_t slot;

    if (page->nbag == 0 || page->nbag > STEMS_MAX || !choose_slot(retraining, hash, &slot))
        return SCENT_OK;
    SCENT_TRY(page_frequencies(page, rows->arena, &tf));
    name = arena_str(rows->arena, str_of(slot_name(slot).text));
    value.len = sizeof hash + tf.count * sizeof *tf.items;
    value.p = bytes = arena_alloc(rows->arena, value.len);
    if (!name.p || !bytes || !fill_slot(retraining, slot, hash, tf.items, tf.count))
        return SCENT_E_NOMEM;
    memcpy(bytes, &hash, sizeof hash);
    memcpy(bytes + sizeof hash, tf.items, tf.count * sizeof *tf.items);
    ROWS_ADD(rows, values, ((struct rows_value){name.p, value}));
    return SCENT_OK;
}

/* ---- after a restart ---- */

static scent_status restore_sample(struct retraining *retraining, struct store *store, struct errmsg *err)
{
    struct buf value;
    scent_status status = SCENT_OK;

    buf_init(&value, 0);
    for (size_t slot = 0; slot < RETRAINING_SAMPLE && status == SCENT_OK; slot++) {
        uint64_t hash;

        buf_clear(&value);
        status = store_get(store, slot_name(slot).text, &value, err);
        if (status == SCENT_OK && value.len >= sizeof hash &&
            (value.len - sizeof hash) % sizeof(struct text_weight) == 0) {
            memcpy(&hash, value.p, sizeof hash);
            if (!fill_slot(retraining, slot, hash, value.p + sizeof hash,
                           (value.len - sizeof hash) / sizeof(struct text_weight)))
                status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the sample of pages");
            else if (!text_is_frequencies(&retraining->sample[slot].tf))
                retraining->sample[slot].tf.count = 0; /* the database says what no page can */
        }
    }
    buf_release(&value);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static void use(struct retraining *retraining, const struct trained *kept, uint64_t marks, struct knowledge *knowledge)
{
    retraining->set = &kept->examples->set;
    retraining->marks = marks;
    knowledge->model = kept->judge;
    knowledge->guide = kept->guide ? kept->guide : knowledge->guide;
}

static bool begins_with(const struct learn_set *set, const struct learn_set *whole)
{
    size_t labelled = whole->nexamples - whole->nweak;

    for (size_t i = 0; i < labelled && labelled <= set->nexamples; i++) {
        const struct learn_example *x = &set->examples[i], *y = &whole->examples[i];

        if (x->class != y->class || x->tf.count != y->tf.count ||
            memcmp(x->tf.items, y->tf.items, x->tf.count * sizeof *x->tf.items) != 0)
            return false;
    }
    return labelled <= set->nexamples;
}

scent_status retraining_load(struct store *store, const struct learn_set *whole, struct trained *out, uint64_t *marks,
                             struct errmsg *err)
{
    struct buf value;
    scent_status status;

    *out = (struct trained){0};
    *marks = 0;
    buf_init(&value, 0);
    status = store_get(store, RETRAINING_VALUE, &value, err);
    if (status == SCENT_OK) {
        memcpy(marks, value.p, value.len < sizeof *marks ? value.len : sizeof *marks);
        status = trained_read(str_sub(buf_str(&value), sizeof *marks, value.len), "the value '" RETRAINING_VALUE "'",
                              out, err);
    }
    if (status == SCENT_OK && (!out->examples || model_nclasses(out->judge) != 2)) {
        trained_release(out);
        status = errmsg_fail(err, SCENT_E_FORMAT, "the value '" RETRAINING_VALUE "' of crawl.db is damaged");
    }
    if (status == SCENT_OK && !begins_with(&out->examples->set, whole)) {
        trained_release(out);
        status = SCENT_E_NOTFOUND;
    }
    buf_release(&value);
    return status;
}

scent_status retraining_restore(struct retraining *retraining, struct store *store, struct knowledge *knowledge,
                                bool *changed, struct errmsg *err)
{
    struct marks marks;
    uint64_t sum;
    scent_status status;

    *changed = false;
    SCENT_TRY(restore_sample(retraining, store, err));
    status = retraining_load(store, retraining->whole, &retraining->kept[0], &sum, err);
    if (status != SCENT_E_NOTFOUND) {
        SCENT_TRY(status);
        retraining->nkept = 1;
        use(retraining, &retraining->kept[0], sum, knowledge);
        *changed = true;
    }
    SCENT_TRY(marks_load(retraining->dir, &marks, err));
    retraining->noted = marks.sum != retraining->marks ? marks.count + 1 : 0;
    marks_release(&marks);
    return SCENT_OK;
}

/* ---- training ---- */

static bool add_example(struct growing *list, struct text_vector tf, uint32_t class)
{
    if (!vec_reserve(&list->examples, &list->room, list->count + 1, sizeof *list->examples))
        return false;
    list->examples[list->count++] = (struct learn_example){tf, class};
    return true;
}

struct marked {
    struct task *task;
    struct growing *list;
    struct reread *reread;
    struct store_url url;
    enum mark mark;
};

static scent_status take_marked_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct marked *marked = ctx;
    struct text_vector tf, copy;
    struct arena *arena;
    struct page page;
    struct errmsg err;

    if (!row->counted || !row->warc_length ||
        reread_page(marked->reread, row, url->url, &page, &arena, &err) != SCENT_OK || !page.nbag)
        return SCENT_OK;
    SCENT_TRY(page_frequencies(&page, arena, &tf));
    SCENT_TRY(trained_copy(&tf, &marked->task->arena, &copy));
    return add_example(marked->list, copy, marked->mark == MARK_YES) ? SCENT_E_END : SCENT_E_NOMEM;
}

static scent_status note_url(void *ctx, const struct store_url *url)
{
    ((struct marked *)ctx)->url.id = url->id;
    ((struct marked *)ctx)->url.state = url->state;
    return SCENT_OK;
}

/* Pages that cannot be read back, or are not committed yet, are left out. */
static scent_status add_marked(struct task *task, struct growing *list)
{
    struct page_reader no_pdf = {0};
    struct store *store;
    scent_status status;

    SCENT_TRY(marks_load(task->dir, &task->marks, &task->err));
    if (!task->marks.sum)
        return SCENT_OK;
    SCENT_TRY(store_open(task->dir, STORE_READ, &store, &task->err));
    struct marked marked = {.task = task, .list = list, .reread = reread_words_new(task->dir, task->topic, no_pdf)};
    status = SCENT_OK;
    for (size_t i = 0; i < task->marks.count && i < MARKS_MAX && status == SCENT_OK; i++) {
        const struct marks_item *item = &task->marks.items[i];

        marked.mark = item->mark;
        marked.url.state = STORE_SEEN;
        if (!item->mark)
            continue;
        status = store_find_url(store, item->url, note_url, &marked, &task->err);
        if (status == SCENT_OK && marked.url.state == STORE_FETCHED)
            status = store_each_page_of(store, marked.url.id, take_marked_page, &marked, &task->err);
        status = status == SCENT_E_END ? SCENT_OK : status;
    }
    reread_free(marked.reread);
    store_close(store);
    return status;
}

/* Pages of the sample that are as probable as positive examples, all but the least probable quarter of these, are no
 * negatives. Both were held out, so that none is known to the model that says so. */
static scent_status drop_alike(struct task *task, const struct learn_set *set)
{
    size_t n = set->nexamples, first = n - task->nsample, npositive = 0, kept = 0;
    double *p = malloc(2 * (n + 1) * sizeof *p), *spies = p ? p + n + 1 : NULL;
    struct evaluate_rival rival = {.set = set, .options = &task->options, .p = p};
    scent_status status = p ? evaluate_rivals(&rival, 1, FOLDS, &task->err) : SCENT_E_NOMEM;

    if (status == SCENT_OK) {
        for (size_t i = 0; i < n; i++)
            if (set->examples[i].class == 1)
                spies[npositive++] = p[i];
        qsort(spies, npositive, sizeof *spies, order_double);
        for (size_t i = 0; i < task->nsample; i++)
            if (p[first + i] < spies[npositive / 4])
                task->sample[kept++] = task->sample[i];
        task->nsample = kept;
    }
    free(p);
    return status;
}

static scent_status make_candidate(struct task *task, struct learn_set *out)
{
    size_t labelled = task->whole->nexamples - task->whole->nweak;
    struct growing list = {0};
    struct trained trained = {0};
    bool room = true;
    scent_status status;

    for (size_t i = 0; i < labelled; i++)
        room &= add_example(&list, task->whole->examples[i].tf, task->whole->examples[i].class);
    for (size_t i = 0; i < task->marked.count; i++)
        room &= add_example(&list, task->marked.examples[i].tf, task->marked.examples[i].class);
    labelled = list.count;
    for (size_t i = task->whole->nexamples - task->whole->nweak; i < task->whole->nexamples; i++)
        room &= add_example(&list, task->whole->examples[i].tf, 0);
    for (size_t i = 0; i < task->nsample; i++)
        room &= add_example(&list, task->sample[i], 0);
    *out = *task->whole;
    out->examples = list.examples;
    out->nexamples = list.count;
    out->nweak = list.count - labelled;
    status = room ? trained_keep(&trained, out, out) : SCENT_E_NOMEM;
    trained_examples_free(task->examples);
    task->examples = trained.examples;
    if (status == SCENT_OK)
        *out = task->examples->set;
    free(list.examples);
    return status;
}

static void *run_task(void *arg)
{
    struct task *task = arg;
    struct learn_set candidate;

    task->rivals[0] = (struct evaluate_rival){.set = task->old, .options = &task->options};
    task->rivals[1] = (struct evaluate_rival){.set = &candidate, .options = &task->options};
    task->status = add_marked(task, &task->marked);
    if (task->status == SCENT_OK)
        task->status = make_candidate(task, &candidate);
    if (task->status == SCENT_OK)
        task->status = drop_alike(task, &candidate);
    if (task->status == SCENT_OK)
        task->status = make_candidate(task, &candidate);
    if (task->status == SCENT_OK)
        task->status = evaluate_rivals(task->rivals, 2, FOLDS, &task->err);
    if (task->status == SCENT_OK && (task->marks.sum || task->known_marks)) /* sampled pages teach the judge alone */
        task->status = trained_learn(&candidate, &task->options, task->topic->examples.ratio, &task->trained,
                                     &task->err);
    else if (task->status == SCENT_OK)
        task->status = model_train(&candidate, &task->options, &task->trained.judge, &task->err);
    atomic_store(&task->done, true);
    return NULL;
}

static scent_status start_task(struct retraining *retraining)
{
    struct task *task = calloc(1, sizeof *task);

    SCENT_BUG_IF(!task);
    arena_init(&task->arena, SIZE_MAX);
    retraining->task = task;
    retraining->noted = 0;
    task->topic = retraining->topic;
    task->dir = retraining->dir;
    task->old = retraining->set;
    task->whole = retraining->whole;
    task->options = retraining->topic->model;
    task->known_marks = retraining->marks;
    task->sample = arena_array(&task->arena, retraining->nsample + 1, sizeof *task->sample);
    if (!task->sample)
        return SCENT_E_NOMEM;
    for (; task->nsample < retraining->nsample; task->nsample++)
        SCENT_TRY(trained_copy(&retraining->sample[task->nsample].tf, &task->arena, &task->sample[task->nsample]));
    atomic_init(&task->done, false);
    if (retraining->topic->window)
        run_task(task);
    else
        SCENT_BUG_IF(pthread_create(&task->thread, NULL, run_task, task));
    return SCENT_OK;
}

/* ---- adoption ---- */

static scent_status keep_value(const struct retraining *retraining, const struct trained *kept, struct rows *rows)
{
    struct buf bytes;
    struct str value;
    scent_status status;

    buf_init(&bytes, 0);
    buf_add(&bytes, (struct str){(const char *)&retraining->marks, sizeof retraining->marks});
    status = trained_write(kept, &bytes);
    value = arena_str(rows->arena, buf_str(&bytes));
    buf_release(&bytes);
    if (status != SCENT_OK || !value.p)
        return SCENT_E_NOMEM;
    ROWS_ADD(rows, values, ((struct rows_value){RETRAINING_VALUE, value}));
    return SCENT_OK;
}

static scent_status finish_task(struct retraining *retraining, struct knowledge *knowledge, struct rows *rows,
                                bool *adopted)
{
    struct task *task = retraining->task;
    bool marked = task->marks.sum != task->known_marks;
    scent_status status = SCENT_OK;

    if (!retraining->topic->window)
        pthread_join(task->thread, NULL);
    retraining->task = NULL;
    retraining->learned = task->marks.yes + task->marks.no;
    *adopted = task->status == SCENT_OK && retraining->nkept < MODELS_MAX &&
               task->rivals[1].auc > task->rivals[0].auc - (marked ? TOLERANCE : 0) &&
               task->rivals[1].right > task->rivals[0].right - TOLERANCE;
    if (task->status != SCENT_OK)
        log_line(retraining->log, LOG_WARN, "the judge could not be trained with pages of the crawl: %s",
                 task->err.text);
    else
        log_line(retraining->log, LOG_INFO,
                 "the judge was trained with %zu pages of the crawl and %zu marks; on held-out pages AUC %.4f and "
                 "balanced accuracy %.2f, before %.4f and %.2f: %s",
                 task->nsample, task->marks.yes + task->marks.no, task->rivals[1].auc, task->rivals[1].right,
                 task->rivals[0].auc, task->rivals[0].right,
                 *adopted ? "it judges from now on" : "it is not better, the old one stays");
    if (*adopted) {
        struct trained *kept = &retraining->kept[retraining->nkept++];

        *kept = task->trained;
        kept->examples = task->examples;
        task->trained = (struct trained){0};
        task->examples = NULL;
        use(retraining, kept, task->marks.sum, knowledge);
        status = keep_value(retraining, kept, rows);
    }
    task_free(task);
    return status;
}

static bool is_due(const struct retraining *retraining, uint64_t pages)
{
    uint64_t at = RETRAINING_FIRST;

    while (at < pages)
        at *= 2;
    return (at == pages && retraining->nsample >= RETRAINING_FEWEST) || marks_are_due(retraining);
}

scent_status retraining_step(struct retraining *retraining, uint64_t pages, struct knowledge *knowledge,
                             struct rows *rows, bool *adopted)
{
    *adopted = false;
    if (!retraining->task && pages && is_due(retraining, pages))
        SCENT_TRY(start_task(retraining));
    if (!retraining->task || (pages && !atomic_load(&retraining->task->done)))
        return SCENT_OK;
    return finish_task(retraining, knowledge, rows, adopted);
}
