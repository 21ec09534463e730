/* Weights come from learn/solver.h. An SVM's decision values are no probabilities: a sigmoid is fitted to
 * those of held-out rows, since the rows that trained the weights would look surer than any page of a crawl. */
#include "learn/dataset.h"
#include "learn/model_parts.h"
#include "learn/solver.h"

#include <math.h>
#include <stdlib.h>

/* ---- Platt's sigmoid ---- */

enum { ROUNDS = 100 };
#define SIGMA 1e-12 /* added to the Hessian's diagonal, so that it stays positive definite */
#define SMALLEST_STEP 1e-10

struct targets {
    double positive, negative;
};

/* The two forms are one; each is used where its exponential cannot overflow. */
double platt_probability(struct sigmoid sigmoid, double f)
{
    double z = sigmoid.a * f + sigmoid.b;

    return z >= 0 ? exp(-z) / (1 + exp(-z)) : 1 / (1 + exp(z));
}

static double weight_of(const struct platt_values *values, size_t i)
{
    return values->weight ? values->weight[i] : 1;
}

static double loss_of(struct sigmoid s, const struct platt_values *values, struct targets targets)
{
    double loss = 0;

    for (size_t i = 0; i < values->count; i++) {
        double t = values->positive[i] ? targets.positive : targets.negative, z = s.a * values->f[i] + s.b;

        loss += weight_of(values, i) * (z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z)));
    }
    return loss;
}

struct derivatives {
    double g1, g2, h11, h22, h21;
};

static struct derivatives derive_loss(struct sigmoid s, const struct platt_values *values, struct targets targets)
{
    struct derivatives d = {.h11 = SIGMA, .h22 = SIGMA};

    for (size_t i = 0; i < values->count; i++) {
        double f = values->f[i], weight = weight_of(values, i), p = platt_probability(s, f);
        double d1 = weight * ((values->positive[i] ? targets.positive : targets.negative) - p);
        double d2 = weight * p * (1 - p);

        d.h11 += f * f * d2;
        d.h22 += d2;
        d.h21 += f * d2;
        d.g1 += f * d1;
        d.g2 += d1;
    }
    return d;
}

struct sigmoid platt_fit(const struct platt_values *values)
{
    double positive = 0, negative = 0;
    struct targets targets;
    struct sigmoid s;
    double loss;

    for (size_t i = 0; i < values->count; i++)
        *(values->positive[i] ? &positive : &negative) += weight_of(values, i);
    targets = (struct targets){(positive + 1) / (positive + 2), 1 / (negative + 2)};
    s = (struct sigmoid){0, log((negative + 1) / (positive + 1))};
    loss = loss_of(s, values, targets);
    for (int round = 0; round < ROUNDS; round++) {
        struct derivatives d = derive_loss(s, values, targets);
        double det = d.h11 * d.h22 - d.h21 * d.h21, step = 1;
        double da = -(d.h22 * d.g1 - d.h21 * d.g2) / det, db = -(-d.h21 * d.g1 + d.h11 * d.g2) / det;
        double slope = d.g1 * da + d.g2 * db;

        if (fabs(d.g1) < 1e-5 && fabs(d.g2) < 1e-5)
            break;
        for (; step >= SMALLEST_STEP; step /= 2) {
            struct sigmoid next = {s.a + step * da, s.b + step * db};
            double next_loss = loss_of(next, values, targets);

            if (next_loss < loss + 1e-4 * step * slope) {
                s = next;
                loss = next_loss;
                break;
            }
        }
        if (step < SMALLEST_STEP)
            break;
    }
    return s;
}

/* ---- training ---- */

struct task {
    struct model *model;
    struct dataset *data;
    const struct model_options *options;
    enum solver_loss loss;
    double *w;
    uint32_t *fold;
    bool *keep;
    double *held_out; /* [column * nrows + row]: decision values by weights that have not seen the row; NAN: none */
    double *values;   /* of one column, */
    bool *positive;   /* whether they are of its class, and */
    double *weight;   /* how much they weigh: what a sigmoid is fitted to */
};

static void task_release(struct task *task)
{
    free(task->w);
    free(task->fold);
    free(task->keep);
    free(task->held_out);
    free(task->values);
    free(task->positive);
    free(task->weight);
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
    task->weight = malloc(nrows * sizeof *task->weight);
    if (!task->w || !task->fold || !task->keep || !task->held_out || !task->values || !task->positive ||
        !task->weight)
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
    if (status != SCENT_OK || (status = solver_new(data, task->loss, &solver)) != SCENT_OK)
        return status;
    for (uint32_t column = 0; column < task->model->nrow; column++) {
        uint32_t class = class_of_column(task->model, column);

        if (!can_solve(task, class))
            continue;
        solver_solve(solver, task->options->C, class, task->keep, task->w);
        for (uint32_t row = 0; row < data->nrows; row++)
            if (!task->keep[row])
                task->held_out[(size_t)column * data->nrows + row] = decide_row(task, row);
    }
    solver_free(solver);
    return SCENT_OK;
}

/* A class that is too small to be held out (one example) gets the plain logistic function, and the log is told. */
static struct sigmoid fit_sigmoid(struct task *task, uint32_t column)
{
    const double *held_out = task->held_out + (size_t)column * task->data->nrows;
    uint32_t class = class_of_column(task->model, column);
    size_t n = 0, npositive = 0;

    for (uint32_t row = 0; row < task->data->nrows; row++)
        if (!isnan(held_out[row])) {
            task->values[n] = held_out[row];
            task->weight[n] = (double)dataset_copies(task->data, row) / task->data->copies;
            npositive += task->positive[n++] = task->data->class[row] == class;
        }
    if (npositive > 0 && npositive < n)
        return platt_fit(&(struct platt_values){task->values, task->positive, task->weight, n});
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
        task->model->sigmoids[column] = fit_sigmoid(task, column);
    return status;
}

static scent_status solve_all(struct task *task)
{
    struct model *model = task->model;
    struct solver *solver;
    scent_status status = dataset_weigh(task->data, task->options->weighting, NULL);

    if (status != SCENT_OK || (status = solver_new(task->data, task->loss, &solver)) != SCENT_OK)
        return status;
    for (uint32_t column = 0; column < model->nrow; column++) {
        solver_solve(solver, task->options->C, class_of_column(model, column), NULL, task->w);
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

    task.loss = model->kind == MODEL_LOGISTIC    ? SOLVER_LOGISTIC
                : options->loss == MODEL_HINGE ? SOLVER_HINGE
                                               : SOLVER_SQUARED_HINGE;
    model->nrow = model->nclasses == 2 ? 1 : model->nclasses;
    model->rows = model_array(model, (size_t)model->nrow * model->nfeatures, sizeof *model->rows, &failed);
    model->bias = model_array(model, model->nrow, sizeof *model->bias, &failed);
    model->sigmoids = model_array(model, model->nrow, sizeof *model->sigmoids, &failed);
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
