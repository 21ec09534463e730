#include "app/rulegraph.h"

#include "app/sketch.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_BYTES = 27, FAR = RULEBOOK_DEPTH_MAX + 1 };

/* ---- what is drawn ---- */

struct drawing {
    const struct rulegraph *graph;
    uint32_t n;
    bool *edges;      /* [from][to] */
    unsigned *layer;  /* rules to the nearest target; FAR: not drawn */
    unsigned *row;    /* in its column */
    unsigned layers;
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

/* ---- drawing it ---- */

/* Its end tells more than its beginning: "…Physics.QuantumMechanics". */
static struct str shown_name(struct str name, struct arena *arena)
{
    size_t from = name.len > SHOWN_BYTES ? name.len - SHOWN_BYTES : 0;

    while (from < name.len && ((unsigned char)name.p[from] & 0xc0) == 0x80)
        from++;
    return from ? arena_printf(arena, "\xe2\x80\xa6%.*s", STR_ARG(str_sub(name, from, name.len))) : name;
}

/* number[class]: its node. */
static uint32_t add_nodes(const struct drawing *drawing, struct sketch_node *nodes, uint32_t *number, struct arena *arena)
{
    const struct rulegraph *graph = drawing->graph;
    uint32_t count = 0;

    for (uint32_t i = 0; i < drawing->n; i++) {
        if (drawing->layer[i] == FAR)
            continue;
        number[i] = count;
        nodes[count] = (struct sketch_node){
            .name = graph->rules->classes[i],
            .shown = shown_name(graph->rules->classes[i], arena),
            .column = drawing->layers - 1 - drawing->layer[i],
            .row = drawing->row[i],
            .strong = graph->wanted[i],
        };
        snprintf(nodes[count].below, sizeof nodes[count].below, "%.3f", graph->scores[i]);
        count++;
    }
    return count;
}

static size_t add_edges(const struct drawing *drawing, struct sketch_edge *edges, const uint32_t *number)
{
    size_t count = 0;

    for (uint32_t i = 0; i < drawing->n; i++)
        for (uint32_t k = 0; k < drawing->n; k++) {
            size_t cell = (size_t)i * drawing->n + k;

            if (!drawing->edges[cell])
                continue;
            edges[count] = (struct sketch_edge){.from = number[i], .to = number[k]};
            snprintf(edges[count].label, sizeof edges[count].label, "%.2f", drawing->graph->x[cell]);
            count++;
        }
    return count;
}

static size_t count_edges(const struct drawing *drawing)
{
    size_t count = 0;

    for (size_t i = 0; i < (size_t)drawing->n * drawing->n; i++)
        count += drawing->edges[i];
    return count;
}

static void draw(const struct rulegraph *graph, void (*how)(const struct sketch *, struct buf *), struct buf *out)
{
    struct sketch sketch = {.title = "Rules that lead to the targets (right); below a name its score"};
    struct drawing drawing;
    struct sketch_node *nodes;
    struct sketch_edge *edges;
    struct arena arena;
    uint32_t *number;

    begin(&drawing, graph);
    arena_init(&arena, SIZE_MAX);
    nodes = calloc(drawing.n, sizeof *nodes);
    number = calloc(drawing.n, sizeof *number);
    edges = calloc(count_edges(&drawing) + 1, sizeof *edges);
    SCENT_BUG_IF(!nodes || !number || !edges);
    sketch.nnodes = add_nodes(&drawing, nodes, number, &arena);
    sketch.nedges = add_edges(&drawing, edges, number);
    sketch.nodes = nodes;
    sketch.edges = edges;
    how(&sketch, out);
    free(edges);
    free(number);
    free(nodes);
    arena_release(&arena);
    end(&drawing);
}

void rulegraph_dot(const struct rulegraph *graph, struct buf *out)
{
    draw(graph, sketch_dot, out);
}

void rulegraph_svg(const struct rulegraph *graph, struct buf *out)
{
    draw(graph, sketch_svg, out);
}
