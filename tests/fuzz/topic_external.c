/* Any bytes are what a program says as a judge. Scores are from 0 to 1 and reasons printable, nothing is answered twice,
 * and it does not matter in which pieces the bytes come. */
#include "topic/external_lines.h"

#include <stdint.h>

enum { PAGES = 4 };

struct asked {
    struct external_answer answers[PAGES];
    struct external_question questions[PAGES], *all[PAGES];
    struct buf received;
    size_t answered;
    const char *wrong;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void listen_to(struct asked *asked, struct str bytes, size_t piece)
{
    *asked = (struct asked){0};
    buf_init(&asked->received, 0);
    for (int i = 0; i < PAGES; i++) {
        asked->questions[i] = (struct external_question){.answer = &asked->answers[i], .id = i};
        asked->all[i] = &asked->questions[i];
    }
    for (size_t i = 0; i < bytes.len && !asked->wrong; i += piece) {
        buf_add(&asked->received, str_first(str_sub(bytes, i, bytes.len), piece));
        asked->wrong = external_take_lines(&asked->received, asked->all, PAGES, &asked->answered);
    }
    buf_release(&asked->received);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str bytes = {(const char *)data, len};
    struct asked whole, pieces;
    size_t given = 0;

    listen_to(&whole, bytes, len ? len : 1);
    listen_to(&pieces, bytes, 7);
    SCENT_BUG_IF(!whole.wrong != !pieces.wrong || whole.answered != pieces.answered);
    for (int i = 0; i < PAGES; i++) {
        const struct external_answer *answer = &whole.answers[i];

        SCENT_BUG_IF(memcmp(answer, &pieces.answers[i], sizeof *answer) != 0);
        SCENT_BUG_IF(!(answer->score >= 0 && answer->score <= 1));
        SCENT_BUG_IF(memchr(answer->why, 0, sizeof answer->why) == NULL);
        for (const char *c = answer->why; *c; c++)
            SCENT_BUG_IF((unsigned char)*c < ' ');
        given += answer->is_given;
    }
    SCENT_BUG_IF(given != whole.answered);
    return 0;
}
