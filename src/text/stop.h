/* stop - which languages count a word among their stop words. */
#ifndef SCENT_TEXT_STOP_H
#define SCENT_TEXT_STOP_H

#include "text/text.h"

/* Bit i for the i-th language of stop_words[]. */
uint32_t stop_langs(uint64_t word_hash);

#endif
