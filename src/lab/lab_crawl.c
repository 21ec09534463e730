#include "lab/lab_crawl.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FILE = 1 << 30, NAME_ROOM = 128 };

/* ---- names ---- */

static bool suits(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '.' || c == '-' || c == '_';
}

/* Names that were changed get a hash, so that no two become one. */
static void file_name(struct str name, char out[NAME_ROOM])
{
    size_t n = 0;
    bool same = name.len < NAME_ROOM - 10 && name.len && name.p[0] != '.';

    for (size_t i = 0; i < name.len && n < NAME_ROOM - 10; i++) {
        same = same && suits(name.p[i]);
        out[n++] = suits(name.p[i]) && (i || name.p[i] != '.') ? name.p[i] : '_';
    }
    out[n] = '\0';
    if (!same)
        snprintf(out + n, NAME_ROOM - n, "-%08x", (unsigned)hash_str(name, 0));
}

/* No name has the character `mark`. */
static void put_number(char mark, uint32_t number, char out[16])
{
    out[0] = '\0';
    if (number)
        snprintf(out, 16, "%c%u", mark, number + 1);
}

void lab_crawl_path(const char *dir, const struct trial *trial, struct str strategy, char *out, size_t room)
{
    char first[NAME_ROOM], second[NAME_ROOM], draw[16], repeat[16];

    file_name(trial->name, first);
    file_name(strategy, second);
    put_number('~', trial->draw, draw);
    put_number('@', trial->repeat, repeat);
    snprintf(out, room, "%s/runs/%s/%s%s%s.jsonl", dir, first, second, draw, repeat);
}

/* ---- writing ---- */

static void put_visit(struct json_writer *w, const struct lab_crawl_file *file, size_t n,
                      const struct replay_visit *visit)
{
    json_object_begin(w);
    json_put_int(w, "n", (int64_t)n);
    json_put_str(w, "url", collection_url(file->collection, visit->page));
    json_put_bool(w, "relevant", file->trial->relevant[visit->page]);
    json_put_bool(w, "target", file->trial->target[visit->page]);
    if (file->evaluated)
        json_put_bool(w, "committee", file->evaluated[visit->page]);
    json_put_bool(w, "judged", visit->relevant);
    json_put_double(w, "score", visit->score);
    json_put_double(w, "priority", (double)visit->priority); /* null: a seed */
    json_object_end(w);
}

static scent_status make_folder(const char *path, struct errmsg *err)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return file_make_dir(folder, err);
}

scent_status lab_crawl_write(const struct lab_crawl_file *file, const char *path, const struct replay_visit *visits,
                             size_t count, struct errmsg *err)
{
    scent_status status = make_folder(path, err);
    struct json_writer w;
    struct buf out;

    if (status != SCENT_OK)
        return status;
    buf_init(&out, 0);
    json_writer_init(&w, &out);
    for (size_t i = 0; i < count; i++)
        put_visit(&w, file, i + 1, &visits[i]);
    buf_addc(&out, '\n');
    status = out.failed ? errmsg_fail(err, SCENT_E_NOMEM, "no memory for %s", path)
                        : file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

/* ---- reading ---- */

/* Not what this trial and collection would give: another topic's file, or one that was changed. */
static bool is_foreign(const struct lab_crawl_file *file, const struct json *json, uint32_t page, size_t n)
{
    return json_as_int(json_get(json, "n")) != (int64_t)n || json_is_none(json_get(json, "judged")) ||
           json_as_bool(json_get(json, "relevant")) != file->trial->relevant[page] ||
           json_as_bool(json_get(json, "target")) != file->trial->target[page];
}

static scent_status read_visit(const struct lab_crawl_file *file, struct str line, size_t n, struct replay_visit *out,
                               struct errmsg *err)
{
    struct json *json;
    const struct json *priority;
    scent_status status = json_parse(line, &json, err);

    if (status != SCENT_OK)
        return status;
    priority = json_get(json, "priority");
    out->relevant = json_as_bool(json_get(json, "judged"));
    out->score = json_as_double(json_get(json, "score"));
    out->priority = json_is_none(priority) ? INFINITY : (float)json_as_double(priority);
    if (!collection_find(file->collection, json_as_str(json_get(json, "url")), &out->page))
        status = errmsg_fail(err, SCENT_E_FORMAT, "a URL that is not in the collection");
    else if (is_foreign(file, json, out->page, n))
        status = errmsg_fail(err, SCENT_E_FORMAT, "not the %zu. visit of this crawl", n);
    json_free(json);
    return status;
}

struct visits {
    const struct lab_crawl_file *file;
    const char *path;
    struct replay_visit *visits;
    size_t room, count;
};

static scent_status read_line(void *ctx, struct str line, size_t number, struct errmsg *err)
{
    struct visits *read = ctx;
    struct errmsg why = {0};
    scent_status status;

    if (line.len == 0)
        return SCENT_OK;
    status = read->count < read->room
                 ? read_visit(read->file, line, read->count + 1, &read->visits[read->count], &why)
                 : errmsg_fail(&why, SCENT_E_LIMIT, "more pages than the budget");
    read->count++;
    return status == SCENT_OK ? status
                              : errmsg_fail(err, SCENT_E_FORMAT, "%s:%zu: %s; remove the file, it is made anew",
                                            read->path, number, why.text);
}

scent_status lab_crawl_read(const struct lab_crawl_file *file, const char *path, struct replay_visit *visits,
                            size_t room, size_t *count, struct errmsg *err)
{
    struct visits read = {.file = file, .path = path, .visits = visits, .room = room};
    scent_status status = file_each_line(path, MAX_FILE, read_line, &read, err);

    *count = read.count;
    return status;
}

void lab_crawler_release(struct lab_crawler *crawler)
{
    for (size_t i = 0; i < crawler->njudges; i++)
        trial_judge_free(crawler->judges[i]);
    free(crawler->judges);
}

static scent_status find_judge(struct lab_crawler *crawler, const struct trial *trial,
                               const struct experiment_model *model, struct trial_judge **out, struct errmsg *err)
{
    for (size_t i = 0; i < crawler->njudges; i++)
        if (trial_judge_fits(crawler->judges[i], trial, model)) {
            *out = crawler->judges[i];
            return SCENT_OK;
        }
    if (!vec_reserve(&crawler->judges, &crawler->room, crawler->njudges + 1, sizeof *crawler->judges))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a judge");
    SCENT_TRY(trial_judge_new(&crawler->lab->judging, trial, model, out, err));
    crawler->judges[crawler->njudges++] = *out;
    return SCENT_OK;
}

/* ---- one crawl ---- */

/* What a crawl of this trial is given; `budget` and what it may remember are the caller's. */
static scent_status prepare_crawl(struct lab_crawler *crawler, const struct trial *trial,
                                  const struct experiment_strategy *strategy, const struct experiment_traces *traces,
                                  struct replay_options *out, struct errmsg *err)
{
    const struct lab *lab = crawler->lab;
    struct trial_judge *judge;

    SCENT_TRY(find_judge(crawler, trial, &strategy->model, &judge, err));
    SCENT_TRY(trial_judge_prepare(judge, strategy, lab_traces_find(lab->traces, traces), err));
    *out = (struct replay_options){
        .collection = lab->collection,
        .topic = trial_judge_topic(judge),
        .knowledge = trial_judge_knowledge(judge),
        .seeds = trial->starts,
        .nseeds = trial->nstarts,
        .budget = lab->room,
        .seed = hash_mix(hash_str(trial->name, lab->experiment->seed),
                         hash_str(strategy->label, (uint64_t)trial->draw << 32 | trial->repeat)),
        .judge = trial_judge_page,
        .judge_ctx = judge,
        .watch = crawler->watch,
        .watch_ctx = crawler->watch_ctx,
    };
    return SCENT_OK;
}

/* The crawl before the crawl. Nothing is left of it but what it learned. */
static scent_status crawl_earlier(struct lab_crawler *crawler, const struct lab_trial *place, const struct trial *trial,
                                  const struct experiment_strategy *strategy, struct buf *out, struct errmsg *err)
{
    const struct experiment_reuse *reuse = &strategy->reuse;
    const struct trial *earlier = reuse->same_seeds ? trial : place->earlier;
    uint32_t npages = collection_count(crawler->lab->collection);
    struct replay_options replay;
    struct replay_visit *visits;
    size_t count;
    scent_status status = prepare_crawl(crawler, earlier, strategy, &reuse->traces, &replay, err);

    if (status != SCENT_OK)
        return status;
    replay.budget = reuse->budget < npages ? reuse->budget : npages;
    replay.learned = out;
    visits = malloc((replay.budget + (size_t)1) * sizeof *visits);
    if (!visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", replay.budget);
    status = replay_run(&replay, visits, &count, err);
    free(visits);
    return status;
}

static scent_status crawl_trial(struct lab_crawler *crawler, const struct lab_trial *place, const struct trial *trial,
                                const struct experiment_strategy *strategy, struct lab_crawl *crawl, struct errmsg *err)
{
    struct replay_options replay;
    struct division division = {0};
    struct buf learned;
    int64_t started;
    scent_status status = SCENT_OK;

    buf_init(&learned, 0);
    if (strategy->reuse.wanted)
        status = crawl_earlier(crawler, place, trial, strategy, &learned, err);
    if (status == SCENT_OK)
        status = prepare_crawl(crawler, trial, strategy, &strategy->traces, &replay, err);
    if (status == SCENT_OK)
        status = division_make(crawler->lab->collection, strategy->workers, &division, err);
    if (status == SCENT_OK) {
        replay.recall = buf_str(&learned);
        replay.weight = strategy->reuse.weight;
        replay.division = &division;
        replay.exchange = strategy->shares ? strategy->exchange : 0;
        started = clock_thread_cpu_ns();
        status = replay_run(&replay, crawl->visits, &crawl->count, err);
        crawl->cpu_ns = clock_thread_cpu_ns() - started;
    }
    division_release(&division);
    buf_release(&learned);
    return status;
}

/* From its file, or crawled and written there. */
static scent_status obtain_crawl(struct lab_crawler *crawler, const struct lab_trial *place, const struct trial *trial,
                                 const struct experiment_strategy *strategy, struct lab_crawl *crawl,
                                 struct errmsg *err)
{
    struct lab_crawl_file file = {crawler->lab->collection, trial, place->evaluated};
    char path[4096];
    scent_status status = SCENT_E_NOTFOUND;

    crawl->draw = trial->draw;
    crawl->visits = malloc((crawler->lab->room + 1) * sizeof *crawl->visits);
    if (!crawl->visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", crawler->lab->room);
    if (crawler->dir) {
        lab_crawl_path(crawler->dir, trial, strategy->label, path, sizeof path);
        status = lab_crawl_read(&file, path, crawl->visits, crawler->lab->room, &crawl->count, err);
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    status = crawl_trial(crawler, place, trial, strategy, crawl, err);
    if (status == SCENT_OK && crawler->dir)
        status = lab_crawl_write(&file, path, crawl->visits, crawl->count, err);
    return status;
}

/* ---- the best of several ---- */

/* Relevant pages up to the last point: all crawls are measured there, so this is harvest. */
static size_t count_relevant(const struct lab *lab, const struct lab_trial *place, const struct lab_crawl *crawl)
{
    size_t t = lab->experiment->points[lab->experiment->npoints - 1], count = 0;
    const bool *relevant = lab_relevant(lab, place);

    for (size_t i = 0; i < crawl->count && i < t; i++)
        count += relevant[crawl->visits[i].page];
    return count;
}

scent_status lab_crawler_run(struct lab_crawler *crawler, const struct lab_trial *place, size_t number,
                             struct errmsg *err)
{
    const struct lab *lab = crawler->lab;
    const struct experiment_strategy *strategy = &lab->experiment->strategies[number];
    struct lab_crawl *best = &place->crawls[number];
    scent_status status = obtain_crawl(crawler, place, place->trial, strategy, best, err);

    for (uint32_t i = 1; i < strategy->best_of && status == SCENT_OK; i++) {
        struct lab_crawl crawl = {0}, other;

        status = obtain_crawl(crawler, place, place->draws[i], strategy, &crawl, err);
        if (status == SCENT_OK && count_relevant(lab, place, &crawl) > count_relevant(lab, place, best)) {
            other = *best;
            *best = crawl;
            crawl = other;
        }
        free(crawl.visits);
    }
    return status;
}
