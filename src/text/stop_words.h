/* stop_words - the function words of a language, as data. Folded, separated by single spaces; what an
 * apostrophe cuts off (don't, l'homme) is listed in its pieces. */
#ifndef SCENT_TEXT_STOP_WORDS_H
#define SCENT_TEXT_STOP_WORDS_H

enum { STOP_WORDS_LANGS = 18 };

struct stop_words {
    const char *lang; /* ISO 639-1 */
    const char *words;
};

extern const struct stop_words stop_words[STOP_WORDS_LANGS];

#endif
