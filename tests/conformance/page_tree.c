/* The tree-construction cases of html5lib-tests against what page_analyse() makes of the same document.
 *
 * We build no tree. From each expected tree this derives what a crawler takes from a page: the title, the text that a
 * reader sees (a line for each block, cells set off by a space, white space folded; nothing from script, style,
 * template, noscript, …), and the anchors: href and text, in document order; neighbours with one href count as one,
 * because the standard's parser splits an anchor around blocks. All of it has to be the same.
 * Left out: fragments (page_analyse() knows whole documents only) and cases with scripts on. */
#include "base/file.h"
#include "page/page.h"
#include "page/tag.h"
#include "test.h"

#include <dirent.h>

#define DATA SCENT_SHARED "/conformance/html/tree-construction/"

enum outcome { SAME, OTHER_SPACE, OTHER_ORDER, OTHER_LINKS, OTHER_TEXT, OTHER_TITLE, OUTCOMES };
static const char *const outcome_names[OUTCOMES] = {
    "passed", "white space differs", "order differs", "links differ", "text differs", "title differs",
};

/* Where we differ, by decision: the reason is the first whose sign stands in the document and whose outcome it is. */
static const struct reason {
    const char *text;
    struct str sign;
    unsigned outcomes; /* bits */
    size_t count;      /* of cases */
} reasons[] = {
    {"0 bytes are dropped, not shown as U+FFFD", {"", 1}, 1 << OTHER_TEXT, 7},
    {"noframes is for us and read as markup", {"noframes", 8}, 1 << OTHER_TEXT, 6},
    {"text beside frames is kept", {"<frameset", 9}, 1 << OTHER_TEXT, 8},
    {"noscript in the head keeps to itself what it holds", {"<noscript", 9}, 1 << OTHER_TEXT, 2},
    {"an option is not copied to selectedcontent", {"<selectedcontent", 16}, 1 << OTHER_TEXT, 4},
    {"nothing is moved out of tables", {"<table", 6}, 1 << OTHER_SPACE | 1 << OTHER_ORDER | 1 << OTHER_LINKS, 16},
    {"</a> ends the blocks inside it", {"<a", 2}, 1 << OTHER_SPACE, 8},
    {"an anchor ends with the block it stands in", {"<a", 2}, 1 << OTHER_LINKS, 2},
};
enum { REASONS = sizeof reasons / sizeof *reasons };

struct tally {
    size_t run, passed, fragments, scripts, reasons[REASONS + 1]; /* the last: none */
};

enum { ANCHORS_MAX = 200, DEPTH_MAX = 600, ANCHOR_TEXT_MAX = 256 };

struct view { /* of a page: what is compared */
    struct buf title, text;
    size_t nanchors;
    struct anchor {
        struct str href;
        struct buf text; /* without white space */
    } anchors[ANCHORS_MAX];
};

struct open { /* an element of the expected tree */
    enum page_tag tag;
    bool html, hidden; /* not svg or math; not seen by readers */
    size_t anchor;     /* its number + 1, once its href is known */
};

struct walk {
    struct view *view;
    struct open open[DEPTH_MAX];
    size_t depth;
    char separator, title_separator;
    bool has_title, in_title;
    bool all_anchors; /* every <a> counts as <a href=x> */
};

static struct arena arena;
static struct url document;

static void view_init(struct view *view)
{
    buf_init(&view->title, 0);
    buf_init(&view->text, 0);
    view->nanchors = 0;
}

static void view_release(struct view *view)
{
    buf_release(&view->title);
    buf_release(&view->text);
    for (size_t i = 0; i < view->nanchors; i++)
        buf_release(&view->anchors[i].text);
}

static size_t view_add_anchor(struct view *view, struct str href)
{
    assert_true(view->nanchors < ANCHORS_MAX);
    view->anchors[view->nanchors].href = href;
    buf_init(&view->anchors[view->nanchors].text, 0);
    return ++view->nanchors;
}

static void add_without_space(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] > ' ')
            buf_addc(out, s.p[i]);
}

static void add_folded(struct buf *out, char *separator, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.p[i] <= ' ') {
            *separator = *separator ? *separator : ' ';
            continue;
        }
        if (*separator && out->len)
            buf_addc(out, *separator);
        *separator = 0;
        buf_addc(out, s.p[i]);
    }
}

/* Neighbours of one href become one. */
static void merge_anchors(struct view *view)
{
    size_t n = 0;

    for (size_t i = 0; i < view->nanchors; i++) {
        struct anchor *anchor = &view->anchors[i];

        if (n && str_eq(view->anchors[n - 1].href, anchor->href)) {
            buf_add(&view->anchors[n - 1].text, buf_str(&anchor->text));
            buf_release(&anchor->text);
        } else {
            view->anchors[n++] = *anchor;
        }
    }
    view->nanchors = n;
}

/* A block stands on a line of its own. */
static void set_off(struct walk *walk, enum page_tag tag)
{
    unsigned flags = page_tag_flags(tag);

    if (flags & PAGE_TAG_BLOCK)
        walk->separator = '\n';
    else if ((flags & PAGE_TAG_CELL) && !walk->separator)
        walk->separator = ' ';
}

static void keep_open(struct walk *walk, size_t depth)
{
    for (; walk->depth > depth; walk->depth--) {
        set_off(walk, walk->open[walk->depth - 1].tag);
        if (walk->open[walk->depth - 1].tag == PAGE_TAG_TITLE)
            walk->in_title = false;
    }
}

static bool is_hidden(const struct walk *walk)
{
    return walk->depth && walk->open[walk->depth - 1].hidden;
}

static bool inside(const struct walk *walk, enum page_tag tag)
{
    for (size_t i = 0; i < walk->depth; i++)
        if (walk->open[i].tag == tag)
            return true;
    return false;
}

/* The href of an anchor, if it is a link to us. */
static void add_href(struct walk *walk, struct str value)
{
    struct url url;

    if (!str_trim(value).len || inside(walk, PAGE_TAG_TEMPLATE) ||
        url_parse(&arena, value, &document, &url) != SCENT_OK || url_normalise(&arena, &url, 0, &url) != SCENT_OK ||
        str_eq(url.href, document.href))
        return;
    walk->open[walk->depth - 1].anchor = view_add_anchor(walk->view, url.href);
}

/* "p", "svg a", "math mi" */
static void start_element(struct walk *walk, struct str name)
{
    size_t prefix = str_starts(name, STR("svg ")) ? 4 : str_starts(name, STR("math ")) ? 5 : 0;
    struct str local = str_sub(name, prefix, name.len);
    struct open open = {.tag = page_tag_find(local), .html = local.len == name.len};
    bool is_title = open.tag == PAGE_TAG_TITLE && open.html;

    assert_true(walk->depth < DEPTH_MAX);
    set_off(walk, open.tag);
    open.hidden = is_hidden(walk) || (page_tag_flags(open.tag) & PAGE_TAG_UNREAD) || (is_title && walk->has_title);
    walk->in_title = is_title && !open.hidden;
    walk->has_title = walk->has_title || walk->in_title;
    walk->open[walk->depth++] = open;
    if (open.tag == PAGE_TAG_A && walk->all_anchors)
        add_href(walk, STR("x"));
}

static void add_attribute(struct walk *walk, struct str line)
{
    size_t equals = str_find(line, '=');
    struct str name = str_sub(line, 0, equals);
    enum page_tag tag = walk->depth ? walk->open[walk->depth - 1].tag : PAGE_TAG_OTHER;

    if ((tag == PAGE_TAG_A || tag == PAGE_TAG_AREA) && str_eq(name, STR("href")))
        add_href(walk, str_sub(line, equals + 2, line.len - 1));
}

static void add_text(struct walk *walk, struct str text)
{
    if (walk->in_title)
        add_folded(&walk->view->title, &walk->title_separator, text);
    if (is_hidden(walk) || walk->in_title)
        return;
    add_folded(&walk->view->text, &walk->separator, text);
    for (size_t i = 0; i < walk->depth; i++)
        if (walk->open[i].anchor)
            add_without_space(&walk->view->anchors[walk->open[i].anchor - 1].text, text);
}

/* One node of the dump; `line` begins after its "| ". */
static void add_node(struct walk *walk, struct str line)
{
    size_t spaces = 0;

    while (spaces < line.len && line.p[spaces] == ' ')
        spaces++;
    line = str_sub(line, spaces, line.len);
    keep_open(walk, spaces / 2 < walk->depth ? spaces / 2 : walk->depth);
    if (str_starts(line, STR("\"")))
        add_text(walk, str_sub(line, 1, line.len - 1));
    else if (str_eq(line, STR("content"))) /* of a template */
        start_element(walk, STR("template"));
    else if (str_starts(line, STR("<!")) || str_starts(line, STR("<?")))
        return;
    else if (str_starts(line, STR("<")))
        start_element(walk, str_sub(line, 1, line.len - 1));
    else
        add_attribute(walk, line);
}

/* Where the next node's line begins: text may have line breaks of its own. */
static size_t find_node(struct str s, size_t pos)
{
    while (pos < s.len) {
        pos += str_find(str_sub(s, pos, s.len), '\n') + 1;
        if (pos < s.len && str_starts(str_sub(s, pos, s.len), STR("| ")))
            return pos;
    }
    return s.len + 1;
}

static void view_of_tree(struct str dump, bool all_anchors, struct view *view)
{
    struct walk walk = {.view = view, .all_anchors = all_anchors};

    for (size_t pos = 0, next; pos < dump.len; pos = next) {
        next = find_node(dump, pos);
        add_node(&walk, str_sub(dump, pos + 2, next - 1));
    }
    merge_anchors(view);
}

static void view_of_page(struct page_analyser *analyser, struct str html, struct view *view)
{
    struct page_input input = {&document, STR("Content-Type: text/html; charset=utf-8\r\n"), html};
    struct page page;

    assert_int_equal(page_analyse(analyser, &input, &arena, &page), SCENT_OK);
    buf_add(&view->title, page.title);
    buf_add(&view->text, page.text);
    for (uint32_t i = 0; i < page.nlinks; i++)
        if (page.links[i].kind == PAGE_LINK_ANCHOR) {
            size_t n = view_add_anchor(view, page.links[i].url.href);

            add_without_space(&view->anchors[n - 1].text, page.links[i].anchor);
        }
    merge_anchors(view);
}

static int by_value(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static bool same_without_space(const struct buf *a, const struct buf *b, bool in_order)
{
    struct buf x, y;
    bool same;

    buf_init(&x, 0);
    buf_init(&y, 0);
    add_without_space(&x, buf_str(a));
    add_without_space(&y, buf_str(b));
    if (!in_order && x.len && y.len) {
        qsort(x.p, x.len, 1, by_value);
        qsort(y.p, y.len, 1, by_value);
    }
    same = str_eq(buf_str(&x), buf_str(&y));
    buf_release(&x);
    buf_release(&y);
    return same;
}

static bool same_anchors(const struct view *got, const struct view *want)
{
    if (got->nanchors != want->nanchors)
        return false;
    for (size_t i = 0; i < got->nanchors; i++)
        if (!str_eq(got->anchors[i].href, want->anchors[i].href) ||
            !str_eq(buf_str(&got->anchors[i].text), buf_str(&want->anchors[i].text)))
            return false;
    return true;
}

static enum outcome compare(const struct view *got, const struct view *want)
{
    if (!str_eq(buf_str(&got->title), buf_str(&want->title)))
        return OTHER_TITLE;
    if (!same_without_space(&got->text, &want->text, false))
        return OTHER_TEXT;
    if (!same_anchors(got, want))
        return OTHER_LINKS;
    if (str_eq(buf_str(&got->text), buf_str(&want->text)))
        return SAME;
    return same_without_space(&got->text, &want->text, true) ? OTHER_SPACE : OTHER_ORDER;
}

static void print_view(const char *name, const struct view *view)
{
    print_message("  %s: \"%.*s\" [%.*s]", name, STR_ARG(buf_str(&view->text)), STR_ARG(buf_str(&view->title)));
    for (size_t i = 0; i < view->nanchors; i++)
        print_message(" <%.*s> %.*s", STR_ARG(view->anchors[i].href), STR_ARG(buf_str(&view->anchors[i].text)));
    print_message("\n");
}

/* `s` with every `from` replaced. */
static struct str replace(struct str s, struct str from, struct str to)
{
    struct buf out;
    struct str copy;

    buf_init(&out, 0);
    for (size_t i = 0; i < s.len;) {
        bool here = str_starts(str_sub(s, i, s.len), from);

        buf_add(&out, here ? to : str_sub(s, i, i + 1));
        i += here ? from.len : 1;
    }
    copy = arena_str(&arena, buf_str(&out));
    buf_release(&out);
    return copy;
}

static size_t find_reason(struct str html, enum outcome outcome)
{
    size_t i = 0;

    while (i < REASONS && (!(reasons[i].outcomes & 1u << outcome) ||
                           !memmem(html.p, html.len, reasons[i].sign.p, reasons[i].sign.len)))
        i++;
    return i;
}

static void run_document(struct page_analyser *analyser, struct str html, struct str dump, bool all_anchors,
                         struct tally *tally)
{
    struct view got, want;
    enum outcome outcome;

    view_init(&got);
    view_init(&want);
    view_of_tree(dump, all_anchors, &want);
    view_of_page(analyser, html, &got);
    outcome = compare(&got, &want);
    tally->run++;
    tally->passed += outcome == SAME;
    if (outcome != SAME) {
        size_t reason = find_reason(html, outcome);

        tally->reasons[reason]++;
        print_message("%s (%s): %.*s\n", outcome_names[outcome],
                      reason < REASONS ? reasons[reason].text : "FOR NO KNOWN REASON", STR_ARG(html));
        print_view("got ", &got);
        print_view("want", &want);
    }
    view_release(&got);
    view_release(&want);
}

/* Few of the cases have an href; where <a> stands alone it becomes a link in a second run. */
static void run_twice(struct page_analyser *analyser, struct str html, struct str dump, struct tally *tally)
{
    run_document(analyser, html, dump, false, tally);
    if (memmem(html.p, html.len, "<a>", 3) && !memmem(html.p, html.len, "<a ", 3))
        run_document(analyser, replace(html, STR("<a>"), STR("<a href=x>")), dump, true, tally);
}

/* The offset of a line that begins so; s.len when there is none. */
static size_t find_line(struct str s, const char *start)
{
    const char *at = str_starts(s, str_of(start)) ? s.p : memmem(s.p, s.len, start, strlen(start));

    while (at && at != s.p && at[-1] != '\n')
        at = memmem(at + 1, s.len - (size_t)(at + 1 - s.p), start, strlen(start));
    return at ? (size_t)(at - s.p) : s.len;
}

/* From after "#data\n" to the next case. */
static void run_case(struct page_analyser *analyser, struct str s, struct tally *tally)
{
    size_t errors = find_line(s, "#errors"), tree = find_line(s, "#document\n");
    struct str html = str_sub(s, 0, errors ? errors - 1 : 0), head = str_sub(s, errors, tree);

    if (find_line(head, "#document-fragment") < head.len)
        tally->fragments++;
    else if (find_line(head, "#script-on") < head.len)
        tally->scripts++;
    else
        run_twice(analyser, html, str_sub(s, tree + sizeof "#document\n" - 1, s.len), tally);
    arena_reset(&arena);
    assert_int_equal(url_parse(&arena, STR("http://site.test/dir/page.html"), NULL, &document), SCENT_OK);
}

static void run_file(struct page_analyser *analyser, const char *name, struct tally *sum)
{
    struct tally tally = {0};
    struct errmsg err = {""};
    struct str rest;
    struct buf text;
    char path[512];

    snprintf(path, sizeof path, DATA "%s", name);
    buf_init(&text, 16 << 20);
    assert_ok(file_read(path, &text, &err), err);
    rest = str_sub(buf_str(&text), sizeof "#data\n" - 1, text.len);
    while (rest.len) {
        const char *next = memmem(rest.p, rest.len, "\n\n#data\n", 8);
        size_t end = next ? (size_t)(next - rest.p) : rest.len - (rest.p[rest.len - 1] == '\n');

        run_case(analyser, str_sub(rest, 0, end), &tally);
        rest = str_sub(rest, next ? end + 8 : rest.len, rest.len);
    }
    buf_release(&text);
    print_message("== %-40s %4zu run, %4zu passed; left out: %zu fragments, %zu with scripts\n", name, tally.run,
                  tally.passed, tally.fragments, tally.scripts);
    sum->run += tally.run;
    sum->passed += tally.passed;
    sum->fragments += tally.fragments;
    sum->scripts += tally.scripts;
    for (size_t i = 0; i <= REASONS; i++)
        sum->reasons[i] += tally.reasons[i];
}

static void pages_are_those_of_the_standard(void **state)
{
    struct page_analyser *analyser = page_analyser_new(&(struct page_options){0});
    struct tally sum = {0};
    struct dirent **entries;
    int count = scandir(DATA, &entries, NULL, alphasort);

    (void)state;
    for (int i = 0; i < count; i++) {
        if (str_ends(str_of(entries[i]->d_name), STR(".dat")))
            run_file(analyser, entries[i]->d_name, &sum);
        free(entries[i]);
    }
    free(entries);
    page_analyser_free(analyser);
    print_message("== %zu run, %zu passed; left out: %zu fragments, %zu with scripts\n", sum.run, sum.passed,
                  sum.fragments, sum.scripts);
    for (size_t i = 0; i < REASONS; i++)
        print_message("== %4zu (known: %zu) %s\n", sum.reasons[i], reasons[i].count, reasons[i].text);
    assert_true(sum.run > 1000);
    assert_int_equal(sum.reasons[REASONS], 0);
    for (size_t i = 0; i < REASONS; i++)
        assert_true(sum.reasons[i] <= reasons[i].count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages_are_those_of_the_standard)};
    int failed;

    if (!file_exists(DATA "tests1.dat")) {
        printf("skipped: " DATA " is absent\n");
        return TEST_SKIPPED;
    }
    arena_init(&arena, 64 << 20);
    assert_int_equal(url_parse(&arena, STR("http://site.test/dir/page.html"), NULL, &document), SCENT_OK);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    return failed;
}
