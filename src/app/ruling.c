#include "app/ruling.h"

#include "app/command.h"
#include "base/file.h"

#include <stdio.h>

bool ruling_path(const char *topic_path, const struct topic *topic, char out[TRAINING_PATH])
{
    int len;

    if (!topic->rules_file.len)
        return training_beside(topic_path, ".rules", out);
    len = snprintf(out, TRAINING_PATH, "%.*s", STR_ARG(topic->rules_file));
    return len > 0 && len < TRAINING_PATH;
}

static scent_status load(const struct training *training, const char *own, struct rulebook **out, bool *kept,
                         struct errmsg *err)
{
    char path[TRAINING_PATH];
    scent_status status = own ? rulebook_load(own, out, err) : SCENT_E_NOTFOUND;

    *kept = status == SCENT_OK;
    if (status != SCENT_E_NOTFOUND)
        return status;
    if (!ruling_path(training->path, training->topic, path))
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", training->path);
    status = rulebook_load(path, out, err);
    if (status == SCENT_E_NOTFOUND)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "the strategy goes by interclass rules, and there is no %s: run 'scent rules build %s' first",
                           path, training->path);
    return status;
}

static scent_status attach(const struct training *training, const struct rulebook *rules, struct errmsg *err)
{
    struct errmsg why = {{0}};
    scent_status status = topic_attach_rules(training->topic, rules, &why);

    if (status == SCENT_E_INVALID)
        return errmsg_fail(err, status, "the rules do not fit the topic: %s; run 'scent rules build %s' again", why.text,
                           training->path);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%s", why.text);
    if (rules->fingerprint && rules->fingerprint != training_fingerprint(training->topic))
        log_line(training->log, LOG_WARN, "the rules were counted with other examples than the topic has now; 'scent rules "
                 "build %s' counts them again", training->path);
    return SCENT_OK;
}

int ruling_attach(const struct training *training, const char *dir)
{
    char own[TRAINING_PATH + 32], folder[TRAINING_PATH + 16];
    struct rulebook *rules = NULL;
    struct errmsg err = {{0}};
    bool kept = false;
    scent_status status;

    if (!str_eq(training->topic->strategy, STR("rules")))
        return EXIT_DONE;
    snprintf(own, sizeof own, "%s/learned/rules", dir ? dir : "");
    snprintf(folder, sizeof folder, "%s/learned", dir ? dir : "");
    status = load(training, dir ? own : NULL, &rules, &kept, &err);
    if (status == SCENT_OK)
        status = attach(training, rules, &err);
    if (status == SCENT_OK && dir && !kept)
        status = file_make_dir(folder, &err);
    if (status == SCENT_OK && dir && !kept)
        status = rulebook_save(rules, own, &err);
    rulebook_free(rules);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}
