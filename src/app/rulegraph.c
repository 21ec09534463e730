#include "app/rulegraph.h"

#include "base/status.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BOX_WIDTH = 220, BOX_HEIGHT = 40, COLUMN = 340, ROW = 72, MARGIN = 40, LEFT = 110, SHOWN_BYTES = 27, FAR = RULEBOOK_DEPTH_MAX + 1 };

/* ---- what is drawn ---- */

struct drawing {
    const struct rulegraph *graph;
    uint32_t n;
    bool *edges;      /* [from][to] */
    unsigned *layer;  /* rules to the nearest target; FAR: not drawn */
    unsigned *row;    /* in its column */
    unsigned layers, rows, in_layer[FAR];
};

static void mark_paths(struct drawing *drawing)
{
    const struct rulegraph *graph = drawing->graph;

    for (uint32_t i = 0; i < drawing->n; i++)
        drawing->layer[i] = graph->wanted[i] ? 0 : FAR;
    for (size_t i = 0; i < graph->npaths; i++) {
        const struct rulebook_path *path = &graph->paths[i];

        for (uint32_t k = 0; k < path->nrules; k++) {
            unsigned *layer = &drawing->layer[path->classes[k]];

            drawing->edges[(size_t)path->classes[k] * drawing->n + path->classes[k + 1]] = true;
            *layer = path->nrules - k < *layer ? path->nrules - k : *layer;
        }
    }
}

/* The best classes of a column stand on top. */
static void place(struct drawing *drawing)
{
    const double *scores = drawing->graph->scores;

    for (uint32_t i = 0; i < drawing->n; i++) {
        if (drawing->layer[i] == FAR)
            continue;
        for (uint32_t k = 0; k < drawing->n; k++)
            drawing->row[i] += k != i && drawing->layer[k] == drawing->layer[i] &&
                               (scores[k] > scores[i] || (scores[k] == scores[i] && k < i));
        drawing->in_layer[drawing->layer[i]]++;
        drawing->rows = drawing->row[i] + 1 > drawing->rows ? drawing->row[i] + 1 : drawing->rows;
        drawing->layers = drawing->layer[i] + 1 > drawing->layers ? drawing->layer[i] + 1 : drawing->layers;
    }
}

static void begin(struct drawing *drawing, const struct rulegraph *graph)
{
    size_t n = graph->rules->nclasses;

    *drawing = (struct drawing){.graph = graph, .n = (uint32_t)n};
    drawing->edges = calloc(n * n, sizeof *drawing->edges);
    drawing->layer = calloc(n, sizeof *drawing->layer);
    drawing->row = calloc(n, sizeof *drawing->row);
    SCENT_BUG_IF(!drawing->edges || !drawing->layer || !drawing->row);
    mark_paths(drawing);
    place(drawing);
}

static void end(struct drawing *drawing)
{
    free(drawing->edges);
    free(drawing->layer);
    free(drawing->row);
}

/* ---- Graphviz ---- */

static void quote(struct buf *out, struct str name)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.p[i] == '"' || name.p[i] == '\\')
            buf_addc(out, '\\');
        buf_addc(out, name.p[i]);
    }
    buf_addc(out, '"');
}

void rulegraph_dot(const struct rulegraph *graph, struct buf *out)
{
    const struct str *names = graph->rules->classes;
    struct drawing drawing;

    begin(&drawing, graph);
    buf_addz(out, "digraph rules {\n  rankdir=LR;\n  node [shape=box];\n");
    for (uint32_t i = 0; i < drawing.n; i++) {
        if (drawing.layer[i] == FAR)
            continue;
        buf_addz(out, "  ");
        quote(out, names[i]);
        buf_printf(out, " [xlabel=\"%.3f\"%s];\n", graph->scores[i], graph->wanted[i] ? ", style=filled" : "");
    }
    for (uint32_t i = 0; i < drawing.n; i++)
        for (uint32_t k = 0; k < drawing.n; k++) {
            if (!drawing.edges[(size_t)i * drawing.n + k])
                continue;
            buf_addz(out, "  ");
            quote(out, names[i]);
            buf_addz(out, " -> ");
            quote(out, names[k]);
            buf_printf(out, " [label=\"%.2f\"];\n", graph->x[(size_t)i * drawing.n + k]);
        }
    buf_addz(out, "}\n");
    end(&drawing);
}

/* ---- SVG ---- */

static void escape(struct buf *out, struct str s)
{
    while (s.len) {
        size_t len = utf8_sequence(s), bad = len ? 0 : utf8_bad_prefix(s);

        if (bad)
            buf_addz(out, UTF8_REPLACEMENT);
        else if (s.p[0] == '&')
            buf_addz(out, "&amp;");
        else if (s.p[0] == '<')
            buf_addz(out, "&lt;");
        else if (s.p[0] == '>')
            buf_addz(out, "&gt;");
        else
            buf_add(out, str_sub(s, 0, len));
        s = str_sub(s, len + bad, s.len);
    }
}

/* Its end tells more than its beginning: "…Physics.QuantumMechanics". */
static void put_name(struct buf *out, struct str name)
{
    size_t from = name.len > SHOWN_BYTES ? name.len - SHOWN_BYTES : 0;

    while (from < name.len && ((unsigned char)name.p[from] & 0xc0) == 0x80)
        from++;
    if (from)
        buf_addz(out, "\xe2\x80\xa6");
    escape(out, str_sub(name, from, name.len));
}

static int left_of(const struct drawing *drawing, uint32_t class)
{
    return LEFT + (int)(drawing->layers - 1 - drawing->layer[class]) * COLUMN;
}

static int top_of(const struct drawing *drawing, uint32_t class)
{
    unsigned free_rows = drawing->rows - drawing->in_layer[drawing->layer[class]];

    return 2 * MARGIN + (int)(2 * drawing->row[class] + free_rows) * ROW / 2;
}

static void draw_class(const struct drawing *drawing, uint32_t class, struct buf *out)
{
    const struct rulegraph *graph = drawing->graph;
    int x = left_of(drawing, class), y = top_of(drawing, class);

    buf_printf(out, "<g><title>");
    escape(out, graph->rules->classes[class]);
    buf_printf(out, "</title><rect%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
               graph->wanted[class] ? " class=\"t\"" : "", x, y, BOX_WIDTH, BOX_HEIGHT);
    buf_printf(out, "<text x=\"%d\" y=\"%d\">", x + BOX_WIDTH / 2, y + 17);
    put_name(out, graph->rules->classes[class]);
    buf_printf(out, "</text><text class=\"s\" x=\"%d\" y=\"%d\">%.3f</text></g>\n", x + BOX_WIDTH / 2, y + 33,
               graph->scores[class]);
}

static void draw_arrow(struct buf *out, const int from[2], const int bend[4], const int to[2], double share)
{
    /* After a quarter of a cubic curve, where arrows to one box are still apart. */
    int x = (27 * (from[0] + bend[0]) + 9 * bend[2] + to[0]) / 64, y = (27 * (from[1] + bend[1]) + 9 * bend[3] + to[1]) / 64;

    buf_printf(out, "<path d=\"M%d %d C%d %d %d %d %d %d\" marker-end=\"url(#a)\"/>", from[0], from[1], bend[0], bend[1],
               bend[2], bend[3], to[0], to[1]);
    buf_printf(out, "<text class=\"e\" x=\"%d\" y=\"%d\">%.2f</text>\n", x, y - 4, share);
}

/* A loop above its box, an arrow to the right from side to side, any other around the left sides. */
static void draw_rule(const struct drawing *drawing, uint32_t from, uint32_t to, struct buf *out)
{
    double share = drawing->graph->x[(size_t)from * drawing->n + to];
    int x = left_of(drawing, from), y = top_of(drawing, from), middle = BOX_HEIGHT / 2;
    int to_x = left_of(drawing, to), to_y = top_of(drawing, to);

    if (from == to) {
        int start[] = {x + BOX_WIDTH / 2 - 20, y}, stop[] = {x + BOX_WIDTH / 2 + 20, y};
        int bend[] = {start[0] - 20, y - 34, stop[0] + 20, y - 34};

        draw_arrow(out, start, bend, stop, share);
    } else if (to_x > x) {
        int start[] = {x + BOX_WIDTH, y + middle}, stop[] = {to_x, to_y + middle}, half = (stop[0] - start[0]) / 2;
        int bend[] = {start[0] + half, start[1], stop[0] - half, stop[1]};

        draw_arrow(out, start, bend, stop, share);
    } else {
        int start[] = {x, y + middle + 6}, stop[] = {to_x, to_y + middle - 6};
        int bend[] = {x - 60, start[1], to_x - 60, stop[1]};

        draw_arrow(out, start, bend, stop, share);
    }
}

static void draw_head(const struct drawing *drawing, struct buf *out)
{
    int width = LEFT + MARGIN + (int)(drawing->layers - 1) * COLUMN + BOX_WIDTH;
    int height = 3 * MARGIN + (int)drawing->rows * ROW;

    buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width, height,
               width, height);
    buf_addz(out, "<style>svg{background:#fff;color:#222}rect{fill:#f4f4f4;stroke:currentColor}rect.t{fill:#ffe08a}"
                  "path{fill:none;stroke:currentColor;opacity:.6}text{font:13px sans-serif;text-anchor:middle;fill:currentColor}"
                  "text.s,text.e{font-size:11px;opacity:.8}marker path{fill:currentColor;opacity:1}"
                  "@media(prefers-color-scheme:dark){svg{background:#1b1b1b;color:#ddd}rect{fill:#2b2b2b}rect.t{fill:#6b5300}}"
                  "</style>\n<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
                  "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n");
    buf_printf(out, "<text x=\"%d\" y=\"24\" style=\"text-anchor:start\">Rules that lead to the targets (right); below a name "
                    "its score</text>\n", MARGIN);
}

void rulegraph_svg(const struct rulegraph *graph, struct buf *out)
{
    struct drawing drawing;

    begin(&drawing, graph);
    draw_head(&drawing, out);
    for (uint32_t i = 0; i < drawing.n; i++)
        for (uint32_t k = 0; k < drawing.n; k++)
            if (drawing.edges[(size_t)i * drawing.n + k])
                draw_rule(&drawing, i, k, out);
    for (uint32_t i = 0; i < drawing.n; i++)
        if (drawing.layer[i] != FAR)
            draw_class(&drawing, i, out);
    buf_addz(out, "</svg>\n");
    end(&drawing);
}
