#ifndef TARE_BASE_NEAR_H
#define TARE_BASE_NEAR_H
#include <stddef.h>
/* The word of list[n] nearest to `word` by edit distance (at most a third of its length, at least 1), or NULL: for "did you mean". */
const char *near_word(const char *word, const char *const *list, size_t n);
#endif
