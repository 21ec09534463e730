/* browse_train - `scent browse train`: fetches the pages of browsing sessions, learns a model from them
 * (trace/browse.h) and shows what was learned: for people, for programs, and as a diagram. */
#include "app/command.h"
#include "app/output.h"
#include "app/workspace.h"
#include "base/file.h"
#include "learn/lsi.h"
#include "page/context.h"
#include "page/page.h"
#include "page/tag.h"
#include "trace/browse.h"
#include "trace/browsing.h"
#include "warc/pagefile.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PAGE_MEMORY = 256 << 20 };
#define ALL_MEMORY ((size_t)4 << 30)

struct train_options {
    const char *output, *topic, *dot, *svg;
    struct network network;
    uint32_t clusters, title, anchors;
    uint64_t seed;
    bool links_only, json, quiet;
};

/* ---- the pages ---- */

/* Keeps of each page what a model needs: its words, title and the links with their texts. */
struct browse_pages {
    struct archive *archive; /* NULL: nothing was fetched */
    struct buf lookup;
    struct page_analyser *analyser;
    struct arena arena, scratch;
    bool full; /* memory was short */
};

static void browse_pages_init(struct browse_pages *pages, const char *dir, const struct log *log)
{
    /* As sessions know URLs, and crawls do by default. */
    struct page_options options = {
        .url_flags = URL_STRIP_TRACKING | URL_STRIP_SESSION,
        .max_bytes = PAGEFILE_MAX_BYTES,
    };
    struct errmsg err = {{0}};

    *pages = (struct browse_pages){.analyser = page_analyser_new(&options)};
    arena_init(&pages->arena, ALL_MEMORY);
    arena_init(&pages->scratch, PAGE_MEMORY);
    buf_init(&pages->lookup, 0);
    if (archive_open(dir, log, &pages->archive, &err) != SCENT_OK)
        pages->archive = NULL;
}

static void browse_pages_release(struct browse_pages *pages)
{
    archive_free(pages->archive);
    buf_release(&pages->lookup);
    page_analyser_free(pages->analyser);
    arena_release(&pages->arena);
    arena_release(&pages->scratch);
}

static bool copy_words(struct arena *arena, const struct page *from, struct page *to)
{
    to->bag = arena_array(arena, from->nbag + (size_t)1, sizeof *to->bag);
    for (; to->bag && to->nbag < from->nbag; to->nbag++) {
        to->bag[to->nbag] = from->bag[to->nbag];
        to->bag[to->nbag].text = arena_str(arena, from->bag[to->nbag].text);
        if (!to->bag[to->nbag].text.p)
            return false;
    }
    return to->bag != NULL;
}

static void take_words(const struct page *from, uint32_t first, uint32_t end, struct page *to, uint32_t *new_end)
{
    for (; first < end; first++)
        to->words[to->nwords++] = from->words[first];
    *new_end = to->nwords;
}

static bool copy_links(struct arena *arena, const struct page *from, struct page *to)
{
    to->links = arena_array(arena, from->nlinks + (size_t)1, sizeof *to->links);
    for (; to->links && to->nlinks < from->nlinks; to->nlinks++) {
        const struct page_link *link = &from->links[to->nlinks];

        to->links[to->nlinks] =
            (struct page_link){.url.href = arena_str(arena, link->url.href), .first_word = to->nwords};
        take_words(from, link->first_word, link->end_word, to, &to->links[to->nlinks].end_word);
        if (!to->links[to->nlinks].url.href.p)
            return false;
    }
    return to->links != NULL;
}

/* Of its words in a row those of title and links alone: pages are long. */
static bool copy_links_and_title(struct arena *arena, const struct page *from, struct page *to)
{
    struct context title = context_title(from);
    size_t room = title.end - title.first + (size_t)1;

    for (uint32_t i = 0; i < from->nlinks; i++)
        room += from->links[i].end_word - from->links[i].first_word;
    to->words = arena_array(arena, room, sizeof *to->words);
    to->nodes = arena_zalloc(arena, sizeof *to->nodes);
    if (!to->words || !to->nodes)
        return false;
    to->nodes[to->nnodes++].tag = PAGE_TAG_TITLE;
    take_words(from, title.first, title.end, to, &to->nodes->end_word);
    return copy_links(arena, from, to);
}

struct found {
    struct browse_pages *pages;
    struct page *page; /* NULL: not yet */
};

static scent_status keep_page(void *ctx, const struct pagefile_page *bytes, struct errmsg *err)
{
    struct found *found = ctx;
    struct browse_pages *pages = found->pages;
    struct page *kept = arena_zalloc(&pages->arena, sizeof *kept);
    struct page page;
    scent_status status;

    arena_reset(&pages->scratch);
    status = page_analyse_stored(pages->analyser, bytes->url, bytes->headers, bytes->body, &pages->scratch, &page);
    if (status != SCENT_OK && status != SCENT_E_NOMEM)
        return SCENT_E_NOTFOUND;
    if (!kept || status != SCENT_OK || !(kept->url.href = arena_str(&pages->arena, page.url.href)).p ||
        !copy_words(&pages->arena, &page, kept) || !copy_links_and_title(&pages->arena, &page, kept)) {
        pages->full = true;
        return errmsg_no_memory(err);
    }
    found->page = kept;
    return SCENT_OK;
}

static const struct page *find_page(void *ctx, struct str url)
{
    struct browse_pages *pages = ctx;
    struct found found = {.pages = pages};
    struct errmsg err = {{0}};

    if (!pages->archive || pagefile_find(pages->archive, url, &pages->lookup, keep_page, &found, &err) != SCENT_OK)
        return NULL;
    return found.page;
}

static struct browse_source browse_pages_source(struct browse_pages *pages)
{
    return (struct browse_source){find_page, pages};
}

/* ---- what was learned ---- */

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

static void print_model(const struct browse *browse, FILE *out)
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

static void print_json(const struct browse *browse, const char *path, const struct browse_met *met)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_str(w, "model", str_of(path));
    json_put_int(w, "pages", met->pages);
    json_put_int(w, "useful", met->useful);
    json_put_int(w, "unread", met->unread);
    json_put_int(w, "dimensions", browse_dims(browse));
    json_key(w, "features"), json_object_begin(w);
    json_put_double(w, "title", browse_features(browse).title);
    json_put_double(w, "anchors", browse_features(browse).anchors);
    json_object_end(w);
    write_clusters(w, browse);
    write_matrices(w, browse_hmm(browse));
    json_object_end(w);
    json_output_end(&output, stdout);
}

/* ---- as a diagram ---- */

struct concept_graph {
    struct arena arena;
    struct diagram_node nodes[BROWSE_NODES];
    struct diagram_edge *edges;
    uint32_t number[BROWSE_NODES]; /* of the nodes that have pages: where they are in `nodes` */
    struct diagram diagram;
};

static struct str join_words(struct arena *arena, const struct browse *browse, uint32_t cluster, const char *before,
                             uint32_t most)
{
    struct str text = arena_printf(arena, "%s", before);

    for (uint32_t i = 0; i < most && browse_telling(browse, cluster, i).len; i++)
        text =
            arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), i ? " " : "", STR_ARG(browse_telling(browse, cluster, i)));
    return text;
}

/* T3 stands at the left, what is useful at the right. */
static void place_nodes(struct concept_graph *graph, const struct browse *browse)
{
    for (uint32_t label = 0; label < HMM_STATES; label++) {
        unsigned row = 0;

        for (uint32_t c = 0; c < browse_nclusters(browse); c++) {
            uint32_t id = browse_node(label, c), pages = browse_concepts(browse)->pages[id];
            struct diagram_node *node = &graph->nodes[graph->diagram.nnodes];
            char head[32];

            if (!pages)
                continue;
            snprintf(head, sizeof head, "T%" PRIu32 ", cluster %" PRIu32 ": ", label, c + 1);
            *node = (struct diagram_node){.column = HMM_STATES - 1 - label, .row = row++, .strong = label == 0};
            node->name = join_words(&graph->arena, browse, c, head, BROWSE_TELLING);
            snprintf(head, sizeof head, "T%" PRIu32 " ", label);
            node->shown = join_words(&graph->arena, browse, c, head, 2);
            snprintf(node->below, sizeof node->below, "%" PRIu32 " page%s", pages, pages == 1 ? "" : "s");
            graph->number[id] = graph->diagram.nnodes++;
        }
    }
}

static void place_edges(struct concept_graph *graph, const struct browse *browse)
{
    const struct browse_concepts *concepts = browse_concepts(browse);

    for (uint32_t from = 0; from < BROWSE_NODES; from++)
        for (uint32_t to = 0; to < BROWSE_NODES; to++) {
            struct diagram_edge *edge = &graph->edges[graph->diagram.nedges];

            if (!concepts->links[from][to] || !concepts->pages[from] || !concepts->pages[to])
                continue;
            *edge = (struct diagram_edge){.from = graph->number[from], .to = graph->number[to]};
            snprintf(edge->label, sizeof edge->label, "%" PRIu32, concepts->links[from][to]);
            graph->diagram.nedges++;
        }
}

static void draw_model(const struct browse *browse, bool svg, struct buf *out)
{
    struct concept_graph *graph = calloc(1, sizeof *graph);

    SCENT_BUG_IF(!graph);
    arena_init(&graph->arena, 1 << 20);
    graph->edges = calloc((size_t)BROWSE_NODES * BROWSE_NODES, sizeof *graph->edges);
    SCENT_BUG_IF(!graph->edges);
    place_nodes(graph, browse);
    place_edges(graph, browse);
    graph->diagram.title = "Concept graph: distance to useful pages (right) and cluster; on an arrow, links";
    graph->diagram.nodes = graph->nodes;
    graph->diagram.edges = graph->edges;
    (svg ? diagram_svg : diagram_dot)(&graph->diagram, out);
    free(graph->edges);
    arena_release(&graph->arena);
    free(graph);
}

/* ---- fetching ---- */

/* Politeness and ways of `--topic`; without it those of any topic. */
static scent_status make_topic(const struct train_options *options, struct topic **out, struct errmsg *err)
{
    return options->topic ? topic_load(options->topic, out, err)
                          : topic_parse(STR("topic: pages that were visited\n"), "-", out, err);
}

/* All pages that were visited or marked, into OUTPUT.fetched; what is there already is not fetched again. */
static int fetch_pages(const struct train_options *options, const struct browsing *browsing, const struct log *log,
                       const char *dir)
{
    struct workspace workspace = {.path = options->topic ? options->topic : "browse train without --topic",
                                .network = &options->network,
                                .log = log,
                                .quiet = options->quiet};
    uint32_t npages = browsing_size(browsing).pages;
    struct errmsg err = {{0}};
    struct buf urls;
    scent_status status;
    int code;

    status = make_topic(options, &workspace.topic, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    buf_init(&urls, 0);
    for (uint32_t i = 0; i < npages; i++)
        buf_printf(&urls, "%.*s\n", STR_ARG(browsing_url(browsing, i)));
    code = workspace_fetch(&workspace, buf_str(&urls), dir);
    buf_release(&urls);
    topic_free(workspace.topic);
    return code;
}

/* ---- learning ---- */

static scent_status save_diagram(const struct browse *browse, const char *path, bool svg, struct errmsg *err)
{
    struct buf out;
    scent_status status;

    if (!path)
        return SCENT_OK;
    buf_init(&out, 0);
    draw_model(browse, svg, &out);
    status = out.failed ? errmsg_no_memory(err) : file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

static void print_learned(const struct train_options *options, const struct browse *browse,
                          const struct browse_met *met)
{
    if (options->json) {
        print_json(browse, options->output, met);
    } else if (!options->quiet) {
        printf("%s: learned from %" PRIu32 " pages, %" PRIu32 " of them useful; %" PRIu32 " dimensions\n",
               options->output, met->pages, met->useful, browse_dims(browse));
        print_model(browse, stdout);
    }
}

static void warn_unread(const struct browse_met *met, const char *dir, const struct log *log)
{
    if (met->unread)
        log_line(log, LOG_WARN,
                 "%" PRIu32 " pages could not be read, %" PRIu32 " of them useful (one is %.*s); 'scent status "
                 "%s' shows why; remove that folder to retry",
                 met->unread, met->useful_unread, STR_ARG(met->first_unread), dir);
}

static scent_status save_model(const struct train_options *options, const struct browse *browse, struct errmsg *err)
{
    SCENT_TRY(browse_save(browse, options->output, err));
    SCENT_TRY(save_diagram(browse, options->dot, false, err));
    return save_diagram(browse, options->svg, true, err);
}

static int learn_model(const struct train_options *options, const struct browsing *browsing, const char *dir,
                       const struct log *log)
{
    struct browse_options browse_options = browse_options_default();
    struct browse *browse = NULL;
    struct browse_pages pages;
    struct browse_source source;
    struct browse_met met;
    struct errmsg err = {{0}};
    scent_status status;

    browse_options.cluster.clusters = options->clusters;
    browse_options.cluster.seed = options->seed;
    browse_options.links_only = options->links_only;
    browse_options.features = (struct browse_features){options->title, options->anchors};
    browse_pages_init(&pages, dir, log);
    source = browse_pages_source(&pages);
    status = browse_learn(browsing, &source, &browse_options, &browse, &met, &err);
    warn_unread(&met, dir, log);
    if (pages.full)
        status = errmsg_fail(&err, SCENT_E_NOMEM, "out of memory for the pages; use fewer browsing files");
    if (status == SCENT_OK)
        status = save_model(options, browse, &err);
    if (status == SCENT_OK)
        print_learned(options, browse, &met);
    browse_pages_release(&pages);
    browse_free(browse);
    return command_exit(status, &err);
}

/* Sessions that a model cannot learn from are refused before anything is fetched. */
static scent_status check_sessions(const struct browsing *browsing, struct errmsg *err)
{
    struct browsing_size size = browsing_size(browsing);

    if (size.pages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "the sessions are empty: no page was visited");
    if (size.useful == 0)
        return errmsg_fail(
            err, SCENT_E_INVALID,
            "none of the %" PRIu32 " pages is marked as useful, and the model learns what "
            "leads to useful pages; press Useful on some while recording, or give their URLs with 'scent browse "
            "import --useful FILE'",
            size.pages);
    if (size.pages > LSI_PAGES_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT,
                           "the sessions hold %" PRIu32 " pages, more than the %d that a model is made of; take "
                           "the part that is about your topic: 'scent browse import' has --since, --until and --host",
                           size.pages, LSI_PAGES_MAX);
    if (size.pages == 1)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "the sessions have one page only; the model needs the pages on the way to "
                           "useful ones");
    return SCENT_OK;
}

static int run_train(const struct command_line *line)
{
    struct train_options *options = line->options;
    struct browsing *browsing = NULL;
    struct workspace_path dir;
    struct errmsg err = {{0}};
    scent_status status;
    struct log log;
    int code;

    if (network_problem(&options->network))
        return command_misuse(line->command, "%s", network_problem(&options->network));
    log_init_stderr(&log, options->quiet ? LOG_ERROR : LOG_INFO);
    snprintf(dir.text, sizeof dir.text, "%s.fetched", options->output);
    status = browsing_load((const char *const *)line->arguments, line->count, &log, &browsing, &err);
    if (status == SCENT_OK)
        status = check_sessions(browsing, &err);
    if (status == SCENT_OK)
        status = network_open(&options->network, &log, &err);
    code = status == SCENT_OK ? fetch_pages(options, browsing, &log, dir.text) : command_fail(status, &err);
    if (code == EXIT_DONE)
        code = learn_model(options, browsing, dir.text, &log);
    network_close(&options->network);
    browsing_free(browsing);
    return code;
}

static const struct command_option train_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct train_options, output, "output", 'o', "MODEL",
                   "file of the model; the pages are kept in MODEL.fetched", .required = true),
    COMMAND_OPTION(OPTION_STRING, struct train_options, topic, "topic", 0, "TOPIC.yaml",
                   "fetch with the politeness and the ways of this topic",
                   .manual = "Above all with the contact in its user agent."),
    COMMAND_OPTION(OPTION_NUMBER, struct train_options, clusters, "clusters", 0, "N", "clusters of pages",
                   .rare = true, .min = 1,
                   .max = CLUSTER_MAX, .number = 5),
    COMMAND_OPTION(OPTION_NUMBER, struct train_options, seed, "seed", 0, "N", "seed of the random numbers",
                   .rare = true, .number = 1,
                   .manual = "The same files and seed give the same model."),
    COMMAND_OPTION(OPTION_FLAG, struct train_options, links_only, "links-only", 0, NULL,
                   "learn the ways between pages from hyperlinks alone", .rare = true,
                   .manual = "For sessions from access logs, which do not tell the page that led on. Otherwise the "
                             "recorded ways count too, also those through forms and scripts."),
    COMMAND_OPTION(OPTION_NUMBER, struct train_options, title, "title", 0, "N",
                   "a word of a page's title counts as N words, as a feature of its own",
                   .rare = true, .max = BROWSE_WEIGHT_MAX,
                   .manual = "Apart from its place in the text; 0: it is a word of the text alone. The model remembers "
                             "the number, and crawls read pages in the same way."),
    COMMAND_OPTION(OPTION_NUMBER, struct train_options, anchors, "anchors", 0, "N",
                   "the same for the words of the links on a page", .rare = true, .max = BROWSE_WEIGHT_MAX),
    COMMAND_OPTION(OPTION_STRING, struct train_options, dot, "dot", 0, "FILE", "write the concept graph for Graphviz"),
    COMMAND_OPTION(OPTION_STRING, struct train_options, svg, "svg", 0, "FILE", "write the concept graph as SVG"),
    COMMAND_OPTION(OPTION_FLAG, struct train_options, json, "json", 0, NULL, "print one JSON object"),
    NETWORK_OPTIONS(struct train_options, network),
    COMMAND_OPTION(OPTION_FLAG, struct train_options, quiet, "quiet", 'q', NULL, "print errors only"),
    {0},
};

const struct command browse_train_command = {
    .name = "browse train",
    .summary = "Learns from browsing files what leads to useful pages, for the topic key 'browsing'",
    .arguments = "FILE…",
    .example = "scent browse train mine.jsonl -o mine.model --topic hockey.yaml",
    .options = train_options,
    .size = sizeof(struct train_options),
    .run = run_train,
};
