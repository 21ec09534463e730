/* report_chart - curves as SVG that needs no script. */
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
        buf_printf(out, "<line class=grid x1=%d x2=%d y1=%.1f y2=%.1f /><text x=%d y=%.1f text-anchor=end>%.4g</text>\n",
                   LEFT, WIDTH - RIGHT, y_of(chart, y), y_of(chart, y), LEFT - 6, y_of(chart, y) + 4, y);
    for (double x = 0; x <= chart->x_max * 1.0001; x += dx)
        buf_printf(out, "<line class=grid x1=%.1f x2=%.1f y1=%d y2=%d /><text x=%.1f y=%d text-anchor=middle>%.0f</text>\n",
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

        buf_printf(out, "<line class='bar s%zu' x1=%.1f x2=%.1f y1=%.1f y2=%.1f />\n", series % REPORT_COLOURS, x, x,
                   y_of(chart, fmax(0, mean - error)), y_of(chart, mean + error));
    }
}

static void put_curve(struct buf *out, const struct chart *chart, size_t series)
{
    const struct summary_grid *grid = &chart->summary->curve;

    buf_printf(out, "<polyline class='curve s%zu' points='", series % REPORT_COLOURS);
    for (size_t p = 0; p < grid->npoints; p++)
        buf_printf(out, "%.1f,%.1f ", x_of(chart, grid->points[p]),
                   y_of(chart, summary_mean(chart->summary, grid, chart->measure, series, p, NULL)));
    buf_addz(out, "'><title>");
    report_text(out, chart->summary->series[series]);
    buf_addz(out, "</title></polyline>\n");
    put_bars(out, chart, series);
}

static void put_legend(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<figcaption>");
    for (size_t s = 0; s < summary->nseries; s++) {
        buf_printf(out, "<span class=key><svg width=28 height=10><line class='curve s%zu' x1=0 x2=28 y1=5 y2=5 /></svg> ",
                   s % REPORT_COLOURS);
        report_text(out, summary->series[s]);
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

void report_style(struct buf *out)
{
    static const char *const light[REPORT_COLOURS] = {"#1b6ca8", "#c8501e", "#2c8c4c", "#8a4fb0", "#a8861b",
                                                      "#c02b5b", "#2a9c9c", "#6b6b6b", "#5b7f12", "#8c4b2a"};
    static const char *const dark[REPORT_COLOURS] = {"#6fb7ec", "#f0905f", "#74cf92", "#c89be6", "#e0c25e",
                                                     "#f27ba0", "#6fd6d6", "#b5b5b5", "#b0d060", "#d69a78"};
    static const char *const dashes[REPORT_COLOURS] = {"0", "7 3", "2 2", "9 3 2 3", "5 2", "0", "7 3", "2 2", "9 3 2 3", "5 2"};

    buf_addz(out,
             ":root{color-scheme:light dark;--fg:#1c1c1c;--bg:#fff;--soft:#666;--line:#ddd;--mark:#fff3c4}\n"
             "@media(prefers-color-scheme:dark){:root{--fg:#e6e6e6;--bg:#17191c;--soft:#a0a0a0;--line:#3a3d42;--mark:#4a4220}}\n"
             "body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:62rem;margin:2rem auto;"
             "padding:0 1rem}\nh1{font-size:1.7rem}h2{font-size:1.25rem;margin-top:2.2rem}h3{font-size:1rem;margin:.2rem 0}\n"
             "table{border-collapse:collapse;font-size:.9rem}th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);"
             "text-align:right;font-variant-numeric:tabular-nums}th:first-child,td:first-child{text-align:left}\n"
             "thead th{border-bottom:2px solid var(--soft);vertical-align:bottom}.best{background:var(--mark);font-weight:600}\n"
             ".wide{overflow-x:auto}.soft{color:var(--soft);font-size:.9rem}figure{margin:1rem 0}svg{max-width:100%;height:auto}\n"
             "svg text{font-size:12px;fill:var(--soft)}.grid{stroke:var(--line)}.curve{fill:none;stroke-width:2}"
             ".bar{stroke-width:1;opacity:.6}.key{white-space:nowrap;margin-right:1rem}\n"
             "pre{background:color-mix(in srgb,var(--line) 35%,transparent);padding:.8rem;overflow-x:auto;font-size:.85rem}\n");
    for (size_t i = 0; i < REPORT_COLOURS; i++)
        buf_printf(out, ".s%zu{stroke:%s;stroke-dasharray:%s}.bar.s%zu{stroke-dasharray:0}\n", i, light[i], dashes[i], i);
    buf_addz(out, "@media(prefers-color-scheme:dark){");
    for (size_t i = 0; i < REPORT_COLOURS; i++)
        buf_printf(out, ".s%zu{stroke:%s}", i, dark[i]);
    buf_addz(out, "}\n@media print{body{max-width:none;margin:0;font-size:11pt}h2{break-after:avoid}table,figure{break-inside:"
                  "avoid}.wide{overflow:visible}pre{white-space:pre-wrap}}\n");
}
