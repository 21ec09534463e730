/* cmd_init - `scent init`: writes a topic file, from a template or from a folder of examples. */
#include "app/command.h"
#include "base/file.h"
#include "page/page.h"
#include "topic/topic.h"
#include "training/example_files.h"

#include <stdlib.h>

enum { SEEDS_MAX = 50, MAX_LIST = 64 << 20, MAX_PAGES = 2000, PAGE_ARENA = 256 << 20 };

static const char *const wanted_names[] = {"positive", "positives", "pos", "relevant", "yes", "good", NULL};
static const char *const unwanted_names[] = {"negative", "negatives", "neg", "irrelevant", "other",
                                             "others",   "no",        "bad", NULL};

/* ---- the folder of examples ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (str_eq_nocase(str_of(name), str_of(*names)))
            return true;
    return false;
}

/* The first category, or the one that is called like the topic. */
static bool is_better_target(struct str name, struct str target, const char *folder)
{
    return !target.len || str_eq_nocase(name, str_of(folder));
}

static scent_status sort_folders(const char *dir, const struct file_list *list, struct arena *arena,
                                 struct topic_draft *draft, struct errmsg *err)
{
    size_t categories = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct str path = arena_printf(arena, "%s/%s", dir, list->names[i]);

        if (!path.p)
            return errmsg_no_memory(err);
        if (list->names[i][0] == '.' || !file_is_dir(path.p) || str_ends(path, STR("_files")))
            continue;
        categories++;
        if (!draft->positive.len && is_one_of(list->names[i], wanted_names))
            draft->positive = path;
        else if (!draft->negative.len && is_one_of(list->names[i], unwanted_names))
            draft->negative = path;
        else if (is_better_target(draft->name, draft->target, list->names[i]))
            draft->target = arena_str(arena, str_of(list->names[i]));
    }
    if (draft->positive.len)
        draft->target = STR_NONE;
    else if (draft->negative.len)
        return errmsg_fail(err, SCENT_E_INVALID, "%s has a folder of negative examples but none called 'positive'",
                           dir);
    else if (categories >= 2)
        draft->taxonomy = arena_str(arena, str_of(dir));
    else
        draft->positive = arena_str(arena, str_of(dir));
    return SCENT_OK;
}

/* ---- seeds ---- */

struct seed_finder {
    struct arena *arena;
    struct str *seeds;
    size_t count, pages;
    struct page_analyser *analyser;
    struct arena page_arena;
};

/* False: it cannot be one. */
static bool add_seed(struct seed_finder *finder, struct str href)
{
    bool is_seed = false;
    struct url url;
    struct arena arena;

    arena_init(&arena, 256 << 10);
    if (url_parse(&arena, href, NULL, &url) == SCENT_OK &&
        url_normalise(&arena, &url, URL_STRIP_TRACKING | URL_STRIP_SESSION, &url) == SCENT_OK &&
        !str_eq(url_host(&url), STR("file.invalid"))) {
        size_t i = 0;

        while (i < finder->count && !str_eq(finder->seeds[i], url.href))
            i++;
        if (i == finder->count && i < SEEDS_MAX && (finder->seeds[i] = arena_str(finder->arena, url.href)).p)
            finder->count++;
        is_seed = true;
    }
    arena_release(&arena);
    return is_seed;
}

/* One that was found and not named. */
static void offer_seed(struct seed_finder *finder, struct str href)
{
    if (!str_glob(STR("*/login*"), href))
        (void)add_seed(finder, href);
}

/* A page in an archive is at home there; a saved file may say where it came from. */
static scent_status look_at_page(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct seed_finder *finder = ctx;
    struct page_input input = {.headers = from->headers, .body = from->body};
    struct page page;
    struct url url;

    if (++finder->pages > MAX_PAGES || finder->count == SEEDS_MAX)
        return errmsg_fail(err, SCENT_E_END, "enough");
    arena_reset(&finder->page_arena);
    if (url_parse(&finder->page_arena, from->url, NULL, &url) != SCENT_OK)
        return SCENT_OK;
    offer_seed(finder, from->url);
    input.url = &url;
    if (str_eq(url_host(&url), STR("file.invalid")) &&
        page_analyse(finder->analyser, &input, &finder->page_arena, &page) == SCENT_OK && page.canonical.href.p)
        offer_seed(finder, page.canonical.href);
    return SCENT_OK;
}

static void look_at_list(struct seed_finder *finder, const char *path)
{
    struct errmsg err;
    struct buf text;
    struct str rest, url;

    buf_init(&text, MAX_LIST);
    if (file_read(path, &text, &err) == SCENT_OK)
        for (rest = buf_str(&text); pagefile_next_url(&rest, &url);)
            offer_seed(finder, url);
    buf_release(&text);
}

static scent_status find_seeds(const char *path, struct seed_finder *finder, struct errmsg *err)
{
    struct example_files found = {0};
    struct errmsg why;
    scent_status status = example_files_add(&found, path, finder->arena, err);

    if (status != SCENT_OK)
        return status;
    if (found.count == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s has no examples; expected pages (.html, .txt, also .gz), lists of URLs or WARC files",
                           path);
    finder->analyser = page_analyser_new(&(struct page_options){0});
    arena_init(&finder->page_arena, PAGE_ARENA);
    for (size_t i = 0; i < found.count && finder->count < SEEDS_MAX; i++) {
        struct pagefile_counts counts = {0};

        if (found.files[i].kind == PAGEFILE_URLS)
            look_at_list(finder, found.files[i].path.p);
        else
            (void)!pagefile_read(found.files[i].path.p, found.files[i].kind, look_at_page, finder, &counts, &why);
    }
    page_analyser_free(finder->analyser);
    arena_release(&finder->page_arena);
    return SCENT_OK;
}

static struct str base_name(struct str path)
{
    size_t start = path.len;

    while (start > 0 && path.p[start - 1] != '/')
        start--;
    return str_sub(path, start, path.len);
}

/* What `dir` holds, seen as examples: folders "positive" and "negative" (or the like), categories, or positives only.
 * Seeds are the addresses that the wanted pages name as their own, those inside archives and those of URL lists.
 * `name` may be empty: the name of the folder. Everything lies in `arena`. SCENT_E_INVALID: there are no examples. */
static scent_status draft_topic(const char *dir, struct str name, const struct log *log, struct seed_finder *finder,
                                struct topic_draft *out, struct errmsg *err)
{
    struct arena *arena = finder->arena;
    struct str folder = str_of(dir);
    struct file_list list;
    scent_status status;
    const char *wanted;
    char *real = NULL;

    while (folder.len > 1 && folder.p[folder.len - 1] == '/')
        folder.len--;
    folder = arena_str(arena, folder);
    *out = (struct topic_draft){.name = name};
    if (!name.len && (real = realpath(dir, NULL))) /* "." has a name, too */
        out->name = arena_str(arena, base_name(str_of(real)));
    free(real);
    status = file_list(dir, "", &list, err);
    if (status == SCENT_OK)
        status = sort_folders(folder.p, &list, arena, out, err);
    file_list_release(&list);
    if (status != SCENT_OK)
        return status;
    wanted = out->positive.len ? out->positive.p : arena_printf(arena, "%s/%s", folder.p, out->target.p).p;
    if (out->positive.len && !out->negative.len)
        log_line(log, LOG_INFO, "%s has no folder of negative examples; some, or a 'background', make a better model",
                 dir);
    return find_seeds(wanted, finder, err);
}

/* ---- the topic file ---- */

/* Writes NAME.yaml, unless there is one. */
static int write_topic(struct str name, struct str text)
{
    struct errmsg err = {0};
    char path[4096];
    scent_status status;

    snprintf(path, sizeof path, "%.*s.yaml", STR_ARG(name));
    if (file_exists(path)) {
        fprintf(stderr, "scent: %s exists already and is not overwritten; choose another name, or remove it\n", path);
        return EXIT_USAGE;
    }
    status = file_replace(path, text, &err);
    return command_exit(status, &err);
}

static int fail_name(scent_status status)
{
    struct errmsg err = {0};

    if (status == SCENT_E_INVALID)
        errmsg_fail(&err, status, "the name of the topic or a path is empty or has control characters");
    return command_fail(status, &err);
}

/* "  scent crawl 'my topic.yaml'": a line that can be pasted into a shell. */
static void say_command(const char *command, struct str name)
{
    bool is_plain = true;

    for (size_t i = 0; i < name.len; i++)
        is_plain &= ascii_is_alpha(name.p[i]) || ascii_is_digit(name.p[i]) || memchr("-_./+", name.p[i], 5) ||
                    (unsigned char)name.p[i] >= 0x80;
    fprintf(stderr, "  scent %s %s", command, is_plain ? "" : "'");
    for (size_t i = 0; i < name.len; i++)
        if (name.p[i] == '\'')
            fputs("'\\''", stderr);
        else
            fputc(name.p[i], stderr);
    fprintf(stderr, ".yaml%s\n", is_plain ? "" : "'");
}

/* What is left to do before the crawl can begin. */
static void say_next(const struct topic_draft *draft)
{
    struct str name = draft->name;
    bool is_taught = draft->positive.len || draft->taxonomy.len;

    fprintf(stderr, "%.*s.yaml is written, with %zu seed%s. Next:\n", STR_ARG(name), draft->nseeds,
            draft->nseeds == 1 ? "" : "s");
    if (draft->nseeds == 0)
        fprintf(stderr, "  write addresses of pages on your topic behind 'seeds:', and remove the '#' before it "
                        "('scent seeds' proposes some)\n");
    if (!draft->contact.len)
        fprintf(stderr, "  write an address where people can reach you behind 'user_agent:', and remove the '#' before "
                        "it\n");
    if (is_taught)
        say_command("train", name);
    say_command("crawl", name);
}

static int write_draft(const struct topic_draft *draft)
{
    struct buf text;
    scent_status status;
    int code;

    buf_init(&text, 0);
    status = topic_write_draft(draft, &text);
    code = status == SCENT_OK ? write_topic(draft->name, buf_str(&text)) : fail_name(status);
    if (code == EXIT_DONE)
        say_next(draft);
    buf_release(&text);
    return code;
}

struct init_options {
    const char *examples, *background, *contact;
};

/* Paths in the file are relative to its folder, which is where we are unless the name says otherwise. */
static scent_status draft_from_examples(const struct init_options *options, struct str name,
                                        struct seed_finder *finder, struct topic_draft *draft, struct errmsg *err)
{
    bool elsewhere = str_find(name, '/') < name.len;
    char *far = elsewhere ? realpath(options->examples, NULL) : NULL;
    char *far_background = elsewhere && options->background ? realpath(options->background, NULL) : NULL;
    struct log log;
    scent_status status;

    log_init_stderr(&log, options->background ? LOG_ERROR : LOG_INFO);
    status = draft_topic(far ? far : options->examples, name, &log, finder, draft, err);
    if (status == SCENT_OK && options->background && (draft->negative.len || !draft->positive.len))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s has negative examples; --background is not needed",
                             options->examples);
    if (status == SCENT_OK && options->background)
        draft->background = arena_str(finder->arena, str_of(far_background ? far_background : options->background));
    free(far);
    free(far_background);
    return status;
}
static bool is_contact(const char *text)
{
    struct str contact = str_of(text);

    return str_starts(contact, STR("https://")) || str_starts(contact, STR("http://")) ||
           (str_find(contact, '@') < contact.len && str_find(contact, ' ') == contact.len);
}

/* Whatever has the form of an address is a seed; one other argument may be there, the name. */
static int read_arguments(const struct command_line *line, struct seed_finder *finder, struct str *name)
{
    *name = STR_NONE;
    for (size_t i = 0; i < line->count; i++) {
        if (!strstr(line->arguments[i], "://") && !name->p) {
            *name = str_of(line->arguments[i]);
            continue;
        }
        if (finder->count == SEEDS_MAX)
            return command_misuse(line->command, "more than %d URLs: write the others into the file", SEEDS_MAX);
        if (!url_is_absolute(str_of(line->arguments[i])) || !add_seed(finder, str_of(line->arguments[i])))
            return command_misuse(line->command, "'%s' is not the address of a page: expected http://… or https://…",
                                  line->arguments[i]);
    }
    return EXIT_DONE;
}

static int run_init(const struct command_line *line)
{
    const struct init_options *options = line->options;
    struct topic_draft draft = {0};
    struct seed_finder finder = {0};
    struct errmsg err = {0};
    struct arena arena;
    struct str name;
    int code;

    if (options->background && !options->examples)
        return command_misuse(line->command, "--background needs --examples");
    if (options->contact && !is_contact(options->contact))
        return command_invalid(line->command, "contact", options->contact,
                               "a mail address, or the address of a page");
    arena_init(&arena, (size_t)1 << 30);
    finder.arena = &arena;
    finder.seeds = arena_array(&arena, SEEDS_MAX + 1, sizeof *finder.seeds);
    code = finder.seeds ? read_arguments(line, &finder, &name) : command_exit(errmsg_no_memory(&err), &err);
    if (code == EXIT_DONE && options->examples)
        code = command_exit(draft_from_examples(options, name, &finder, &draft, &err), &err);
    else if (code == EXIT_DONE && !name.p)
        code = command_misuse(line->command, "missing argument NAME");
    else
        draft.name = name;
    if (code == EXIT_DONE) {
        draft.seeds = finder.seeds;
        draft.nseeds = finder.count;
        draft.contact = str_of(options->contact);
        code = write_draft(&draft);
    }
    arena_release(&arena);
    return code;
}

static const struct command_option init_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct init_options, examples, "examples", 0, "DIR",
                   "fill in the topic from a folder of example pages",
                   .manual =
                       "The folder has folders \"positive\" and \"negative\"; or folders that are categories, of which "
                       "NAME (else the first) is the wanted one; or only positive examples. Seeds are the "
                       "addresses that the wanted pages give as their own (canonical links), those inside WARC "
                       "files and those of URL lists, at most 50. NAME defaults to the name of the folder."),
    COMMAND_OPTION(OPTION_STRING, struct init_options, background, "background", 0, "PATH",
                   "pages of all kinds, as negative examples where there are only positive ones"),
    COMMAND_OPTION(OPTION_STRING, struct init_options, contact, "contact", 0, "ADDRESS",
                   "where people can reach you: a mail address or a page; servers see it"),
    {0},
};

const struct command command_init = {
    .name = "init",
    .summary = "Writes NAME.yaml, a commented topic file",
    .arguments = "[NAME] [URL]…",
    .description = "Each URL is a seed: a page on the topic, where the crawl begins.\n"
                   "With --examples, DIR has folders 'positive' and 'negative', or a folder for each category (NAME is "
                   "the wanted one), or only positive examples; NAME defaults to the name of the folder.",
    .example = "scent init tides https://example.org/tides --contact me@example.org\n"
               "scent init hockey --examples saved-pages/",
    .options = init_options,
    .size = sizeof(struct init_options),
    .run = run_init,
};
