#include "strategy/agreement.h"

#include <math.h>

/* So many pages were seen before the first, on which the two agreed by half. */
#define PULL 10
#define AT_FIRST .5
/* Correlations between which trust grows from 0 to 1. */
#define LEAST .65
#define MOST .8

void agreement_add(struct agreement *agreement, double odds, double likeness)
{
    agreement->pages++;
    agreement->odds += odds;
    agreement->odds_squares += odds * odds;
    agreement->likes += likeness;
    agreement->likes_squares += likeness * likeness;
    agreement->products += odds * likeness;
}

/* Times the number of pages. */
static double covariance(const struct agreement *agreement, double products, double a, double b)
{
    return products - a * b / fmax(agreement->pages, 1);
}

static double correlation(const struct agreement *agreement)
{
    double odds = covariance(agreement, agreement->odds_squares, agreement->odds, agreement->odds);
    double likes = covariance(agreement, agreement->likes_squares, agreement->likes, agreement->likes);

    if (odds < 1e-9 || likes < 1e-9) /* one of them says the same of all pages */
        return AT_FIRST;
    return covariance(agreement, agreement->products, agreement->odds, agreement->likes) / sqrt(odds * likes);
}

double agreement_trust(const struct agreement *agreement)
{
    double sum = correlation(agreement) * agreement->pages + AT_FIRST * PULL;
    double trust = (sum / (agreement->pages + PULL) - LEAST) / (MOST - LEAST);

    return trust < 0 ? 0 : trust > 1 ? 1 : trust;
}

/* As if three pages had had nothing in common with the seeds, more or less. */
double agreement_place(const struct agreement *agreement, double likeness)
{
    double pages = agreement->pages + 3, mean = agreement->likes / pages;
    double z = (likeness - mean) / sqrt(fmax(1e-4, (agreement->likes_squares + .05) / pages - mean * mean));

    return z < -3 ? -3 : z > 3 ? 3 : z;
}

void agreement_save(const struct agreement *agreement, struct buf *out)
{
    bytes_put_double(out, agreement->pages);
    bytes_put_double(out, agreement->odds);
    bytes_put_double(out, agreement->odds_squares);
    bytes_put_double(out, agreement->likes);
    bytes_put_double(out, agreement->likes_squares);
    bytes_put_double(out, agreement->products);
}

void agreement_load(struct agreement *agreement, struct bytes *in)
{
    double *const numbers[] = {&agreement->pages, &agreement->odds, &agreement->odds_squares,
                               &agreement->likes, &agreement->likes_squares, &agreement->products};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = bytes_get_double(in);
        bytes_check(in, fabs(*numbers[i]) < 1e12, "a number is out of range");
    }
    bytes_check(in, agreement->pages >= 0, "a number is out of range");
}
