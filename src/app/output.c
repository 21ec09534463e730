#include "app/output.h"

#include "base/buf.h"
#include "base/clock.h"

#include <stdlib.h>

#include <stdlib.h>

enum { DATE_ROOM = 32 };

/* ---- text of others ---- */

struct plain {
    FILE *out;
    bool after_c2; /* the last byte may begin a control character of two bytes: U+0080 to U+009F */
};

static ssize_t write_plain(void *ctx, const char *bytes, size_t len)
{
    struct plain *plain = ctx;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (plain->after_c2 && c < 0xa0);

        if (plain->after_c2 && !control)
            putc(0xc2, plain->out);
        plain->after_c2 = c == 0xc2;
        if (!plain->after_c2)
            putc(control ? '?' : c, plain->out);
    }
    return (ssize_t)len;
}

static int close_plain(void *ctx)
{
    free(ctx);
    return 0;
}

FILE *output_plain(FILE *out)
{
    struct plain *plain = calloc(1, sizeof *plain);
    FILE *stream;

    SCENT_BUG_IF(!plain);
    plain->out = out;
    stream = fopencookie(plain, "w", (cookie_io_functions_t){.write = write_plain, .close = close_plain});
    SCENT_BUG_IF(!stream);
    return stream;
}

/* ---- JSON ---- */

struct json_writer *json_output_begin(struct json_output *output)
{
    buf_init(&output->text, 0);
    json_writer_init(&output->json, &output->text);
    return &output->json;
}

void json_output_end(struct json_output *output, FILE *out)
{
    fprintf(out, "%s\n", buf_z(&output->text));
    buf_release(&output->text);
}

void timespan_print(const struct timespan *span, FILE *out)
{
    char first[DATE_ROOM], last[DATE_ROOM];

    if (!span->known)
        return;
    clock_format_iso(span->first, first, sizeof first);
    clock_format_iso(span->last, last, sizeof last);
    fprintf(out, "time      %s to %s\n", first, last);
}

static void write_date(struct json_writer *w, const char *key, int64_t time, bool known)
{
    char date[DATE_ROOM];

    clock_format_iso(time, date, sizeof date);
    json_key(w, key);
    if (known)
        json_str(w, str_of(date));
    else
        json_none(w);
}

void timespan_write(const struct timespan *span, struct json_writer *w)
{
    write_date(w, "first", span->first, span->known);
    write_date(w, "last", span->last, span->known);
}

void output_progress(const char *what, size_t done, size_t all)
{
    fprintf(stderr, "\r\033[K%zu of %zu %s", done, all, what);
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

enum { BOX_WIDTH = 220, BOX_HEIGHT = 40, COLUMN = 340, ROW = 72, MARGIN = 40, LEFT = 110, SAG = 26 };

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

void diagram_dot(const struct diagram *diagram, struct buf *out)
{
    buf_addz(out, "digraph {\n  rankdir=LR;\n  node [shape=box];\n");
    for (uint32_t i = 0; i < diagram->nnodes; i++) {
        buf_addz(out, "  ");
        quote(out, diagram->nodes[i].name);
        buf_addz(out, " [xlabel=");
        quote(out, str_of(diagram->nodes[i].below));
        buf_printf(out, "%s];\n", diagram->nodes[i].strong ? ", style=filled" : "");
    }
    for (size_t i = 0; i < diagram->nedges; i++) {
        buf_addz(out, "  ");
        quote(out, diagram->nodes[diagram->edges[i].from].name);
        buf_addz(out, " -> ");
        quote(out, diagram->nodes[diagram->edges[i].to].name);
        buf_addz(out, " [label=");
        quote(out, str_of(diagram->edges[i].label));
        buf_addz(out, "];\n");
    }
    buf_addz(out, "}\n");
}

/* ---- SVG ---- */

static int left_of(const struct diagram_node *node)
{
    return LEFT + (int)node->column * COLUMN;
}

/* Of a column, or of the longest. */
static unsigned rows_of(const struct diagram *diagram, unsigned column, bool any)
{
    unsigned rows = 0;

    for (uint32_t i = 0; i < diagram->nnodes; i++)
        if ((any || diagram->nodes[i].column == column) && diagram->nodes[i].row + 1 > rows)
            rows = diagram->nodes[i].row + 1;
    return rows;
}

/* Columns are centred. */
static int top_of(const struct diagram *diagram, const struct diagram_node *node)
{
    unsigned free_rows = rows_of(diagram, 0, true) - rows_of(diagram, node->column, false);

    return 2 * MARGIN + (int)(2 * node->row + free_rows) * ROW / 2;
}

static void draw_node(const struct diagram *diagram, const struct diagram_node *node, struct buf *out)
{
    int x = left_of(node), y = top_of(diagram, node);

    buf_addz(out, "<g><title>");
    escape_markup(out, node->name);
    buf_printf(out, "</title><rect%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
               node->strong ? " class=\"t\"" : "", x, y, BOX_WIDTH, BOX_HEIGHT);
    buf_printf(out, "<text x=\"%d\" y=\"%d\">", x + BOX_WIDTH / 2, y + 17);
    escape_markup(out, node->shown);
    buf_printf(out, "</text><text class=\"s\" x=\"%d\" y=\"%d\">", x + BOX_WIDTH / 2, y + 33);
    escape_markup(out, str_of(node->below));
    buf_addz(out, "</text></g>\n");
}

static void draw_arrow(struct buf *out, const int from[2], const int bend[4], const int to[2], const char *label)
{
    /* After a quarter of a cubic curve, where arrows to one box are still apart. */
    int x = (27 * (from[0] + bend[0]) + 9 * bend[2] + to[0]) / 64,
        y = (27 * (from[1] + bend[1]) + 9 * bend[3] + to[1]) / 64;

    buf_printf(out, "<path d=\"M%d %d C%d %d %d %d %d %d\" marker-end=\"url(#a)\"/>", from[0], from[1], bend[0],
               bend[1], bend[2], bend[3], to[0], to[1]);
    buf_printf(out, "<text class=\"e\" x=\"%d\" y=\"%d\">", x, y - 4);
    escape_markup(out, str_of(label));
    buf_addz(out, "</text>\n");
}

/* A loop above its box, an arrow to the right from side to side, one back below the boxes, within a column around the
 * left sides. */
static void draw_edge(const struct diagram *diagram, const struct diagram_edge *edge, struct buf *out)
{
    const struct diagram_node *from = &diagram->nodes[edge->from], *to = &diagram->nodes[edge->to];
    int x = left_of(from), y = top_of(diagram, from), middle = BOX_HEIGHT / 2, to_x = left_of(to),
        to_y = top_of(diagram, to);

    if (from == to) {
        int start[] = {x + BOX_WIDTH / 2 - 20, y}, stop[] = {x + BOX_WIDTH / 2 + 20, y};
        int bend[] = {start[0] - 20, y - 34, stop[0] + 20, y - 34};

        draw_arrow(out, start, bend, stop, edge->label);
    } else if (to_x > x) {
        int start[] = {x + BOX_WIDTH, y + middle}, stop[] = {to_x, to_y + middle}, half = (stop[0] - start[0]) / 2;
        int bend[] = {start[0] + half, start[1], stop[0] - half, stop[1]};

        draw_arrow(out, start, bend, stop, edge->label);
    } else if (to_x < x) {
        int start[] = {x + BOX_WIDTH / 2 - 30, y + BOX_HEIGHT}, stop[] = {to_x + BOX_WIDTH / 2 + 30, to_y + BOX_HEIGHT};
        int sag = SAG * (int)(from->column - to->column), low = (start[1] > stop[1] ? start[1] : stop[1]) + sag;
        int bend[] = {start[0] - sag, low, stop[0] + sag, low};

        draw_arrow(out, start, bend, stop, edge->label);
    } else {
        int start[] = {x, y + middle + 6}, stop[] = {to_x, to_y + middle - 6};
        int bend[] = {x - 60, start[1], to_x - 60, stop[1]};

        draw_arrow(out, start, bend, stop, edge->label);
    }
}

static void draw_head(const struct diagram *diagram, struct buf *out)
{
    unsigned columns = 1;
    int width, height;

    for (uint32_t i = 0; i < diagram->nnodes; i++)
        columns = diagram->nodes[i].column + 1 > columns ? diagram->nodes[i].column + 1 : columns;
    width = LEFT + MARGIN + (int)(columns - 1) * COLUMN + BOX_WIDTH;
    height = 3 * MARGIN + (int)rows_of(diagram, 0, true) * ROW + SAG * (int)columns;
    buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
               width, height, width, height);
    buf_addz(
        out,
        "<style>svg{background:#fff;color:#222}rect{fill:#f4f4f4;stroke:currentColor}rect.t{fill:#ffe08a}"
        "path{fill:none;stroke:currentColor;opacity:.6}text{font:13px sans-serif;text-anchor:middle;fill:currentColor}"
        "text.s,text.e{font-size:11px;opacity:.8}marker path{fill:currentColor;opacity:1}"
        "@media(prefers-color-scheme:dark){svg{background:#1b1b1b;color:#ddd}rect{fill:#2b2b2b}rect.t{fill:#6b5300}}"
        "</style>\n<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n");
    buf_printf(out, "<text x=\"%d\" y=\"24\" style=\"text-anchor:start\">%s</text>\n", MARGIN, diagram->title);
}

void diagram_svg(const struct diagram *diagram, struct buf *out)
{
    draw_head(diagram, out);
    for (size_t i = 0; i < diagram->nedges; i++)
        draw_edge(diagram, &diagram->edges[i], out);
    for (uint32_t i = 0; i < diagram->nnodes; i++)
        draw_node(diagram, &diagram->nodes[i], out);
    buf_addz(out, "</svg>\n");
}
