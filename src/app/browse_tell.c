#include "app/browse_tell.h"

#include "app/sketch.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const meanings[HMM_STATES] = {"useful", "one link before a useful page", "two links before one",
                                                 "farther away, or no way"};

static uint32_t pages_at(const struct browse *browse, uint32_t label)
{
    uint32_t sum = 0;

    for (uint32_t c = 0; c < browse_nclusters(browse); c++)
        sum += browse_concepts(browse)->pages[browse_node(label, c)];
    return sum;
}

static uint32_t pages_in(const struct browse *browse, uint32_t cluster)
{
    uint32_t sum = 0;

    for (uint32_t label = 0; label < HMM_STATES; label++)
        sum += browse_concepts(browse)->pages[browse_node(label, cluster)];
    return sum;
}

/* ---- for people ---- */

static void print_clusters(const struct browse *browse, FILE *out)
{
    fputs("\nClusters, by their words:\n\n", out);
    for (uint32_t c = 0; c < browse_nclusters(browse); c++) {
        fprintf(out, "  %2" PRIu32 " %6" PRIu32 " pages:", c + 1, pages_in(browse, c));
        for (uint32_t i = 0; browse_telling(browse, c, i).len; i++)
            fprintf(out, " %.*s", STR_ARG(browse_telling(browse, c, i)));
        fputc('\n', out);
    }
    fputs("\nHow far the pages are from useful ones:\n\n", out);
    for (uint32_t label = 0; label < HMM_STATES; label++)
        fprintf(out, "  T%" PRIu32 " %6" PRIu32 " pages: %s\n", label, pages_at(browse, label), meanings[label]);
}

static void print_row(const char *head, const double *row, uint32_t n, FILE *out)
{
    fprintf(out, "  %-4s", head);
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, " %6.3f", row[i]);
    fputc('\n', out);
}

static void print_matrices(const struct hmm *hmm, FILE *out)
{
    static const char *const states[HMM_STATES] = {"T0", "T1", "T2", "T3"};

    fputs("\nThe hidden Markov model, pi and A:\n\n           T0     T1     T2     T3\n", out);
    print_row("pi", hmm->pi, HMM_STATES, out);
    for (unsigned i = 0; i < HMM_STATES; i++)
        print_row(states[i], hmm->a[i], HMM_STATES, out);
    fputs("\nB, by cluster:\n\n      ", out);
    for (uint32_t s = 0; s < hmm->nsymbols; s++)
        fprintf(out, " %6" PRIu32, s + 1);
    fputc('\n', out);
    for (unsigned i = 0; i < HMM_STATES; i++)
        print_row(states[i], hmm->b[i], hmm->nsymbols, out);
}

void browse_tell_people(const struct browse *browse, FILE *out)
{
    print_clusters(browse, out);
    print_matrices(browse_hmm(browse), out);
}

/* ---- for programs ---- */

static void write_numbers(struct json_writer *w, const double *numbers, uint32_t n)
{
    json_array_begin(w);
    for (uint32_t i = 0; i < n; i++)
        json_double(w, numbers[i]);
    json_array_end(w);
}

static void write_clusters(struct json_writer *w, const struct browse *browse)
{
    json_key(w, "clusters");
    json_array_begin(w);
    for (uint32_t c = 0; c < browse_nclusters(browse); c++) {
        json_object_begin(w);
        json_put_int(w, "pages", pages_in(browse, c));
        json_key(w, "words");
        json_array_begin(w);
        for (uint32_t i = 0; browse_telling(browse, c, i).len; i++)
            json_str(w, browse_telling(browse, c, i));
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
    json_key(w, "distances");
    json_array_begin(w);
    for (uint32_t label = 0; label < HMM_STATES; label++)
        json_int(w, pages_at(browse, label));
    json_array_end(w);
}

static void write_matrices(struct json_writer *w, const struct hmm *hmm)
{
    json_key(w, "pi"), write_numbers(w, hmm->pi, HMM_STATES);
    json_key(w, "a");
    json_array_begin(w);
    for (unsigned i = 0; i < HMM_STATES; i++)
        write_numbers(w, hmm->a[i], HMM_STATES);
    json_array_end(w);
    json_key(w, "b");
    json_array_begin(w);
    for (unsigned i = 0; i < HMM_STATES; i++)
        write_numbers(w, hmm->b[i], hmm->nsymbols);
    json_array_end(w);
}

void browse_tell_json(const struct browse *browse, const char *path, const struct browse_met *met, struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "model", str_of(path));
    json_put_int(&w, "pages", met->pages);
    json_put_int(&w, "useful", met->useful);
    json_put_int(&w, "unread", met->unread);
    json_put_int(&w, "dimensions", browse_dims(browse));
    write_clusters(&w, browse);
    write_matrices(&w, browse_hmm(browse));
    json_object_end(&w);
    buf_addc(out, '\n');
}

/* ---- as a picture ---- */

struct picture {
    struct arena arena;
    struct sketch_node nodes[BROWSE_NODES];
    struct sketch_edge *edges;
    uint32_t number[BROWSE_NODES]; /* of the nodes that have pages: where they are in `nodes` */
    struct sketch sketch;
};

static struct str join_words(struct arena *arena, const struct browse *browse, uint32_t cluster, const char *before,
                             uint32_t most)
{
    struct str text = arena_printf(arena, "%s", before);

    for (uint32_t i = 0; i < most && browse_telling(browse, cluster, i).len; i++)
        text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), i ? " " : "", STR_ARG(browse_telling(browse, cluster, i)));
    return text;
}

/* T3 stands at the left, what is useful at the right. */
static void place_nodes(struct picture *picture, const struct browse *browse)
{
    for (uint32_t label = 0; label < HMM_STATES; label++) {
        unsigned row = 0;

        for (uint32_t c = 0; c < browse_nclusters(browse); c++) {
            uint32_t id = browse_node(label, c), pages = browse_concepts(browse)->pages[id];
            struct sketch_node *node = &picture->nodes[picture->sketch.nnodes];
            char head[32];

            if (!pages)
                continue;
            snprintf(head, sizeof head, "T%" PRIu32 ", cluster %" PRIu32 ": ", label, c + 1);
            *node = (struct sketch_node){.column = HMM_STATES - 1 - label, .row = row++, .strong = label == 0};
            node->name = join_words(&picture->arena, browse, c, head, BROWSE_TELLING);
            snprintf(head, sizeof head, "T%" PRIu32 " ", label);
            node->shown = join_words(&picture->arena, browse, c, head, 2);
            snprintf(node->below, sizeof node->below, "%" PRIu32 " page%s", pages, pages == 1 ? "" : "s");
            picture->number[id] = picture->sketch.nnodes++;
        }
    }
}

static void place_edges(struct picture *picture, const struct browse *browse)
{
    const struct browse_concepts *concepts = browse_concepts(browse);

    for (uint32_t from = 0; from < BROWSE_NODES; from++)
        for (uint32_t to = 0; to < BROWSE_NODES; to++) {
            struct sketch_edge *edge = &picture->edges[picture->sketch.nedges];

            if (!concepts->links[from][to] || !concepts->pages[from] || !concepts->pages[to])
                continue;
            *edge = (struct sketch_edge){.from = picture->number[from], .to = picture->number[to]};
            snprintf(edge->label, sizeof edge->label, "%" PRIu32, concepts->links[from][to]);
            picture->sketch.nedges++;
        }
}

void browse_tell_graph(const struct browse *browse, bool svg, struct buf *out)
{
    struct picture *picture = calloc(1, sizeof *picture);

    SCENT_BUG_IF(!picture);
    arena_init(&picture->arena, 1 << 20);
    picture->edges = calloc((size_t)BROWSE_NODES * BROWSE_NODES, sizeof *picture->edges);
    SCENT_BUG_IF(!picture->edges);
    place_nodes(picture, browse);
    place_edges(picture, browse);
    picture->sketch.title = "Concept graph: distance to useful pages (right) and cluster; on an arrow, links";
    picture->sketch.nodes = picture->nodes;
    picture->sketch.edges = picture->edges;
    (svg ? sketch_svg : sketch_dot)(&picture->sketch, out);
    free(picture->edges);
    arena_release(&picture->arena);
    free(picture);
}
