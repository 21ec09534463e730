/* cmd_rules - `scent rules`: interclass rules shown as text or as a diagram; rules_build.c counts them. */
#include "app/command.h"
#include "app/output.h"
#include "app/workspace.h"
#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PATHS = 20, PATHS_MAX = 1000000, SHOWN_BYTES = 27, FAR = RULEBOOK_DEPTH_MAX + 1 };

struct show_options {
    struct option_list to;
    const char *from; /* NULL: from anywhere */
    uint32_t depth, paths;
    bool max, dot, svg;
};

struct rules_view {
    const struct show_options *options;
    const char *file;
    struct rulebook *rules;
    double *x, *scores;
    bool *wanted;
    bool any; /* is anything wanted? */
    uint32_t from;
    struct rulebook_chain chain;
    struct rulebook_path *paths;
    size_t npaths;
    uint64_t all;
};

static bool is_topic(const char *path)
{
    return str_ends(str_of(path), STR(".yaml")) || str_ends(str_of(path), STR(".yml"));
}

static scent_status fail_class(const struct rulebook *rules, const char *what, struct str name, struct errmsg *err)
{
    struct str near = rules->classes[0];

    for (uint32_t i = rules->nclasses; i-- > 0;)
        for (size_t at = 0; at + name.len <= rules->classes[i].len; at++)
            if (str_eq_nocase(str_sub(rules->classes[i], at, at + name.len), name))
                near = rules->classes[i];
    return errmsg_fail(err, SCENT_E_INVALID,
                       "%s: unknown class '%.*s', with none below it; a known class is '%.*s'", what, STR_ARG(name),
                       STR_ARG(near));
}

static scent_status add_target(struct rules_view *view, const char *what, struct str name, struct errmsg *err)
{
    view->any = true;
    return rulebook_mark(view->rules, name, view->wanted) ? SCENT_OK
                                                                : fail_class(view->rules, what, name, err);
}

/* The rules of a topic, and its targets where the user names none. */
static scent_status load_topic(struct rules_view *view, struct topic **topic, struct errmsg *err)
{
    struct workspace_path path;
    scent_status status;

    SCENT_TRY(topic_load(view->file, topic, err));
    path = workspace_rules_path(view->file, *topic);
    status = rulebook_load(path.text, &view->rules, err);
    return status == SCENT_E_NOTFOUND
               ? errmsg_fail(err, SCENT_E_INVALID, "%s does not exist; 'scent rules build %s' makes it", path.text,
                             view->file)
               : status;
}

static scent_status choose_classes(struct rules_view *view, const struct topic *topic, struct errmsg *err)
{
    const struct show_options *options = view->options;
    size_t n = view->rules->nclasses;

    view->x = calloc(n * n + 1, sizeof *view->x);
    view->scores = calloc(n + 1, sizeof *view->scores);
    view->wanted = calloc(n + 1, sizeof *view->wanted);
    if (!view->x || !view->scores || !view->wanted)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the rules of %zu classes", n);
    for (size_t i = 0; i < options->to.count; i++)
        SCENT_TRY(add_target(view, "--to", str_of(options->to.items[i]), err));
    for (size_t i = 0; topic && options->to.count == 0 && i < topic->taxonomy.ntargets; i++)
        SCENT_TRY(add_target(view, "taxonomy.target", topic->taxonomy.targets[i], err));
    if (!view->any && (options->dot || options->svg))
        return errmsg_fail(err, SCENT_E_INVALID, "a diagram shows what leads to a target; choose one with --to");
    view->from = options->from ? rulebook_find(view->rules, str_of(options->from)) : RULEBOOK_NONE;
    if (options->from && view->from == RULEBOOK_NONE)
        return fail_class(view->rules, "--from", str_of(options->from), err);
    return SCENT_OK;
}

static scent_status load_view(struct rules_view *view, struct errmsg *err)
{
    struct topic *topic = NULL;
    scent_status status =
        is_topic(view->file) ? load_topic(view, &topic, err) : rulebook_load(view->file, &view->rules, err);

    if (status == SCENT_OK)
        status = choose_classes(view, topic, err);
    topic_free(topic);
    return status;
}

static int by_score(const void *a, const void *b)
{
    const struct rulebook_path *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->nrules != y->nrules)
        return x->nrules < y->nrules ? -1 : 1;
    return memcmp(x->classes, y->classes, sizeof x->classes);
}

/* The best paths to all targets: those to each, and of them the best. */
static scent_status find_paths(struct rules_view *view, struct errmsg *err)
{
    const struct rulebook *rules = view->rules;
    size_t room = view->options->paths, n = 0;
    uint64_t all;

    view->chain = (struct rulebook_chain){
        view->x, rules->nclasses, view->options->depth, view->options->max ? RULEBOOK_MAX : RULEBOOK_SUM};
    rulebook_shares(rules, view->x);
    for (uint32_t i = 0; i < rules->nclasses; i++)
        view->scores[i] = rulebook_score_all(&view->chain, i, view->wanted);
    view->paths = calloc(2 * room, sizeof *view->paths);
    if (!view->paths)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for %zu paths", room);
    for (uint32_t i = 0; i < rules->nclasses; i++) {
        if (!view->wanted[i])
            continue;
        n += rulebook_paths(&view->chain, view->from, i, view->paths + n, room, &all);
        view->all += all;
        qsort(view->paths, n, sizeof *view->paths, by_score);
        n = n < room ? n : room;
    }
    view->npaths = n;
    return SCENT_OK;
}

/* ---- text ---- */

/* A class, or a rule as from * classes + to; best first. */
struct ranked {
    size_t place;
    double score;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void print_rule(const struct rules_view *view, size_t rule)
{
    const struct rulebook *rules = view->rules;
    uint32_t from = (uint32_t)(rule / rules->nclasses), to = (uint32_t)(rule % rules->nclasses);

    printf("  %.4f  %" PRIu32 " of %" PRIu64 "  %.*s -> %.*s\n", view->x[rule], rules->counts[rule],
           rulebook_total(rules, from), STR_ARG(rules->classes[from]), STR_ARG(rules->classes[to]));
}

static bool is_asked_for(const struct rules_view *view, size_t rule)
{
    uint32_t n = view->rules->nclasses;

    return view->rules->counts[rule] && (!view->any || view->wanted[rule % n]) &&
           (view->from == RULEBOOK_NONE || view->from == rule / n);
}

static void print_rules(const struct rules_view *view)
{
    size_t all = (size_t)view->rules->nclasses * view->rules->nclasses, n = 0;
    struct ranked *ranked = calloc(all + 1, sizeof *ranked);

    SCENT_BUG_IF(!ranked);
    for (size_t i = 0; i < all; i++)
        if (is_asked_for(view, i))
            ranked[n++] = (struct ranked){i, view->x[i]};
    qsort(ranked, n, sizeof *ranked, by_rank);
    puts(view->any ? "rules to the targets (share, pages, rule)" : "rules (share, pages, rule)");
    for (size_t i = 0; i < n; i++)
        print_rule(view, ranked[i].place);
    free(ranked);
}

static void print_paths(const struct rules_view *view)
{
    printf("\npaths of at most %u rules (score, classes)\n", view->options->depth);
    for (size_t i = 0; i < view->npaths; i++) {
        const struct rulebook_path *path = &view->paths[i];

        printf("  %.4f  ", path->score);
        for (uint32_t k = 0; k <= path->nrules; k++)
            printf("%s%.*s", k ? " -> " : "", STR_ARG(view->rules->classes[path->classes[k]]));
        putchar('\n');
    }
    if (view->all > view->npaths)
        printf("  and %" PRIu64 " more; --paths N shows them\n", view->all - view->npaths);
}

static void print_classes(const struct rules_view *view)
{
    uint32_t n = view->rules->nclasses, none = 0;
    struct ranked *ranked = calloc(n, sizeof *ranked);

    SCENT_BUG_IF(!ranked);
    for (uint32_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){i, view->scores[i]};
    qsort(ranked, n, sizeof *ranked, by_rank);
    printf("\nscore of links on pages of each class (%s)\n", view->options->max ? "best path" : "sum of the paths");
    for (uint32_t i = 0; i < n; i++) {
        none += ranked[i].score == 0;
        if (ranked[i].score > 0 && (view->from == RULEBOOK_NONE || view->from == ranked[i].place))
            printf("  %.4f  %.*s%s\n", ranked[i].score, STR_ARG(view->rules->classes[ranked[i].place]),
                   view->wanted[ranked[i].place] ? "  (a target)" : "");
    }
    if (none)
        printf("  %" PRIu32 " classes have no path: their links are scored by soft focus\n", none);
    free(ranked);
}

/* ---- the paths that lead to targets, as a diagram: a column holds the classes that are equally many rules away from a
 * target; targets stand at the right ---- */

struct drawing {
    const struct rules_view *view;
    uint32_t n;
    bool *edges;      /* [from][to] */
    unsigned *layer;  /* rules to the nearest target; FAR: not drawn */
    unsigned *row;    /* in its column */
    unsigned layers;
};

static void mark_paths(struct drawing *drawing)
{
    const struct rules_view *view = drawing->view;

    for (uint32_t i = 0; i < drawing->n; i++)
        drawing->layer[i] = view->wanted[i] ? 0 : FAR;
    for (size_t i = 0; i < view->npaths; i++) {
        const struct rulebook_path *path = &view->paths[i];

        for (uint32_t k = 0; k < path->nrules; k++) {
            unsigned *layer = &drawing->layer[path->classes[k]];

            drawing->edges[(size_t)path->classes[k] * drawing->n + path->classes[k + 1]] = true;
            *layer = path->nrules - k < *layer ? path->nrules - k : *layer;
        }
    }
}

/* The best classes of a column stand on top. */
static void place_classes(struct drawing *drawing)
{
    const double *scores = drawing->view->scores;

    for (uint32_t i = 0; i < drawing->n; i++) {
        if (drawing->layer[i] == FAR)
            continue;
        for (uint32_t k = 0; k < drawing->n; k++)
            drawing->row[i] += k != i && drawing->layer[k] == drawing->layer[i] &&
                               (scores[k] > scores[i] || (scores[k] == scores[i] && k < i));
        drawing->layers = drawing->layer[i] + 1 > drawing->layers ? drawing->layer[i] + 1 : drawing->layers;
    }
}

static void begin_drawing(struct drawing *drawing, const struct rules_view *view)
{
    size_t n = view->rules->nclasses;

    *drawing = (struct drawing){.view = view, .n = (uint32_t)n};
    drawing->edges = calloc(n * n, sizeof *drawing->edges);
    drawing->layer = calloc(n, sizeof *drawing->layer);
    drawing->row = calloc(n, sizeof *drawing->row);
    SCENT_BUG_IF(!drawing->edges || !drawing->layer || !drawing->row);
    mark_paths(drawing);
    place_classes(drawing);
}

static void end_drawing(struct drawing *drawing)
{
    free(drawing->edges);
    free(drawing->layer);
    free(drawing->row);
}

/* The end of a name says more than its beginning: "…Physics.QuantumMechanics". */
static struct str shown_name(struct str name, struct arena *arena)
{
    size_t from = name.len > SHOWN_BYTES ? name.len - SHOWN_BYTES : 0;

    while (from < name.len && ((unsigned char)name.p[from] & 0xc0) == 0x80)
        from++;
    return from ? arena_printf(arena, "\xe2\x80\xa6%.*s", STR_ARG(str_sub(name, from, name.len))) : name;
}

/* number[class]: its node. */
static uint32_t add_nodes(const struct drawing *drawing, struct diagram_node *nodes, uint32_t *number,
                          struct arena *arena)
{
    const struct rules_view *view = drawing->view;
    uint32_t count = 0;

    for (uint32_t i = 0; i < drawing->n; i++) {
        if (drawing->layer[i] == FAR)
            continue;
        number[i] = count;
        nodes[count] = (struct diagram_node){
            .name = view->rules->classes[i],
            .shown = shown_name(view->rules->classes[i], arena),
            .column = drawing->layers - 1 - drawing->layer[i],
            .row = drawing->row[i],
            .strong = view->wanted[i],
        };
        snprintf(nodes[count].below, sizeof nodes[count].below, "%.3f", view->scores[i]);
        count++;
    }
    return count;
}

static size_t add_edges(const struct drawing *drawing, struct diagram_edge *edges, const uint32_t *number)
{
    size_t count = 0;

    for (uint32_t i = 0; i < drawing->n; i++)
        for (uint32_t k = 0; k < drawing->n; k++) {
            size_t cell = (size_t)i * drawing->n + k;

            if (!drawing->edges[cell])
                continue;
            edges[count] = (struct diagram_edge){.from = number[i], .to = number[k]};
            snprintf(edges[count].label, sizeof edges[count].label, "%.2f", drawing->view->x[cell]);
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

static void draw_rules(const struct rules_view *view, void (*how)(const struct diagram *, struct buf *),
                       struct buf *out)
{
    struct diagram diagram = {.title = "Rules that lead to the targets (right); below a name its score"};
    struct drawing drawing;
    struct diagram_node *nodes;
    struct diagram_edge *edges;
    struct arena arena;
    uint32_t *number;

    begin_drawing(&drawing, view);
    arena_init(&arena, SIZE_MAX);
    nodes = calloc(drawing.n, sizeof *nodes);
    number = calloc(drawing.n, sizeof *number);
    edges = calloc(count_edges(&drawing) + 1, sizeof *edges);
    SCENT_BUG_IF(!nodes || !number || !edges);
    diagram.nnodes = add_nodes(&drawing, nodes, number, &arena);
    diagram.nedges = add_edges(&drawing, edges, number);
    diagram.nodes = nodes;
    diagram.edges = edges;
    how(&diagram, out);
    free(edges);
    free(number);
    free(nodes);
    arena_release(&arena);
    end_drawing(&drawing);
}

/* ---- the command ---- */

static void print_view(const struct rules_view *view)
{
    const struct show_options *options = view->options;
    struct buf out;

    if (!options->dot && !options->svg) {
        print_rules(view);
        if (view->any) {
            print_paths(view);
            print_classes(view);
        }
        return;
    }
    buf_init(&out, 0);
    draw_rules(view, options->dot ? diagram_dot : diagram_svg, &out);
    fwrite(out.p, 1, out.len, stdout);
    buf_release(&out);
}

static int run_show(const struct command_line *line)
{
    const struct show_options *options = line->options;
    struct rules_view view = {.options = options, .file = line->arguments[0]};
    struct errmsg err = {{0}};
    scent_status status;

    if (options->dot && options->svg)
        return command_misuse(line->command, "--dot and --svg cannot be combined");
    status = load_view(&view, &err);
    if (status == SCENT_OK)
        status = find_paths(&view, &err);
    if (status == SCENT_OK)
        print_view(&view);
    rulebook_free(view.rules);
    free(view.x);
    free(view.scores);
    free(view.wanted);
    free(view.paths);
    return command_exit(status, &err);
}

static const struct command_option show_options[] = {
    COMMAND_OPTION(OPTION_LIST, struct show_options, to, "to", 0, "CATEGORY",
                   "target: a class, or all classes below it; repeatable (default: the topic's targets)"),
    COMMAND_OPTION(OPTION_STRING, struct show_options, from, "from", 0, "CLASS",
                   "only rules and paths from this class"),
    COMMAND_OPTION(OPTION_NUMBER, struct show_options, depth, "depth", 0, "N", "chain at most N rules", .min = 1,
                   .max = RULEBOOK_DEPTH_MAX, .number = RULEBOOK_DEPTH),
    COMMAND_OPTION(OPTION_FLAG, struct show_options, max, "max", 0, NULL,
                   "score a class by its best path, not by the sum of its paths"),
    COMMAND_OPTION(OPTION_NUMBER, struct show_options, paths, "paths", 'n', "N", "show N paths", .min = 1,
                   .max = PATHS_MAX, .number = PATHS),
    COMMAND_OPTION(OPTION_FLAG, struct show_options, dot, "dot", 0, NULL, "print a graph for Graphviz"),
    COMMAND_OPTION(OPTION_FLAG, struct show_options, svg, "svg", 0, NULL, "print a diagram as SVG"),
    {0},
};

static const struct command rules_show_command = {
    .name = "rules show",
    .summary = "Shows interclass rules, and the paths of rules that lead to a target",
    .arguments = "FILE|TOPIC.yaml",
    .example = "scent rules show physics.yaml --to Science.Physics --svg > physics.svg",
    .options = show_options,
    .size = sizeof(struct show_options),
    .run = run_show,
};

static const struct command *const rules_parts[] = {&rules_build_command, &rules_show_command, NULL};

const struct command command_rules = {
    .name = "rules",
    .summary = "Counts which classes of pages link to which, for the strategy rules",
    .example = "scent rules build physics.yaml\nscent rules show physics.yaml",
    .parts = rules_parts,
};
