#ifndef TARE_ANSWER_REPORT_H
#define TARE_ANSWER_REPORT_H
/*
 * Who spent what, on what: sums of the ledger by dimensions, filtered, and how they close against
 * the bills. Amounts are exact; currencies are never added.
 */
#include "answer/accounts.h"
#include "answer/ask.h"
#include "ledger/split.h"
#include "model/model.h"

/* A cell of the cube: what one combination of dimension values has in one state. */
struct report_cell {
	const char *const *dim; /* [ndim + nattr], "" = none */
	bool is_gpu;
	enum state state;
	const char *currency; /* "" counts as the configured one */
	int64_t ms, util_ms, measured_ms, estimated_ms, unpriced_ms;
	dec cost;
	/* the part that nobody held nor watched */
	int64_t unwatched_ms;
	dec unwatched_cost;
};
/*
 * The ledger against the bills, whatever filter the rows have; one per currency. ledger +
 * difference is what was to be paid: the bills' sum, or without a bill the exact product of time
 * and price, of which entries keep whole nano-units.
 */
struct report_reconcile {
	const char *currency;
	/* what the bills say in the basis asked; has_bill false: no bill covers the window */
	dec billed;
	bool has_bill;
	/* its lines, those without a cost in this basis (in no sum), and what all of them
	 * invoice */
	int64_t lines, lines_unknown;
	dec invoiced;
	/* effective cost of what commitments covered; of lines that do not say what was invoiced */
	dec used, used_unbilled;
	dec ledger; /* sum of entries whose amount comes from a bill */
	/* sum of all others: priced by node records, at import or from the catalogue */
	dec unbilled;
	dec remainder;     /* what rounding entries to nano left, to 10^-12 */
	__int128 rest_num; /* the same exactly, in 10^-12 / 3,600,000 */
	int64_t unpriced_ms;
	bool partial; /* charge periods reach over the ends of the window */
};

#define REPORT_DIMS_ASKED 12
/* and the name that stands behind an account */
#define REPORT_DIMS_MAX (REPORT_DIMS_ASKED + 1)

struct report_dims {
	enum dim dim[REPORT_DIMS_MAX];
	const char *tag[REPORT_DIMS_MAX];  /* key where dim is DIM_TAG */
	const char *name[REPORT_DIMS_MAX]; /* as written: "team", "tag:app" */
	size_t n;
};
/* Add "team,tag:app" (in arena a); the same one twice and more than the maximum are errors. */
int report_dims_add(struct report_dims *d, const char *text, struct arena *a, struct err *err);
/* Behind "account", where that is asked for, "account_name": what the account is called. */
int report_dims_add_names(struct report_dims *d, struct err *err);
bool report_dims_has(const struct report_dims *d, const char *name);
/* Add what a split of idle cost looks at and d lacks: the kind, and the fields of its rules. */
int report_dims_add_split(struct report_dims *d, enum idle_split split, const struct conf *conf,
			  struct arena *a, struct err *err);

struct report_filters {
	VEC(struct ledger_filter) v;
	struct str words; /* "team=vision · node!=a,b" */
};
/* "dim=value[,value...]" or "dim!=value[,...]"; an empty value is "nobody", "\\," a comma. */
int report_filter_add(struct report_filters *f, const char *text, struct arena *a, struct err *err);
/* Time that nobody held has no owner: a filter on one would take it away before it could be split.
 * 0, or -EINVAL which names the filter. */
int report_filter_fits(const struct report_filters *f, enum idle_split split, struct err *err);

struct report_exchange;
struct report_exchanged;

/* What is asked. */
struct report_ask {
	struct ask ask;
	enum basis basis;
	struct report_filters filter;
	struct account_names accounts; /* none before report_find_accounts() */
	/* of the data shown: the ledger's own span where the window is open; UNKNOWN_MS = empty
	 * ledger */
	int64_t since_ms, until_ms;
	int64_t data_until_ms; /* where what there is ends within it, for headings; 0: it does not */
	bool by_price;         /* time with and without a price in cells of their own */
	/* amounts in this one currency (answer/exchanged.h); NULL: each in its own */
	const struct report_exchange *exchange;
};
void report_ask_free(struct report_ask *q);
/* Where d or a filter asks for accounts: q learns their names, and a filter by a name (today's, or
 * one of before) becomes one by the ids that have it. An id is taken for an id, also where another
 * account is called so. */
int report_find_accounts(struct report_ask *q, const struct report_dims *d, struct err *err);
/* The window as it is shown: where it is open, the ledger's own ends. */
int report_window(struct report_ask *q, bool *ret_empty, struct err *err);
/* Of how many lines the bills of all time are: where the ledger is empty none has a cost. */
int report_bill_lines(const struct report_ask *q, int64_t *ret, struct err *err);
/* Cells by these dimensions in the window, in the ask's arena, in q->exchange's currency where it
 * has one. */
int report_cells(const struct report_ask *q, const struct report_dims *d, bool filtered,
		 struct report_cell **ret, size_t *ret_n, struct err *err);

struct report_answer {
	const struct report_cell *cell; /* [ncell] by the dimensions asked */
	size_t ncell;
	const struct report_reconcile *reconcile; /* [nreconcile], whatever the filter */
	size_t nreconcile;
	/* nobody told how a job of the window ended: what was lost is not known */
	bool ends_untold;
	/* jobs have accounts and no team, and no rule of the settings makes these teams */
	bool accounts_teamless;
	/* GPUs of no known machine beside recorded ones, as a sentence; NULL: none in the window */
	const char *nameless;
	/* with q->exchange: what was brought to its currency, one per currency of rows and bills */
	const struct report_exchanged *exchanged;
	size_t nexchanged;
	/* of the whole ledger, where there is no cell to show; else, and of an empty ledger,
	 * UNKNOWN_MS */
	int64_t ledger_from_ms, ledger_to_ms;
	/* where there is no cell: a value of the filter that its dimension does not have in the
	 * window, and the one that is written most like it; NULL */
	const char *unknown_dim, *unknown_value, *near_value;
	/* a tag that was asked for and that nothing has, the key most like it (or NULL), and
	 * [ntag_key] those that there are; NULL: there is none such */
	const char *unknown_tag, *near_tag, **tag_key;
	size_t ntag_key;
};
int answer_report(const struct report_ask *q, const struct report_dims *d,
		  struct report_answer *ret, struct err *err);
/* The same cells by day alone, for a plot; in the ask's arena. */
int answer_report_days(const struct report_ask *q, const struct report_cell **ret, size_t *ret_n,
		       struct err *err);
#endif
