#include "app/ruling.h"

#include "app/command.h"
#include "crawldir/learned.h"

#include <stdio.h>

bool ruling_path(const char *topic_path, const struct topic *topic, char out[TRAINING_PATH])
{
    int len;

    if (!topic->rules_file.len)
        return training_beside(topic_path, ".rules", out);
    len = snprintf(out, TRAINING_PATH, "%.*s", STR_ARG(topic->rules_file));
    return len > 0 && len < TRAINING_PATH;
}

/* ---- for learned_begin ---- */

struct ruling {
    struct training *training;
    struct rulebook *rules;
};

static scent_status attach(struct ruling *ruling, struct errmsg *err)
{
    struct training *training = ruling->training;
    const struct rulebook *rules = ruling->rules;
    struct rulebook *arranged = NULL;
    struct errmsg why = {{0}};
    scent_status status = knowledge_arrange_rules(training->knowledge.model, rules, &arranged, &why);

    if (status == SCENT_E_INVALID)
        return errmsg_fail(err, status, "the rules do not fit the topic: %s; run 'scent rules build %s' again", why.text,
                           training->path);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%s", why.text);
    training->knowledge.rules = arranged;
    if (rules->fingerprint && rules->fingerprint != training_plan_fingerprint(training->topic))
        log_line(training->log, LOG_WARN, "the rules were counted with other examples than the topic has now; 'scent rules "
                 "build %s' counts them again", training->path);
    return SCENT_OK;
}

static scent_status load_own(void *ctx, const char *path, struct errmsg *err)
{
    struct ruling *ruling = ctx;

    SCENT_TRY(rulebook_load(path, &ruling->rules, err));
    return attach(ruling, err);
}

static scent_status find_rules(void *ctx, struct errmsg *err)
{
    struct ruling *ruling = ctx;
    const struct training *training = ruling->training;
    char path[TRAINING_PATH];
    scent_status status;

    if (!ruling_path(training->path, training->topic, path))
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", training->path);
    status = rulebook_load(path, &ruling->rules, err);
    if (status == SCENT_E_NOTFOUND)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "the strategy goes by interclass rules, and there is no %s: run 'scent rules build %s' first",
                           path, training->path);
    SCENT_TRY(status);
    return attach(ruling, err);
}

static scent_status save_own(void *ctx, const char *path, struct errmsg *err)
{
    return rulebook_save(((struct ruling *)ctx)->rules, path, err);
}

int ruling_attach(struct training *training, const char *dir)
{
    static const struct learned_ops ops = {
        .name = LEARNED_RULES, .load = load_own, .find = find_rules, .save = save_own};
    struct ruling ruling = {.training = training};
    struct errmsg err = {{0}};
    scent_status status;

    if (!str_eq(training->topic->strategy, STR("rules")))
        return EXIT_DONE;
    status = learned_begin(&ops, &ruling, dir, &err);
    rulebook_free(ruling.rules);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}
