/* Events to pieces with their inline marks; pieces to lines. */
#include "page/render.h"

#include "base/vec.h"

#include <stdlib.h>

enum { KEPT_MAX = 8 << 20, SCRATCH = 256 << 10, NO_ITEM = UINT32_MAX };

/* A run of text in one block of the page. */
struct piece {
    uint32_t block;
    uint32_t start, end; /* of render.text; a newline in it is a line break, or of code */
    uint32_t item;       /* the innermost item of a list; NO_ITEM */
    uint32_t table;      /* number + 1, where it stands in a cell; 0: none */
    uint32_t row;
    uint32_t code;       /* which <pre>; 0: none */
    uint8_t column, quotes, heading;
};

struct item {
    uint32_t parent; /* NO_ITEM */
    uint32_t number; /* of an ordered list; 0: a bullet */
    uint8_t depth;   /* 1 for an outermost one */
};

struct table {
    uint32_t outer; /* number + 1 */
    uint32_t rows;
    uint8_t columns, column; /* at most; the current one, 0 outside of cells */
    bool is_layout;
};

struct list {
    uint32_t item, next;
    bool ordered;
};

struct open {
    uint8_t tag;
    bool is_list, is_link, is_code;
};

struct render {
    enum page_form form;
    const struct outline *outline;
    const struct url *url;
    struct arena scratch;

    struct buf text;
    struct piece *pieces;
    struct item *items;
    struct table *tables;
    size_t npieces, nitems, ntables, pieces_room, items_room, tables_room;
    uint32_t ncode;
    bool failed; /* a cap or memory: nothing more is kept */

    /* while events come */
    struct open open[MARKUP_DEPTH_MAX + 2];
    unsigned depth;
    struct list lists[RENDER_LISTS];
    unsigned nlists, quotes, code_depth, codes; /* codes: open elements of inline code */
    uint8_t heading;
    uint32_t table; /* the innermost, number + 1 */
    char separator;
    bool in_piece;
    struct buf target;             /* of the open link; empty: none */
    bool wants_link, has_link;     /* an element is open; its mark is written */
    bool has_code;
    size_t code_start;
};

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

static bool is_markdown(const struct render *render)
{
    return render->form == PAGE_FORM_MARKDOWN;
}

/* ---- inline marks ---- */

static size_t longest_run(struct str s, char c)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < s.len; i++) {
        run = s.p[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_times(struct buf *out, char c, size_t count)
{
    while (count--)
        buf_addc(out, c);
}

/* One more backtick than the code has in a row encloses it (CommonMark, section 6.1). */
static void close_code(struct render *render)
{
    struct str code = str_sub(buf_str(&render->text), render->code_start, render->text.len);
    size_t fence = longest_run(code, '`') + 1, pad = fence > 1;

    render->has_code = false;
    if (!buf_reserve(&render->text, 2 * (fence + pad)))
        return;
    memmove(render->text.p + render->code_start + fence + pad, code.p, code.len);
    memset(render->text.p + render->code_start, '`', fence);
    memset(render->text.p + render->code_start + fence, ' ', pad);
    render->text.len += fence + pad;
    add_times(&render->text, ' ', pad);
    add_times(&render->text, '`', fence);
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
    if (!is_markdown(render))
        return;
    if (render->wants_link && !render->has_link) {
        buf_addc(&render->text, '[');
        render->has_link = true;
    }
    if (wants_code && !render->has_code) {
        render->code_start = render->text.len;
        render->has_code = true;
    }
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
        return !((ascii_is_alpha(before) || ascii_is_digit(before)) && (ascii_is_alpha(after) || ascii_is_digit(after)));
    case '&':
        return ascii_is_alpha(after) || after == '#' || !after;
    case '!':
        return after == '[' || !after;
    default:
        return false;
    }
}

/* A word, as it is seen. */
static void add_visible(struct render *render, struct str s)
{
    size_t plain = 0;

    if (!is_markdown(render)) {
        buf_add(&render->text, s);
        return;
    }
    for (size_t i = 0; i < s.len; i++) {
        char before = i ? s.p[i - 1] : ' ', after = i + 1 < s.len ? s.p[i + 1] : '\0';

        if (render->has_code ? s.p[i] == '|' && render->table : is_special(render, s.p[i], before, after)) {
            buf_add(&render->text, str_sub(s, plain, i));
            buf_addc(&render->text, '\\');
            plain = i;
        }
    }
    buf_add(&render->text, str_sub(s, plain, s.len));
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

static void begin_piece(struct render *render)
{
    const struct outline *outline = render->outline;
    const struct table *table = render->table ? &render->tables[render->table - 1] : NULL;
    struct piece *piece;

    if (!vec_reserve(&render->pieces, &render->pieces_room, render->npieces + 1, sizeof *piece)) {
        render->failed = true;
        return;
    }
    piece = &render->pieces[render->npieces++];
    *piece = (struct piece){
        .block = (uint32_t)(outline->nblocks < outline->max_nodes ? outline->nblocks : outline->nblocks - 1),
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

void render_text(struct render *render, struct str s)
{
    const struct outline *outline = render->outline;
    size_t i = 0;

    if (render->failed || outline->unread || outline->in_title || outline->in_other_title)
        return;
    if (render->code_depth) {
        add_code(render, s);
        return;
    }
    while (i < s.len && !render->failed) {
        size_t start = i;

        if (is_blank(s.p[i])) {
            render->separator = render->separator ? render->separator : ' ';
            i++;
            continue;
        }
        while (i < s.len && !is_blank(s.p[i]))
            i++;
        if (!render->in_piece) {
            begin_piece(render);
            render->separator = 0;
        }
        if (!render->failed) {
            begin_visible(render);
            add_visible(render, str_sub(s, start, i));
        }
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
    for (size_t i = 0; i < url.href.len; i++) {
        char c = url.href.p[i];

        if (is_blank(c) || strchr("()<>[]|\\`", c))
            buf_printf(&render->target, "%%%02X", (unsigned char)c);
        else
            buf_addc(&render->target, c);
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
        if (!render->code_depth && !render->wants_link && is_markdown(render)) {
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

/* ---- lines ---- */

struct sheet {
    const struct render *render;
    struct buf *out;
    const struct piece *last; /* the piece that was written last */
    bool markdown;
};

/* Depth of the innermost item that both are in. */
static unsigned shared_depth(const struct render *render, uint32_t a, uint32_t b)
{
    while (a != b && a != NO_ITEM && b != NO_ITEM) {
        if (render->items[a].depth >= render->items[b].depth)
            a = render->items[a].parent;
        else
            b = render->items[b].parent;
    }
    return a == b && a != NO_ITEM ? render->items[a].depth : 0;
}

static size_t marker_width(uint32_t number)
{
    size_t width = number ? 3 : 2; /* "1. ", "- " */

    for (; number >= 10; number /= 10)
        width++;
    return width;
}

/* Quotation and indentation; the markers of items deeper than `known` are written, those of others are white space. */
static void write_prefix(struct sheet *sheet, const struct piece *piece, unsigned known)
{
    const struct render *render = sheet->render;
    uint32_t chain[RENDER_LISTS];
    unsigned count = 0;

    if (!sheet->markdown)
        return;
    for (unsigned i = 0; i < piece->quotes; i++)
        buf_add(sheet->out, STR("> "));
    for (uint32_t item = piece->item; item != NO_ITEM && count < RENDER_LISTS; item = render->items[item].parent)
        chain[count++] = item;
    while (count--) {
        const struct item *item = &render->items[chain[count]];

        if (item->depth <= known)
            add_times(sheet->out, ' ', marker_width(item->number));
        else if (item->number)
            buf_printf(sheet->out, "%u. ", item->number);
        else
            buf_add(sheet->out, STR("- "));
    }
}

/* A new paragraph is set off by an empty line, the items of a list are not. */
static void separate(struct sheet *sheet, const struct piece *piece)
{
    const struct piece *last = sheet->last;
    bool tight = last && last->item != NO_ITEM && piece->item != NO_ITEM && last->item != piece->item &&
                 last->quotes == piece->quotes && !last->code && !piece->code && !last->heading && !piece->heading &&
                 !last->table && !piece->table;

    if (last)
        buf_add(sheet->out, tight ? STR("\n") : STR("\n\n"));
}

/* What would begin a heading, a list, a quotation or a rule gets a backslash. */
static void write_line(struct sheet *sheet, struct str line)
{
    size_t digits = 0;

    while (digits < line.len && ascii_is_digit(line.p[digits]))
        digits++;
    if (sheet->markdown && line.len && strchr("#>+-=", line.p[0])) {
        buf_addc(sheet->out, '\\');
    } else if (sheet->markdown && digits && digits < line.len && (line.p[digits] == '.' || line.p[digits] == ')')) {
        buf_add(sheet->out, str_sub(line, 0, digits));
        buf_addc(sheet->out, '\\');
        line = str_sub(line, digits, line.len);
    }
    buf_add(sheet->out, line);
}

static struct str text_of(const struct render *render, const struct piece *piece)
{
    return str_sub(buf_str(&render->text), piece->start, piece->end);
}

/* Line breaks as spaces. */
static void write_one_line(struct sheet *sheet, struct str text)
{
    struct str line;

    for (bool first = true; str_split(&text, '\n', &line); first = false) {
        if (!first)
            buf_addc(sheet->out, ' ');
        buf_add(sheet->out, line);
    }
}

static unsigned known_depth(const struct sheet *sheet, const struct piece *piece)
{
    return sheet->last ? shared_depth(sheet->render, sheet->last->item, piece->item) : 0;
}

static void write_paragraph(struct sheet *sheet, const struct piece *piece)
{
    struct str text = text_of(sheet->render, piece), line;
    unsigned known = known_depth(sheet, piece);

    separate(sheet, piece);
    write_prefix(sheet, piece, known);
    if (piece->heading) {
        if (sheet->markdown) {
            add_times(sheet->out, '#', piece->heading);
            buf_addc(sheet->out, ' ');
        }
        write_one_line(sheet, text);
    } else {
        for (bool first = true; str_split(&text, '\n', &line); first = false) {
            if (!first) {
                buf_add(sheet->out, sheet->markdown ? STR("\\\n") : STR("\n"));
                write_prefix(sheet, piece, RENDER_LISTS);
            }
            write_line(sheet, line);
        }
    }
    sheet->last = piece;
}

/* The content among pieces [i, end) as one block of code. */
static void write_code(struct sheet *sheet, size_t i, size_t end, const struct page_block *blocks)
{
    const struct render *render = sheet->render;
    const struct piece *first = &render->pieces[i];
    size_t fence = 3;
    struct str text, line;

    for (size_t k = i; k < end; k++)
        if (longest_run(text_of(render, &render->pieces[k]), '`') >= fence)
            fence = longest_run(text_of(render, &render->pieces[k]), '`') + 1;
    separate(sheet, first);
    if (sheet->markdown) {
        write_prefix(sheet, first, known_depth(sheet, first));
        add_times(sheet->out, '`', fence);
        buf_addc(sheet->out, '\n');
    }
    for (size_t k = i; k < end; k++) {
        text = text_of(render, &render->pieces[k]);
        if (blocks[render->pieces[k].block].is_boilerplate)
            continue;
        while (text.len && text.p[text.len - 1] == '\n')
            text.len--;
        while (str_split(&text, '\n', &line)) {
            write_prefix(sheet, first, RENDER_LISTS);
            buf_add(sheet->out, line);
            buf_addc(sheet->out, '\n');
        }
    }
    if (sheet->markdown) {
        write_prefix(sheet, first, RENDER_LISTS);
        add_times(sheet->out, '`', fence);
    } else if (sheet->out->len) {
        sheet->out->len--; /* the last newline */
    }
    sheet->last = first;
}

static void end_row(struct sheet *sheet, const struct table *table, const struct piece *first, unsigned column,
                    bool is_head)
{
    if (!sheet->markdown)
        return;
    for (; column < table->columns; column++)
        buf_add(sheet->out, column ? STR(" | ") : STR("| "));
    buf_add(sheet->out, STR(" |"));
    if (!is_head)
        return;
    buf_addc(sheet->out, '\n');
    write_prefix(sheet, first, RENDER_LISTS);
    for (column = 0; column < table->columns; column++)
        buf_add(sheet->out, STR("| --- "));
    buf_addc(sheet->out, '|');
}

/* Pieces [i, end) are the content of a table. The first row is its head: Markdown has no other tables. */
static void write_table(struct sheet *sheet, size_t i, size_t end, const struct page_block *blocks)
{
    const struct render *render = sheet->render;
    const struct piece *first = &render->pieces[i];
    const struct table *table = &render->tables[first->table - 1];
    uint32_t row = 0;
    unsigned column = 0, rows = 0;

    separate(sheet, first);
    for (; i < end; i++) {
        const struct piece *piece = &render->pieces[i];

        if (blocks[piece->block].is_boilerplate)
            continue;
        if (piece->row != row) {
            if (rows)
                end_row(sheet, table, first, column, rows == 1);
            if (rows)
                buf_addc(sheet->out, '\n');
            write_prefix(sheet, first, rows ? (unsigned)RENDER_LISTS : known_depth(sheet, first));
            row = piece->row;
            rows++;
            column = 0;
        }
        if (piece->column == column)
            buf_addc(sheet->out, ' ');
        for (; column < piece->column; column++)
            buf_add(sheet->out, !sheet->markdown ? (column ? STR("\t") : STR("")) : column ? STR(" | ") : STR("| "));
        write_one_line(sheet, text_of(render, piece));
    }
    end_row(sheet, table, first, column, rows == 1);
    sheet->last = first;
}

/* Two columns and two rows: others are frames around something. */
static bool is_table(const struct render *render, const struct piece *piece)
{
    const struct table *table = piece->table ? &render->tables[piece->table - 1] : NULL;

    return table && !table->is_layout && table->columns >= 2 && table->rows >= 2;
}

void render_write(const struct render *render, const struct page_block *blocks, size_t nblocks, struct buf *out)
{
    struct sheet sheet = {.render = render, .out = out, .markdown = is_markdown(render)};
    size_t i = 0;

    while (i < render->npieces) {
        const struct piece *piece = &render->pieces[i];
        size_t end = i + 1;

        if (piece->block >= nblocks)
            break; /* its block did not come to be: memory was short */
        if (blocks[piece->block].is_boilerplate || piece->end == piece->start) {
            i++;
            continue;
        }
        if (piece->code) {
            while (end < render->npieces && render->pieces[end].code == piece->code &&
                   render->pieces[end].block < nblocks)
                end++;
            write_code(&sheet, i, end, blocks);
        } else if (is_table(render, piece)) {
            while (end < render->npieces && render->pieces[end].table == piece->table &&
                   render->pieces[end].block < nblocks)
                end++;
            write_table(&sheet, i, end, blocks);
        } else {
            write_paragraph(&sheet, piece);
        }
        i = end;
    }
    if (sheet.last)
        buf_addc(out, '\n');
}
