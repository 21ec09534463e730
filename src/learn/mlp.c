/* Training by mini-batches, and asking. Rows are sparse: only the weights of words that a row has are touched. */
#include "learn/model_parts.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { PATIENCE = 5, BLOCK = 8 };
#define RATE 3e-3      /* Adam's step */
#define TOLERANCE 1e-3 /* an epoch that lowers the loss by less is not progress */
#define ENOUGH 5e-3    /* a loss below this is learnt by heart */

struct layers {
    float *w1, *b1, *w2, *b2;
};

static struct layers layers_of(const struct mlp_net *net, float *weights)
{
    struct layers layers;

    layers.w1 = weights;
    layers.b1 = layers.w1 + (size_t)net->nfeatures * net->hidden;
    layers.w2 = layers.b1 + net->hidden;
    layers.b2 = layers.w2 + (size_t)net->hidden * net->nclasses;
    return layers;
}

size_t mlp_nweights(const struct mlp_net *net)
{
    return ((size_t)net->nfeatures + 1) * net->hidden + ((size_t)net->hidden + 1) * net->nclasses;
}

static void softmax(double *z, uint32_t n)
{
    double max = -INFINITY, sum = 0;

    for (uint32_t c = 0; c < n; c++)
        max = fmax(max, z[c]);
    for (uint32_t c = 0; c < n; c++)
        sum += z[c] = exp(z[c] - max);
    for (uint32_t c = 0; c < n; c++)
        z[c] /= sum;
}

/* to += x * row. In blocks of a known size, which compilers turn into vector instructions. */
static void add_row(float *restrict to, float x, const float *restrict row, uint32_t n)
{
    uint32_t i = 0;

    for (; i + BLOCK <= n; i += BLOCK)
        for (uint32_t k = 0; k < BLOCK; k++)
            to[i + k] += x * row[i + k];
    for (; i < n; i++)
        to[i] += x * row[i];
}

/* h: the hidden units after relu; p: the probabilities. */
static void forward(const struct mlp_net *net, const struct dataset *data, uint32_t row, float *h, double *p)
{
    struct layers w = layers_of(net, net->weights);

    memcpy(h, w.b1, net->hidden * sizeof *h);
    for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
        add_row(h, data->cells[k].value, w.w1 + (size_t)data->cells[k].feature * net->hidden, net->hidden);
    for (uint32_t c = 0; c < net->nclasses; c++)
        p[c] = (double)w.b2[c];
    for (uint32_t j = 0; j < net->hidden; j++) {
        h[j] = h[j] > 0 ? h[j] : 0;
        for (uint32_t c = 0; c < net->nclasses; c++)
            p[c] += (double)h[j] * (double)w.w2[j * net->nclasses + c];
    }
    softmax(p, net->nclasses);
}

/* Adds the gradient of one row; p becomes the derivative by the outputs, `dh` that by the hidden units. */
static void backward(const struct mlp_net *net, const struct dataset *data, uint32_t row, double share,
                     const float *h, double *p, float *dh, float *gradient)
{
    struct layers w = layers_of(net, net->weights), g = layers_of(net, gradient);

    p[data->class[row]] -= 1;
    for (uint32_t c = 0; c < net->nclasses; c++) {
        p[c] *= share;
        g.b2[c] += (float)p[c];
    }
    for (uint32_t j = 0; j < net->hidden; j++) {
        double sum = 0;

        for (uint32_t c = 0; h[j] > 0 && c < net->nclasses; c++) {
            g.w2[j * net->nclasses + c] += (float)p[c] * h[j];
            sum += p[c] * (double)w.w2[j * net->nclasses + c];
        }
        dh[j] = (float)sum;
        g.b1[j] += dh[j];
    }
    for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
        add_row(g.w1 + (size_t)data->cells[k].feature * net->hidden, data->cells[k].value, dh, net->hidden);
}

double mlp_loss(const struct mlp_net *net, const struct dataset *data, const uint32_t *rows, size_t n, float *gradient)
{
    float h[MODEL_HIDDEN_MAX], dh[MODEL_HIDDEN_MAX];
    double loss = 0;

    for (size_t i = 0; i < n; i++) {
        forward(net, data, rows[i], h, net->p);
        loss -= log(fmax(net->p[data->class[rows[i]]], 1e-300)) / (double)n;
        if (gradient)
            backward(net, data, rows[i], 1 / (double)n, h, net->p, dh, gradient);
    }
    return loss;
}

/* Uniform, scaled to the widths of the layers (Glorot, Bengio 2010). */
static void first_weights(struct mlp_net *net, struct rng *rng)
{
    struct layers w = layers_of(net, net->weights);
    double in = sqrt(6. / ((double)net->nfeatures + net->hidden));
    double out = sqrt(6. / ((double)net->hidden + net->nclasses));

    for (size_t i = 0; i < (size_t)net->nfeatures * net->hidden; i++)
        w.w1[i] = (float)(in * (2 * rng_unit(rng) - 1));
    for (size_t i = 0; i < (size_t)net->hidden * net->nclasses; i++)
        w.w2[i] = (float)(out * (2 * rng_unit(rng) - 1));
}

struct adam {
    float *m, *v;
    float rate;
    uint64_t step;
};

static inline void adam_one(float *restrict w, float *restrict m, float *restrict v, float *restrict g, float rate,
                            float l2)
{
    const float beta1 = .9f, beta2 = .999f, epsilon = 1e-8f;
    float slope = *g + l2 * *w;

    *m += (1 - beta1) * (slope - *m);
    *v += (1 - beta2) * (slope * slope - *v);
    *w -= rate * *m / (sqrtf(*v) + epsilon);
    *g = 0;
}

/* Moves weights[from .. from + n) and clears their gradient. */
static void adam_step(const struct adam *adam, float *weights, float *gradient, size_t from, size_t n, float l2)
{
    float *restrict m = adam->m + from, *restrict v = adam->v + from;
    float *restrict w = weights + from, *restrict g = gradient + from;
    size_t i = 0;

    for (; i + BLOCK <= n; i += BLOCK)
        for (size_t k = i; k < i + BLOCK; k++)
            adam_one(w + k, m + k, v + k, g + k, adam->rate, l2);
    for (; i < n; i++)
        adam_one(w + i, m + i, v + i, g + i, adam->rate, l2);
}

struct training {
    struct mlp_net net;
    struct adam adam;
    float *gradient;
    uint32_t *order;
    uint64_t *touched; /* of each feature: the last step that had it */
};

/* One step of the weights that the rows of a batch have to do with; those of other words stay as they are ("lazy"
 * Adam), for a batch has few of all words. */
static void step_batch(struct training *training, const struct dataset *data, const uint32_t *rows, uint32_t n,
                       double l2)
{
    const struct mlp_net *net = &training->net;
    size_t biases = (size_t)net->nfeatures * net->hidden;
    double t = (double)++training->adam.step;

    training->adam.rate = (float)(RATE * sqrt(1 - pow(.999, t)) / (1 - pow(.9, t)));
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = data->start[rows[i]]; k < data->start[rows[i] + 1]; k++) {
            uint32_t feature = data->cells[k].feature;

            if (training->touched[feature] != training->adam.step)
                adam_step(&training->adam, net->weights, training->gradient, (size_t)feature * net->hidden, net->hidden,
                          (float)l2);
            training->touched[feature] = training->adam.step;
        }
    adam_step(&training->adam, net->weights, training->gradient, biases, mlp_nweights(net) - biases, 0);
}

/* Many small steps: few examples must not mean few of them, and a step costs what its rows cost. */
static uint32_t batch_size(uint32_t nrows)
{
    uint32_t size = nrows / 16;

    return size < 8 ? 8 : size > 32 ? 32 : size;
}

/* With the copies of those that are not weak. */
static uint32_t count_rows(const struct dataset *data)
{
    return data->first_weak * data->copies + (data->nrows - data->first_weak);
}

/* One pass over the rows in a new order; returns the mean loss. */
static double run_epoch(struct training *training, const struct dataset *data, double l2, struct rng *rng)
{
    uint32_t nrows = count_rows(data), batch = batch_size(nrows);
    double sum = 0;

    for (uint32_t i = nrows; i > 1; i--) {
        uint32_t j = (uint32_t)rng_below(rng, i), row = training->order[i - 1];

        training->order[i - 1] = training->order[j];
        training->order[j] = row;
    }
    for (uint32_t i = 0; i < nrows; i += batch) {
        uint32_t n = nrows - i < batch ? nrows - i : batch;

        sum += n * mlp_loss(&training->net, data, training->order + i, n, training->gradient);
        step_batch(training, data, training->order + i, n, l2);
    }
    return sum / nrows;
}

/* Stops when there is nothing left to learn, or the loss has not fallen for PATIENCE epochs. (A held-out part would be
 * a handful of examples in a crawl's usual training set, too few to stop by.) */
static void run_epochs(struct training *training, const struct dataset *data, const struct model_options *options)
{
    double best = INFINITY, loss = INFINITY;
    uint32_t idle = 0;
    struct rng rng;

    rng_seed(&rng, options->seed);
    first_weights(&training->net, &rng);
    for (uint32_t row = 0, i = 0; row < data->nrows; row++)
        for (uint32_t k = dataset_copies(data, row); k > 0; k--)
            training->order[i++] = row;
    for (uint32_t epoch = 0; epoch < options->epochs && idle < PATIENCE && loss > ENOUGH; epoch++) {
        loss = run_epoch(training, data, options->l2, &rng);
        idle = loss > best - TOLERANCE ? idle + 1 : 0;
        best = fmin(best, loss);
    }
}

/* Biases are kept as doubles in a model, like those of the linear kinds. */
static void keep_weights(struct model *model, const struct mlp_net *net)
{
    struct layers w = layers_of(net, net->weights);

    memcpy(model->rows, w.w1, (size_t)net->nfeatures * net->hidden * sizeof *model->rows);
    memcpy(model->out_rows, w.w2, (size_t)net->hidden * net->nclasses * sizeof *model->out_rows);
    for (uint32_t j = 0; j < net->hidden; j++)
        model->bias[j] = (double)w.b1[j];
    for (uint32_t c = 0; c < net->nclasses; c++)
        model->out_bias[c] = (double)w.b2[c];
}

static void training_release(struct training *training)
{
    free(training->net.weights);
    free(training->adam.m);
    free(training->adam.v);
    free(training->gradient);
    free(training->net.p);
    free(training->order);
    free(training->touched);
}

scent_status mlp_train(struct model *model, const struct dataset *data, const struct model_options *options)
{
    struct training training = {
        .net = {.nfeatures = data->nfeatures, .hidden = options->hidden, .nclasses = data->nclasses}};
    size_t total = mlp_nweights(&training.net);
    bool failed = false;

    model->nrow = options->hidden;
    model->rows = model_array(model, (size_t)model->nrow * model->nfeatures, sizeof *model->rows, &failed);
    model->bias = model_array(model, model->nrow, sizeof *model->bias, &failed);
    model->out_rows = model_array(model, (size_t)model->nrow * model->nclasses, sizeof *model->out_rows, &failed);
    model->out_bias = model_array(model, model->nclasses, sizeof *model->out_bias, &failed);
    training.net.weights = calloc(total, sizeof(float));
    training.adam.m = calloc(total, sizeof(float));
    training.adam.v = calloc(total, sizeof(float));
    training.gradient = calloc(total, sizeof(float));
    training.net.p = calloc(data->nclasses, sizeof *training.net.p);
    training.order = calloc(count_rows(data), sizeof *training.order);
    training.touched = calloc(data->nfeatures, sizeof *training.touched);
    failed |= !training.net.weights || !training.adam.m || !training.adam.v || !training.gradient || !training.net.p ||
              !training.order || !training.touched;
    if (!failed) {
        run_epochs(&training, data, options);
        keep_weights(model, &training.net);
    }
    training_release(&training);
    return failed ? SCENT_E_NOMEM : SCENT_OK;
}

void mlp_decide(const struct model *model, const struct text_vector *tf, double *scores)
{
    double h[MODEL_HIDDEN_MAX];

    project(model, tf, h);
    for (uint32_t c = 0; c < model->nclasses; c++)
        scores[c] = model->out_bias[c];
    for (uint32_t j = 0; j < model->nrow; j++) {
        double active = fmax(h[j] + model->bias[j], 0);

        for (uint32_t c = 0; c < model->nclasses; c++)
            scores[c] += active * (double)model->out_rows[j * model->nclasses + c];
    }
}

void mlp_predict(const struct model *model, const struct text_vector *tf, double *p)
{
    mlp_decide(model, tf, p);
    softmax(p, model->nclasses);
}

void mlp_active(const struct model *model, const struct text_vector *tf, bool active[MODEL_HIDDEN_MAX])
{
    double h[MODEL_HIDDEN_MAX];

    project(model, tf, h);
    for (uint32_t j = 0; j < model->nrow; j++)
        active[j] = h[j] + model->bias[j] > 0;
}

double mlp_weight(const struct model *model, uint32_t feature, uint32_t class, const bool *active)
{
    const float *row = model->rows + (size_t)feature * model->nrow;
    double own = 0, all = 0;

    for (uint32_t j = 0; j < model->nrow; j++) {
        if (active && !active[j])
            continue;
        for (uint32_t c = 0; c < model->nclasses; c++) {
            double path = (double)row[j] * (double)model->out_rows[j * model->nclasses + c];

            own += c == class ? path : 0;
            all += path;
        }
    }
    return own - all / model->nclasses;
}
