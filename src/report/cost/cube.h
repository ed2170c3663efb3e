#ifndef TARE_REPORT_COST_CUBE_H
#define TARE_REPORT_COST_CUBE_H
/*
 * From cells to rows: one row per combination of the shown dimensions and currency, with its sums
 * by state; the idle cost split over the rows as asked; sorted and cut to the limit. Exact: the
 * rows of a currency add up to its cells, whatever the split.
 */
#include "report/cost/report.h"

/* Whether a cost of GPU time says anything: some of the time has a price, or there is none. */
static inline bool cost_is_known(dec cost, int64_t ms, int64_t unpriced_ms)
{
	return cost || !ms || unpriced_ms < ms;
}

struct cube_sum {
	/* util_ms UNKNOWN_I64 when none has one */
	int64_t ms, util_ms, measured_ms, estimated_ms, unpriced_ms;
	dec cost;
};
/* A row beside another window. Of a sum: of the rows that have a price in both. */
struct cube_compare {
	bool has_before, has_now, has_both;
	dec before, now, difference, part[COMPARE_PARTS];
	bool known[COMPARE_PARTS];
	dec booked;       /* before, not put on the hours of now */
	dec booked_other; /* of that, what is no GPU time: fees, support, storage */
	/* [0] before, [1] now; of GPU time: with a price, without, busy, with a reading */
	int64_t gpu_ms[2], unpriced_ms[2], busy_ms[2], read_ms[2];
	size_t nleft; /* rows of a sum without a price in one of the windows: not in it */
};
/* The cost of a row in one of the columns beside it. */
struct cube_cell {
	dec cost;
	int64_t ms, unpriced_ms; /* of its GPU time */
	bool any;                /* there is an entry; else it cost 0, if that step was recorded */
};
/* Do shares of idle cost go by what machines cost, as nobody's use is known: of no row, of those
 * that nobody watched, of all. */
enum cube_by_cost { BY_COST_NONE, BY_COST_UNWATCHED, BY_COST_ALL };
struct cube_row {
	const char *const *dim; /* [ndim] */
	const char *currency;
	struct cube_sum state[STATE_N]; /* STATE_NONE: lines that are no GPU time (cost alone) */
	/* over all states of GPU time, share of idle time included */
	struct cube_sum gpu;
	dec cost;                 /* direct + idle + shared */
	dec direct, idle, shared; /* idle, shared: 0 without a split */
	dec kind[KIND_N];         /* direct by kind, when "kind" is among the dimensions */
	/* idle + unallocated + lost + the unused part of underused */
	dec waste;
	dec machines; /* of what is no GPU time: machines of which nothing says whether they have GPUs */
	bool has_machines;
	int64_t unwatched_ms; /* of its unknown time, what nobody held nor watched */
	dec unwatched_cost;
	bool has_cost;  /* false: all of it is without a price */
	bool is_shared; /* a shared team, whose cost went to the others */
	bool is_rest;   /* what nobody used and the split gave to nobody */
	enum cube_by_cost by_cost;
	size_t folded;    /* the sum of so many rows that --top left; 0: a row of its own */
	bool hole;        /* a step of time without an entry */
	bool unrecorded;  /* a step of time of which nobody has a record: nothing is known of it */
	bool ends_untold; /* nobody told how a job ended */
	dec group;        /* cost of all rows that have its dimensions before the one of time */
	const struct cube_cell *column; /* [steps of in->pivot or in->trend], where one is */
	struct cube_compare compare;    /* where in->compare is */
};
struct cube_block { /* one currency */
	const char *currency;
	struct cube_row *row;
	size_t nrow;  /* shown */
	size_t nleft; /* further rows, beyond the limit */
	struct cube_row total, left;
	/* of all its rows, beyond the limit too: where most was paid for idle time; NULL:
	 * nowhere */
	const struct cube_row *idlest;
	const struct report_reconcile *reconcile; /* NULL: none */
};
struct cube {
	struct arena mem;
	struct cube_row *row;
	size_t nrow;
	struct cube_block *block; /* the configured currency first, then by name */
	size_t nblock;
};
/* with_shared_teams: of a chargeback, in which the cost of shared teams goes to the others, and
 * time that nobody held is charged to nobody unless the split says to whom: a line of its own,
 * whoever owns the machine. Texts are borrowed from in. 0 or -EINVAL. */
int cube_build(const struct report_in *in, bool with_shared_teams, struct cube *ret,
	       struct err *err);
void cube_free(struct cube *c);

/*
 * GPU time of a row that was held by somebody, and that anybody watched; that somebody held or may
 * have; that had a reading; that idled in any way.
 */
int64_t cube_held_ms(const struct cube_row *r);
int64_t cube_watched_ms(const struct cube_row *r);
int64_t cube_allocated_ms(const struct cube_row *r);
int64_t cube_read_ms(const struct cube_row *r);
int64_t cube_idle_ms(const struct cube_row *r);
dec cube_idle_cost(const struct cube_row *r);
/* Does its share of idle cost say anything: has some of the time that it is of a price? */
bool cube_idle_known(const struct cube_row *r);
/* By the values of the first ndim dimensions, as strcmp(). */
int cube_by_dims(const struct cube_row *a, const struct cube_row *b, size_t ndim);
bool cube_is_time(const char *dim); /* hour, day, week, month, quarter */
/* Which of the two columns come from; NULL: none. */
const struct report_series *cube_series(const struct report_in *in);
/* Is the cost of a row in column i known, and if so which? */
bool cube_column(const struct report_series *s, const struct cube_row *r, size_t i, dec *ret);
void cube_compare_add(struct cube_compare *to, const struct cube_compare *x);
const char *cube_label(const char *dim, const char *value); /* "(nobody)", "-" for what is empty */
const char *report_currency(const struct report_in *in);    /* the configured one, "USD" */
#endif
