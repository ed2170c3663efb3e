#include "base/near.h"

#include <ctype.h>
#include <string.h>

#include "base/num.h"

#define MAX_WORD 63 /* nobody mistypes longer words of ours */

/* Optimal string alignment distance, three rows of the table at a time. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	int rows[3][MAX_WORD + 1];
	int *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= nb; j++)
		above[j] = (int)j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);
			row[j] = min_int(above[j] + 1, row[j - 1] + 1);
			row[j] = min_int(row[j], above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		int *free_row = before;
		before = above;
		above = row;
		row = free_row;
	}
	return above[nb];
}

const char *near_word(const char *word, const char *const *list, size_t n)
{
	size_t len = strlen(word);
	if (len == 0 || len > MAX_WORD)
		return NULL;
	int best = max_int((int)(len / 3), 1) + 1;
	const char *ret = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t m = strlen(list[i]);
		if (m == 0 || m > MAX_WORD)
			continue;
		int d = edit_distance(word, len, list[i], m);
		if (d < best && (size_t)d < len) { /* changing every character is not near */
			best = d;
			ret = list[i];
		}
	}
	return ret;
}
