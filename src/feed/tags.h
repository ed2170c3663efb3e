#ifndef TARE_FEED_TAGS_H
#define TARE_FEED_TAGS_H
/*
 * Tags that a feed collects for one row: a JSON object of texts. Zero-initialise; tags_clear()
 * keeps the memory for the next row. At most TAGS_MAX tags of TAGS_TEXT_MAX bytes are kept; a key
 * given again replaces nothing (the first wins).
 */
#include "base/mem.h"
#include "base/str.h"

#define TAGS_MAX      128
#define TAGS_TEXT_MAX 4096

struct tags {
	struct str json; /* filled by tags_json() */
	struct arena mem;
	struct sv key[TAGS_MAX], value[TAGS_MAX];
	size_t n;
};
void tags_clear(struct tags *t);
void tags_free(struct tags *t);
/* copied; an empty key or a {NULL,0} value is left out */
void tags_add(struct tags *t, struct sv key, struct sv value);
/* "team=nlp;env=prod": pairs between ; or , with blanks around allowed. Returns how many; text
 * without any = gives 0. */
size_t tags_add_pairs(struct tags *t, struct sv text);
/* Members of a JSON object: texts as they are, numbers and truth values as text, others left out.
 * -EINVAL: no object. */
int tags_add_json(struct tags *t, struct sv json);
/*
 * One form of an object, whatever file it came in (a CSV cell, a MAP of Parquet): members by key,
 * without blanks, numbers and escapes in one spelling, no nulls; {NULL,0} where none is left. The
 * text itself where it has that form already, else in buf; a text that is no object stays.
 */
struct sv tags_one_form(struct str *buf, struct sv json);
/* Value of the first of the NULL-terminated names that is there (ASCII without case), else
 * {NULL,0}. */
struct sv tags_get(const struct tags *t, const char *const *names);
/* The object, or {NULL,0} when there is no tag; valid until tags_clear(). */
struct sv tags_json(struct tags *t);

/* Names that people give the fields of an owner. */
extern const char *const tags_team[],
	*const tags_project[], *const tags_env[], *const tags_workload[], *const tags_user[];

#endif
