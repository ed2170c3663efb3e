#ifndef TARE_REPORT_PLAN_PLAN_COLS_H
#define TARE_REPORT_PLAN_PLAN_COLS_H
/* Rows and columns that the JSON documents of a plan share. Parts of rows are borrowed from the
 * plan or lie in mem. */
#include "report/action/action_text.h"
#include "report/plan/plan_view.h"

struct plan_rec_row {
	struct rec rec;
	bool chosen;    /* it is in the plan, and saves there: */
	bool replayed;  /* it is no advice */
	bool has_alone; /* it was replayed alone */
	bool has_may;   /* it is advice with an estimate: */
	dec saving_month, p05_month, p95_month, alone_month;
	dec may_p05_month, may_p95_month; /* of advice with an estimate */
	int64_t gpu_ms;                   /* UNKNOWN_I64: not told */
	const char *tier;                 /* NULL: advice, which nobody signs */
	int64_t bound_nano;               /* UNKNOWN_I64: nothing is bound */
	const struct subject *subject;    /* [nsubject] each key once */
	size_t nsubject;
	const char *kind;           /* advice_kinds[].name */
	const char *risk, *actions; /* actions: JSON */
	struct action_text how;
	const struct plan_mark *mark;     /* NULL: nobody decided */
	const struct trial_record *trial; /* NULL: none decided */
	const char *owner, *status;
	int64_t due_ms;
	struct energy_saved energy;
};
extern const struct col plan_rec_cols[];
extern const struct col trial_record_cols[]; /* of struct trial_record */
/* chosen: its place in the plan, SIZE_MAX = it is not in it. ret is given to
 * plan_rec_rows_free(). */
void plan_rec_row(const struct plan_view *v, const struct rec *r, size_t chosen, struct arena *mem,
		  struct plan_rec_row *ret);
void plan_rec_rows_free(struct plan_rec_row *v, size_t n);

struct plan_finding_row {
	struct finding f;
	dec cost_month;
	bool has_cost;
	const struct subject *subject; /* [nsubject] each key once */
	size_t nsubject;
	const char *quality, *currency;
	struct action_text how;
};
extern const struct col plan_finding_cols[];
/* Of all findings of the plan; given to plan_finding_rows_free(). */
struct plan_finding_row *plan_finding_rows(const struct plan *p, struct arena *mem);
void plan_finding_rows_free(struct plan_finding_row *v, size_t n);

/* GPUs that idled while jobs waited. */
struct plan_queued_row {
	const struct plan_queued *q;
	dec cost_month;
};
extern const struct col plan_queued_cols[];
/* [plan->nqueued] */
struct plan_queued_row *plan_queued_rows(const struct plan *p, struct arena *mem);

struct plan_refused_row {
	struct rec rec;
	const char *why, *risk, *tier, *currency;
	dec alone_month;
	bool has_alone;
};
extern const struct col plan_refused_cols[];
/* Of all that were not taken. */
struct plan_refused_row *plan_refused_rows(const struct plan *p, struct arena *mem);

extern const struct col plan_replay_cols[]; /* of struct rec_replay after replay_shown() */
struct rec_replay replay_shown(const struct rec_replay *r);
/* UNKNOWN_MS for what has no end. */
int64_t time_shown(int64_t ms);

/* The first columns of each document, of a struct S with these members. */
#define PLAN_HEAD_COLS(S)                                                                 \
	{ "month_hours", COL_NUM,       offsetof(S, month_hours), "h", "what a month is", \
	  .digits = 6,   .always = true },                                                \
	{                                                                                 \
		"currency", COL_WORD, offsetof(S, currency), .help = "of all amounts"     \
	}
#endif
