/* One suite for all strategies: every entry of the table must keep the promises of strategy.h, and strategies
 * that break them on purpose must be caught (else the suite would prove nothing). */
#include "world.h"

#include "strategy/saved.h"

#include <math.h>

/* ---- driving a strategy over it ---- */

struct kept {
    struct strategy_score score, stored; /* stored: as it was queued or linked again; the store does not learn of rescore() */
    bool known;
};

struct drive {
    const struct world *world;
    struct strategy strategy;
    struct kept kept[URLS + PAGES];
    uint64_t digest; /* of every score that was given */
    bool bad;        /* a score that is no number, too many parts, a part without a name, own bytes beyond its own */
    uint8_t own[PAGES][STRATEGY_OWN_BYTES]; /* what was kept with the pages that were visited */
    uint8_t (*travelled)[STRATEGY_OWN_BYTES]; /* what came with the links to all pages; NULL: they were found here */
};

static bool drive_open_seed(struct drive *drive, const struct world *world, const struct strategy_ops *ops, uint64_t seed)
{
    struct strategy_context context = {.topic = world->topic, .knowledge = &world->knowledge, .seed = seed};
    struct errmsg err = {0};

    memset(drive, 0, sizeof *drive);
    drive->world = world;
    return strategy_open_ops(ops, &context, &drive->strategy, &err) == SCENT_OK;
}

static bool drive_open(struct drive *drive, const struct world *world, const struct strategy_ops *ops)
{
    return drive_open_seed(drive, world, ops, 42);
}

static void note_score(struct drive *drive, const struct strategy_score *score)
{
    if (isnan(score->priority) || score->nparts > STRATEGY_PARTS)
        drive->bad = true;
    for (unsigned i = 0; i < score->nparts && i < STRATEGY_PARTS; i++)
        if (!score->parts[i].name)
            drive->bad = true;
    for (unsigned i = drive->strategy.ops->own_bytes; i < STRATEGY_OWN_BYTES; i++)
        if (score->own[i])
            drive->bad = true;
    drive->digest = hash_mix(drive->digest, hash_bytes(&score->priority, sizeof score->priority, score->drop));
    drive->digest = hash_mix(drive->digest, hash_bytes(score->own, sizeof score->own, 0));
}

static void rescore_all(struct drive *drive)
{
    const struct strategy_ops *ops = drive->strategy.ops;
    uint32_t ids[16];

    for (size_t n = 16; ops->stale && n == 16;) {
        n = ops->stale(drive->strategy.state, ids, 16);
        for (uint32_t i = 0; i < (n == STRATEGY_ALL ? URLS + PAGES : n); i++) {
            uint32_t id = n == STRATEGY_ALL ? i : ids[i];

            if (id < URLS + PAGES && drive->kept[id].known && ops->rescore(drive->strategy.state, id, &drive->kept[id].score))
                note_score(drive, &drive->kept[id].score);
        }
    }
}

/* Candidates that come from elsewhere, until there are no more. */
static void take_proposals(struct drive *drive)
{
    const struct strategy_ops *ops = drive->strategy.ops;
    struct strategy_proposal proposal;

    while (ops->propose && ops->propose(drive->strategy.state, false, &proposal)) {
        struct kept *kept;
        uint64_t number;
        uint32_t id;

        assert_true(str_parse_u64(str_sub(proposal.url, strlen("http://world.test/"), proposal.url.len), &number));
        id = (uint32_t)(number < 1000 ? number : URLS + number - 1000);
        assert_true(id < URLS + PAGES);
        kept = &drive->kept[id];
        note_score(drive, &proposal.score);
        if (kept->known)
            strategy_merge(&drive->strategy, id, &kept->score, &proposal.score);
        *kept = (struct kept){.score = proposal.score, .stored = proposal.score, .known = true};
        if (ops->proposed)
            ops->proposed(drive->strategy.state, id, true);
    }
}

/* What was kept with the candidate that has become page i: it was proposed, or it is what the page before linked to first. */
static void copy_own(const struct drive *drive, unsigned i, uint8_t own[STRATEGY_OWN_BYTES])
{
    const struct world *world = drive->world;
    const struct kept *kept = &drive->kept[URLS + i];

    if (!kept->known && i > 0 && world->pages[i - 1].nlinks)
        kept = &drive->kept[world->targets[i - 1][0]];
    memset(own, 0, STRATEGY_OWN_BYTES);
    if (kept->known)
        memcpy(own, kept->score.own, STRATEGY_OWN_BYTES);
}

static void visit(struct drive *drive, unsigned i)
{
    const struct world *world = drive->world;
    const struct strategy_ops *ops = drive->strategy.ops;
    uint8_t own[STRATEGY_OWN_BYTES];
    struct strategy_visit view = {
        .number = i + 1,
        .id = URLS + i,
        .page = &world->pages[i],
        .judgement = &world->judgements[i],
        .targets = world->targets[i],
        .depth = i / 5,
        .seed = i == 0,
        .own = own,
    };

    copy_own(drive, i, own);
    if (drive->travelled)
        memcpy(own, drive->travelled[i], sizeof own);
    memcpy(drive->own[i], own, sizeof own);
    if (ops->observe)
        ops->observe(drive->strategy.state, &view);
    for (uint32_t l = 0; l < world->pages[i].nlinks; l++) {
        struct kept *kept = &drive->kept[world->targets[i][l]];
        struct strategy_score score = {0};

        ops->score(drive->strategy.state, &view, l, &score);
        note_score(drive, &score);
        if (kept->known) {
            strategy_merge(&drive->strategy, world->targets[i][l], &kept->score, &score);
            note_score(drive, &score);
        }
        *kept = (struct kept){.score = score, .stored = score, .known = true};
    }
    take_proposals(drive);
    drive->kept[URLS + i].known = false;
    rescore_all(drive);
}

/* ---- the promises: NULL when kept, else what is broken ---- */

static const char *check_description(const struct world *world, const struct strategy_ops *ops)
{
    (void)world;
    if (!ops->name || !ops->summary || !ops->paper || !ops->name[0] || !ops->summary[0] || !ops->paper[0])
        return "name, summary and paper must be told";
    for (const char *c = ops->name; *c; c++)
        if (!(*c == '-' || (*c >= 'a' && *c <= 'z') || ascii_is_digit(*c)))
            return "a name is lower case, digits and hyphens";
    for (const struct strategy_option *o = ops->options; o && o->name; o++)
        if (!o->fallback || !o->help)
            return "an option has a default and a help text";
    return NULL;
}

static const char *check_shape(const struct world *world, const struct strategy_ops *ops)
{
    (void)world;
    if (!ops->score)
        return "score is not optional";
    if (!ops->open != !ops->close)
        return "open and close come together";
    if (!ops->stale != !ops->rescore)
        return "stale and rescore come together";
    if (ops->explain && !ops->rescore)
        return "explain needs scores that drift";
    if (ops->proposed && !ops->propose)
        return "proposed needs propose";
    if (!ops->save != !ops->load)
        return "save and load come together";
    if (!ops->learned != !ops->recall)
        return "learned and recall come together";
    if (ops->learned && !ops->save)
        return "what was recalled must be saved";
    return NULL;
}

static const char *check_scores(const struct world *world, const struct strategy_ops *ops)
{
    struct drive drive;

    if (!drive_open(&drive, world, ops))
        return "it does not open with its defaults";
    for (unsigned i = 0; i < PAGES; i++)
        visit(&drive, i);
    strategy_close(&drive.strategy);
    return drive.bad ? "a score is no number or its parts are wrong" : NULL;
}

/* What explain says is what rescore does, and its shares add up. */
static const char *check_explanation(const struct world *world, const struct strategy_ops *ops)
{
    const char *broken = NULL;
    struct drive drive;

    if (!ops->explain)
        return NULL;
    if (!drive_open(&drive, world, ops))
        return "it does not open with its defaults";
    for (unsigned i = 0; i < PAGES; i++)
        visit(&drive, i);
    for (uint32_t id = 0; id < URLS + PAGES && !broken; id++) {
        struct strategy_score told = drive.kept[id].score, kept = told;
        double sum = 0, all = 0;

        if (!drive.kept[id].known || !ops->explain(drive.strategy.state, id, &told))
            continue;
        (void)ops->rescore(drive.strategy.state, id, &kept);
        if (told.priority != kept.priority || told.nparts == 0)
            broken = "explain tells of another score than rescore";
        for (unsigned i = 0; i < told.nparts; i++) {
            sum += (double)told.parts[i].weight * told.parts[i].value;
            all += fabs((double)told.parts[i].weight * told.parts[i].value);
        }
        if (told.parts[0].weight != 0 && fabs(sum - (double)told.priority) > 1e-5 * (1 + all))
            broken = "the shares do not add up to the priority";
    }
    strategy_close(&drive.strategy);
    return broken;
}

static const char *check_repeatable(const struct world *world, const struct strategy_ops *ops)
{
    struct drive one, two;

    if (!drive_open(&one, world, ops) || !drive_open(&two, world, ops))
        return "it does not open with its defaults";
    /* Side by side: what one instance does must not reach the other. */
    for (unsigned i = 0; i < PAGES; i++) {
        visit(&one, i);
        visit(&two, i);
    }
    strategy_close(&one.strategy);
    strategy_close(&two.strategy);
    return one.digest == two.digest ? NULL : "the same visits do not give the same scores";
}

static const char *check_checkpoint(const struct world *world, const struct strategy_ops *ops)
{
    struct drive whole, resumed;
    struct errmsg err = {0};
    const char *broken = NULL;
    struct buf blob;

    if (!drive_open(&whole, world, ops) || !drive_open(&resumed, world, ops))
        return "it does not open with its defaults";
    for (unsigned i = 0; i < PAGES / 2; i++)
        visit(&whole, i);
    buf_init(&blob, 0);
    if (ops->save && (ops->save(whole.strategy.state, &blob) != SCENT_OK ||
                      ops->load(resumed.strategy.state, buf_str(&blob), &err) != SCENT_OK))
        broken = "its own checkpoint is refused";
    memcpy(resumed.kept, whole.kept, sizeof whole.kept);
    for (unsigned i = 0; i < URLS + PAGES; i++)
        resumed.kept[i].score = whole.kept[i].stored;
    rescore_all(&resumed);
    for (unsigned i = 0; i < URLS + PAGES && !broken; i++)
        if (whole.kept[i].known && whole.kept[i].score.priority != resumed.kept[i].score.priority)
            broken = "after a checkpoint what is queued is ranked otherwise";
    resumed.digest = whole.digest;
    for (unsigned i = PAGES / 2; i < PAGES && !broken; i++) {
        visit(&whole, i);
        visit(&resumed, i);
    }
    if (!broken && whole.digest != resumed.digest)
        broken = "after a checkpoint the scores are others";
    strategy_close(&whole.strategy);
    strategy_close(&resumed.strategy);
    buf_release(&blob);
    return broken;
}

static scent_status load_fresh(const struct world *world, const struct strategy_ops *ops, struct str blob)
{
    struct errmsg err = {0};
    struct drive drive;
    scent_status status;

    if (!drive_open(&drive, world, ops))
        return SCENT_E_INVALID;
    status = ops->load(drive.strategy.state, blob, &err);
    strategy_close(&drive.strategy);
    return status;
}

/* A damaged blob, and one of another version, is refused, and nothing worse happens. */
static const char *check_damaged_checkpoint(const struct world *world, const struct strategy_ops *ops)
{
    struct drive drive;
    const char *broken = NULL;
    struct buf blob;

    if (!ops->save)
        return NULL;
    if (!drive_open(&drive, world, ops))
        return "it does not open with its defaults";
    for (unsigned i = 0; i < PAGES; i++)
        visit(&drive, i);
    buf_init(&blob, 0);
    if (ops->save(drive.strategy.state, &blob) != SCENT_OK || !blob.len)
        broken = "it does not save";
    strategy_close(&drive.strategy);
    for (size_t len = 0; len < blob.len && !broken; len += 1 + len / 16)
        if (load_fresh(world, ops, (struct str){blob.p, len}) == SCENT_OK)
            broken = "a checkpoint that was cut off is taken";
    if (!broken) {
        blob.p[0]++;
        if (load_fresh(world, ops, buf_str(&blob)) != SCENT_E_VERSION)
            broken = "a checkpoint of another version is not refused as such";
    }
    buf_release(&blob);
    return broken;
}

static const char *check_options(const struct world *world, const struct strategy_ops *ops)
{
    struct topic_option unknown = {STR("no-such-option"), STR("1")};
    struct topic topic = *world->topic;
    struct strategy_context context = {.topic = &topic, .knowledge = &world->knowledge};
    struct strategy strategy = {0};
    struct errmsg err = {0};

    topic.options = &unknown;
    topic.noptions = 1;
    if (strategy_open_ops(ops, &context, &strategy, &err) != SCENT_E_INVALID)
        return "an unknown option is taken";
    return strstr(err.text, "no-such-option") ? NULL : "the message does not name the unknown option";
}

/* ---- what one crawl teaches another ---- */

/* What it learned, after recalling `blob` so often with this weight, and going through save and load. */
static const char *learn_again(const struct world *world, const struct strategy_ops *ops, struct str blob, int times,
                               double weight, struct buf *out)
{
    struct drive drive, loaded;
    struct errmsg err = {0};
    const char *broken = NULL;
    struct buf saved;

    if (!drive_open(&drive, world, ops) || !drive_open(&loaded, world, ops))
        return "it does not open with its defaults";
    buf_init(&saved, 0);
    for (int i = 0; i < times && !broken; i++)
        if (ops->recall(drive.strategy.state, blob, weight, &err) != SCENT_OK)
            broken = "it does not recall what it learned";
    if (!broken && (ops->save(drive.strategy.state, &saved) != SCENT_OK ||
                    ops->load(loaded.strategy.state, buf_str(&saved), &err) != SCENT_OK))
        broken = "its own checkpoint is refused";
    if (!broken && ops->learned(loaded.strategy.state, out) != SCENT_OK)
        broken = "it does not tell what it learned";
    strategy_close(&drive.strategy);
    strategy_close(&loaded.strategy);
    buf_release(&saved);
    return broken;
}

static const char *check_sums(const struct world *world, const struct strategy_ops *ops, struct str blob, struct str fresh)
{
    const struct {
        int times;
        double weight;
        struct str want;
        const char *broken;
    } cases[] = {
        {1, 1, blob, "what is recalled is not what was learned"},
        {2, .5, blob, "two halves are not the whole"},
        {1, 0, fresh, "a weight of 0 teaches something"},
    };
    const char *broken = NULL;
    struct buf out;

    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !broken; i++) {
        buf_clear(&out);
        broken = learn_again(world, ops, blob, cases[i].times, cases[i].weight, &out);
        if (!broken && !str_eq(buf_str(&out), cases[i].want))
            broken = cases[i].broken;
    }
    buf_release(&out);
    return broken;
}

/* ---- workers of one crawl ---- */

enum { SHARES = 4 };

/* Every fourth page, from this one on. */
static void visit_share(struct drive *drive, unsigned share)
{
    for (unsigned i = share; i < PAGES; i += SHARES)
        visit(drive, i);
}

static const char *tell(struct drive *drive, struct buf *out)
{
    buf_clear(out);
    return drive->strategy.ops->learned(drive->strategy.state, out) == SCENT_OK ? NULL
                                                                                : "it does not tell what it learned";
}

static const char *recall_all(struct drive *drive, struct buf blobs[SHARES], double weight)
{
    struct errmsg err = {0};

    for (unsigned i = 1; i < SHARES; i++)
        if (drive->strategy.ops->recall(drive->strategy.state, buf_str(&blobs[i]), weight, &err) != SCENT_OK)
            return "it does not recall what another worker learned";
    rescore_all(drive);
    return NULL;
}

/* What a worker is told and forgets between its pages leaves no trace in what it tells itself. */
static const char *check_forgetting(const struct world *world, const struct strategy_ops *ops, struct buf blobs[SHARES],
                                    uint8_t (*travelled)[STRATEGY_OWN_BYTES], struct buf *sum)
{
    const char *broken = NULL;
    struct drive drive;
    struct buf out;

    if (!drive_open(&drive, world, ops))
        return "it does not open with its defaults";
    drive.travelled = travelled;
    buf_init(&out, 0);
    for (unsigned i = 0; i < PAGES && !broken; i += SHARES) {
        visit(&drive, i);
        broken = tell(&drive, &out);
        if (!broken)
            broken = recall_all(&drive, blobs, 1);
        if (!broken)
            broken = recall_all(&drive, blobs, -1);
        if (!broken) {
            struct buf after;

            buf_init(&after, 0);
            broken = tell(&drive, &after);
            if (!broken && !str_eq(buf_str(&after), buf_str(&out)))
                broken = "what was recalled and taken away leaves a trace";
            buf_release(&after);
        }
    }
    if (!broken)
        broken = recall_all(&drive, blobs, 1);
    if (!broken)
        broken = tell(&drive, sum);
    strategy_close(&drive.strategy);
    buf_release(&out);
    return broken;
}

/* What these tell depends on more than the pages that a worker saw: on the belief of the moment (adaptive, hmm), on which
 * pages of others are relevant (the locality of collaborative, and so of combined). */
static bool sums_to_one(const struct strategy_ops *ops)
{
    static const char *const others[] = {"adaptive", "hmm", "collaborative", "combined"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(ops->name, others[i]) == 0)
            return false;
    return true;
}

static const char *check_shares(const struct world *world, const struct strategy_ops *ops, struct str whole,
                                uint8_t (*travelled)[STRATEGY_OWN_BYTES])
{
    const char *broken = NULL;
    struct buf blobs[SHARES], sum;

    buf_init(&sum, 0);
    for (unsigned i = 0; i < SHARES; i++) {
        struct drive drive;

        buf_init(&blobs[i], 0);
        if (!drive_open(&drive, world, ops))
            return "it does not open with its defaults";
        drive.travelled = travelled;
        visit_share(&drive, i);
        broken = broken ? broken : tell(&drive, &blobs[i]);
        strategy_close(&drive.strategy);
    }
    if (!broken)
        broken = check_forgetting(world, ops, blobs, travelled, &sum);
    if (!broken && sums_to_one(ops) && !str_eq(buf_str(&sum), whole))
        broken = "the counts of workers do not sum to those of one that saw the same pages";
    for (unsigned i = 0; i < SHARES; i++)
        buf_release(&blobs[i]);
    buf_release(&sum);
    return broken;
}

/* Cut anywhere it is refused, and teaches nothing. */
static const char *check_damaged_lesson(const struct world *world, const struct strategy_ops *ops, struct str blob,
                                        struct str fresh)
{
    const char *broken = NULL;
    struct errmsg err = {0};
    struct buf out;

    buf_init(&out, 0);
    for (size_t len = 0; len < blob.len && !broken; len += 1 + len / 16) {
        struct drive drive;

        if (!drive_open(&drive, world, ops))
            return "it does not open with its defaults";
        buf_clear(&out);
        err.text[0] = 0;
        if (ops->recall(drive.strategy.state, str_sub(blob, 0, len), 1, &err) == SCENT_OK)
            broken = "a lesson that was cut off is taken";
        else if (!err.text[0])
            broken = "a refused lesson has no message";
        else if (ops->learned(drive.strategy.state, &out) != SCENT_OK || !str_eq(buf_str(&out), fresh))
            broken = "a refused lesson teaches something";
        strategy_close(&drive.strategy);
    }
    buf_release(&out);
    return broken;
}

/* The same pages in another crawl: other ids, another seed. */
static const char *check_names(const struct world *world, const struct strategy_ops *ops, struct str blob)
{
    struct world *other = malloc(sizeof *other);
    const char *broken = NULL;
    struct drive drive;
    struct buf out;

    assert_non_null(other);
    *other = *world;
    for (unsigned i = 0; i < PAGES; i++)
        for (unsigned l = 0; l < LINKS; l++)
            other->targets[i][l] = URLS - 1 - world->targets[i][l];
    buf_init(&out, 0);
    if (!drive_open_seed(&drive, other, ops, 7))
        return "it does not open with its defaults";
    for (unsigned i = 0; i < PAGES; i++)
        visit(&drive, i);
    if (ops->learned(drive.strategy.state, &out) != SCENT_OK || !str_eq(buf_str(&out), blob))
        broken = "what it learned hangs on ids or on the seed";
    strategy_close(&drive.strategy);
    buf_release(&out);
    free(other);
    return broken;
}

/* With a byte changed it may be taken, if it can be meant so, or refused: nothing worse. */
static const char *check_altered_lesson(const struct world *world, const struct strategy_ops *ops, struct str blob,
                                        struct str fresh)
{
    char *altered = malloc(blob.len + 1);
    const char *broken = NULL;
    struct errmsg err = {0};
    struct buf out;

    assert_non_null(altered);
    buf_init(&out, 0);
    for (size_t at = 0; at < blob.len && !broken; at += 1 + at / 16) {
        struct drive drive;
        scent_status status;

        memcpy(altered, blob.p, blob.len);
        altered[at] ^= (char)(1 << at % 8);
        if (!drive_open(&drive, world, ops))
            return "it does not open with its defaults";
        buf_clear(&out);
        status = ops->recall(drive.strategy.state, (struct str){altered, blob.len}, 1, &err);
        if (ops->learned(drive.strategy.state, &out) != SCENT_OK)
            broken = "it does not tell what it learned";
        else if (status != SCENT_OK && !str_eq(buf_str(&out), fresh))
            broken = "a refused lesson teaches something";
        strategy_close(&drive.strategy);
    }
    buf_release(&out);
    free(altered);
    return broken;
}

static const char *check_lessons(const struct world *world, const struct strategy_ops *ops)
{
    struct drive drive;
    const char *broken = NULL;
    struct buf blob, fresh;

    if (!ops->learned)
        return NULL;
    if (!drive_open(&drive, world, ops))
        return "it does not open with its defaults";
    buf_init(&blob, 0);
    buf_init(&fresh, 0);
    if (ops->learned(drive.strategy.state, &fresh) != SCENT_OK)
        broken = "it does not tell what it learned";
    for (unsigned i = 0; i < PAGES; i++)
        visit(&drive, i);
    if (!broken && ops->learned(drive.strategy.state, &blob) != SCENT_OK)
        broken = "it does not tell what it learned";
    if (!broken && str_eq(buf_str(&blob), buf_str(&fresh)))
        broken = "it learned nothing";
    strategy_close(&drive.strategy);
    if (!broken)
        broken = check_names(world, ops, buf_str(&blob));
    if (!broken)
        broken = check_sums(world, ops, buf_str(&blob), buf_str(&fresh));
    if (!broken)
        broken = check_shares(world, ops, buf_str(&blob), drive.own);
    if (!broken)
        broken = check_damaged_lesson(world, ops, buf_str(&blob), buf_str(&fresh));
    if (!broken)
        broken = check_altered_lesson(world, ops, buf_str(&blob), buf_str(&fresh));
    buf_release(&blob);
    buf_release(&fresh);
    return broken;
}

/* ---- what is learned before the crawl ---- */

/* Without it, and with what was cut off or altered, it does not open, or it opens and works: nothing worse. */
static const char *check_study(const struct world *world, const struct strategy_ops *ops)
{
    struct str studied = world->knowledge.studied;
    struct world other = *world;
    const char *broken = NULL;
    struct drive drive;
    char *altered;

    if (!ops->study)
        return NULL;
    other.knowledge.studied = STR_NONE;
    if (drive_open(&drive, &other, ops))
        return "it opens without what it learns before the crawl";
    altered = malloc(studied.len);
    assert_non_null(altered);
    for (size_t at = 0; at < studied.len && !broken; at += 1 + at / 16) {
        other.knowledge.studied = (struct str){studied.p, at};
        if (drive_open(&drive, &other, ops))
            broken = "what it learned before the crawl is taken though it was cut off";
        memcpy(altered, studied.p, studied.len);
        altered[at] ^= (char)(1 << at % 8);
        other.knowledge.studied = (struct str){altered, studied.len};
        if (broken || !drive_open(&drive, &other, ops))
            continue;
        visit(&drive, 1);
        strategy_close(&drive.strategy);
    }
    free(altered);
    return broken;
}

typedef const char *check_fn(const struct world *world, const struct strategy_ops *ops);
static check_fn *const checks[] = {check_shape,      check_description, check_scores, check_explanation, check_repeatable,
                                   check_checkpoint, check_damaged_checkpoint, check_lessons, check_study, check_options};

static const char *first_broken(const struct world *world, const struct strategy_ops *ops)
{
    struct world prepared = *world;
    const char *broken = NULL;
    struct buf studied;

    buf_init(&studied, 0);
    world_study(&prepared, ops, &studied);
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !broken; i++)
        broken = checks[i](&prepared, ops);
    buf_release(&studied);
    return broken;
}

/* ---- strategies that break their word ---- */

static uint64_t mood;

static void score_nan(void *state, const struct strategy_visit *visit_, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)visit_, (void)link;
    *out = (struct strategy_score){.priority = NAN};
}

static void score_moody(void *state, const struct strategy_visit *visit_, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)visit_, (void)link;
    *out = (struct strategy_score){.priority = (float)mood++};
}

struct counter {
    uint64_t pages;
};

static scent_status counter_open(const struct strategy_context *context, void **state, struct errmsg *err)
{
    (void)context, (void)err;
    *state = calloc(1, sizeof(struct counter));
    return SCENT_OK;
}

static void counter_observe(void *state, const struct strategy_visit *visit_)
{
    (void)visit_;
    ((struct counter *)state)->pages++;
}

static void counter_score(void *state, const struct strategy_visit *visit_, uint32_t link, struct strategy_score *out)
{
    (void)visit_, (void)link;
    *out = (struct strategy_score){.priority = (float)((struct counter *)state)->pages};
}

static scent_status counter_save(void *state, struct buf *out)
{
    buf_addc(out, 1);
    return buf_add(out, (struct str){state, sizeof(struct counter)}) ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status load_any_version(void *state, struct str blob, struct errmsg *err)
{
    struct bytes in = bytes_of(blob);

    (void)bytes_get(&in, 1);
    ((struct counter *)state)->pages = bytes_get(&in, 8);
    return saved_end("counter", &in, err);
}

static scent_status counter_load(void *state, struct str blob, struct errmsg *err)
{
    struct bytes in;
    scent_status status = saved_open("counter", 1, blob, &in, err);

    return status == SCENT_OK ? load_any_version(state, blob, err) : status;
}

static scent_status counter_learned(void *state, struct buf *out)
{
    saved_begin_learned(out, 1, "");
    saved_put_count(out, (double)((struct counter *)state)->pages);
    return SCENT_OK;
}

static double counted(struct str blob, scent_status *status, struct errmsg *err)
{
    struct bytes in = bytes_of(blob);
    double count = 0;

    *status = saved_open_learned("counter", 1, "", &in, err);
    if (*status != SCENT_OK)
        return 0;
    count = saved_get_count(&in);
    *status = saved_end_learned("counter", &in, err);
    return count;
}

static scent_status counter_recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    scent_status status;
    double count = counted(blob, &status, err);

    if (status == SCENT_OK)
        ((struct counter *)state)->pages += (uint64_t)(int64_t)(weight * count);
    return status;
}

static scent_status recall_instead(void *state, struct str blob, double weight, struct errmsg *err)
{
    scent_status status;
    double count = counted(blob, &status, err);

    if (status == SCENT_OK)
        ((struct counter *)state)->pages = (uint64_t)(weight * count);
    return status;
}

static scent_status recall_before_looking(void *state, struct str blob, double weight, struct errmsg *err)
{
    scent_status status;
    double count = counted(blob, &status, err);

    ((struct counter *)state)->pages += blob.len ? (uint64_t)(weight * (count ? count : 1)) : 0;
    return status;
}

/* What it forgets is rounded. */
static scent_status recall_forgetfully(void *state, struct str blob, double weight, struct errmsg *err)
{
    scent_status status;
    double count = counted(blob, &status, err);

    if (status == SCENT_OK)
        ((struct counter *)state)->pages += (uint64_t)(weight < 0 ? 0 : weight * count);
    return status;
}

static scent_status learn_nothing(void *state, struct buf *out)
{
    (void)state;
    saved_begin_learned(out, 1, "");
    return SCENT_OK;
}

static scent_status load_nothing(void *state, struct str blob, struct errmsg *err)
{
    (void)state, (void)blob, (void)err;
    return SCENT_OK;
}

/* Now and then; who has loaded it waits for the next time. */
static size_t stale_at_times(void *state, uint32_t *ids, size_t room)
{
    (void)ids, (void)room;
    return ((struct counter *)state)->pages % 16 == 15 ? STRATEGY_ALL : 0;
}

static bool rescore_count(void *state, uint32_t id, struct strategy_score *score)
{
    (void)id;
    score->priority = (float)((struct counter *)state)->pages;
    return true;
}

#define COUNTER(...)                                                                                        \
    {                                                                                                       \
        .name = "counter", .summary = "s", .paper = "p", .open = counter_open, .close = free,               \
        .observe = counter_observe, .score = counter_score, __VA_ARGS__                                     \
    }

static const struct strategy_ops honest_counter = COUNTER(.save = counter_save, .load = counter_load,
                                                          .learned = counter_learned, .recall = counter_recall);

static const struct {
    struct strategy_ops ops;
    const char *caught_as;
} liars[] = {
    {{.name = "nan", .summary = "s", .paper = "p", .score = score_nan}, "no number"},
    {{.name = "moody", .summary = "s", .paper = "p", .score = score_moody}, "same visits"},
    {{.name = "Shouting", .summary = "s", .paper = "p", .score = score_moody}, "lower case"},
    {{.name = "silent", .summary = "", .paper = "p", .score = score_moody}, "must be told"},
    {{.name = "no-score", .summary = "s", .paper = "p"}, "not optional"},
    {COUNTER(.save = counter_save), "save and load"},
    {COUNTER(.save = NULL), "after a checkpoint"}, /* learns, keeps nothing */
    {COUNTER(.save = counter_save, .load = load_nothing), "after a checkpoint"},
    {COUNTER(.save = counter_save, .load = load_any_version), "another version"},
    {COUNTER(.save = counter_save, .load = counter_load, .stale = stale_at_times, .rescore = rescore_count),
     "ranked otherwise"},
    {COUNTER(.save = counter_save, .load = counter_load, .learned = counter_learned), "learned and recall"},
    {COUNTER(.learned = counter_learned, .recall = counter_recall), "must be saved"},
    {COUNTER(.save = counter_save, .load = counter_load, .learned = learn_nothing, .recall = counter_recall),
     "learned nothing"},
    {COUNTER(.save = counter_save, .load = counter_load, .learned = counter_learned, .recall = recall_instead),
     "two halves"},
    {COUNTER(.save = counter_save, .load = counter_load, .learned = counter_learned, .recall = recall_before_looking),
     "teaches something"},
    {COUNTER(.save = counter_save, .load = counter_load, .learned = counter_learned, .recall = recall_forgetfully),
     "leaves a trace"},
};

static void liars_are_caught(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof liars / sizeof *liars; i++) {
        struct world world;
        const char *broken;

        world_init(&world);
        broken = first_broken(&world, &liars[i].ops);
        if (!broken || !strstr(broken, liars[i].caught_as))
            fail_msg("%s: caught as \"%s\", not as \"%s\"", liars[i].ops.name, broken ? broken : "", liars[i].caught_as);
        world_release(&world);
    }
}

static void an_honest_learner_passes(void **state)
{
    struct world world;

    (void)state;
    world_init(&world);
    assert_null(first_broken(&world, &honest_counter));
    world_release(&world);
}

static void every_strategy_keeps_its_word(void **state)
{
    struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; strategy_at(i); i++) {
        const char *broken = first_broken(&world, strategy_at(i));

        if (broken)
            fail_msg("%s: %s", strategy_at(i)->name, broken);
        print_message("%s keeps the contract\n", strategy_at(i)->name);
    }
    world_release(&world);
}

/* Options that make another strategy of it, with a state of its own. */
static const struct {
    const char *strategy, *key, *value;
} variants[] = {
    {"hmm", "children", "eager"},
    {"hmm", "refine", "yes"},
    {"rules", "refine", "yes"},
    {"adaptive", "mode", "exact"},
    {"intelligent", "rescore", "always"},
    {"best-first", "by", "browsing"},
    {"hot-queue", "by", "pagerank"},
    {"bingo", "first", "10"},
    {"fusion", "by", "ranks"},
    {"fusion", "by", "combsum"},
    {"fusion", "by", "combmnz"},
    {"fusion", "by", "condorcet"},
};

static void variants_keep_their_word(void **state)
{
    struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct topic_option option = {str_of(variants[i].key), str_of(variants[i].value)};
        struct topic topic = *world.topic;
        struct world variant = world;
        const char *broken;

        topic.options = &option;
        topic.noptions = 1;
        variant.topic = &topic;
        broken = first_broken(&variant, strategy_find(str_of(variants[i].strategy)));
        if (broken)
            fail_msg("%s with %s: %s: %s", variants[i].strategy, variants[i].key, variants[i].value, broken);
    }
    world_release(&world);
}

/* Who cannot be divided among workers, and with which option. */
static void whole_graphs_are_told(void **state)
{
    static const struct {
        const char *strategy, *key, *value, *why;
    } cases[] = {
        {"pagerank", NULL, NULL, "all pages"},
        {"opic", NULL, NULL, "all pages"},
        {"larger-sites-first", NULL, NULL, "on a host"},
        {"infospiders", NULL, NULL, "wherever"},
        {"apprentice", NULL, NULL, "remembered"},
        {"hot-queue", NULL, NULL, NULL},
        {"hot-queue", "by", "pagerank", "all pages"},
        {"hmm", NULL, NULL, NULL},
        {"hmm", "children", "eager", "eager"},
        {"soft-focus", NULL, NULL, NULL},
        {"soft-focus", "hubs", "8", "hubs"},
        {"fusion", NULL, NULL, NULL},
        {"fusion", "of", "best-first + pagerank", "all pages"},
        {"intelligent", NULL, NULL, NULL},
        {"adaptive", NULL, NULL, NULL},
        {"combined", NULL, NULL, NULL},
    };
    struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topic_option option = {str_of(cases[i].key), str_of(cases[i].value)};
        struct topic topic = *world.topic;
        struct world variant = world;
        struct drive drive;
        const char *why;

        topic.options = &option;
        topic.noptions = cases[i].key ? 1 : 0;
        variant.topic = &topic;
        if (!drive_open(&drive, &variant, strategy_find(str_of(cases[i].strategy))))
            fail_msg("%s does not open", cases[i].strategy);
        why = strategy_undivided(&drive.strategy);
        if (!why != !cases[i].why || (why && !strstr(why, cases[i].why)))
            fail_msg("%s: %s", cases[i].strategy, why ? why : "nothing is told");
        strategy_close(&drive.strategy);
    }
    world_release(&world);
}

static void names_are_unique_and_found(void **state)
{
    (void)state;
    for (size_t i = 0; strategy_at(i); i++)
        assert_ptr_equal(strategy_find(str_of(strategy_at(i)->name)), strategy_at(i));
    assert_null(strategy_find(STR("no-such-strategy")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_keeps_its_word),
        cmocka_unit_test(variants_keep_their_word),
        cmocka_unit_test(whole_graphs_are_told),
        cmocka_unit_test(names_are_unique_and_found),
        cmocka_unit_test(an_honest_learner_passes),
        cmocka_unit_test(liars_are_caught),
    };

    return cmocka_run_group_tests_name("contract/strategies", tests, NULL, NULL);
}
