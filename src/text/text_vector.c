/* Weights and similarities of sparse term vectors. */
#include "text/text.h"

#include <math.h>

const char *const text_weighting_names[] = {
    [TEXT_LTC] = "ltc", [TEXT_ATN] = "atn", [TEXT_TF] = "tf", [TEXT_LSC] = "lsc", NULL};

double text_weigh_tf(enum text_weighting weighting, double tf, double max_tf)
{
    if (text_weighting_is_cosine(weighting))
        return tf > 1 ? 1 + log(tf) : tf;
    if (weighting == TEXT_ATN)
        return max_tf > 0 ? .5 + .5 * tf / max_tf : 0;
    return tf;
}

double text_weigh_df(enum text_weighting weighting, double ndocs, double df)
{
    if (weighting == TEXT_LSC)
        return 1 + log((ndocs + 1) / (df + 1));
    return weighting == TEXT_TF ? 1 : text_idf(ndocs, df);
}

double text_idf(double ndocs, double df)
{
    double idf = log(ndocs / (df > 1 ? df : 1));

    return idf > 0 ? idf : 0;
}

int text_order_stems(const void *a, const void *b)
{
    const struct text_weight *x = a, *y = b;

    return (x->stem > y->stem) - (x->stem < y->stem);
}

bool text_is_frequencies(const struct text_vector *v)
{
    const double most = 1e9;

    for (size_t i = 0; i < v->count; i++)
        if (!(v->items[i].weight > 0 && v->items[i].weight < most) ||
            (i && v->items[i].stem <= v->items[i - 1].stem))
            return false;
    return true;
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
