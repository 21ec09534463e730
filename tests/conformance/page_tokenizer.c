/* The tokenizer cases of html5lib-tests against page/token.h.
 *
 * Compared, in order: start tags with name, attributes and self-closing flag, end tags with their name, and the
 * characters between them, references decoded. Not compared: parse errors, and comments and doctypes as such (they are
 * skipped; that they end where they should shows in what follows). Names are known by hash; attribute names come as
 * written and are folded here, and the first of a name counts, as it does for token_attribute().
 * The input is preprocessed as the standard says (CR LF and CR become LF). 0 bytes never reach the tokenizer: they are
 * taken from the input, and with them from the expected output, where the standard leaves them or makes them U+FFFD. */
#include "base/file.h"
#include "base/str.h"
#include "json/json.h"
#include "page/token.h"
#include "test.h"

#include <dirent.h>

#define DATA SCENT_SHARED "/conformance/html/tokenizer/"

/* xmlViolation.test wants the output changed to fit XML; we make no XML. */
static const char left_out_file[] = "xmlViolation.test";

/* Without its 0 byte each of these is another document: no attribute, or no tag at all. */
static const char *const known_differences[] = {
    "</\\u0000", "<a \\u0000>", "<a a \\u0000>", "<a a=''\\u0000>", "<a/\\u0000>",
};

struct tally {
    size_t run, passed, known, no_start_tag;
};

struct expectation {
    const struct json *test, *output;
    size_t next;
    bool zeros; /* the input had some */
};

static void add_character(struct buf *out, uint32_t c)
{
    char reference[16], utf8[CHARREF_MAX];
    size_t len;
    int n = snprintf(reference, sizeof reference, "&#%u;", c);

    if (c < 0x80) {
        buf_addc(out, (char)c);
        return;
    }
    assert_true(charref_read((struct str){reference, (size_t)n}, false, utf8, &len) > 0);
    buf_add(out, (struct str){utf8, len});
}

static uint32_t escaped_unit(struct str s, size_t at)
{
    char digits[5] = "";

    if (s.len < at + 6 || s.p[at] != '\\' || s.p[at + 1] != 'u')
        return UINT32_MAX;
    memcpy(digits, s.p + at + 2, 4);
    return (uint32_t)strtoul(digits, NULL, 16);
}

/* "doubleEscaped" cases: \uHHHH once more. */
static void unescape(struct str s, struct buf *out)
{
    for (size_t i = 0; i < s.len;) {
        uint32_t c = escaped_unit(s, i), low = c >= 0xD800 && c < 0xDC00 ? escaped_unit(s, i + 6) : UINT32_MAX;

        if (c == UINT32_MAX) {
            buf_addc(out, s.p[i++]);
            continue;
        }
        i += 6;
        if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
        }
        add_character(out, c);
    }
}

static void drop_all(struct buf *buf, struct str what)
{
    size_t n = 0;

    for (size_t i = 0; i < buf->len;) {
        if (str_starts(str_sub(buf_str(buf), i, buf->len), what))
            i += what.len;
        else
            buf->p[n++] = buf->p[i++];
    }
    buf->len = n;
}

static void add_wanted(const struct expectation *want, struct str s, struct buf *out)
{
    if (json_as_bool(json_get(want->test, "doubleEscaped")))
        unescape(s, out);
    else
        buf_add(out, s);
    if (want->zeros) {
        drop_all(out, (struct str){"", 1});
        drop_all(out, STR(UTF8_REPLACEMENT));
    }
}

static void normalise_newlines(struct buf *buf)
{
    size_t n = 0;

    for (size_t i = 0; i < buf->len; i++)
        if (buf->p[i] != '\r')
            buf->p[n++] = buf->p[i];
        else if (i + 1 == buf->len || buf->p[i + 1] != '\n')
            buf->p[n++] = '\n';
    buf->len = n;
}

/* Collects the text up to the next tag, which is returned; NULL at the end. */
static const struct json *next_wanted(struct expectation *want, struct buf *text)
{
    while (want->next < json_count(want->output)) {
        const struct json *token = json_at(want->output, want->next++);
        struct str kind = json_as_str(json_at(token, 0));

        if (str_eq(kind, STR("StartTag")) || str_eq(kind, STR("EndTag")))
            return token;
        if (str_eq(kind, STR("Character")))
            add_wanted(want, json_as_str(json_at(token, 1)), text);
    }
    return NULL;
}

static void add_text(struct str text, bool has_references, struct buf *out)
{
    assert_true(buf_reserve(out, 2 * text.len + 1));
    if (!has_references)
        buf_add(out, text);
    else if (text.len)
        out->len += charref_decode(text, false, out->p + out->len);
}

static bool next_got(struct tokenizer *tokenizer, struct buf *text, struct token *out)
{
    while (token_next(tokenizer, out)) {
        if (out->kind != TOKEN_TEXT)
            return true;
        add_text(out->text, !out->is_cdata, text);
    }
    return false;
}

static bool names_match(const struct expectation *want, struct str name, uint64_t hash)
{
    struct buf text;
    bool same;

    buf_init(&text, 0);
    add_wanted(want, name, &text);
    same = page_tag_hash(buf_str(&text)) == hash;
    buf_release(&text);
    return same;
}

static bool value_matches(const struct expectation *want, const struct json *value, struct str got)
{
    struct buf text;
    bool same;

    buf_init(&text, 0);
    add_wanted(want, json_as_str(value), &text);
    same = json_is_str(value) && str_eq(buf_str(&text), got);
    buf_release(&text);
    return same;
}

static bool is_first_of_its_name(const struct token_attributes *attributes, unsigned i)
{
    for (unsigned j = 0; j < i; j++)
        if (str_eq_nocase(attributes->items[i].name, attributes->items[j].name))
            return false;
    return true;
}

static bool attributes_match(const struct expectation *want, const struct json *members,
                             const struct token_attributes *got)
{
    size_t count = 0;

    for (unsigned i = 0; i < got->count; i++) {
        const struct json *value;
        char key[128];
        size_t len = got->items[i].name.len;

        if (!is_first_of_its_name(got, i))
            continue;
        assert_true(len < sizeof key);
        for (size_t j = 0; j < len; j++)
            key[j] = ascii_lower(got->items[i].name.p[j]);
        key[len] = 0;
        value = json_get(members, key);
        if ((value || !want->zeros) && !value_matches(want, value, got->items[i].value))
            return false; /* a name that had zeros is counted only */
        count++;
    }
    return count == json_members(members);
}

static bool tags_match(const struct expectation *want, const struct json *token, const struct token *got)
{
    bool start = str_eq(json_as_str(json_at(token, 0)), STR("StartTag"));

    return start == (got->kind == TOKEN_START) && names_match(want, json_as_str(json_at(token, 1)), got->name) &&
           (!start || (got->closes_itself == json_as_bool(json_at(token, 3)) &&
                       attributes_match(want, json_at(token, 2), &got->attributes)));
}

/* Puts the tokenizer into the initial state; what that reads already goes to `text`. */
static void enter_state(struct tokenizer *tokenizer, struct str state, enum page_tag tag, struct buf *text)
{
    tokenizer->foreign = str_eq(state, STR("CDATA section state"));
    if (str_eq(state, STR("PLAINTEXT state")))
        add_text(token_rest(tokenizer), false, text);
    else if (tag != PAGE_TAG_OTHER)
        add_text(token_raw_text(tokenizer, tag), str_eq(state, STR("RCDATA state")), text);
}

static bool compare(struct expectation *want, struct str state, enum page_tag tag, struct str input)
{
    struct tokenizer tokenizer;
    struct buf got_text, want_text;
    const struct json *wanted;
    struct token token;
    bool good, more;

    buf_init(&got_text, 0);
    buf_init(&want_text, 0);
    tokenizer_init(&tokenizer);
    tokenizer.all_attributes = true;
    tokenizer_start(&tokenizer, input);
    enter_state(&tokenizer, state, tag, &got_text);
    do {
        more = next_got(&tokenizer, &got_text, &token);
        wanted = next_wanted(want, &want_text);
        good = str_eq(buf_str(&got_text), buf_str(&want_text)) && more == (wanted != NULL) &&
               (!more || tags_match(want, wanted, &token));
        if (!str_eq(buf_str(&got_text), buf_str(&want_text)))
            print_message("got \"%.*s\", want \"%.*s\"\n", STR_ARG(buf_str(&got_text)), STR_ARG(buf_str(&want_text)));
        buf_clear(&got_text);
        buf_clear(&want_text);
    } while (good && more);
    tokenizer_release(&tokenizer);
    buf_release(&got_text);
    buf_release(&want_text);
    return good;
}

/* The element whose content the state belongs to; its end tag ends it. */
static enum page_tag element_of(const struct json *test, struct str state)
{
    struct str last = json_as_str(json_get(test, "lastStartTag"));

    if (last.len)
        return page_tag_find(last);
    return str_eq(state, STR("RCDATA state"))        ? PAGE_TAG_TITLE
           : str_eq(state, STR("RAWTEXT state"))     ? PAGE_TAG_STYLE
           : str_eq(state, STR("Script data state")) ? PAGE_TAG_SCRIPT
                                                     : PAGE_TAG_OTHER;
}

static bool run_in_state(const struct json *test, struct str state)
{
    struct expectation want = {.test = test, .output = json_get(test, "output")};
    struct buf input;
    bool good;

    buf_init(&input, 0);
    if (str_eq(state, STR("CDATA section state")))
        buf_addz(&input, "<![CDATA[");
    if (json_as_bool(json_get(test, "doubleEscaped")))
        unescape(json_as_str(json_get(test, "input")), &input);
    else
        buf_add(&input, json_as_str(json_get(test, "input")));
    normalise_newlines(&input);
    want.zeros = str_find(buf_str(&input), 0) < input.len;
    if (want.zeros)
        drop_all(&input, (struct str){"", 1});
    good = compare(&want, state, element_of(test, state), buf_str(&input));
    if (!good)
        print_message("FAILED %.*s, %.*s: \"%.*s\"\n", STR_ARG(json_as_str(json_get(test, "description"))),
                      STR_ARG(state), STR_ARG(buf_str(&input)));
    buf_release(&input);
    return good;
}

/* Without a last start tag no end tag ends the text; our interface knows no such state. */
static bool needs_no_start_tag(const struct json *test, struct str state)
{
    struct str input = json_as_str(json_get(test, "input"));
    enum page_tag tag = element_of(test, state);

    return tag != PAGE_TAG_OTHER && !json_get(test, "lastStartTag") &&
           memmem(input.p, input.len, page_tag_name(tag), strlen(page_tag_name(tag)));
}

static bool is_known_difference(const struct json *test)
{
    struct str description = json_as_str(json_get(test, "description"));

    for (size_t i = 0; i < sizeof known_differences / sizeof *known_differences; i++)
        if (str_eq(description, str_of(known_differences[i])))
            return true;
    return false;
}

static void run_case(const struct json *test, struct tally *tally)
{
    const struct json *states = json_get(test, "initialStates");
    size_t count = states ? json_count(states) : 1;

    for (size_t i = 0; i < count; i++) {
        struct str state = states ? json_as_str(json_at(states, i)) : STR("Data state");

        if (needs_no_start_tag(test, state)) {
            tally->no_start_tag++;
            continue;
        }
        tally->run++;
        if (is_known_difference(test))
            tally->known += !run_in_state(test, state);
        else
            tally->passed += run_in_state(test, state);
    }
}

static void run_file(const char *name, struct tally *sum)
{
    struct tally tally = {0};
    struct json *root = NULL;
    struct errmsg err = {""};
    struct buf text;
    char path[512];

    snprintf(path, sizeof path, DATA "%s", name);
    buf_init(&text, 16 << 20);
    assert_ok(file_read(path, &text, &err), err);
    assert_ok(json_parse(buf_str(&text), &root, &err), err);
    for (size_t i = 0; i < json_count(json_get(root, "tests")); i++)
        run_case(json_at(json_get(root, "tests"), i), &tally);
    print_message("%-30s %4zu run, %4zu passed, %zu known to differ; left out: %zu without last start tag\n", name,
                  tally.run, tally.passed, tally.known, tally.no_start_tag);
    sum->run += tally.run;
    sum->passed += tally.passed;
    sum->known += tally.known;
    json_free(root);
    buf_release(&text);
}

static void tokens_are_those_of_the_standard(void **state)
{
    struct tally sum = {0};
    struct dirent **entries;
    int count = scandir(DATA, &entries, NULL, alphasort);

    (void)state;
    for (int i = 0; i < count; i++) {
        if (str_ends(str_of(entries[i]->d_name), STR(".test")) && strcmp(entries[i]->d_name, left_out_file) != 0)
            run_file(entries[i]->d_name, &sum);
        free(entries[i]);
    }
    free(entries);
    print_message("%zu run, %zu passed, %zu known to differ\n", sum.run, sum.passed, sum.known);
    assert_true(sum.run > 6000);
    assert_int_equal(sum.known, sizeof known_differences / sizeof *known_differences);
    assert_int_equal(sum.passed + sum.known, sum.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tokens_are_those_of_the_standard)};

    if (!file_exists(DATA "test1.test")) {
        printf("skipped: " DATA " is absent\n");
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
