#include "text/search_terms.h"

#include <utf8proc.h>

/* ---- accents ---- */

/* Letters with a stroke, which Unicode does not decompose, and the one of Cyrillic that is commonly left out. */
static const struct {
    uint32_t from;
    const char *to;
} strokes[] = {{0xE6, "ae"}, {0xF0, "d"},   {0xF8, "o"},   {0xFE, "th"},  {0x111, "d"},
               {0x127, "h"}, {0x131, "i"}, {0x142, "l"}, {0x153, "oe"}, {0x451, "\xD0\xB5"}};

/* Marks that are written above and below letters of Latin, Greek, Cyrillic, Hebrew and Arabic. In Indic scripts marks
 * are vowels: they stay. */
static bool is_accent(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36F) || (c >= 0x591 && c <= 0x5C7) || (c >= 0x64B && c <= 0x65F) || c == 0x670;
}

static bool decomposes(uint32_t c)
{
    return c < 0x400 || (c >= 0x1E00 && c < 0x2000) || (c >= 0xFB00 && c <= 0xFB06) || (c >= 0xFF10 && c <= 0xFF5A);
}

static void add(const char *bytes, size_t n, char *out, size_t *len)
{
    if (n > TEXT_WORD_MAX - *len)
        return;
    memcpy(out + *len, bytes, n);
    *len += n;
}

static void add_plain(uint32_t c, char *out, size_t *len)
{
    utf8proc_int32_t parts[18];
    utf8proc_ssize_t count;
    int boundclass = 0;
    char bytes[4];

    if (is_accent(c))
        return;
    for (size_t i = 0; i < sizeof strokes / sizeof *strokes; i++)
        if (strokes[i].from == c) {
            add(strokes[i].to, strlen(strokes[i].to), out, len);
            return;
        }
    count = decomposes(c) ? utf8proc_decompose_char((utf8proc_int32_t)c, parts, 18,
                                                    UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD,
                                                    &boundclass)
                          : 0;
    if (count < 1 || count > 18) {
        parts[0] = (utf8proc_int32_t)c;
        count = 1;
    }
    for (utf8proc_ssize_t i = 0; i < count; i++)
        if (!is_accent((uint32_t)parts[i]))
            add(bytes, utf8_encode((uint32_t)parts[i], bytes), out, len);
}

size_t search_terms_plain(struct str word, char out[TEXT_WORD_MAX])
{
    size_t len = 0;

    while (len < word.len && len < TEXT_WORD_MAX && (unsigned char)word.p[len] < 0x80)
        len++;
    memcpy(out, word.p, len);
    if (len == word.len)
        return len;
    len = 0;
    for (size_t i = 0; i < word.len;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t used;

        if ((unsigned char)word.p[i] < 0x80) {
            add(word.p + i++, 1, out, &len);
            continue;
        }
        used = utf8proc_iterate((const utf8proc_uint8_t *)word.p + i, (utf8proc_ssize_t)(word.len - i), &c);
        if (used <= 0)
            break;
        add_plain((uint32_t)c, out, &len);
        i += (size_t)used;
    }
    return len;
}

/* ---- runs of scripts without spaces that text.h takes for one word ---- */

static uint32_t char_at(struct str s, size_t *used)
{
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.len, &c);

    *used = n > 0 ? (size_t)n : 1;
    return n > 0 ? (uint32_t)c : 0;
}

static bool is_unspaced(uint32_t c)
{
    return (c >= 0xE00 && c <= 0xEFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF);
}

static bool has_unspaced(struct str s)
{
    for (size_t i = 0; i + 2 < s.len; i++) /* each begins with E0 or E1 */
        if (((unsigned char)s.p[i] & 0xFE) == 0xE0) {
            size_t used;

            if (is_unspaced(char_at(str_sub(s, i, s.len), &used)))
                return true;
        }
    return false;
}

/* The bytes at the start of `s` that are all unspaced, or all not. */
static size_t same_script(struct str s, bool *unspaced)
{
    size_t used, at = 0;

    *unspaced = is_unspaced(char_at(s, &used));
    for (at = used; at < s.len && is_unspaced(char_at(str_sub(s, at, s.len), &used)) == *unspaced;)
        at += used;
    return at < s.len ? at : s.len;
}

/* ---- terms ---- */

void search_terms_init(struct search_terms *terms, struct str utf8)
{
    *terms = (struct search_terms){.run = STR("")};
    text_cursor_init(&terms->cursor, utf8);
}

static void set_word(struct search_term *term, struct str folded)
{
    term->word_len = folded.len;
    memcpy(term->word, folded.p, folded.len);
    term->len = search_terms_plain(folded, term->text);
}

/* The first pair of terms->run, or what stands before a part without spaces. */
static void take_from_run(struct search_terms *terms, struct search_term *out)
{
    struct str run = terms->run;
    bool unspaced;
    size_t len = same_script(run, &unspaced), first, second = 0, taken = len;

    *out = (struct search_term){.start = terms->run_start, .end = terms->run_start + len};
    if (unspaced) {
        char_at(run, &first);
        if (first < len)
            char_at(str_sub(run, first, len), &second);
        out->len = first + second;
        out->end = terms->run_start + out->len;
        out->is_pair = second != 0;
        memcpy(out->text, run.p, out->len);
        taken = first + second < len ? first : len;
    } else {
        struct text_cursor cursor;
        char word[TEXT_WORD_MAX];
        size_t word_len = 0;

        text_cursor_init(&cursor, str_sub(run, 0, len));
        if (text_next_word(&cursor, word, &word_len))
            set_word(out, (struct str){word, word_len});
    }
    terms->run = str_sub(run, taken, run.len);
    terms->run_start += taken;
}

static bool read_term(struct search_terms *terms, struct search_term *out)
{
    struct text_cursor *cursor = &terms->cursor;
    char word[TEXT_WORD_MAX];
    size_t len;

    if (terms->run.len) {
        take_from_run(terms, out);
        return true;
    }
    if (!text_next_word(cursor, word, &len))
        return false;
    if (cursor->prev_cjk) {
        *out = (struct search_term){.start = cursor->start, .end = cursor->end, .len = len, .is_pair = true};
        memcpy(out->text, word, len);
        return true;
    }
    if (has_unspaced(str_sub(cursor->s, cursor->start, cursor->end))) {
        terms->run = str_sub(cursor->s, cursor->start, cursor->end);
        terms->run_start = cursor->start;
        take_from_run(terms, out);
        return true;
    }
    *out = (struct search_term){.start = cursor->start, .end = cursor->end};
    set_word(out, (struct str){word, len});
    return true;
}

bool search_terms_next(struct search_terms *terms, struct search_term *out)
{
    struct search_term *next = &terms->next;
    struct str s = terms->cursor.s;
    size_t used, from = terms->second, to = terms->pair_end;

    while (!terms->has_next && read_term(terms, next))
        terms->has_next = next->len > 0; /* a word may be all accents */
    terms->pair_end = 0;
    if (to && !(terms->has_next && next->is_pair && next->start == from)) { /* the run has ended */
        *out = (struct search_term){.start = from, .end = to, .is_tail = true, .len = to - from};
        memcpy(out->text, s.p + from, out->len);
        return true;
    }
    if (!terms->has_next)
        return false;
    *out = *next;
    terms->has_next = false;
    if (out->is_pair) {
        char_at(str_sub(s, out->start, out->end), &used);
        terms->second = out->start + used;
        terms->pair_end = out->end;
    }
    return true;
}

bool search_term_is_character(const struct search_term *term)
{
    struct str text = {term->text, term->len};
    size_t used;
    uint32_t c = text.len ? char_at(text, &used) : 0;

    return c && used == text.len && !term->is_tail && (is_unspaced(c) || c >= 0x1100);
}
