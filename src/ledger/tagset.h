#ifndef TARE_LEDGER_TAGSET_H
#define TARE_LEDGER_TAGSET_H
/* A JSON object of tags, read once: sorted keys, text values. */
#include "base/mem.h"

struct tag {
	struct sv key, value;
};
struct tagset {
	VEC(struct tag) tag; /* by key, bytes; texts in the arena given */
	/* canonical: {"a":"1","b":"x"}, sorted, {NULL,0} when there are none */
	struct sv json;
};

/*
 * Numbers and booleans become their text, null and nested values: null is dropped, objects and
 * arrays become their compact JSON. Missing outer braces are added; of a key given twice the last
 * value stands. Returns false (and an empty set) where the text cannot be read.
 */
bool tagset_read(struct arena *mem, struct sv json, struct tagset *ret);
void tagset_free(struct tagset *t); /* not the texts */
/* Two spellings of one key: as tagset_get() takes them. */
bool tagset_same_key(struct sv a, struct sv b);
/* By exact key; else one that differs in case, in - _ . / or by a cloud's "user:" prefix. {NULL,0}
 * if absent. */
struct sv tagset_get(const struct tagset *t, struct sv key);
/* Of an allocation's tags: the number that Slurm gives an element of an array or a part of a
 * heterogeneous job ("1234_7", "1234+1"), under which exporters know it. {NULL,0}: none. */
struct sv tagset_slurm_number(struct arena *mem, struct sv json);
/* The tags that both say the same, as sorted JSON in mem; {NULL,0}: none. */
struct sv tagset_common(struct arena *mem, struct sv a, struct sv b);
#endif
