#include "topic/external_lines.h"

#include "json/json.h"
#include "topic/judge.h"

#include <stdlib.h>

/* ---- questions ---- */

void external_write_text(const struct page *page, struct buf *out)
{
    for (uint32_t i = 0; i < page->nblocks; i++) {
        const struct page_block *block = &page->blocks[i];

        if (block->is_boilerplate || block->start == block->end)
            continue;
        if (out->len)
            buf_addc(out, '\n');
        buf_add(out, str_sub(page->text, block->start, block->end));
    }
}

void external_write_question(const struct external_question *question, size_t left, struct buf *out)
{
    const struct judge_input *input = question->input;
    const struct page *page = input->page;
    struct json_writer w;
    struct buf text;

    buf_init(&text, 0);
    external_write_text(page, &text);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_int(&w, "id", question->id);
    json_put_str(&w, "url", page->url.href);
    json_put_str(&w, "title", page->title);
    json_put_str(&w, "lang", page->lang);
    json_put_int(&w, "depth", input->depth);
    json_put_bool(&w, "seed", input->seed);
    json_put_str(&w, "text", buf_str(&text));
    json_put_int(&w, "left", (int64_t)left);
    json_object_end(&w);
    buf_addc(out, '\n');
    buf_release(&text);
}

/* ---- answers ---- */

static const struct external_question *find_question(struct external_question *const *questions, size_t count,
                                                     const struct json *id)
{
    for (size_t i = 0; i < count && json_is_num(id); i++)
        if (questions[i]->id == json_as_int(id))
            return questions[i];
    return NULL;
}

static const char *take_answer(struct str line, struct external_question *const *questions, size_t count,
                               size_t *answered)
{
    const struct external_question *question;
    const struct json *score;
    const char *wrong = NULL;
    struct json *root = NULL;
    struct errmsg err;
    double value;

    if (json_parse(line, &root, &err) != SCENT_OK)
        return "it is not a JSON object";
    score = json_get(root, "score");
    value = json_as_double(score);
    question = find_question(questions, count, json_get(root, "id"));
    if (!question)
        wrong = "its 'id' is not that of a page that was asked";
    else if (question->answer->is_given)
        wrong = "this page has an answer already";
    else if (!json_is_num(score) || !(value >= 0 && value <= 1))
        wrong = "its 'score' is not a number from 0 to 1";
    else {
        char *why = str_dup(str_first(json_as_str(json_get(root, "why")), EXTERNAL_WHY));

        SCENT_BUG_IF(!why);
        question->answer->is_given = true;
        question->answer->score = value;
        log_printable(why, question->answer->why, sizeof question->answer->why);
        free(why);
        ++*answered;
    }
    json_free(root);
    return wrong;
}

const char *external_take_lines(struct buf *received, struct external_question *const *questions, size_t count,
                                size_t *answered)
{
    struct str rest = buf_str(received);
    const char *wrong = NULL;
    size_t end;

    while (!wrong && (end = str_find(rest, '\n')) < rest.len) {
        struct str line = str_trim(str_sub(rest, 0, end));

        rest = str_sub(rest, end + 1, rest.len);
        if (line.len > EXTERNAL_LINE_MAX)
            wrong = "it is longer than 64 KiB";
        else if (line.len)
            wrong = take_answer(line, questions, count, answered);
    }
    if (!wrong && rest.len > EXTERNAL_LINE_MAX)
        wrong = "it is longer than 64 KiB";
    if (rest.len)
        memmove(received->p, rest.p, rest.len);
    received->len = rest.len;
    return wrong;
}
