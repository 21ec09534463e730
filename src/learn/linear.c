#include "learn/linear.h"

#include "learn/folds.h"
#include "learn/platt.h"
#include "learn/project.h"
#include "learn/solver.h"

#include <math.h>
#include <stdlib.h>

struct task {
    struct model *model;
    struct dataset *data;
    const struct model_options *options;
    enum solver_loss loss;
    double *w;
    uint32_t *fold;
    bool *keep;
    double *held_out; /* [column * nrows + row]: decision values by weights that have not seen the row; NAN: none */
    double *values;   /* of one column, and */
    bool *positive;   /* whether they are of its class: what a sigmoid is fitted to */
};

static void task_release(struct task *task)
{
    free(task->w);
    free(task->fold);
    free(task->keep);
    free(task->held_out);
    free(task->values);
    free(task->positive);
}

static scent_status task_init(struct task *task)
{
    size_t nrows = task->data->nrows;

    task->w = malloc((task->data->nfeatures + (size_t)1) * sizeof *task->w);
    task->fold = malloc(nrows * sizeof *task->fold);
    task->keep = malloc(nrows * sizeof *task->keep);
    task->held_out = malloc(nrows * task->model->nrow * sizeof *task->held_out);
    task->values = malloc(nrows * sizeof *task->values);
    task->positive = malloc(nrows * sizeof *task->positive);
    if (!task->w || !task->fold || !task->keep || !task->held_out || !task->values || !task->positive)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < nrows * task->model->nrow; i++)
        task->held_out[i] = NAN;
    return SCENT_OK;
}

static uint32_t class_of_column(const struct model *model, uint32_t column)
{
    return model->nrow == 1 ? 1 : column;
}

static double decide_row(const struct task *task, uint32_t row)
{
    const struct dataset *data = task->data;
    double sum = task->w[data->nfeatures];

    for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
        sum += task->w[data->cells[k].feature] * (double)data->cells[k].value;
    return sum;
}

/* Are there kept rows on both sides? */
static bool can_solve(const struct task *task, uint32_t class)
{
    bool sides[2] = {false, false};

    for (uint32_t row = 0; row < task->data->nrows; row++)
        if (task->keep[row])
            sides[task->data->class[row] == class] = true;
    return sides[0] && sides[1];
}

/* Trains without the rows of `fold`, whose words do not count in the document frequencies either: to these weights
 * they are as new as the pages of a crawl will be. */
static scent_status hold_out(struct task *task, uint32_t fold)
{
    struct dataset *data = task->data;
    struct solver *solver;
    scent_status status;

    for (uint32_t row = 0; row < data->nrows; row++)
        task->keep[row] = task->fold[row] != fold;
    status = dataset_weigh(data, task->options->weighting, task->keep);
    if (status != SCENT_OK || (status = solver_new(data, &solver)) != SCENT_OK)
        return status;
    for (uint32_t column = 0; column < task->model->nrow; column++) {
        uint32_t class = class_of_column(task->model, column);

        if (!can_solve(task, class))
            continue;
        solver_solve(solver, task->loss, task->options->C, class, task->keep, task->w);
        for (uint32_t row = 0; row < data->nrows; row++)
            if (!task->keep[row])
                task->held_out[(size_t)column * data->nrows + row] = decide_row(task, row);
    }
    solver_free(solver);
    return SCENT_OK;
}

/* A class that is too small to be held out (one example) gets the plain logistic function, and the log is told. */
static struct sigmoid calibrate(struct task *task, uint32_t column)
{
    const double *held_out = task->held_out + (size_t)column * task->data->nrows;
    uint32_t class = class_of_column(task->model, column);
    size_t n = 0, npositive = 0;

    for (uint32_t row = 0; row < task->data->nrows; row++)
        if (!isnan(held_out[row])) {
            task->values[n] = held_out[row];
            npositive += task->positive[n++] = task->data->class[row] == class;
        }
    if (npositive > 0 && npositive < n)
        return platt_fit(task->values, task->positive, n);
    if (task->options->log)
        log_line(task->options->log, LOG_WARN, "class \"%.*s\" has too few examples to calibrate its probability; "
                 "give it at least %u", STR_ARG(task->model->classes[class]), task->options->folds);
    return (struct sigmoid){-1, 0};
}

static scent_status calibrate_all(struct task *task)
{
    const struct dataset *data = task->data;
    scent_status status = folds_split(data->class, data->nrows, data->nclasses, task->options->folds,
                                      task->options->seed, task->fold);

    for (uint32_t fold = 0; status == SCENT_OK && fold < task->options->folds; fold++)
        status = hold_out(task, fold);
    for (uint32_t column = 0; status == SCENT_OK && column < task->model->nrow; column++)
        task->model->sigmoids[column] = calibrate(task, column);
    return status;
}

static scent_status solve_all(struct task *task)
{
    struct model *model = task->model;
    struct solver *solver;
    scent_status status = dataset_weigh(task->data, task->options->weighting, NULL);

    if (status != SCENT_OK || (status = solver_new(task->data, &solver)) != SCENT_OK)
        return status;
    for (uint32_t column = 0; column < model->nrow; column++) {
        solver_solve(solver, task->loss, task->options->C, class_of_column(model, column), NULL, task->w);
        for (uint32_t f = 0; f < model->nfeatures; f++)
            model->rows[(size_t)f * model->nrow + column] = (float)task->w[f];
        model->bias[column] = task->w[model->nfeatures];
    }
    solver_free(solver);
    return SCENT_OK;
}

scent_status linear_train(struct model *model, struct dataset *data, const struct model_options *options)
{
    struct task task = {.model = model, .data = data, .options = options};
    bool failed = false;
    scent_status status;

    task.loss = model->kind == MODEL_SVM ? SOLVER_SQUARED_HINGE : SOLVER_LOGISTIC;
    model->nrow = model->nclasses == 2 ? 1 : model->nclasses;
    model->rows = parts_array(model, (size_t)model->nrow * model->nfeatures, sizeof *model->rows, &failed);
    model->bias = parts_array(model, model->nrow, sizeof *model->bias, &failed);
    model->sigmoids = parts_array(model, model->nrow, sizeof *model->sigmoids, &failed);
    for (uint32_t column = 0; !failed && column < model->nrow; column++)
        model->sigmoids[column] = (struct sigmoid){-1, 0};
    status = failed ? SCENT_E_NOMEM : task_init(&task);
    if (status == SCENT_OK && model->kind == MODEL_SVM)
        status = calibrate_all(&task);
    if (status == SCENT_OK)
        status = solve_all(&task);
    task_release(&task);
    return status;
}

static void sums_of(const struct model *model, const struct text_vector *tf, double *sums)
{
    project(model, tf, sums);
    for (uint32_t k = 0; k < model->nrow; k++)
        sums[k] += model->bias[k];
}

void linear_decide(const struct model *model, const struct text_vector *tf, double *scores)
{
    sums_of(model, tf, scores);
    if (model->nrow == 1) {
        scores[1] = scores[0];
        scores[0] = -scores[1];
    }
}

void linear_predict(const struct model *model, const struct text_vector *tf, double *p)
{
    double sum = 0;

    sums_of(model, tf, p);
    for (uint32_t k = 0; k < model->nrow; k++)
        sum += p[k] = platt_probability(model->sigmoids[k], p[k]);
    if (model->nrow == 1) {
        p[1] = p[0];
        p[0] = 1 - p[1];
        return;
    }
    for (uint32_t k = 0; k < model->nrow; k++)
        p[k] = sum > 0 ? p[k] / sum : 1. / model->nrow;
}

double linear_weight(const struct model *model, uint32_t feature, uint32_t class)
{
    if (model->nrow == 1)
        return class == 1 ? (double)model->rows[feature] : -(double)model->rows[feature];
    return (double)model->rows[(size_t)feature * model->nrow + class];
}
