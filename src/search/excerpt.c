#include "search/excerpt.h"

#include "base/vec.h"
#include "text/search_terms.h"

#include <stdlib.h>

enum { BEFORE = 60 }; /* bytes of context */

/* A term of the text. */
struct place {
    uint64_t hash, stem;
    uint32_t start, end;
    uint64_t begins; /* a bit for each variant whose last term, a prefix, it begins with */
};

/* A variant that was found. */
struct match {
    uint32_t start, end;
    uint8_t group;
};

struct search {
    const struct request *request;
    const double *weights;
    struct str text;
    struct place *places;
    size_t nplaces, places_room;
    struct match *matches;
    size_t nmatches, matches_room;
    uint64_t hashes[REQUEST_VARIANTS][REQUEST_TERMS];
};

/* ---- what stands in the text ---- */

static struct str last_term(struct str text)
{
    for (size_t i = text.len; i; i--)
        if (text.p[i - 1] == ' ')
            return str_sub(text, i, text.len);
    return text;
}

static scent_status read_places(struct search *search, struct str lang, struct text_stemmer *stemmer)
{
    const struct request *request = search->request;
    bool stems = text_has_stemmer(lang);
    struct search_terms terms;
    struct search_term term;

    search_terms_init(&terms, search->text);
    while (search_terms_next(&terms, &term)) {
        struct str text = {term.text, term.len};
        struct place place = {.hash = text_word_hash(text), .start = (uint32_t)term.start, .end = (uint32_t)term.end};

        place.stem = place.hash;
        if (stems && term.word_len) {
            char plain[TEXT_WORD_MAX];
            size_t len = search_terms_plain(text_stem(stemmer, lang, (struct str){term.word, term.word_len}), plain);

            place.stem = text_word_hash((struct str){plain, len});
        }
        for (size_t v = 0; v < request->nvariants; v++)
            if (request->variants[v].is_prefix &&
                str_starts(text, last_term(request_variant_text(request, &request->variants[v]))))
                place.begins |= 1ull << v;
        if (!vec_reserve(&search->places, &search->places_room, search->nplaces + 1, sizeof place))
            return SCENT_E_NOMEM;
        search->places[search->nplaces++] = place;
    }
    return SCENT_OK;
}

static bool stands_at(const struct search *search, size_t v, size_t at)
{
    const struct request_variant *variant = &search->request->variants[v];

    if (variant->terms > search->nplaces - at)
        return false;
    for (size_t i = 0; i < variant->terms; i++) {
        const struct place *place = &search->places[at + i];
        uint64_t hash = search->hashes[v][i];

        if (variant->is_prefix && i + 1 == variant->terms
                ? !(place->begins >> v & 1)
                : place->hash != hash && !(variant->is_stem && place->stem == hash))
            return false;
    }
    return true;
}

static scent_status find_matches(struct search *search)
{
    const struct request *request = search->request;

    for (size_t v = 0; v < request->nvariants; v++) {
        struct str text = request_variant_text(request, &request->variants[v]), term;

        for (size_t i = 0; i < REQUEST_TERMS && str_split(&text, ' ', &term); i++)
            search->hashes[v][i] = text_word_hash(term);
    }
    for (size_t at = 0; at < search->nplaces; at++)
        for (size_t g = 0; g < request->ngroups; g++) {
            const struct request_group *group = &request->groups[g];

            for (size_t v = group->first; v < group->first + group->count; v++) {
                if (group->negative || g == request->host_group || !stands_at(search, v, at))
                    continue;
                if (!vec_reserve(&search->matches, &search->matches_room, search->nmatches + 1, sizeof(struct match)))
                    return SCENT_E_NOMEM;
                search->matches[search->nmatches++] =
                    (struct match){search->places[at].start,
                                   search->places[at + request->variants[v].terms - 1].end, (uint8_t)g};
                break;
            }
        }
    return SCENT_OK;
}

/* ---- the best part ---- */

/* The match at which it begins: of the windows that begin with one, that with the most and the rarest words. */
static size_t choose_window(const struct search *search)
{
    enum { WIDTH = EXCERPT_BYTES - BEFORE };
    double best = -1;
    size_t chosen = 0;

    for (size_t i = 0; i < search->nmatches; i++) {
        double score = 0;
        uint32_t groups = 0;

        for (size_t k = i; k < search->nmatches && search->matches[k].end <= search->matches[i].start + WIDTH; k++) {
            uint8_t group = search->matches[k].group;

            score += groups >> group & 1 ? .02 : .1 + search->weights[group];
            groups |= 1u << group;
        }
        if (score > best) {
            best = score;
            chosen = i;
        }
    }
    return chosen;
}

static size_t back_to_space(struct str text, size_t at, size_t least)
{
    size_t i = at;

    while (i > least && !ascii_is_space(text.p[i - 1]))
        i--;
    if (i > least || least == 0)
        return i;
    while (at < text.len && ((unsigned char)text.p[at] & 0xC0) == 0x80) /* no blanks: between two characters */
        at++;
    return at;
}

/* Copies the part with its blanks as one; marks the matches in it. */
static scent_status write_part(const struct search *search, size_t from, size_t to, struct arena *arena,
                               struct excerpt *out)
{
    char *p = arena_alloc(arena, to - from + 1);
    size_t n = 0, m = 0, open = SIZE_MAX;

    if (!p)
        return SCENT_E_NOMEM;
    while (m < search->nmatches && search->matches[m].start < from)
        m++;
    for (size_t i = from; i <= to; i++) {
        if (open != SIZE_MAX && i >= open) {
            out->marks[out->count++].end = (uint32_t)n;
            open = SIZE_MAX;
        }
        for (; m < search->nmatches && search->matches[m].start <= i; m++)
            if (open == SIZE_MAX && out->count < EXCERPT_MARKS && search->matches[m].start == i &&
                search->matches[m].end <= to) {
                out->marks[out->count].start = (uint32_t)n;
                open = search->matches[m].end;
            } else if (open != SIZE_MAX && search->matches[m].end > open && search->matches[m].end <= to) {
                open = search->matches[m].end;
            }
        if (i == to)
            break;
        if (ascii_is_space(search->text.p[i]) || (unsigned char)search->text.p[i] < ' ') {
            if (n && p[n - 1] != ' ')
                p[n++] = ' ';
        } else {
            p[n++] = search->text.p[i];
        }
    }
    while (n && p[n - 1] == ' ')
        n--;
    out->text = (struct str){p, n};
    return SCENT_OK;
}

scent_status excerpt_make(const struct request *request, const double weights[REQUEST_GROUPS], struct str text,
                          struct str lang, struct text_stemmer *stemmer, struct arena *arena, struct excerpt *out)
{
    struct search search = {.request = request, .weights = weights, .text = text};
    size_t from = 0, to;
    scent_status status;

    *out = (struct excerpt){.text = STR("")};
    if (search.text.len > EXCERPT_TEXT)
        search.text.len = EXCERPT_TEXT;
    status = read_places(&search, lang, stemmer);
    if (status == SCENT_OK)
        status = find_matches(&search);
    if (status == SCENT_OK) {
        if (search.nmatches) {
            size_t start = search.matches[choose_window(&search)].start;
            size_t least = start > 2 * BEFORE ? start - 2 * BEFORE : 0;

            from = start > BEFORE ? back_to_space(search.text, start - BEFORE, least) : 0;
        }
        to = search.text.len - from > EXCERPT_BYTES
                 ? back_to_space(search.text, from + EXCERPT_BYTES, from + EXCERPT_BYTES / 2)
                 : search.text.len;
        out->cut_before = from > 0;
        out->cut_after = to < text.len;
        status = write_part(&search, from, to, arena, out);
    }
    free(search.places);
    free(search.matches);
    return status;
}
