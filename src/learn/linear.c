#include "learn/linear.h"

#include "learn/folds.h"
#include "learn/platt.h"
#include "learn/project.h"
#include "learn/solver.h"

#include <math.h>
#include <stdlib.h>

struct task {
    struct model *model;
    const struct dataset *data;
    const struct model_options *options;
    enum solver_loss loss;
    struct solver *solver;
    double *w;
    uint32_t *fold;
    double *held_out; /* the decision values that the sigmoid is fitted to, and */
    bool *positive;   /* whether they are of the class */
    bool *keep;
};

static void task_release(struct task *task)
{
    solver_free(task->solver);
    free(task->w);
    free(task->fold);
    free(task->held_out);
    free(task->positive);
    free(task->keep);
}

static scent_status task_init(struct task *task)
{
    const struct dataset *data = task->data;

    task->w = malloc((data->nfeatures + (size_t)1) * sizeof *task->w);
    task->fold = malloc(data->nrows * sizeof *task->fold);
    task->held_out = malloc(data->nrows * sizeof *task->held_out);
    task->positive = malloc(data->nrows * sizeof *task->positive);
    task->keep = malloc(data->nrows * sizeof *task->keep);
    if (!task->w || !task->fold || !task->held_out || !task->positive || !task->keep)
        return SCENT_E_NOMEM;
    return solver_new(data, &task->solver);
}

static double decide_row(const struct task *task, uint32_t row)
{
    const struct dataset *data = task->data;
    double sum = task->w[data->nfeatures];

    for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
        sum += task->w[data->cells[k].feature] * data->cells[k].value;
    return sum;
}

/* Trains without the rows of `fold` and appends their decision values. A fold whose removal leaves only one side is
 * passed over. */
static size_t hold_out(struct task *task, uint32_t class, uint32_t fold, size_t n)
{
    const struct dataset *data = task->data;
    bool sides[2] = {false, false}, any = false;

    for (uint32_t row = 0; row < data->nrows; row++) {
        task->keep[row] = task->fold[row] != fold;
        if (task->keep[row])
            sides[data->class[row] == class] = true;
        else
            any = true;
    }
    if (!any || !sides[0] || !sides[1])
        return n;
    solver_solve(task->solver, task->loss, task->options->C, class, task->keep, task->w);
    for (uint32_t row = 0; row < data->nrows; row++)
        if (!task->keep[row]) {
            task->held_out[n] = decide_row(task, row);
            task->positive[n++] = data->class[row] == class;
        }
    return n;
}

/* Fitted on decision values of rows that the deciding weights have not seen. A class that is too small for that (one
 * example) gets the plain logistic function, and the log is told. */
static struct sigmoid calibrate(struct task *task, uint32_t class)
{
    size_t n = 0, npositive = 0;

    for (uint32_t fold = 0; fold < task->options->folds; fold++)
        n = hold_out(task, class, fold, n);
    for (size_t i = 0; i < n; i++)
        npositive += task->positive[i];
    if (npositive > 0 && npositive < n)
        return platt_fit(task->held_out, task->positive, n);
    if (task->options->log)
        log_line(task->options->log, LOG_WARN, "class \"%.*s\" has too few examples to calibrate its probability; "
                 "give it at least %u", STR_ARG(task->model->classes[class]), task->options->folds);
    return (struct sigmoid){-1, 0};
}

static void train_class(struct task *task, uint32_t class, uint32_t column)
{
    struct model *model = task->model;

    model->sigmoids[column] = (struct sigmoid){-1, 0};
    if (model->kind == MODEL_SVM)
        model->sigmoids[column] = calibrate(task, class);
    solver_solve(task->solver, task->loss, task->options->C, class, NULL, task->w);
    for (uint32_t f = 0; f < model->nfeatures; f++)
        model->rows[(size_t)f * model->nrow + column] = (float)task->w[f];
    model->bias[column] = task->w[model->nfeatures];
}

scent_status linear_train(struct model *model, const struct dataset *data, const struct model_options *options)
{
    struct task task = {.model = model, .data = data, .options = options};
    bool failed = false;
    scent_status status;

    task.loss = model->kind == MODEL_SVM ? SOLVER_SQUARED_HINGE : SOLVER_LOGISTIC;
    model->nrow = model->nclasses == 2 ? 1 : model->nclasses;
    model->rows = parts_array(model, (size_t)model->nrow * model->nfeatures, sizeof *model->rows, &failed);
    model->bias = parts_array(model, model->nrow, sizeof *model->bias, &failed);
    model->sigmoids = parts_array(model, model->nrow, sizeof *model->sigmoids, &failed);
    status = failed ? SCENT_E_NOMEM : task_init(&task);
    if (status == SCENT_OK)
        status = folds_split(data->class, data->nrows, data->nclasses, options->folds, options->seed, task.fold);
    for (uint32_t k = 0; status == SCENT_OK && k < model->nrow; k++)
        train_class(&task, model->nrow == 1 ? 1 : k, k);
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
