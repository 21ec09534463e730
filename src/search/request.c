#include "search/request.h"

#include "text/search_terms.h"

struct parsing {
    struct request *request;
    const struct request_lang *langs;
    size_t nlangs;
    struct text_stemmer *stemmer;
};

/* ---- groups ---- */

static struct request_variant *add_variant(struct request *request, struct str text)
{
    struct request_variant *variant;

    if (request->nvariants == REQUEST_VARIANTS || text.len > sizeof request->text - request->len)
        return NULL;
    variant = &request->variants[request->nvariants++];
    *variant = (struct request_variant){.start = request->len, .len = text.len, .terms = 1};
    memcpy(request->text + request->len, text.p, text.len);
    request->len += text.len;
    return variant;
}

static bool has_variant(const struct request *request, size_t first, struct str text)
{
    for (size_t i = first; i < request->nvariants; i++)
        if (str_eq(request_variant_text(request, &request->variants[i]), text))
            return true;
    return false;
}

/* The stems of a word in the languages of the pages. */
static void add_stems(struct parsing *parsing, size_t first, struct str word)
{
    struct request *request = parsing->request;

    for (size_t i = 0; i < parsing->nlangs; i++) {
        struct str lang = str_of(request->lang[0] ? request->lang : parsing->langs[i].code);
        char plain[TEXT_WORD_MAX];
        struct request_variant *variant;
        struct str stem = {plain, search_terms_plain(text_stem(parsing->stemmer, lang, word), plain)};

        if (stem.len && !has_variant(request, first, stem)) {
            variant = add_variant(request, stem);
            if (variant)
                variant->is_stem = true;
        }
    }
}

/* The group of the terms of `text`; false: it has none, or there are enough. */
static bool add_group(struct parsing *parsing, struct str text, bool negative, bool is_prefix, bool is_phrase)
{
    struct request *request = parsing->request;
    struct request_variant *variant = NULL;
    size_t first = request->nvariants, undo = request->len;
    struct search_terms terms;
    struct search_term term, tail = {0}, word = {0};

    search_terms_init(&terms, text);
    if (request->ngroups == REQUEST_GROUPS)
        return false;
    while ((!variant || variant->terms < REQUEST_TERMS) && search_terms_next(&terms, &term)) {
        if (tail.len && variant) { /* something follows: it counts */
            request->text[request->len++] = ' ';
            memcpy(request->text + request->len, tail.text, tail.len);
            request->len += tail.len;
            variant->terms++;
        }
        tail = (struct search_term){0};
        if (request->len + 2 * TEXT_WORD_MAX + 4 > sizeof request->text)
            break;
        if (term.is_tail) {
            tail = term;
            continue;
        }
        if (!variant) {
            variant = add_variant(request, (struct str){term.text, term.len});
            if (!variant)
                return false;
        } else {
            request->text[request->len++] = ' ';
            memcpy(request->text + request->len, term.text, term.len);
            request->len += term.len;
            variant->terms++;
        }
        variant->is_prefix = search_term_is_character(&term);
        word = term;
    }
    if (!variant)
        return false;
    variant->len = request->len - undo;
    variant->is_prefix |= is_prefix && !word.is_pair;
    if (variant->terms == 1 && !variant->is_prefix && !is_phrase && word.word_len)
        add_stems(parsing, first, (struct str){word.word, word.word_len});
    request->groups[request->ngroups++] =
        (struct request_group){.first = first, .count = request->nvariants - first, .negative = negative};
    return true;
}

/* ---- filters ---- */

static bool take_key(struct str *chunk, struct str key)
{
    if (!str_starts_nocase(*chunk, key) || chunk->len == key.len)
        return false;
    *chunk = str_sub(*chunk, key.len, chunk->len);
    return true;
}

static bool take_filter(struct parsing *parsing, struct str chunk)
{
    struct request *request = parsing->request;

    if (take_key(&chunk, STR("host:"))) {
        size_t group = request->ngroups, len = chunk.len < REQUEST_HOST ? chunk.len : REQUEST_HOST - 1;

        if (!request->host[0] && add_group(parsing, chunk, false, false, true)) {
            request->host_group = group;
            for (size_t i = 0; i < len; i++)
                request->host[i] = ascii_lower(chunk.p[i]);
            request->host[len] = 0;
        }
        return true;
    }
    if (take_key(&chunk, STR("lang:"))) {
        if (!text_lang_code(chunk, request->lang))
            request->lang[0] = 0;
        return true;
    }
    if (take_key(&chunk, STR("relevant:"))) {
        request->irrelevant_only = str_eq_nocase(chunk, STR("no"));
        request->relevant_only = !request->irrelevant_only;
        return true;
    }
    return false;
}

/* ---- parsing ---- */

/* The length of white space at the start; 0: there is none. NUL and control characters separate, too. */
static size_t space_at(struct str s)
{
    if (s.len && (unsigned char)s.p[0] <= ' ')
        return 1;
    return str_starts(s, STR("\xE3\x80\x80")) ? 3 : 0; /* U+3000 */
}

/* From an opening quotation mark to the closing one, or to the end. */
static struct str take_quoted(struct str *rest)
{
    size_t end = str_find(str_sub(*rest, 1, rest->len), '"') + 1;
    struct str text = str_sub(*rest, 1, end);

    *rest = str_sub(*rest, end < rest->len ? end + 1 : end, rest->len);
    return text;
}

static struct str take_chunk(struct str *rest)
{
    size_t end = 0;
    struct str chunk;

    while (end < rest->len && rest->p[end] != '"' && !space_at(str_sub(*rest, end, rest->len)))
        end++;
    chunk = str_sub(*rest, 0, end);
    *rest = str_sub(*rest, end, rest->len);
    return chunk;
}

void request_parse(struct request *request, struct str query, const struct request_lang *langs, size_t nlangs)
{
    struct parsing parsing = {request, langs, nlangs < REQUEST_LANGS ? nlangs : REQUEST_LANGS, text_stemmer_new()};
    struct str rest = {query.p, query.len < REQUEST_BYTES ? query.len : REQUEST_BYTES};

    memset(request, 0, sizeof *request);
    request->host_group = REQUEST_GROUPS;
    while (rest.len) {
        size_t space = space_at(rest);
        bool negative = false, quoted, star;
        struct str text;

        if (space) {
            rest = str_sub(rest, space, rest.len);
            continue;
        }
        if (rest.len > 1 && rest.p[0] == '-' && !space_at(str_sub(rest, 1, rest.len))) {
            negative = true;
            rest = str_sub(rest, 1, rest.len);
        }
        quoted = rest.p[0] == '"';
        text = quoted ? take_quoted(&rest) : take_chunk(&rest);
        if (!quoted && !negative && take_filter(&parsing, text))
            continue;
        star = quoted ? rest.len && rest.p[0] == '*' : str_ends(text, STR("*"));
        (void)!add_group(&parsing, text, negative, star, quoted);
        if (quoted && star)
            rest = str_sub(rest, 1, rest.len);
    }
    text_stemmer_free(parsing.stemmer);
}

struct str request_variant_text(const struct request *request, const struct request_variant *variant)
{
    return (struct str){request->text + variant->start, variant->len};
}

bool request_is_empty(const struct request *request)
{
    for (size_t i = 0; i < request->ngroups; i++)
        if (!request->groups[i].negative)
            return false;
    return true;
}

bool request_has_filter(const struct request *request)
{
    return request->host[0] || request->lang[0] || request->relevant_only || request->irrelevant_only;
}

/* ---- expressions ---- */

static void add_variant_text(const struct request *request, size_t variant, struct buf *out)
{
    buf_addc(out, '"');
    buf_add(out, request_variant_text(request, &request->variants[variant])); /* letters, digits, blanks */
    buf_addz(out, request->variants[variant].is_prefix ? "\" *" : "\"");
}

void request_variant_expression(const struct request *request, size_t variant, struct buf *out)
{
    add_variant_text(request, variant, out);
    buf_addc(out, '\0');
}

/* The variants of a group that are wanted. */
static uint64_t wanted(const struct request_group *group, uint64_t without)
{
    uint64_t all = group->count < 64 ? (1ull << group->count) - 1 : ~0ull;

    return group->count ? (all << group->first) & ~without : 0;
}

static size_t add_variants(const struct request *request, size_t g, uint64_t without, struct buf *out, uint8_t *order)
{
    const struct request_group *group = &request->groups[g];
    size_t count = 0;

    buf_addz(out, g == request->host_group ? "(url : (" : "(");
    for (size_t i = group->first; i < group->first + group->count; i++) {
        if (without >> i & 1)
            continue;
        buf_addz(out, count ? " OR " : "");
        add_variant_text(request, i, out);
        order[count++] = (uint8_t)i;
    }
    buf_addz(out, g == request->host_group ? "))" : ")");
    return count;
}

size_t request_expression(const struct request *request, uint64_t without, enum request_where where, struct buf *out,
                          uint8_t order[REQUEST_VARIANTS])
{
    static const char *const joints[] = {" OR ", " AND ", " OR "};
    size_t phrases = 0;
    bool words = false;

    /* The words, then the host, then what must not be there. */
    for (int pass = 0; pass < 3; pass++) {
        bool begun = false;

        for (size_t g = 0; g < request->ngroups; g++) {
            const struct request_group *group = &request->groups[g];
            int of = group->negative ? 2 : g == request->host_group ? 1 : 0;

            if (of != pass || !wanted(group, without))
                continue;
            if (!begun && pass == 0)
                buf_addz(out, where == REQUEST_HEADS ? "({title url} : (" : "(");
            else if (!begun && pass == 1)
                buf_addz(out, words ? " AND " : "");
            else if (!begun)
                buf_addz(out, " NOT (");
            else
                buf_addz(out, pass == 0 && where != REQUEST_ANY ? " AND " : joints[pass]);
            begun = true;
            phrases += add_variants(request, g, without, out, order + phrases);
        }
        if (begun && pass != 1)
            buf_addz(out, pass == 0 && where == REQUEST_HEADS ? "))" : ")");
        words |= begun;
    }
    buf_addc(out, '\0');
    return phrases;
}
