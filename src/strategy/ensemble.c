#include "strategy/ensemble.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "strategy/counts.h"
#include "strategy/fused.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEARNED_VERSION = 1 };

static scent_status read_spec(struct ensemble *ensemble, struct ensemble_part *part, struct str spec,
                              struct errmsg *err)
{
    struct str rest = str_trim(spec), name, item;
    size_t n = 0;

    if (!str_split(&rest, ':', &name))
        return errmsg_fail(err, SCENT_E_INVALID, "fusion: of must name strategies, such as 'full-page + text-window'");
    part->topic.strategy = str_trim(name);
    part->topic.options = arena_array(&ensemble->arena, rest.len + 1, sizeof *part->topic.options);
    SCENT_BUG_IF(!part->topic.options);
    while (str_split(&rest, ',', &item)) {
        size_t equal = str_find(item, '=');

        if (equal == item.len)
            return errmsg_fail(err, SCENT_E_INVALID, "fusion: expected key=value in '%.*s'", STR_ARG(spec));
        part->topic.options[n++] = (struct topic_option){
            str_trim(str_sub(item, 0, equal)), str_trim(str_sub(item, equal + 1, item.len))};
    }
    part->topic.noptions = n;
    return SCENT_OK;
}

static scent_status open_part(struct ensemble *ensemble, const struct strategy_context *context, struct str spec,
                              struct errmsg *err)
{
    struct ensemble_part *part = &ensemble->parts[ensemble->count];
    struct strategy_context inner = {.topic = &part->topic, .seed = hash_mix(context->seed, ensemble->count)};
    const struct strategy_ops *ops;
    scent_status status;

    part->topic = *context->topic;
    status = read_spec(ensemble, part, spec, err);
    if (status != SCENT_OK)
        return status;
    ops = strategy_find(part->topic.strategy);
    if (ops && (ops->own_bytes || ops == &strategy_fusion))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "fusion: %s keeps more than a score with its candidates and cannot be fused", ops->name);
    status = strategy_open(&inner, &part->strategy, err);
    ensemble->count += status == SCENT_OK;
    if (status == SCENT_OK && part->strategy.threshold > -INFINITY)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "fusion: a threshold is one of the whole, not of %s: write it beside 'of'",
                           part->strategy.ops->name);
    return status;
}

scent_status ensemble_open(struct ensemble *ensemble, struct str of, const struct strategy_context *context,
                           struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct str spec;

    *ensemble = (struct ensemble){.count = 0};
    arena_init(&ensemble->arena, SIZE_MAX);
    ensemble->parts = calloc(LANES_MAX, sizeof *ensemble->parts);
    SCENT_BUG_IF(!ensemble->parts);
    while (status == SCENT_OK && str_split(&of, '+', &spec))
        status = ensemble->count < LANES_MAX
                     ? open_part(ensemble, context, spec, err)
                     : errmsg_fail(err, SCENT_E_INVALID, "fusion: at most %d strategies", LANES_MAX);
    if (status == SCENT_OK && ensemble->count < 2)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "fusion: name two or three strategies, such as of: 'full-page + text-window'");
    return status;
}

void ensemble_close(struct ensemble *ensemble)
{
    for (size_t i = 0; i < ensemble->count; i++)
        strategy_close(&ensemble->parts[i].strategy);
    free(ensemble->parts);
    arena_release(&ensemble->arena);
}

float ensemble_rank(const struct ensemble *ensemble, const float *scores)
{
    float sum = 0;

    for (size_t i = 0; i < ensemble->count; i++)
        sum += ranks_of(&ensemble->parts[i].ranks, scores[i]);
    return sum / (float)ensemble->count;
}

/* ---- keeping ---- */

void ensemble_save(const struct ensemble *ensemble, struct buf *out)
{
    for (size_t i = 0; i < ensemble->count; i++) {
        const struct ensemble_part *part = &ensemble->parts[i];

        ranks_save(&part->ranks, out);
        if (saved_put_part(part->strategy.ops->save, part->strategy.state, out) != SCENT_OK)
            out->failed = true;
    }
}

scent_status ensemble_fail(struct errmsg *err)
{
    return saved_fail("fusion", "or of other strategies", err);
}

static scent_status load_part(struct ensemble_part *part, struct str *rest, struct errmsg *err)
{
    const struct strategy *strategy = &part->strategy;
    struct bytes in;
    struct str blob;

    if (!ranks_load(&part->ranks, rest))
        return ensemble_fail(err);
    in = bytes_of(*rest);
    blob = bytes_get_str(&in, 8, SIZE_MAX);
    if (in.wrong || (blob.len && !strategy->ops->load))
        return ensemble_fail(err);
    *rest = str_sub(*rest, rest->len - bytes_left(&in), rest->len);
    return blob.len ? strategy->ops->load(strategy->state, blob, err) : SCENT_OK;
}

scent_status ensemble_load(struct ensemble *ensemble, struct str blob, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < ensemble->count && status == SCENT_OK; i++)
        status = load_part(&ensemble->parts[i], &blob, err);
    return status == SCENT_OK && blob.len ? ensemble_fail(err) : status;
}

/* ---- for other crawls: what each part learned ---- */

struct meaning {
    char text[200];
};

static struct meaning meaning(const struct ensemble *ensemble)
{
    struct meaning out = {"of"};
    size_t len = 2;

    for (size_t i = 0; i < ensemble->count; i++)
        len += (size_t)snprintf(out.text + len, sizeof out.text - len, " %s", ensemble->parts[i].strategy.ops->name);
    return out;
}

scent_status ensemble_learned(const struct ensemble *ensemble, struct buf *out)
{
    scent_status status = SCENT_OK;

    counts_put_head(out, LEARNED_VERSION, meaning(ensemble).text);
    for (size_t i = 0; i < ensemble->count && status == SCENT_OK; i++) {
        const struct strategy *part = &ensemble->parts[i].strategy;

        status = saved_put_part(part->ops->learned, part->state, out);
    }
    return status;
}

scent_status ensemble_recall(struct ensemble *ensemble, struct str blob, double weight, struct errmsg *err)
{
    struct bytes in = bytes_of(blob);
    struct str parts[LANES_MAX];
    scent_status status = counts_get_head(&in, "fusion", LEARNED_VERSION, meaning(ensemble).text, err);

    if (status != SCENT_OK)
        return status;
    for (size_t i = 0; i < ensemble->count; i++) {
        parts[i] = bytes_get_str(&in, 8, SIZE_MAX);
        bytes_check(&in, parts[i].len == 0 || ensemble->parts[i].strategy.ops->recall, "a part learns nothing");
    }
    status = counts_end(&in, "fusion", err);
    for (size_t i = 0; i < 2 * ensemble->count && status == SCENT_OK; i++) { /* looks at all of them first */
        const struct strategy *part = &ensemble->parts[i % ensemble->count].strategy;

        if (parts[i % ensemble->count].len)
            status = part->ops->recall(part->state, parts[i % ensemble->count], i < ensemble->count ? 0 : weight, err);
    }
    return status;
}
