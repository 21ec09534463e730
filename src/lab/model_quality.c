#include "lab/model_quality.h"

#include "base/clock.h"
#include "json/json.h"
#include "lab/stats.h"
#include "lab/trial_model.h"
#include "learn/evaluate.h"

#include <stdlib.h>

/* What was measured for one kind of model, by topic. */
struct measured {
    double *examples, *accuracy, *auc, *seconds;
};

static struct str name_of(const struct experiment_model *model, struct arena *arena)
{
    const struct model_options *options = &model->options;
    bool is_weighted = options->kind != MODEL_BAYES && options->weighting != TEXT_LTC; /* Bayes counts */
    struct str name = arena_printf(
        arena, "%s%s%s%s%s", model_kind_name(options->kind), is_weighted ? ", " : "",
        is_weighted ? text_weighting_names[options->weighting] : "",
        options->kind == MODEL_SVM && options->loss == MODEL_HINGE ? ", hinge" : "",
        model->backlinks ? ", back-links" : "");

    SCENT_BUG_IF(!name.p);
    return name;
}

static scent_status measure_topic(const struct lab *lab, const struct experiment_model *model, size_t topic,
                                  uint32_t folds, struct measured *out, struct errmsg *err)
{
    const struct trial *trial = lab_trial(lab, topic, 0)->trial;
    struct trial_examples examples;
    struct evaluate_result result;
    struct model *trained = NULL;
    int64_t started;
    scent_status status;

    SCENT_TRY(trial_examples_read(lab->collection, lab->backlinks, trial, lab->experiment->seed, model, &examples,
                                  err));
    started = clock_thread_cpu_ns();
    status = model_train(&examples.set, &model->options, &trained, err);
    out->seconds[topic] = (double)(clock_thread_cpu_ns() - started) / 1e9;
    model_free(trained);
    if (status == SCENT_OK)
        status = evaluate_model(&examples.set, &model->options, folds, &result, err);
    if (status == SCENT_OK) {
        out->examples[topic] = (double)examples.set.nexamples;
        out->accuracy[topic] = result.accuracy;
        out->auc[topic] = result.classes[TRIAL_TOPIC].auc;
        evaluate_release(&result);
    }
    trial_examples_release(&examples);
    return status;
}

static scent_status measure_model(const struct lab *lab, const struct experiment_model *model, uint32_t folds,
                                  struct model_quality_table *table, struct errmsg *err)
{
    struct model_quality_row *row = &table->rows[table->nrows++];
    size_t n = lab->ntopics;
    double *values = arena_zalloc(&table->arena, 4 * n * sizeof *values);
    struct measured measured = {values, values + n, values + 2 * n, values + 3 * n};

    SCENT_BUG_IF(!values);
    for (size_t i = 0; i < n; i++) {
        struct errmsg why = {0};
        scent_status status = measure_topic(lab, model, i, folds, &measured, &why);

        if (status != SCENT_OK)
            return errmsg_fail(err, status, "topic %.*s: %s", STR_ARG(lab_trial(lab, i, 0)->trial->name), why.text);
    }
    *row = (struct model_quality_row){
        .name = name_of(model, &table->arena),
        .examples = stats_mean(measured.examples, n),
        .accuracy = stats_mean(measured.accuracy, n),
        .accuracy_error = stats_standard_error(measured.accuracy, n),
        .auc = stats_mean(measured.auc, n),
        .auc_error = stats_standard_error(measured.auc, n),
        .seconds = stats_mean(measured.seconds, n),
        .seconds_error = stats_standard_error(measured.seconds, n),
    };
    return SCENT_OK;
}

static bool is_first(const struct experiment *experiment, size_t strategy)
{
    for (size_t i = 0; i < strategy; i++)
        if (experiment_same_model(&experiment->strategies[i].model, &experiment->strategies[strategy].model))
            return false;
    return !experiment->strategies[strategy].model.taxonomy; /* all topics share that one */
}

scent_status model_quality_measure(const struct lab *lab, uint32_t folds, struct model_quality_table *out,
                                   struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    scent_status status = SCENT_OK;

    *out = (struct model_quality_table){.ntopics = lab->ntopics, .folds = folds};
    arena_init(&out->arena, SIZE_MAX);
    out->rows = arena_zalloc(&out->arena, experiment->nstrategies * sizeof *out->rows);
    SCENT_BUG_IF(!out->rows);
    for (size_t i = 0; i < experiment->nstrategies && status == SCENT_OK; i++)
        if (is_first(experiment, i))
            status = measure_model(lab, &experiment->strategies[i].model, folds, out, err);
    if (status != SCENT_OK)
        model_quality_release(out);
    return status;
}

void model_quality_release(struct model_quality_table *table)
{
    arena_release(&table->arena);
}

/* ---- showing ---- */

void model_quality_print(const struct model_quality_table *table, struct buf *out)
{
    buf_printf(out, "%-28s %8s %16s %16s %20s\n", "model", "examples", "accuracy", "AUC", "training, s of CPU");
    for (size_t i = 0; i < table->nrows; i++) {
        const struct model_quality_row *row = &table->rows[i];

        buf_printf(out, "%-28.*s %8.1f %6.4f +- %.4f %6.4f +- %.4f %9.4f +- %.4f\n", STR_ARG(row->name), row->examples,
                   row->accuracy, row->accuracy_error, row->auc, row->auc_error, row->seconds, row->seconds_error);
    }
    buf_printf(out, "means over %zu topics +- standard error; accuracy and AUC by cross-validation with %u folds\n",
               table->ntopics, table->folds);
}

void model_quality_write_json(const struct model_quality_table *table, struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_int(&w, "topics", (int64_t)table->ntopics);
    json_put_int(&w, "folds", table->folds);
    json_key(&w, "models");
    json_array_begin(&w);
    for (size_t i = 0; i < table->nrows; i++) {
        const struct model_quality_row *row = &table->rows[i];

        json_object_begin(&w);
        json_put_str(&w, "model", row->name);
        json_put_double(&w, "examples", row->examples);
        json_put_double(&w, "accuracy", row->accuracy);
        json_put_double(&w, "accuracy_error", row->accuracy_error);
        json_put_double(&w, "auc", row->auc);
        json_put_double(&w, "auc_error", row->auc_error);
        json_put_double(&w, "seconds", row->seconds);
        json_put_double(&w, "seconds_error", row->seconds_error);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_addc(out, '\n');
}
