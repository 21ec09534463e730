/* The phrases of 19 languages, and the signs of an error page. */
#include "page/soft404.h"

#include "page/tag.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PHRASE_WORDS = 12,
    BUCKETS = 256,
    LEAD_WORDS = 120, /* what a reader sees first */
    SHORT_WORDS = 60,
    BARE_WORDS = 25,
    TERSE_WORDS = 4,  /* words beside a phrase in a title that is about nothing else */
    NO_PHRASE = UINT16_MAX
};

/* How web sites say that a page is not there. `clear`: says it alone; otherwise a hint, which needs others. */
static const struct {
    const char *text;
    bool clear;
} known[] = {
    /* English */
    {"page not found", 1}, {"404 not found", 1}, {"not found 404", 1}, {"file not found", 1}, {"error 404", 1},
    {"404 error", 1}, {"http 404", 1}, {"page cannot be found", 1}, {"page can not be found", 1},
    {"page can't be found", 1}, {"page can’t be found", 1}, {"page could not be found", 1},
    {"page couldn't be found", 1}, {"page couldn’t be found", 1}, {"page was not found", 1}, {"page wasn't found", 1},
    {"page is not found", 1}, {"page does not exist", 1}, {"page doesn't exist", 1}, {"page doesn’t exist", 1},
    {"page no longer exists", 1}, {"page is no longer available", 1}, {"page has been removed", 1},
    {"page is not available", 1}, {"page isn't available", 1}, {"page isn’t available", 1}, {"no such page", 1},
    {"can't find that page", 1}, {"can’t find that page", 1}, {"can't find the page", 1}, {"can’t find the page", 1},
    {"couldn't find that page", 1}, {"couldn’t find that page", 1}, {"couldn't find the page", 1},
    {"couldn’t find the page", 1}, {"could not find the page", 1}, {"unable to find the page", 1},
    {"url was not found", 1}, {"document not found", 1}, {"content not found", 1}, {"article not found", 1},
    {"resource not found", 1}, {"object not found", 1}, {"product not found", 1}, {"page you are looking for", 1},
    {"page you're looking for", 1}, {"page you’re looking for", 1}, {"page you were looking for", 1},
    {"page you requested", 1}, {"page unavailable", 1}, {"page missing", 1},
    {"not found", 0}, {"404", 0}, {"oops", 0}, {"error", 0}, {"no longer available", 0}, {"does not exist", 0},
    /* Chinese */
    {"页面不存在", 1}, {"页面未找到", 1}, {"未找到页面", 1}, {"找不到页面", 1}, {"页面找不到", 1}, {"找不到该页面", 1},
    {"无法找到该页", 1}, {"没有找到页面", 1}, {"网页不存在", 1}, {"页面已删除", 1}, {"页面已被删除", 1}, {"404错误", 1},
    {"错误404", 1}, {"頁面不存在", 1}, {"找不到頁面", 1}, {"網頁不存在", 1}, {"找不到網頁", 1}, {"找不到您", 0},
    /* Spanish */
    {"página no encontrada", 1}, {"pagina no encontrada", 1}, {"no se encontró la página", 1},
    {"no se ha encontrado la página", 1}, {"página no existe", 1}, {"no encontramos la página", 1},
    {"página que buscas", 1}, {"página que busca", 1}, {"página que está buscando", 1}, {"página no disponible", 1},
    {"no encontrado", 0}, {"no encontrada", 0},
    /* Arabic */
    {"الصفحة غير موجودة", 1}, {"لم يتم العثور على الصفحة", 1}, {"الصفحة المطلوبة غير موجودة", 1}, {"خطأ 404", 1},
    {"غير موجودة", 0},
    /* Hindi */
    {"पृष्ठ नहीं मिला", 1}, {"पेज नहीं मिला", 1}, {"पृष्ठ मौजूद नहीं है", 1}, {"पेज मौजूद नहीं है", 1},
    {"नहीं मिला", 0},
    /* Portuguese */
    {"página não encontrada", 1}, {"pagina nao encontrada", 1}, {"página não existe", 1}, {"erro 404", 1},
    {"não encontramos a página", 1}, {"página que você procura", 1}, {"página não foi encontrada", 1},
    {"página que procura", 1}, {"não encontrada", 0}, {"não encontrado", 0},
    /* Russian */
    {"страница не найдена", 1}, {"страница не существует", 1}, {"страницы не существует", 1}, {"ошибка 404", 1},
    {"404 ошибка", 1}, {"страница не найдено", 1}, {"запрашиваемая страница", 1}, {"страница удалена", 1},
    {"не найдена", 0}, {"не найдено", 0},
    /* Japanese */
    {"ページが見つかりません", 1}, {"ページは見つかりません", 1},
    {"ページが存在しません", 1}, {"ページは存在しません", 1}, {"お探しのページ", 1}, {"見つかりません", 0},
    /* German */
    {"Seite nicht gefunden", 1}, {"Seite wurde nicht gefunden", 1}, {"Seite konnte nicht gefunden werden", 1},
    {"Seite existiert nicht", 1}, {"Seite gibt es nicht", 1}, {"Fehler 404", 1}, {"404 Fehler", 1},
    {"Datei nicht gefunden", 1}, {"Inhalt nicht gefunden", 1}, {"Seite ist nicht verfügbar", 1},
    {"Seite nicht verfügbar", 1}, {"nicht gefunden", 0},
    /* French */
    {"page non trouvée", 1}, {"page introuvable", 1}, {"page n'existe pas", 1}, {"page n’existe pas", 1},
    {"page n'existe plus", 1}, {"page n’existe plus", 1}, {"erreur 404", 1}, {"page est introuvable", 1},
    {"page demandée est introuvable", 1}, {"page n'a pas été trouvée", 1}, {"page n’a pas été trouvée", 1},
    {"page que vous recherchez", 1}, {"page que vous cherchez", 1}, {"introuvable", 0},
    /* Italian */
    {"pagina non trovata", 1}, {"pagina non esiste", 1}, {"errore 404", 1}, {"pagina inesistente", 1},
    {"pagina richiesta non", 1}, {"pagina che stai cercando", 1}, {"non trovata", 0},
    /* Korean */
    {"페이지를 찾을 수 없습니다", 1}, {"존재하지 않는 페이지", 1}, {"페이지가 존재하지 않습니다", 1},
    /* Turkish, Dutch, Polish, Persian, Indonesian, Vietnamese, Czech, Swedish */
    {"sayfa bulunamadı", 1}, {"404 hatası", 1}, {"aradığınız sayfa", 1}, {"pagina niet gevonden", 1},
    {"pagina bestaat niet", 1}, {"pagina is niet gevonden", 1}, {"nie znaleziono strony", 1},
    {"strona nie istnieje", 1},
    {"strona nie została znaleziona", 1}, {"błąd 404", 1}, {"صفحه پیدا نشد", 1}, {"صفحه مورد نظر یافت نشد", 1},
    {"halaman tidak ditemukan", 1}, {"không tìm thấy trang", 1}, {"stránka nenalezena", 1},
    {"stránka nebyla nalezena", 1},
    {"sidan hittades inte", 1}, {"sidan kunde inte hittas", 1},
};

enum { KNOWN = sizeof known / sizeof *known };

struct phrase {
    uint64_t words[PHRASE_WORDS];
    uint16_t count, next; /* in its bucket */
    bool clear;
};

/* Phrases by their first word. */
struct soft404 {
    struct phrase *phrases;
    uint16_t heads[BUCKETS];
};

static void add_phrase(struct soft404 *soft404, uint16_t i)
{
    struct phrase *phrase = &soft404->phrases[i];
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    uint16_t *head;
    size_t len;

    phrase->clear = known[i].clear;
    text_cursor_init(&cursor, str_of(known[i].text));
    while (text_next_word(&cursor, word, &len)) {
        SCENT_BUG_IF(phrase->count == PHRASE_WORDS);
        phrase->words[phrase->count++] = text_word_hash((struct str){word, len});
    }
    head = &soft404->heads[phrase->words[0] % BUCKETS];
    phrase->next = *head;
    *head = i;
}

struct soft404 *soft404_new(void)
{
    struct soft404 *soft404 = calloc(1, sizeof *soft404);

    SCENT_BUG_IF(!soft404);
    soft404->phrases = calloc(KNOWN, sizeof *soft404->phrases);
    SCENT_BUG_IF(!soft404->phrases);
    for (size_t i = 0; i < BUCKETS; i++)
        soft404->heads[i] = NO_PHRASE;
    for (size_t i = 0; i < KNOWN; i++)
        add_phrase(soft404, (uint16_t)i);
    return soft404;
}

void soft404_free(struct soft404 *soft404)
{
    if (!soft404)
        return;
    free(soft404->phrases);
    free(soft404);
}

/* ---- phrases in a range of words ---- */

struct range {
    uint32_t first, end;
};

static bool stands_at(const struct phrase *phrase, const struct page *page, uint32_t at, uint32_t end)
{
    if (end - at < phrase->count)
        return false;
    for (uint32_t i = 0; i < phrase->count; i++)
        if (page->words[at + i].word != phrase->words[i])
            return false;
    return true;
}

struct found {
    bool clear, hint;
    uint32_t words; /* of the longest clear phrase */
};

static struct found find_phrases(const struct soft404 *soft404, const struct page *page, struct range range)
{
    struct found found = {0};

    for (uint32_t at = range.first; at < range.end; at++) {
        uint16_t i = soft404->heads[page->words[at].word % BUCKETS];

        for (; i != NO_PHRASE; i = soft404->phrases[i].next) {
            const struct phrase *phrase = &soft404->phrases[i];

            if (!stands_at(phrase, page, at, range.end))
                continue;
            found.clear |= phrase->clear;
            found.hint |= !phrase->clear;
            if (phrase->clear && phrase->count > found.words)
                found.words = phrase->count;
        }
    }
    return found;
}

/* ---- the signs ---- */

struct evidence {
    double doubt; /* the product of 1 - weight */
    unsigned reasons;
    bool clear;   /* some phrase says it alone */
};

static void add_sign(struct evidence *evidence, enum soft404_reason reason, double weight)
{
    evidence->doubt *= 1 - weight;
    evidence->reasons |= (unsigned)reason;
}

/* A title or heading: `clear` when it says it and hardly anything else. */
static void weigh_line(struct evidence *evidence, enum soft404_reason reason, const struct found *found,
                       struct range range, double clear, double hint)
{
    evidence->clear |= found->clear;
    if (found->clear)
        add_sign(evidence, reason, range.end - range.first <= found->words + TERSE_WORDS ? clear : clear * 0.6);
    else if (found->hint)
        add_sign(evidence, reason, hint);
}

static struct range node_range(const struct page *page, enum page_tag tag)
{
    for (uint32_t i = 0; i < page->nnodes; i++)
        if (page->nodes[i].tag == tag && page->nodes[i].end_word > page->nodes[i].first_word)
            return (struct range){page->nodes[i].first_word, page->nodes[i].end_word};
    return (struct range){0};
}

static struct range heading_range(const struct page *page)
{
    struct range range = node_range(page, PAGE_TAG_H1);

    return range.end ? range : node_range(page, PAGE_TAG_H2);
}

static bool is_error_name(struct str segment)
{
    static const char *const names[] = {"404", "error404", "404error", "notfound", "pagenotfound", "filenotfound"};
    char name[16];
    size_t len = 0;

    segment = str_sub(segment, 0, str_find(segment, '.'));
    for (size_t i = 0; i < segment.len; i++) {
        if (segment.p[i] == '-' || segment.p[i] == '_')
            continue;
        if (len == sizeof name)
            return false;
        name[len++] = ascii_lower(segment.p[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq((struct str){name, len}, str_of(names[i])))
            return true;
    return false;
}

static bool url_says_so(const struct url *url)
{
    struct str path = url_path(url), segment;

    while (str_split(&path, '/', &segment))
        if (is_error_name(segment))
            return true;
    return false;
}

/* An error page has little to say; its menus may be long all the same. Hints alone ("Peugeot 404") convince only where
 * there is next to nothing else. */
static double length_factor(const struct evidence *evidence, uint32_t words)
{
    if (!evidence->clear && words >= BARE_WORDS)
        return words <= 200 ? 0.8 : 0.4;
    return words <= 200 ? 1 : words <= 400 ? 0.8 : words <= 800 ? 0.6 : words <= 1600 ? 0.4 : 0.2;
}

struct soft404_verdict soft404_judge(const struct soft404 *soft404, const struct page *page)
{
    struct evidence evidence = {.doubt = 1};
    struct range title = node_range(page, PAGE_TAG_TITLE), heading = heading_range(page);
    struct range lead = {title.end, title.end + LEAD_WORDS < page->nwords ? title.end + LEAD_WORDS : page->nwords};
    uint32_t words = page->nwords - title.end;
    struct found found = find_phrases(soft404, page, title);

    weigh_line(&evidence, SOFT404_TITLE, &found, title, 0.6, 0.25);
    found = find_phrases(soft404, page, heading);
    weigh_line(&evidence, SOFT404_HEADING, &found, heading, 0.5, 0.2);
    found = find_phrases(soft404, page, lead);
    evidence.clear |= found.clear;
    if (found.clear)
        add_sign(&evidence, SOFT404_TEXT, 0.35);
    if (url_says_so(&page->url))
        add_sign(&evidence, SOFT404_URL, 0.25);
    if (page->robots & PAGE_NOINDEX)
        add_sign(&evidence, SOFT404_NOINDEX, 0.15);
    if (words < SHORT_WORDS)
        add_sign(&evidence, SOFT404_SHORT, words < BARE_WORDS ? 0.2 : 0.1);
    return (struct soft404_verdict){(1 - evidence.doubt) * length_factor(&evidence, words), evidence.reasons};
}

void soft404_list(unsigned reasons, char *out, size_t room)
{
    static const char *const names[] = {"title", "heading", "text", "url", "noindex", "short"};
    size_t len = 0;

    if (room)
        out[0] = 0;
    for (unsigned i = 0; (1u << i) < SOFT404_REASONS && len < room; i++)
        if (reasons & 1u << i)
            len += (size_t)snprintf(out + len, room - len, "%s%s", len ? ", " : "", names[i]);
}
