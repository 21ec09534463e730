/* liblinear's arrays, filled once and solved for each class and fold. */
#include "learn/solver.h"

#include <linear.h>
#include <pthread.h>
#include <stdlib.h>

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
    solver->chosen = malloc(data->nrows * sizeof *solver->chosen);
    solver->y = malloc(data->nrows * sizeof *solver->y);
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

void solver_solve(struct solver *solver, enum solver_loss loss, double C, uint32_t class, const bool *keep, double *w)
{
    struct parameter parameter = {
        .solver_type = loss == SOLVER_LOGISTIC ? L2R_LR : L2R_L2LOSS_SVC, .eps = 1e-4, .C = C};
    struct problem problem = {
        .n = (int)solver->data->nfeatures + 1, .y = solver->y, .x = solver->chosen, .bias = 1};
    struct model *model;
    double sign;

    for (uint32_t row = 0; row < solver->data->nrows; row++)
        if (!keep || keep[row]) {
            solver->chosen[problem.l] = solver->rows[row];
            solver->y[problem.l++] = solver->data->class[row] == class ? 1 : -1;
        }
    model = train(&problem, &parameter);
    sign = model->label[0] == 1 ? 1 : -1; /* the weights are for the label that comes first */
    for (int i = 0; i < problem.n; i++)
        w[i] = sign * model->w[i];
    free_and_destroy_model(&model);
}
