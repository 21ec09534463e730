#include "app/rulegraph.h"
#include "app/rulescommands.h"
#include "app/ruling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 20, PATHS_MAX = 1000000, TARGETS_MAX = 64 };

struct show_args {
    const char *file;
    const char *to[TARGETS_MAX];
    size_t nto;
    const char *from; /* NULL: from anywhere */
    uint64_t depth, paths;
    bool max, dot, svg;
};

enum { OPT_TO = 256, OPT_FROM, OPT_DEPTH, OPT_MAX, OPT_DOT, OPT_SVG };

static const struct option longs[] = {
    {"to", required_argument, NULL, OPT_TO},     {"from", required_argument, NULL, OPT_FROM},
    {"depth", required_argument, NULL, OPT_DEPTH}, {"max", no_argument, NULL, OPT_MAX},
    {"paths", required_argument, NULL, 'n'},     {"dot", no_argument, NULL, OPT_DOT},
    {"svg", no_argument, NULL, OPT_SVG},         {"help", no_argument, NULL, 'h'},
    {0},
};

/* False when the value is bad. */
static bool take_option(int option, void *taken)
{
    struct show_args *args = taken;

    switch (option) {
    case OPT_TO:
        if (args->nto == TARGETS_MAX || !optarg[0])
            return false;
        args->to[args->nto++] = optarg;
        return true;
    case OPT_FROM:
        args->from = optarg;
        return true;
    case OPT_DEPTH:
        return command_number(1, RULEBOOK_DEPTH_MAX, &args->depth);
    case OPT_MAX:
        return args->max = true;
    case OPT_DOT:
        return args->dot = true;
    case OPT_SVG:
        return args->svg = true;
    default:
        return command_number(1, PATHS_MAX, &args->paths);
    }
}

/* -1: go on; else the exit status. */
static int parse_args(int argc, char **argv, struct show_args *args)
{
    const struct command *command = &rules_show_command;
    int status = command_options(command, argc, argv, ":n:h", longs, take_option, args);

    if (status >= 0)
        return status;
    if (optind + 1 != argc)
        return command_misuse(command, "give one file of rules, or one topic file");
    if (args->dot && args->svg)
        return command_misuse(command, "--dot or --svg, not both");
    args->file = argv[optind];
    return -1;
}

/* ---- what is shown ---- */

struct showing {
    struct show_args args;
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
                       "%s: there is no class '%.*s', and none below it; one that there is: '%.*s'", what, STR_ARG(name),
                       STR_ARG(near));
}

static scent_status want(struct showing *showing, const char *what, struct str name, struct errmsg *err)
{
    showing->any = true;
    return rulebook_mark(showing->rules, name, showing->wanted) ? SCENT_OK : fail_class(showing->rules, what, name, err);
}

/* The rules of a topic, and its targets where the user names none. */
static scent_status load_topic(struct showing *showing, struct topic **topic, struct errmsg *err)
{
    char path[TRAINING_PATH];
    scent_status status = topic_load(showing->args.file, topic, err);

    if (status == SCENT_OK && !ruling_path(showing->args.file, *topic, path))
        status = errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", showing->args.file);
    if (status == SCENT_OK)
        status = rulebook_load(path, &showing->rules, err);
    return status == SCENT_E_NOTFOUND
               ? errmsg_fail(err, SCENT_E_INVALID, "there is no %s; 'scent rules build %s' makes it", path,
                             showing->args.file)
               : status;
}

static scent_status load(struct showing *showing, struct errmsg *err)
{
    struct show_args *args = &showing->args;
    struct topic *topic = NULL;
    scent_status status =
        is_topic(args->file) ? load_topic(showing, &topic, err) : rulebook_load(args->file, &showing->rules, err);
    size_t n = status == SCENT_OK ? showing->rules->nclasses : 0;

    showing->x = calloc(n * n + 1, sizeof *showing->x);
    showing->scores = calloc(n + 1, sizeof *showing->scores);
    showing->wanted = calloc(n + 1, sizeof *showing->wanted);
    if (!showing->x || !showing->scores || !showing->wanted)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the rules of %zu classes", n);
    for (size_t i = 0; i < args->nto && status == SCENT_OK; i++)
        status = want(showing, "--to", str_of(args->to[i]), err);
    for (size_t i = 0; topic && args->nto == 0 && i < topic->taxonomy.ntargets && status == SCENT_OK; i++)
        status = want(showing, "taxonomy.target", topic->taxonomy.targets[i], err);
    showing->from = RULEBOOK_NONE;
    if (status == SCENT_OK && args->from) {
        showing->from = rulebook_find(showing->rules, str_of(args->from));
        if (showing->from == RULEBOOK_NONE)
            status = fail_class(showing->rules, "--from", str_of(args->from), err);
    }
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
static scent_status find_paths(struct showing *showing, struct errmsg *err)
{
    const struct rulebook *rules = showing->rules;
    size_t room = showing->args.paths, n = 0;
    uint64_t all;

    showing->chain = (struct rulebook_chain){
        showing->x, rules->nclasses, (unsigned)showing->args.depth, showing->args.max ? RULEBOOK_MAX : RULEBOOK_SUM};
    rulebook_shares(rules, showing->x);
    for (uint32_t i = 0; i < rules->nclasses; i++)
        showing->scores[i] = rulebook_score_all(&showing->chain, i, showing->wanted);
    showing->paths = calloc(2 * room, sizeof *showing->paths);
    if (!showing->paths)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %zu paths", room);
    for (uint32_t i = 0; i < rules->nclasses; i++) {
        if (!showing->wanted[i])
            continue;
        n += rulebook_paths(&showing->chain, showing->from, i, showing->paths + n, room, &all);
        showing->all += all;
        qsort(showing->paths, n, sizeof *showing->paths, by_score);
        n = n < room ? n : room;
    }
    showing->npaths = n;
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

static void print_rule(const struct showing *showing, size_t rule)
{
    const struct rulebook *rules = showing->rules;
    uint32_t from = (uint32_t)(rule / rules->nclasses), to = (uint32_t)(rule % rules->nclasses);

    printf("  %.4f  %" PRIu32 " of %" PRIu64 "  %.*s -> %.*s\n", showing->x[rule], rules->counts[rule],
           rulebook_total(rules, from), STR_ARG(rules->classes[from]), STR_ARG(rules->classes[to]));
}

static bool is_asked_for(const struct showing *showing, size_t rule)
{
    uint32_t n = showing->rules->nclasses;

    return showing->rules->counts[rule] && (!showing->any || showing->wanted[rule % n]) &&
           (showing->from == RULEBOOK_NONE || showing->from == rule / n);
}

static void print_rules(const struct showing *showing)
{
    size_t all = (size_t)showing->rules->nclasses * showing->rules->nclasses, n = 0;
    struct ranked *ranked = calloc(all + 1, sizeof *ranked);

    SCENT_BUG_IF(!ranked);
    for (size_t i = 0; i < all; i++)
        if (is_asked_for(showing, i))
            ranked[n++] = (struct ranked){i, showing->x[i]};
    qsort(ranked, n, sizeof *ranked, by_rank);
    puts(showing->any ? "rules to the targets (share, pages, rule)" : "rules (share, pages, rule)");
    for (size_t i = 0; i < n; i++)
        print_rule(showing, ranked[i].place);
    free(ranked);
}

static void print_paths(const struct showing *showing)
{
    printf("\npaths of at most %" PRIu64 " rules (score, classes)\n", showing->args.depth);
    for (size_t i = 0; i < showing->npaths; i++) {
        const struct rulebook_path *path = &showing->paths[i];

        printf("  %.4f  ", path->score);
        for (uint32_t k = 0; k <= path->nrules; k++)
            printf("%s%.*s", k ? " -> " : "", STR_ARG(showing->rules->classes[path->classes[k]]));
        putchar('\n');
    }
    if (showing->all > showing->npaths)
        printf("  and %" PRIu64 " more; --paths N shows more of them\n", showing->all - showing->npaths);
}

static void print_classes(const struct showing *showing)
{
    uint32_t n = showing->rules->nclasses, none = 0;
    struct ranked *ranked = calloc(n, sizeof *ranked);

    SCENT_BUG_IF(!ranked);
    for (uint32_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){i, showing->scores[i]};
    qsort(ranked, n, sizeof *ranked, by_rank);
    printf("\nlinks of a page of this class score (%s)\n", showing->args.max ? "best path" : "sum of the paths");
    for (uint32_t i = 0; i < n; i++) {
        none += ranked[i].score == 0;
        if (ranked[i].score > 0 && (showing->from == RULEBOOK_NONE || showing->from == ranked[i].place))
            printf("  %.4f  %.*s%s\n", ranked[i].score, STR_ARG(showing->rules->classes[ranked[i].place]),
                   showing->wanted[ranked[i].place] ? "  (a target)" : "");
    }
    if (none)
        printf("  %" PRIu32 " classes have no path: soft focus\n", none);
    free(ranked);
}

static void print(const struct showing *showing)
{
    const struct show_args *args = &showing->args;
    struct rulegraph graph = {
        showing->rules, showing->x, showing->wanted, showing->scores, showing->paths, showing->npaths};
    struct buf out;

    if (!args->dot && !args->svg) {
        print_rules(showing);
        if (showing->any) {
            print_paths(showing);
            print_classes(showing);
        }
        return;
    }
    buf_init(&out, 0);
    if (args->dot)
        rulegraph_dot(&graph, &out);
    else
        rulegraph_svg(&graph, &out);
    fwrite(out.p, 1, out.len, stdout);
    buf_release(&out);
}

static int run(int argc, char **argv)
{
    struct showing showing = {.args = {.depth = RULEBOOK_DEPTH, .paths = PATHS}};
    struct errmsg err = {{0}};
    scent_status status;
    int code = parse_args(argc, argv, &showing.args);

    if (code >= 0)
        return code;
    status = load(&showing, &err);
    if (status == SCENT_OK && !showing.any && (showing.args.dot || showing.args.svg))
        status = errmsg_fail(&err, SCENT_E_INVALID, "a picture shows what leads to a target; name one with --to");
    if (status == SCENT_OK)
        status = find_paths(&showing, &err);
    if (status == SCENT_OK)
        print(&showing);
    rulebook_free(showing.rules);
    free(showing.x);
    free(showing.scores);
    free(showing.wanted);
    free(showing.paths);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command rules_show_command = {
    .name = "rules show",
    .usage = "FILE|TOPIC.yaml [--to CATEGORY]… [options]",
    .summary = "Shows rules, and the paths of rules that lead to a target",
    .help = "      --to CATEGORY       the target: a class, or all classes below it; again for several (default: the topic's)\n"
            "      --from CLASS        only what begins at this class\n"
            "      --depth N           rules that are chained at most, 1 to 3 (default: 2)\n"
            "      --max               a class scores as its best path, not as the sum of its paths\n"
            "  -n, --paths N           paths that are shown (default: 20)\n"
            "      --dot               as a graph for Graphviz\n"
            "      --svg               as a picture\n",
    .main = run,
};
