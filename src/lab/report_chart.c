/* report_chart - curves as SVG that needs no script. */
#include "base/escape.h"
#include "lab/report_parts.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 360, LEFT = 56, RIGHT = 24, TOP = 12, BOTTOM = 40, BARS = 6 };

struct chart {
    const struct summary *summary;
    enum summary_measure measure;
    double x_max, y_max;
};

static double x_of(const struct chart *chart, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * x / chart->x_max;
}

static double y_of(const struct chart *chart, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / chart->y_max;
}

/* The steps of an axis: 1, 2 or 5 times a power of ten, four to ten of them. */
static double step_of(double range)
{
    double unit = pow(10, floor(log10(range))), steps[] = {.1, .2, .5, 1};

    for (size_t i = 0; i < 4; i++)
        if (range / (steps[i] * unit) <= 8)
            return steps[i] * unit;
    return 2 * unit;
}

static void find_range(struct chart *chart)
{
    const struct summary_grid *grid = &chart->summary->curve;
    double most = 0;

    for (size_t s = 0; s < chart->summary->nseries; s++)
        for (size_t p = 0; p < grid->npoints; p++) {
            double error, mean = summary_mean(chart->summary, grid, chart->measure, s, p, &error);

            most = fmax(most, mean + error);
        }
    chart->x_max = grid->points[grid->npoints - 1];
    chart->y_max = most > 0 ? ceil(most / step_of(most)) * step_of(most) : 1;
}

static void put_axes(struct buf *out, const struct chart *chart)
{
    double dx = step_of(chart->x_max), dy = step_of(chart->y_max);

    for (double y = 0; y <= chart->y_max * 1.0001; y += dy)
        buf_printf(out,
                   "<line class=grid x1=%d x2=%d y1=%.1f y2=%.1f /><text x=%d y=%.1f text-anchor=end>%.4g</text>\n",
                   LEFT, WIDTH - RIGHT, y_of(chart, y), y_of(chart, y), LEFT - 6, y_of(chart, y) + 4, y);
    for (double x = 0; x <= chart->x_max * 1.0001; x += dx)
        buf_printf(out,
                   "<line class=grid x1=%.1f x2=%.1f y1=%d y2=%d /><text x=%.1f y=%d text-anchor=middle>%.0f</text>\n",
                   x_of(chart, x), x_of(chart, x), HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4, x_of(chart, x),
                   HEIGHT - BOTTOM + 18, x);
    buf_printf(out, "<text x=%d y=%d text-anchor=middle>pages fetched</text>\n", (LEFT + WIDTH) / 2, HEIGHT - 4);
}

/* Bars of different series stand beside each other, so that all can be seen. */
static void put_bars(struct buf *out, const struct chart *chart, size_t series)
{
    const struct summary_grid *grid = &chart->summary->curve;
    size_t every = grid->npoints / BARS ? grid->npoints / BARS : 1;

    for (size_t p = every - 1; p < grid->npoints; p += every) {
        double error, mean = summary_mean(chart->summary, grid, chart->measure, series, p, &error);
        double x = x_of(chart, grid->points[p]) + 3 * ((double)(series % 5) - 2);

        buf_printf(out, "<line class='bar s%zu' x1=%.1f x2=%.1f y1=%.1f y2=%.1f />\n", series % REPORT_STYLES, x, x,
                   y_of(chart, fmax(0, mean - error)), y_of(chart, mean + error));
    }
}

static void put_curve(struct buf *out, const struct chart *chart, size_t series)
{
    const struct summary_grid *grid = &chart->summary->curve;

    buf_printf(out, "<polyline class='curve s%zu' points='", series % REPORT_STYLES);
    for (size_t p = 0; p < grid->npoints; p++)
        buf_printf(out, "%.1f,%.1f ", x_of(chart, grid->points[p]),
                   y_of(chart, summary_mean(chart->summary, grid, chart->measure, series, p, NULL)));
    buf_addz(out, "'><title>");
    escape_markup(out, chart->summary->series[series]);
    buf_addz(out, "</title></polyline>\n");
    put_bars(out, chart, series);
}

static void put_legend(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<figcaption>");
    for (size_t s = 0; s < summary->nseries; s++) {
        buf_printf(out,
                   "<span class=key><svg width=28 height=10><line class='curve s%zu' x1=0 x2=28 y1=5 y2=5 /></svg> ",
                   s % REPORT_STYLES);
        escape_markup(out, summary->series[s]);
        buf_addz(out, "</span> ");
    }
    buf_addz(out, "</figcaption>");
}

void report_chart(struct buf *out, const struct summary *summary, enum summary_measure measure, const char *title)
{
    struct chart chart = {.summary = summary, .measure = measure};

    find_range(&chart);
    buf_printf(out, "<figure><h3>%s</h3><svg viewBox='0 0 %d %d' role=img aria-label='%s'>\n", title, WIDTH, HEIGHT,
               title);
    put_axes(out, &chart);
    for (size_t s = 0; s < summary->nseries; s++)
        put_curve(out, &chart, s);
    buf_addz(out, "</svg>");
    put_legend(out, summary);
    buf_addz(out, "</figure>\n");
}

