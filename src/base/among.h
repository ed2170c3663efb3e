/* Is a value one of a few? In place of a row of comparisons. */
#ifndef TARE_BASE_AMONG_H
#define TARE_BASE_AMONG_H

#include "base/str.h"

/* word: ends with NULL; letters compare with case */
static inline bool sv_among(struct sv a, const char *const *word)
{
	for (; *word; word++)
		if (sv_is(a, *word))
			return true;
	return false;
}
#define SV_AMONG(a, ...) sv_among(a, (const char *const[]){ __VA_ARGS__, NULL })

/* The same of strings; z is not NULL. */
static inline bool text_among(const char *z, const char *const *word)
{
	for (; *word; word++)
		if (!strcmp(z, *word))
			return true;
	return false;
}
#define TEXT_AMONG(z, ...) text_among(z, (const char *const[]){ __VA_ARGS__, NULL })

static inline bool char_is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* a blank within a line */
static inline bool char_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* c is one of the characters of set; a NUL is none. Not for the inner loop of a parser: a call of
 * strchr. */
static inline bool char_among(char c, const char *set)
{
	return c && strchr(set, c);
}

#endif
