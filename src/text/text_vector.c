/* Weights and similarities of sparse term vectors. */
#include "text/text.h"

#include <math.h>

double text_weigh_tf(enum text_weighting weighting, double tf, double max_tf)
{
    if (weighting == TEXT_LTC)
        return tf > 1 ? 1 + log(tf) : tf;
    if (weighting == TEXT_ATN)
        return max_tf > 0 ? .5 + .5 * tf / max_tf : 0;
    return tf;
}

double text_idf(double ndocs, double df)
{
    double idf = log(ndocs / (df > 1 ? df : 1));

    return idf > 0 ? idf : 0;
}

double text_dot(const struct text_vector *a, const struct text_vector *b)
{
    size_t i = 0, j = 0;
    double sum = 0;

    while (i < a->count && j < b->count) {
        uint64_t x = a->items[i].stem, y = b->items[j].stem;

        if (x == y)
            sum += a->items[i].weight * b->items[j].weight;
        i += x <= y;
        j += y <= x;
    }
    return sum;
}

double text_norm(const struct text_vector *v)
{
    double sum = 0;

    for (size_t i = 0; i < v->count; i++)
        sum += v->items[i].weight * v->items[i].weight;
    return sqrt(sum);
}

double text_cosine(const struct text_vector *a, const struct text_vector *b)
{
    double norms = text_norm(a) * text_norm(b);

    return norms > 0 ? text_dot(a, b) / norms : 0;
}
