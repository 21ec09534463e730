/* liblinear's arrays, filled once and solved for each class and fold; the dual method for the hinge loss. */
#include "learn/solver.h"

#include "base/rng.h"

#include <linear.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct solver {
    const struct dataset *data;
    struct feature_node *nodes;
    struct feature_node **rows;
    struct feature_node **chosen;
    double *y;
};

static void say_nothing(const char *text)
{
    (void)text;
}

/* liblinear talks on stdout, where our data goes. */
static void silence_library(void)
{
    set_print_string_function(say_nothing);
}

/* Each row ends with the bias feature and liblinear's end mark. */
static void fill_nodes(struct solver *solver)
{
    const struct dataset *data = solver->data;
    size_t n = 0;

    for (uint32_t row = 0; row < data->nrows; row++) {
        solver->rows[row] = solver->nodes + n;
        for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
            solver->nodes[n++] = (struct feature_node){(int)data->cells[k].feature + 1, data->cells[k].value};
        solver->nodes[n++] = (struct feature_node){(int)data->nfeatures + 1, 1};
        solver->nodes[n++] = (struct feature_node){-1, 0};
    }
}

scent_status solver_new(const struct dataset *data, struct solver **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct solver *solver = calloc(1, sizeof *solver);

    SCENT_BUG_IF(!solver || pthread_once(&once, silence_library) != 0);
    *out = NULL;
    solver->data = data;
    solver->nodes = malloc((data->start[data->nrows] + 2 * (size_t)data->nrows) * sizeof *solver->nodes);
    solver->rows = malloc(data->nrows * sizeof *solver->rows);
    solver->chosen = malloc((size_t)data->nrows * data->copies * sizeof *solver->chosen);
    solver->y = malloc((size_t)data->nrows * data->copies * sizeof *solver->y);
    if (!solver->nodes || !solver->rows || !solver->chosen || !solver->y) {
        solver_free(solver);
        return SCENT_E_NOMEM;
    }
    fill_nodes(solver);
    *out = solver;
    return SCENT_OK;
}

void solver_free(struct solver *solver)
{
    if (!solver)
        return;
    free(solver->nodes);
    free(solver->rows);
    free(solver->chosen);
    free(solver->y);
    free(solver);
}

/* ---- hinge loss ---- */

enum { ROUNDS = 2000 };
#define GRADIENT_EPS 1e-3 /* largest minus smallest projected gradient at the end of a round */

static double dot(const struct feature_node *row, const double *w)
{
    double sum = 0;

    for (; row->index > 0; row++)
        sum += w[row->index - 1] * row->value;
    return sum;
}

static double square(const struct feature_node *row)
{
    double sum = 0;

    for (; row->index > 0; row++)
        sum += row->value * row->value;
    return sum;
}

/* Changes one variable of the dual after the other, each to its best value in [0, C]; `gradient` gets the change that
 * the bounds leave possible. */
static void ascend(const struct problem *problem, size_t i, double C, double norm, double *alpha, double *w,
                   double *gradient)
{
    double g = problem->y[i] * dot(problem->x[i], w) - 1, before = alpha[i];

    *gradient = before <= 0 && g > 0 ? 0 : before >= C && g < 0 ? 0 : g;
    if (*gradient == 0)
        return;
    alpha[i] = fmin(fmax(before - g / norm, 0), C);
    for (const struct feature_node *node = problem->x[i]; node->index > 0; node++)
        w[node->index - 1] += (alpha[i] - before) * problem->y[i] * node->value;
}

/* min w w / 2 + C sum max(0, 1 - y w x), by the dual: rows in random order, round by round. */
static void solve_hinge(const struct problem *problem, double C, double *w)
{
    size_t n = (size_t)problem->l;
    double *alpha = calloc(n, sizeof *alpha), *norms = malloc(n * sizeof *norms);
    uint32_t *order = malloc(n * sizeof *order);
    double widest = INFINITY;
    struct rng rng;

    SCENT_BUG_IF(!alpha || !norms || !order);
    memset(w, 0, (size_t)problem->n * sizeof *w);
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        norms[i] = square(problem->x[i]); /* above 0: the bias is a feature */
    }
    rng_seed(&rng, n);
    for (int round = 0; round < ROUNDS && widest > GRADIENT_EPS; round++) {
        double least = INFINITY, most = -INFINITY;

        for (size_t i = 0; i < n; i++) {
            size_t k = i + rng_below(&rng, n - i);
            uint32_t chosen = order[k];
            double gradient;

            order[k] = order[i];
            order[i] = chosen;
            ascend(problem, chosen, C, norms[chosen], alpha, w, &gradient);
            least = fmin(least, gradient);
            most = fmax(most, gradient);
        }
        widest = most - least;
    }
    free(alpha);
    free(norms);
    free(order);
}

void solver_solve(struct solver *solver, enum solver_loss loss, double C, uint32_t class, const bool *keep, double *w)
{
    struct parameter parameter = {
        .solver_type = loss == SOLVER_LOGISTIC ? L2R_LR : L2R_L2LOSS_SVC, .eps = 1e-4,
        .C = C / solver->data->copies};
    struct problem problem = {
        .n = (int)solver->data->nfeatures + 1, .y = solver->y, .x = solver->chosen, .bias = 1};
    struct model *model;
    double sign;

    for (uint32_t row = 0; row < solver->data->nrows; row++)
        for (uint32_t k = !keep || keep[row] ? dataset_copies(solver->data, row) : 0; k > 0; k--) {
            solver->chosen[problem.l] = solver->rows[row];
            solver->y[problem.l++] = solver->data->class[row] == class ? 1 : -1;
        }
    if (loss == SOLVER_HINGE) {
        solve_hinge(&problem, parameter.C, w);
        return;
    }
    model = train(&problem, &parameter);
    sign = model->label[0] == 1 ? 1 : -1; /* the weights are for the label that comes first */
    for (int i = 0; i < problem.n; i++)
        w[i] = sign * model->w[i];
    free_and_destroy_model(&model);
}
