#ifndef TARE_REPORT_PAGE_H
#define TARE_REPORT_PAGE_H
/* The frame of a self-contained page: no script, no outside asset (a policy in the page forbids
 * both), light and dark, printable. */
#include <stdint.h>
#include "base/str.h"

/* up to and with the headline; more_style NULL or CSS */
void page_head(const char *title, const char *more_style, struct str *out);
/* each line of a text; class may be NULL */
void page_paragraphs(struct str *out, const char *lines, const char *class);
void page_foot(int64_t now_ms, struct str *out); /* UNKNOWN_MS: no date */
#endif
