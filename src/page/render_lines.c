/* Pieces to lines. */
#include "page/render_parts.h"

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
            render_repeat(sheet->out, ' ', marker_width(item->number));
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
            render_repeat(sheet->out, '#', piece->heading);
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
        if (render_longest_run(text_of(render, &render->pieces[k]), '`') >= fence)
            fence = render_longest_run(text_of(render, &render->pieces[k]), '`') + 1;
    separate(sheet, first);
    if (sheet->markdown) {
        write_prefix(sheet, first, known_depth(sheet, first));
        render_repeat(sheet->out, '`', fence);
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
        render_repeat(sheet->out, '`', fence);
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
    struct sheet sheet = {.render = render, .out = out, .markdown = render_is_markdown(render)};
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
