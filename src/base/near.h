#ifndef TARE_BASE_NEAR_H
#define TARE_BASE_NEAR_H
#include <stddef.h>
/*
 * The word of list[n] nearest to `word`, or NULL: for "did you mean". Distance counts inserted,
 * deleted and changed characters and swapped neighbours, without case; at most a third of the
 * word's length (at least 1) is near. Ties go to the earlier one.
 */
const char *near_word(const char *word, const char *const *list, size_t n);
#endif
