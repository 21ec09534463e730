/* workspace_knowledge - finds the model, the rules and the browsing model of a topic, each for learned_begin(): that of
 * the crawl, else the file that the topic names, else (the model) one that is trained now. */
#include "app/permission.h"
#include "app/workspace.h"
#include "base/file.h"
#include "conf/conf.h"
#include "crawldir/learned.h"
#include "engine/retraining.h"
#include "trace/browse.h"
#include "topic/external.h"
#include "training/training_set.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- the model ---- */

scent_status workspace_keep_examples(const struct workspace *workspace, const struct training_set *examples,
                                     struct trained *trained, struct errmsg *err)
{
    const struct topic *topic = workspace->topic;
    scent_status status;

    if (!topic->examples.npositive || !(topic->model.weak > 0) || topic->learns_backlinks)
        return SCENT_OK;
    status = trained_keep(trained, &examples->set, &examples->whole);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "no memory for the examples");
}

enum { MEASURED_AT_ONCE = 200 }; /* examples: a crawl does not wait long for it */

static int train_now(struct workspace *workspace, struct trained *out)
{
    struct model_options options = workspace->topic->model;
    struct training_set *examples = NULL;
    struct evaluate_result result;
    struct errmsg err = {{0}}, none;
    scent_status status;
    int code = workspace_read_examples(workspace, NULL, &examples);

    if (code != EXIT_DONE)
        return code;
    options.log = workspace->log;
    status = trained_learn(&examples->set, &options, workspace->topic->examples.ratio, out, &err);
    if (status == SCENT_OK)
        status = workspace_keep_examples(workspace, examples, out, &err);
    if (status == SCENT_OK && examples->set.nexamples <= MEASURED_AT_ONCE &&
        trained_measure(&examples->set, &options, workspace->topic->examples.ratio, out, &result, &none) == SCENT_OK)
        evaluate_release(&result);
    if (status == SCENT_OK)
        log_line(workspace->log, LOG_INFO,
                 "%s: trained with %zu examples; 'scent train %s' keeps the model and measures its quality",
                 workspace->path, examples->set.nexamples, workspace->path);
    else
        code = command_fail(status, &err);
    workspace->knowledge.sample = examples->sample;
    examples->sample = NULL;
    training_set_free(examples);
    return code;
}

/* A query works without it: counts that do not fit are reported and left out. */
static void find_sample(struct workspace *workspace)
{
    struct workspace_path path = workspace_beside(workspace->path, ".census");
    struct query_counts *sample;
    struct errmsg err = {{0}};
    struct buf text;
    scent_status status;

    if (!workspace->topic->query || workspace->knowledge.sample)
        return;
    buf_init(&text, 1 << 20);
    sample = query_counts_new(workspace->topic->query);
    status = file_read(path.text, &text, &err);
    if (status == SCENT_OK)
        status = query_counts_read(sample, buf_str(&text), path.text, &err);
    if (status != SCENT_OK && status != SCENT_E_NOTFOUND)
        log_line(workspace->log, LOG_WARN, "%s; the query does not use these counts", err.text);
    if (status == SCENT_OK)
        workspace->knowledge.sample = sample;
    else
        query_counts_free(sample);
    buf_release(&text);
}

/* The file of `scent train`, where it exists and fits. */
static struct trained find_trained(const struct workspace *workspace, uint64_t fingerprint)
{
    struct workspace_path path = workspace_beside(workspace->path, ".model");
    struct trained found;
    struct errmsg err = {{0}};
    uint64_t of_file = 0;
    scent_status status = trained_load(path.text, &found, &of_file, &err);

    if (status == SCENT_OK && of_file == fingerprint)
        return found;
    if (status == SCENT_OK)
        log_line(workspace->log, LOG_WARN,
                 "%s was trained with other examples or options than the topic has now; the model is trained again",
                 path.text);
    else if (status != SCENT_E_NOTFOUND)
        log_line(workspace->log, LOG_WARN, "%s; the model is trained again", err.text);
    trained_release(&found);
    return found;
}

struct model_search {
    struct workspace *workspace;
    struct trained found;
    uint64_t fingerprint, of_file;
    int code; /* of a failure that was printed already */
};

static scent_status load_model(void *ctx, const char *path, struct errmsg *err)
{
    struct model_search *search = ctx;

    return trained_load(path, &search->found, &search->of_file, err);
}

static void compare_model(void *ctx, const char *path)
{
    const struct model_search *search = ctx;

    if (search->of_file != search->fingerprint)
        log_line(
            search->workspace->log, LOG_WARN,
            "the examples or the options of the model have changed since this crawl began: the crawl keeps its own "
            "model, %s; remove that file to use the new one",
            path);
}

static scent_status find_model(void *ctx, struct errmsg *err)
{
    struct model_search *search = ctx;

    (void)err;
    search->found = find_trained(search->workspace, search->fingerprint);
    if (!search->found.judge)
        search->code = train_now(search->workspace, &search->found);
    return search->code == EXIT_DONE ? SCENT_OK : SCENT_E_END;
}

static scent_status save_model(void *ctx, const char *path, struct errmsg *err)
{
    const struct model_search *search = ctx;

    return trained_save(&search->found, search->fingerprint, path, err);
}

/* A crawl may have trained its judge again. A crawl that runs does this itself. */
static scent_status take_retrained(struct workspace *workspace, const char *dir, struct errmsg *err)
{
    struct store *store = NULL;
    struct trained trained;
    uint64_t marks;
    scent_status status = crawldir_open(dir, STORE_READ, &store, err);

    if (status == SCENT_OK)
        status = retraining_load(store, workspace->knowledge.whole, &trained, &marks, err);
    if (status == SCENT_OK) {
        model_free((struct model *)workspace->knowledge.model);
        workspace->knowledge.model = trained.judge;
        trained.judge = NULL;
        if (trained.guide) {
            model_free((struct model *)workspace->knowledge.guide);
            workspace->knowledge.guide = trained.guide;
            trained.guide = NULL;
        }
        trained_release(&trained);
    }
    store_close(store);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

int workspace_find_model(struct workspace *workspace, const char *dir)
{
    static const struct learned_ops ops = {
        .name = LEARNED_MODEL, .load = load_model, .find = find_model, .save = save_model, .compare = compare_model};
    struct model_search search = {.workspace = workspace, .code = EXIT_DONE};
    struct errmsg err = {{0}};
    scent_status status;

    if (topic_classes(workspace->topic) == TOPIC_NO_MODEL)
        return EXIT_DONE;
    workspace_choose_model(workspace);
    search.fingerprint = training_plan_fingerprint(workspace->topic);
    status = learned_begin(&ops, &search, dir, !workspace->reads_only, &err);
    if (status != SCENT_OK) {
        trained_release(&search.found);
        if (status == SCENT_E_NOTFOUND && workspace->reads_only)
            return EXIT_USAGE;
        return search.code == EXIT_DONE ? command_fail(status, &err) : search.code;
    }
    find_sample(workspace);
    workspace->knowledge.model = search.found.judge;
    workspace->knowledge.guide = search.found.guide;
    workspace->knowledge.auc = search.found.auc;
    workspace->examples = search.found.examples;
    if (workspace->examples) {
        workspace->knowledge.examples = &workspace->examples->set;
        workspace->knowledge.whole = &workspace->examples->whole;
    }
    status = workspace->reads_only && dir && workspace->examples ? take_retrained(workspace, dir, &err) : SCENT_OK;
    if (status == SCENT_OK)
        status = knowledge_check_model(workspace->topic, workspace->knowledge.model, &err);
    return command_exit(status, &err);
}

/* ---- rules ---- */

struct rules_search {
    struct workspace *workspace;
    struct rulebook *rules;
};

static scent_status arrange_rules(struct rules_search *search, struct errmsg *err)
{
    struct workspace *workspace = search->workspace;
    const struct rulebook *rules = search->rules;
    struct rulebook *arranged = NULL;
    struct errmsg why = {{0}};
    scent_status status = knowledge_arrange_rules(workspace->knowledge.model, rules, &arranged, &why);

    if (status == SCENT_E_INVALID)
        return errmsg_fail(err, status, "the rules do not fit the topic: %s; run 'scent rules build %s' again",
                           why.text, workspace->path);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%s", why.text);
    workspace->knowledge.rules = arranged;
    if (rules->fingerprint && rules->fingerprint != training_plan_fingerprint(workspace->topic))
        log_line(
            workspace->log, LOG_WARN,
            "the rules were counted with other examples than the topic has now; 'scent rules build %s' counts them "
            "again",
            workspace->path);
    return SCENT_OK;
}

static scent_status load_rules(void *ctx, const char *path, struct errmsg *err)
{
    struct rules_search *search = ctx;

    SCENT_TRY(rulebook_load(path, &search->rules, err));
    return arrange_rules(search, err);
}

static unsigned rules_use(const struct topic *topic)
{
    const struct strategy_ops *ops = strategy_find(topic->strategy);

    return ops ? ops->rules : STRATEGY_IGNORES;
}

static scent_status find_rules(void *ctx, struct errmsg *err)
{
    struct rules_search *search = ctx;
    const struct workspace *workspace = search->workspace;
    struct workspace_path path = workspace_rules_path(workspace->path, workspace->topic);
    scent_status status = rulebook_load(path.text, &search->rules, err);

    if (status == SCENT_E_NOTFOUND && rules_use(workspace->topic) == STRATEGY_WELCOMES)
        return status;
    if (status == SCENT_E_NOTFOUND)
        return errmsg_fail(
            err, SCENT_E_INVALID,
            "the strategy needs interclass rules, and %s does not exist: run 'scent rules build %s' first", path.text,
            workspace->path);
    SCENT_TRY(status);
    return arrange_rules(search, err);
}

static scent_status save_rules(void *ctx, const char *path, struct errmsg *err)
{
    return rulebook_save(((struct rules_search *)ctx)->rules, path, err);
}

static int find_crawl_rules(struct workspace *workspace, const char *dir)
{
    static const struct learned_ops ops = {
        .name = LEARNED_RULES, .load = load_rules, .find = find_rules, .save = save_rules};
    struct rules_search search = {.workspace = workspace};
    struct errmsg err = {{0}};
    scent_status status;

    if (rules_use(workspace->topic) == STRATEGY_IGNORES)
        return EXIT_DONE;
    status = learned_begin(&ops, &search, dir, !workspace->reads_only, &err);
    rulebook_free(search.rules);
    if (status != SCENT_OK && rules_use(workspace->topic) == STRATEGY_WELCOMES) {
        if (status != SCENT_E_NOTFOUND)
            log_line(workspace->log, LOG_WARN, "the crawl does without rules: %s", err.text);
        return EXIT_DONE;
    }
    if (status == SCENT_E_NOTFOUND && workspace->reads_only)
        return EXIT_USAGE;
    return command_exit(status, &err);
}

/* ---- the browsing model ---- */

struct browsing_search {
    const struct workspace *workspace;
    struct browse *model;
};

static scent_status load_browsing(void *ctx, const char *path, struct errmsg *err)
{
    return browse_load(path, &((struct browsing_search *)ctx)->model, err);
}

static scent_status find_browsing(void *ctx, struct errmsg *err)
{
    struct browsing_search *search = ctx;
    struct errmsg why = {{0}};
    scent_status status = browse_load(search->workspace->topic->browsing_file.p, &search->model, &why);

    return status == SCENT_OK
               ? status
               : errmsg_fail(err, status, "%s: %s", search->workspace->topic->browsing_place.p, why.text);
}

static scent_status save_browsing(void *ctx, const char *path, struct errmsg *err)
{
    return browse_save(((struct browsing_search *)ctx)->model, path, err);
}

/* Whether the file that the topic names is still what the crawl keeps; a file that is gone does not matter. */
static void compare_browsing(void *ctx, const char *path)
{
    const struct browsing_search *search = ctx;
    const char *file = search->workspace->topic->browsing_file.p;
    struct browse *named = NULL;
    struct errmsg err = {{0}};
    struct buf one, two;

    buf_init(&one, 0);
    buf_init(&two, 0);
    if (browse_load(file, &named, &err) == SCENT_OK && browse_write(search->model, &one) == SCENT_OK &&
        browse_write(named, &two) == SCENT_OK && !str_eq(buf_str(&one), buf_str(&two)))
        log_line(
            search->workspace->log, LOG_WARN,
            "%s has changed since this crawl began: the crawl keeps its own browsing model, %s; remove that file to "
            "use the new one",
            file, path);
    browse_free(named);
    buf_release(&one);
    buf_release(&two);
}

int workspace_find_browsing(struct workspace *workspace, const char *dir)
{
    static const struct learned_ops ops = {.name = LEARNED_BROWSING, .load = load_browsing, .find = find_browsing,
                                           .save = save_browsing, .compare = compare_browsing};
    struct browsing_search search = {.workspace = workspace};
    struct errmsg err = {{0}};
    scent_status status;

    if (!workspace->topic->browsing_file.len)
        return EXIT_DONE;
    status = learned_begin(&ops, &search, dir, !workspace->reads_only, &err);
    if (status == SCENT_OK)
        workspace->knowledge.browsing = search.model;
    else
        browse_free(search.model);
    if (status == SCENT_E_NOTFOUND && workspace->reads_only)
        return EXIT_USAGE;
    return command_exit(status, &err);
}

/* ---- the program that judges ---- */

/* Is the topic file the copy in the crawl directory? */
static bool is_topic_of(const char *path, const char *dir)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(crawldir_path(dir, CRAWLDIR_TOPIC).text, &two) == 0 &&
           one.st_ino == two.st_ino && one.st_dev == two.st_dev;
}

/* That of the topic file. */
static scent_status find_folder(const struct workspace *workspace, struct buf *out, struct errmsg *err)
{
    char *path = realpath(workspace->path, NULL), *slash = path ? strrchr(path, '/') : NULL;

    if (slash)
        buf_add(out, (struct str){path, slash > path ? (size_t)(slash - path) : 1});
    free(path);
    return slash ? SCENT_OK : errmsg_fail(err, SCENT_E_IO, "cannot find the folder of %s", workspace->path);
}

static scent_status keep_folder(const struct workspace *workspace, const char *dir, struct errmsg *err)
{
    struct buf folder;
    scent_status status;

    if (!topic_has_judge(workspace->topic))
        return SCENT_OK;
    buf_init(&folder, 0);
    status = find_folder(workspace, &folder, err);
    if (status == SCENT_OK)
        status = learned_make_folder(dir, err);
    if (status == SCENT_OK)
        status = file_replace(learned_path(dir, LEARNED_JUDGE).text, buf_str(&folder), err);
    buf_release(&folder);
    if (status == SCENT_OK)
        permission_give(PERMISSION_PROGRAMS, dir, workspace->log);
    return status;
}

/* Of a crawl directory: where the user began the crawl, or says so. */
static scent_status recall_folder(const struct workspace *workspace, const char *dir, struct buf *out,
                                  struct errmsg *err)
{
    const struct topic_judge *judge = &workspace->topic->judge;

    if (!workspace->allow_programs && !permission_is_given(PERMISSION_PROGRAMS, dir))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s is judged by the program '%s', and you have not begun this crawl here; if you trust it, "
                           "give --allow-programs",
                           dir, conf_show(judge->ncommand ? judge->command[0] : judge->plugin).text);
    SCENT_TRY(file_read(learned_path(dir, LEARNED_JUDGE).text, out, err));
    out->len = str_trim(buf_str(out)).len;
    return SCENT_OK;
}

int workspace_find_judge(struct workspace *workspace, const char *dir)
{
    const struct topic_judge *judge = &workspace->topic->judge;
    bool is_own = dir && is_topic_of(workspace->path, dir);
    struct errmsg err = {{0}};
    struct buf folder;
    scent_status status;

    if (!topic_has_judge(workspace->topic))
        return EXIT_DONE;
    buf_init(&folder, PATH_MAX);
    status = is_own ? recall_folder(workspace, dir, &folder, &err) : find_folder(workspace, &folder, &err);
    if (status == SCENT_OK)
        status = external_open(judge, buf_z(&folder), workspace->log, &workspace->knowledge.external, &err);
    if (status == SCENT_OK && dir && !is_own && !workspace->reads_only)
        status = keep_folder(workspace, dir, &err);
    buf_release(&folder);
    return command_exit(status, &err);
}

scent_status workspace_replace_learned(const struct workspace *workspace, const char *dir, struct errmsg *err)
{
    const struct knowledge *knowledge = &workspace->knowledge;
    struct trained trained = {.judge = (struct model *)knowledge->model, .guide = (struct model *)knowledge->guide,
                              .auc = knowledge->auc};

    SCENT_TRY(keep_folder(workspace, dir, err));
    if (!knowledge->model && !knowledge->browsing)
        return SCENT_OK;
    SCENT_TRY(learned_make_folder(dir, err));
    if (knowledge->model)
        SCENT_TRY(trained_save(&trained, training_plan_fingerprint(workspace->topic),
                               learned_path(dir, LEARNED_MODEL).text, err));
    return knowledge->browsing ? browse_save(knowledge->browsing, learned_path(dir, LEARNED_BROWSING).text, err)
                               : SCENT_OK;
}

/* A strategy that is a plug-in runs as the user: it is no more believed to a crawl directory than a program. */
static int allow_strategy(struct workspace *workspace, const char *dir, bool keep)
{
    struct errmsg err = {{0}};

    if (!str_eq(workspace->topic->strategy, STR("plugin")) || !dir)
        return EXIT_DONE;
    if (keep && !is_topic_of(workspace->path, dir))
        permission_give(PERMISSION_PROGRAMS, dir, workspace->log);
    else if (!workspace->allow_programs && !permission_is_given(PERMISSION_PROGRAMS, dir))
        return command_fail(errmsg_fail(&err, SCENT_E_INVALID,
                                        "the strategy of %s is a plug-in, and you have not begun this crawl here; if "
                                        "you trust it, give --allow-programs", dir), &err);
    return EXIT_DONE;
}

/* ---- all of it ---- */

int workspace_find_knowledge(struct workspace *workspace, const char *dir, bool keep)
{
    int code;

    workspace->reads_only = !keep;
    code = workspace_find_model(workspace, dir);
    if (code == EXIT_DONE)
        code = find_crawl_rules(workspace, dir);
    if (code == EXIT_DONE)
        code = workspace_find_traces(workspace, dir, keep);
    if (code == EXIT_DONE)
        code = workspace_find_browsing(workspace, dir);
    if (code == EXIT_DONE)
        code = workspace_find_judge(workspace, dir);
    if (code == EXIT_DONE)
        code = allow_strategy(workspace, dir, keep);
    return code == EXIT_DONE ? workspace_find_studied(workspace, dir) : code;
}
