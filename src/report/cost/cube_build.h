#ifndef TARE_REPORT_COST_CUBE_BUILD_H
#define TARE_REPORT_COST_CUBE_BUILD_H
/* Shared by cube.c, which groups cells into rows, and cube_split.c, which splits idle cost over
 * them. */
#include "report/cost/cube.h"

struct pot { /* cost of time that nobody used, with what rules look at */
	const struct report_cell *first;
	size_t row; /* the row its dimensions name */
	struct cube_sum sum;
};

struct build {
	const struct report_in *in;
	struct cube *out;
	bool charge;    /* of a chargeback: what nobody used is no row's, also without a split */
	size_t kind_at; /* where "kind" is among the dimensions, or SIZE_MAX */
	struct intern row_key, pot_key;
	VEC(struct cube_row) row;
	size_t time_at; /* the first dimension that is a time, or SIZE_MAX */
	VEC(struct pot) pot;
	struct str key;
};

/* index of the row its dimensions name, made if absent */
size_t build_row(struct build *b, const struct report_cell *c);
/* Split the pots of every currency; teams that only a rule names become rows. 0 or -EINVAL. */
int build_split(struct build *b, bool with_shared_teams, struct err *err);

/* A row for each step of time without an entry, and what is in the columns beside the rows. */
void build_steps(struct build *b);
int build_columns(struct build *b, struct err *err); /* 0 or -E2BIG */
/* Columns of a sum; and x added to them. */
struct cube_cell *cube_columns_new(const struct report_in *in, struct arena *a);
void cube_columns_add(const struct report_in *in, struct cube_cell *to, const struct cube_row *x);
/* Each row beside its other window; those of that window alone become rows. */
void build_compare(struct build *b);

void cube_sum_add(struct cube_sum *to, const struct cube_sum *x);
void cube_row_init(struct cube_row *r, const char *const *dim, const char *currency);
const char *cube_currency(const struct report_in *in, const char *c); /* "" is the configured one */
#endif
