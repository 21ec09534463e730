/* Events to pieces with their inline marks. */
#include "page/render_parts.h"

#include "base/vec.h"

#include <stdlib.h>

enum { KEPT_MAX = 8 << 20, SCRATCH = 256 << 10 };

struct render *render_new(enum page_form form)
{
    struct render *render = calloc(1, sizeof *render);

    SCENT_BUG_IF(!render);
    render->form = form;
    arena_init(&render->scratch, SCRATCH);
    buf_init(&render->text, RENDER_BYTES);
    buf_init(&render->target, 0);
    return render;
}

static void release(struct render *render)
{
    free(render->pieces);
    free(render->items);
    free(render->tables);
    buf_release(&render->text);
    render->pieces = NULL;
    render->items = NULL;
    render->tables = NULL;
    render->pieces_room = render->items_room = render->tables_room = 0;
}

void render_free(struct render *render)
{
    if (!render)
        return;
    release(render);
    arena_release(&render->scratch);
    buf_release(&render->target);
    free(render);
}

void render_begin(struct render *render, const struct outline *outline, const struct url *url)
{
    if (render->text.room > KEPT_MAX || render->pieces_room * sizeof *render->pieces > KEPT_MAX)
        release(render);
    render->outline = outline;
    render->url = url;
    buf_clear(&render->text);
    render->text.failed = false;
    render->npieces = render->nitems = render->ntables = 0;
    render->ncode = render->table = 0;
    render->depth = render->nlists = render->quotes = render->code_depth = render->codes = 0;
    render->heading = 0;
    render->separator = 0;
    render->failed = render->in_piece = render->wants_link = render->has_link = render->has_code = false;
}

/* ---- inline marks ---- */

/* One more backtick than the code has in a row encloses it (CommonMark, section 6.1). */
static void close_code(struct render *render)
{
    struct str code = str_sub(buf_str(&render->text), render->code_start, render->text.len);
    size_t fence = render_longest_run(code, '`') + 1, pad = fence > 1;

    render->has_code = false;
    if (!buf_reserve(&render->text, 2 * (fence + pad)))
        return;
    memmove(render->text.p + render->code_start + fence + pad, render->text.p + render->code_start, code.len);
    memset(render->text.p + render->code_start, '`', fence);
    memset(render->text.p + render->code_start + fence, ' ', pad);
    render->text.len += fence + pad;
    render_repeat(&render->text, ' ', pad);
    render_repeat(&render->text, '`', fence);
}

static void close_link(struct render *render)
{
    render->has_link = false;
    buf_add(&render->text, STR("]("));
    buf_add(&render->text, buf_str(&render->target));
    buf_addc(&render->text, ')');
}

static void close_marks(struct render *render)
{
    if (render->has_code)
        close_code(render);
    if (render->has_link)
        close_link(render);
}

/* Something visible follows: marks that are over are closed, then what separates, then those that begin. A link goes
 * around code, never the other way: inside of code there are no links. */
static void begin_visible(struct render *render)
{
    bool wants_code = render->codes > 0;

    if (render->has_code && (!wants_code || render->has_link != render->wants_link))
        close_code(render);
    if (render->has_link && !render->wants_link)
        close_link(render);
    if (render->separator && render->in_piece)
        buf_addc(&render->text, render->separator);
    render->separator = 0;
    if (render->wants_link && !render->has_link) {
        buf_addc(&render->text, '[');
        render->has_link = true;
    }
    if (wants_code && !render->has_code) {
        render->code_start = render->text.len;
        render->has_code = true;
    }
}

static bool is_letter(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* Characters that mean something anywhere; those that do at the start of a line are for write_line(). */
static bool is_special(const struct render *render, char c, char before, char after)
{
    switch (c) {
    case '\\':
    case '`':
    case '*':
    case '[':
    case ']':
    case '<':
    case '~':
        return true;
    case '|':
        return render->table > 0;
    case '_': /* inside of a word it is nothing special */
        return !is_letter(before) || !is_letter(after);
    case '&':
        return ascii_is_alpha(after) || after == '#' || !after;
    case '!':
        return after == '[' || !after;
    default:
        return false;
    }
}

/* ---- pieces ---- */

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

/* A piece of code may be white space alone, of which the outline makes no block. */
static void end_piece(struct render *render)
{
    if (render->in_piece) {
        struct piece *piece = &render->pieces[render->npieces - 1];
        size_t i = piece->start;

        close_marks(render);
        while (i < render->text.len && is_blank(render->text.p[i]))
            i++;
        if (render->text.failed)
            render->failed = true;
        else if (i == render->text.len)
            render->npieces--;
        else
            piece->end = (uint32_t)render->text.len;
    }
    render->in_piece = false;
    render->separator = 0;
}

/* The block that text which comes now is in. */
static uint32_t current_block(const struct render *render)
{
    const struct outline *outline = render->outline;

    return (uint32_t)(outline->nblocks < outline->max_nodes ? outline->nblocks : outline->nblocks - 1);
}

static void begin_piece(struct render *render)
{
    const struct table *table = render->table ? &render->tables[render->table - 1] : NULL;
    struct piece *piece;

    if (!vec_reserve(&render->pieces, &render->pieces_room, render->npieces + 1, sizeof *piece)) {
        render->failed = true;
        return;
    }
    piece = &render->pieces[render->npieces++];
    *piece = (struct piece){
        .block = current_block(render),
        .start = (uint32_t)render->text.len,
        .end = (uint32_t)render->text.len,
        .item = render->nlists ? render->lists[render->nlists - 1].item : NO_ITEM,
        .code = render->code_depth ? render->ncode : 0,
        .quotes = (uint8_t)(render->quotes < RENDER_QUOTES ? render->quotes : RENDER_QUOTES),
        .heading = render->heading,
    };
    if (table && table->column) {
        piece->table = render->table;
        piece->row = table->rows;
        piece->column = table->column;
    }
    render->in_piece = true;
}

/* Code keeps its lines. */
static void add_code(struct render *render, struct str s)
{
    if (!render->in_piece) {
        /* the newline behind <pre> is not part of it */
        s = str_sub(s, str_starts(s, STR("\r\n")) ? 2 : str_starts(s, STR("\n")), s.len);
        if (!s.len)
            return;
        begin_piece(render);
    }
    for (size_t i = 0, plain = 0; i <= s.len; i++) {
        if (i < s.len && (!is_blank(s.p[i]) || s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t'))
            continue;
        buf_add(&render->text, str_sub(s, plain, i));
        plain = i + 1;
    }
}

/* Skips white space, which separates what comes from what was, and begins a piece where there is none. False: nothing
 * else came, or there is no memory for it. */
static bool begin_words(struct render *render, struct str s, size_t *start)
{
    size_t i = 0;

    while (i < s.len && is_blank(s.p[i]))
        i++;
    if (i && !render->separator)
        render->separator = ' ';
    if (i == s.len)
        return false;
    if (!render->in_piece) {
        begin_piece(render);
        render->separator = 0;
    }
    *start = i;
    return !render->failed;
}

/* Plain text, white space folded: most of what an export does. */
static void add_plain(struct render *render, struct str s)
{
    char *p, separator;
    size_t i = 0;

    if (!begin_words(render, s, &i) || !buf_reserve(&render->text, s.len - i + 1))
        return;
    p = render->text.p + render->text.len;
    separator = render->separator;
    while (i < s.len) {
        if (separator)
            *p++ = separator;
        while (i < s.len && !is_blank(s.p[i]))
            *p++ = s.p[i++];
        separator = i < s.len ? ' ' : 0;
        while (i < s.len && is_blank(s.p[i]))
            i++;
    }
    render->separator = separator;
    render->text.len = (size_t)(p - render->text.p);
}

/* Words as they are seen, the first one at the start of `s`: white space is folded, and what Markdown would take for a
 * mark is escaped. */
static void add_visible(struct render *render, struct str s)
{
    char before = ' ', *p;

    if (!buf_reserve(&render->text, 2 * s.len))
        return;
    p = render->text.p + render->text.len;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i], after = i + 1 < s.len && !is_blank(s.p[i + 1]) ? s.p[i + 1] : '\0';

        if (is_blank(c)) {
            render->separator = ' ';
            before = ' ';
            continue;
        }
        if (render->separator)
            *p++ = render->separator;
        render->separator = 0;
        if (render->has_code ? c == '|' && render->table : is_special(render, c, before, after))
            *p++ = '\\';
        *p++ = before = c;
    }
    render->text.len = (size_t)(p - render->text.p);
}

void render_text(struct render *render, struct str s)
{
    const struct outline *outline = render->outline;
    size_t i = 0;

    if (render->failed || outline->unread || outline->in_title || outline->in_other_title)
        return;
    if (render->in_piece && render->pieces[render->npieces - 1].block != current_block(render))
        end_piece(render); /* a title inside of the text */
    if (render->code_depth) {
        add_code(render, s);
        return;
    }
    if (!render_is_markdown(render)) {
        add_plain(render, s);
    } else if (begin_words(render, s, &i)) {
        begin_visible(render);
        add_visible(render, str_sub(s, i, s.len));
    }
}

void render_plain_text(struct render *render, struct str utf8)
{
    render->code_depth = 1;
    render->ncode = 1;
    render_text(render, utf8);
    end_piece(render);
}

/* ---- elements ---- */

/* Characters that would end the target of a link, or the cell in which it stands. */
static bool ends_target(char c)
{
    switch (c) {
    case '(':
    case ')':
    case '<':
    case '>':
    case '[':
    case ']':
    case '|':
    case '\\':
    case '`':
        return true;
    default:
        return is_blank(c);
    }
}

/* Where the open link leads, as Markdown has it between parentheses; false: nowhere that is a page. */
static bool set_target(struct render *render, struct str href)
{
    struct str base_href = render->outline->base.len
                               ? str_sub(buf_str(&render->outline->raw), render->outline->base.start,
                                         render->outline->base.start + render->outline->base.len)
                               : STR_NONE;
    struct url base = *render->url, url;

    buf_clear(&render->target);
    href = str_trim(href);
    if (!href.len || href.p[0] == '#')
        return false;
    arena_reset(&render->scratch);
    if (base_href.len && url_parse(&render->scratch, base_href, render->url, &url) == SCENT_OK)
        base = url;
    if (url_parse(&render->scratch, href, &base, &url) != SCENT_OK)
        return false;
    for (size_t i = 0, plain = 0; i <= url.href.len; i++) {
        if (i < url.href.len && !ends_target(url.href.p[i]))
            continue;
        buf_add(&render->target, str_sub(url.href, plain, i));
        if (i < url.href.len)
            buf_printf(&render->target, "%%%02X", (unsigned char)url.href.p[i]);
        plain = i + 1;
    }
    return render->target.len > 0 && !render->target.failed;
}

static void begin_list(struct render *render, bool ordered)
{
    if (render->nlists < RENDER_LISTS)
        render->lists[render->nlists] = (struct list){
            .item = render->nlists ? render->lists[render->nlists - 1].item : NO_ITEM, .ordered = ordered};
    /* deeper ones are items of the innermost */
    render->nlists += render->nlists < RENDER_LISTS;
}

static void begin_item(struct render *render)
{
    struct list *list;

    if (render->nlists == 0)
        return; /* an item without a list is a paragraph */
    if (!vec_reserve(&render->items, &render->items_room, render->nitems + 1, sizeof *render->items)) {
        render->failed = true;
        return;
    }
    list = &render->lists[render->nlists - 1];
    render->items[render->nitems] = (struct item){
        .parent = render->nlists > 1 ? render->lists[render->nlists - 2].item : NO_ITEM,
        .number = list->ordered ? ++list->next : 0,
        .depth = (uint8_t)render->nlists,
    };
    list->item = (uint32_t)render->nitems++;
}

static void begin_table(struct render *render)
{
    if (!vec_reserve(&render->tables, &render->tables_room, render->ntables + 1, sizeof *render->tables)) {
        render->failed = true;
        return;
    }
    if (render->table)
        render->tables[render->table - 1].is_layout = true;
    render->tables[render->ntables] = (struct table){.outer = render->table};
    render->table = (uint32_t)++render->ntables;
}

static bool is_heading(unsigned tag)
{
    return tag >= PAGE_TAG_H1 && tag <= PAGE_TAG_H6;
}

/* A block or a cell begins or ends: so does a piece. */
static void set_off(struct render *render, enum page_tag tag)
{
    unsigned flags = page_tag_flags(tag);

    if (tag == PAGE_TAG_BR && render->code_depth)
        render_text(render, STR("\n"));
    else if (tag == PAGE_TAG_BR)
        render->separator = render->in_piece ? '\n' : 0;
    else if ((flags & PAGE_TAG_BLOCK) || tag == PAGE_TAG_TD || tag == PAGE_TAG_TH)
        end_piece(render);
    else if ((flags & PAGE_TAG_CELL) && !render->separator)
        render->separator = ' ';
}

static void mark_layout(struct render *render)
{
    if (render->table)
        render->tables[render->table - 1].is_layout = true;
}

void render_start(struct render *render, enum page_tag tag, const struct token_attributes *attributes)
{
    struct open *open = &render->open[render->depth++];
    struct table *table = render->table ? &render->tables[render->table - 1] : NULL;

    *open = (struct open){.tag = (uint8_t)tag};
    if (render->failed)
        return;
    if (tag != PAGE_TAG_BR)
        set_off(render, tag);
    switch (tag) {
    case PAGE_TAG_UL:
    case PAGE_TAG_OL:
    case PAGE_TAG_DL:
    case PAGE_TAG_MENU:
    case PAGE_TAG_DIR:
        open->is_list = render->nlists < RENDER_LISTS;
        begin_list(render, tag == PAGE_TAG_OL);
        mark_layout(render);
        break;
    case PAGE_TAG_LI:
    case PAGE_TAG_DT:
        begin_item(render);
        break;
    case PAGE_TAG_BLOCKQUOTE:
        render->quotes++;
        mark_layout(render);
        break;
    case PAGE_TAG_TABLE:
        begin_table(render);
        break;
    case PAGE_TAG_TR:
        if (table) {
            table->rows++;
            table->column = 0;
            table->columns = table->columns ? table->columns : 1;
        }
        break;
    case PAGE_TAG_TD:
    case PAGE_TAG_TH:
        if (table && table->column == RENDER_COLUMNS)
            table->is_layout = true;
        else if (table)
            table->column++;
        if (table && table->column > table->columns)
            table->columns = table->column;
        break;
    case PAGE_TAG_PRE:
    case PAGE_TAG_LISTING:
    case PAGE_TAG_XMP:
    case PAGE_TAG_PLAINTEXT:
        render->ncode += render->code_depth++ == 0;
        mark_layout(render);
        break;
    case PAGE_TAG_CODE:
    case PAGE_TAG_KBD:
    case PAGE_TAG_SAMP:
    case PAGE_TAG_TT:
        open->is_code = true;
        render->codes++;
        break;
    case PAGE_TAG_A:
        if (!render->code_depth && !render->wants_link && render_is_markdown(render)) {
            if (render->has_link)
                close_marks(render);
            open->is_link = render->wants_link = set_target(render, token_attribute(attributes, STR("href")));
        }
        break;
    default:
        if (is_heading(tag)) {
            render->heading = (uint8_t)(tag - PAGE_TAG_H1 + 1);
            mark_layout(render);
        }
        break;
    }
}

/* Was the last piece in a cell of this table, and is too long for one? */
static bool last_is_long(const struct render *render)
{
    const struct piece *last = render->npieces ? &render->pieces[render->npieces - 1] : NULL;

    return last && last->table && last->table == render->table && last->end - last->start > RENDER_CELL;
}

void render_end(struct render *render)
{
    const struct open *open = &render->open[--render->depth];
    unsigned tag = open->tag;

    if (render->failed)
        return;
    set_off(render, tag);
    render->nlists -= open->is_list;
    render->codes -= open->is_code;
    if (open->is_link)
        render->wants_link = false;
    if (tag == PAGE_TAG_BLOCKQUOTE)
        render->quotes--;
    else if (tag == PAGE_TAG_TABLE && render->table)
        render->table = render->tables[render->table - 1].outer;
    else if ((tag == PAGE_TAG_TD || tag == PAGE_TAG_TH) && last_is_long(render))
        mark_layout(render);
    else if (is_heading(tag))
        render->heading = 0;
    else if (tag == PAGE_TAG_PRE || tag == PAGE_TAG_LISTING || tag == PAGE_TAG_XMP || tag == PAGE_TAG_PLAINTEXT)
        render->code_depth--;
}
