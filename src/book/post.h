#ifndef TARE_BOOK_POST_H
#define TARE_BOOK_POST_H
/* A scope being posted: what post.c (the whole), hold.c (who holds which card) and entry.c (entries and remainders) share. */
#include <string.h>

#include "book/cause.h"
#include "book/energy.h"
#include "book/in.h"

struct holding { /* an allocation and the cards of this node it holds */
	struct attrib_alloc a;
	const struct allocation *raw;
	size_t *card; /* [ncard]; ncard 0 = not bound to cards */
	size_t ncard;
};

struct card {
	struct sv key;  /* as entries name it */
	struct sv uuid; /* {NULL,0} = not known */
	VEC(size_t) series;
};

struct post {
	struct book *book;
	struct arena mem;
	const char *scope;
	int64_t from_ms, to_ms;
	struct node *node;
	size_t nnode;
	struct bill_line *line;
	size_t nline;
	struct allocation *alloc;
	size_t nalloc;
	struct series *series;
	size_t nseries;
	struct paid_node paid;
	const struct gpu_spec *gpu;
	VEC(const struct owner *) owner;
	VEC(struct holding) hold;
	VEC(struct card) card;
	size_t *series_owner; /* [nseries] */
	const char **run;     /* [nalloc] */
	/* being posted */
	struct sv card_key;
	VEC(struct remainder) rest; /* per day, currency, basis */
	struct sv rest_currency;
	struct energy energy;
	struct causes causes;             /* of underused time */
	const struct owned_conf *metered; /* owned hardware whose energy is measured, or NULL */
};

static inline bool has_prefix(const char *scope, const char *prefix)
{
	return !strncmp(scope, prefix, strlen(prefix));
}

static inline struct sv or_sv(struct sv a, struct sv b)
{
	return a.n ? a : b;
}

/* hold.c */
size_t hold_unheld_owner(
	struct post *p, struct sv account,
	struct
	sv tags); /* who answers for the time nobody holds: the tags of the bill's resource, else ATTRIB_NOBODY */
int64_t hold_running_end(const struct post *p,
			 const struct allocation *a); /* its end, or the end of the data */
void hold_take(
	struct post *
		p); /* p->alloc -> p->hold: owners, shares, end states; the newest import of each */
void hold_cards_of_node(struct post *p); /* the cards that a record or bill gives the node */
void hold_cards_of_series(
	struct post *p); /* the cards that telemetry names, and whose series they are */
bool hold_bind(
	struct post *p,
	bool recorded); /* holdings to cards; false: nobody tells the cards apart, the node is a pool */
size_t hold_of_card(const struct post *p, size_t card,
		    struct attrib_alloc *ret); /* [p->hold.n]; returns how many */

/* entry.c; ctx of the callbacks is the struct post */
int entry_emit(void *ctx, const struct attrib_entry *a, struct err *err);
int entry_energy(void *ctx, const struct attrib_entry *a, int64_t nano, struct err *err);
int entry_extra(struct post *p, const struct paid_extra *x, struct err *err);
void entry_rest_energy(void *ctx, int64_t hour_ms, dec rest);
void entry_start(struct post *p, struct attrib_rest *r,
		 struct sv currency);             /* before each attribution */
int entry_flush(struct post *p, struct err *err); /* writes the remainders since the last flush */

#endif
