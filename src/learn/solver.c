/* The dual method for the hinge losses; liblinear for the logistic one, with arrays that are filled once. */
#include "learn/solver.h"

#include "base/rng.h"

#include <linear.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct solver {
    const struct dataset *data;
    enum solver_loss loss;
    struct feature_node *nodes; /* this and the rest are for the logistic loss */
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

static scent_status prepare_library(struct solver *solver)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct dataset *data = solver->data;

    SCENT_BUG_IF(pthread_once(&once, silence_library) != 0);
    solver->nodes = malloc((data->start[data->nrows] + 2 * (size_t)data->nrows) * sizeof *solver->nodes);
    solver->rows = malloc(data->nrows * sizeof *solver->rows);
    solver->chosen = malloc((size_t)data->nrows * data->copies * sizeof *solver->chosen);
    solver->y = malloc((size_t)data->nrows * data->copies * sizeof *solver->y);
    if (!solver->nodes || !solver->rows || !solver->chosen || !solver->y)
        return SCENT_E_NOMEM;
    fill_nodes(solver);
    return SCENT_OK;
}

scent_status solver_new(const struct dataset *data, enum solver_loss loss, struct solver **out)
{
    struct solver *solver = calloc(1, sizeof *solver);
    scent_status status;

    SCENT_BUG_IF(!solver);
    solver->data = data;
    solver->loss = loss;
    status = loss == SOLVER_LOGISTIC ? prepare_library(solver) : SCENT_OK;
    if (status != SCENT_OK) {
        solver_free(solver);
        solver = NULL;
    }
    *out = solver;
    return status;
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

/* ---- hinge loss, plain and squared ----
 *
 * min w w / 2 + sum C_i max(0, 1 - y_i w x_i)^k by the dual (Hsieh and others 2008): one variable a row, each changed
 * to its best value in [0, bound], rows in random order, round by round. Squaring (k = 2) removes the bound and adds
 * 1 / (2 C_i) to the diagonal. */

enum { ROUNDS = 2000 };
#define GRADIENT_EPS 1e-3 /* largest minus smallest projected gradient at the end of a round */

struct descent {
    const struct dataset *data;
    double *w;       /* the bias is the last */
    double *alpha;   /* of each row */
    double *norm;    /* the dual's diagonal */
    double *bound;
    double *diagonal; /* what squaring adds */
    uint32_t *order; /* of the rows that are kept */
    uint32_t count;
};

static void descent_release(struct descent *descent)
{
    free(descent->alpha);
    free(descent->order);
}

static void descent_init(struct descent *descent, const struct dataset *data, bool squared, double C, const bool *keep,
                         double *w)
{
    size_t n = data->nrows;
    double *numbers = calloc(4 * n, sizeof *numbers);

    *descent = (struct descent){.data = data, .w = w, .alpha = numbers, .norm = numbers + n, .bound = numbers + 2 * n,
                                .diagonal = numbers + 3 * n, .order = malloc(n * sizeof *descent->order)};
    SCENT_BUG_IF(!numbers || !descent->order);
    memset(w, 0, (data->nfeatures + (size_t)1) * sizeof *w);
    for (uint32_t row = 0; row < n; row++) {
        double price = C * dataset_copies(data, row) / data->copies;

        if (keep && !keep[row])
            continue;
        descent->order[descent->count++] = row;
        descent->bound[row] = squared ? INFINITY : price;
        descent->diagonal[row] = squared ? .5 / price : 0;
        descent->norm[row] = 1 + descent->diagonal[row]; /* the bias is a feature */
        for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
            descent->norm[row] += (double)data->cells[k].value * (double)data->cells[k].value;
    }
}

/* Returns the projected gradient: 0 where a bound keeps the variable from following it. */
static double descend(struct descent *descent, uint32_t row, double y)
{
    const struct dataset *data = descent->data;
    const struct dataset_cell *cell = data->cells + data->start[row], *end = data->cells + data->start[row + 1];
    double *w = descent->w, before = descent->alpha[row], sum = w[data->nfeatures], gradient, step;

    for (const struct dataset_cell *at = cell; at < end; at++)
        sum += w[at->feature] * (double)at->value;
    gradient = y * sum - 1 + descent->diagonal[row] * before;
    if ((before <= 0 && gradient > 0) || (before >= descent->bound[row] && gradient < 0))
        return 0;
    descent->alpha[row] = fmin(fmax(before - gradient / descent->norm[row], 0), descent->bound[row]);
    step = (descent->alpha[row] - before) * y;
    for (const struct dataset_cell *at = cell; at < end; at++)
        w[at->feature] += step * (double)at->value;
    w[data->nfeatures] += step;
    return gradient;
}

static void solve_dual(struct descent *descent, uint32_t class)
{
    double widest = INFINITY;
    struct rng rng;

    rng_seed(&rng, descent->count);
    for (int round = 0; round < ROUNDS && widest > GRADIENT_EPS; round++) {
        double least = INFINITY, most = -INFINITY;

        for (uint32_t i = 0; i < descent->count; i++) {
            uint32_t k = i + (uint32_t)rng_below(&rng, descent->count - i), row = descent->order[k];
            double gradient;

            descent->order[k] = descent->order[i];
            descent->order[i] = row;
            gradient = descend(descent, row, descent->data->class[row] == class ? 1 : -1);
            least = fmin(least, gradient);
            most = fmax(most, gradient);
        }
        widest = most - least;
    }
}

/* ---- logistic loss ---- */

static void solve_logistic(struct solver *solver, double C, uint32_t class, const bool *keep, double *w)
{
    struct parameter parameter = {.solver_type = L2R_LR, .eps = 1e-4, .C = C / solver->data->copies};
    struct problem problem = {
        .n = (int)solver->data->nfeatures + 1, .y = solver->y, .x = solver->chosen, .bias = 1};
    struct model *model;
    double sign;

    for (uint32_t row = 0; row < solver->data->nrows; row++)
        for (uint32_t k = !keep || keep[row] ? dataset_copies(solver->data, row) : 0; k > 0; k--) {
            solver->chosen[problem.l] = solver->rows[row];
            solver->y[problem.l++] = solver->data->class[row] == class ? 1 : -1;
        }
    model = train(&problem, &parameter);
    sign = model->label[0] == 1 ? 1 : -1; /* the weights are for the label that comes first */
    for (int i = 0; i < problem.n; i++)
        w[i] = sign * model->w[i];
    free_and_destroy_model(&model);
}

void solver_solve(struct solver *solver, double C, uint32_t class, const bool *keep, double *w)
{
    struct descent descent;

    if (solver->loss == SOLVER_LOGISTIC) {
        solve_logistic(solver, C, class, keep, w);
        return;
    }
    descent_init(&descent, solver->data, solver->loss == SOLVER_SQUARED_HINGE, C, keep, w);
    solve_dual(&descent, class);
    descent_release(&descent);
}
