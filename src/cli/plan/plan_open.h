#ifndef TARE_CLI_PLAN_OPEN_H
#define TARE_CLI_PLAN_OPEN_H
/* From the command line to the question for a plan: for tare plan, tare explain and tare plan
 * accept/dismiss/reset/apply. */
#include "answer/plan/plan.h"
#include "cli/cli.h"
#include "report/plan/plan_view.h"

struct plan_open {
	struct plan_ask q;
	struct plan_last last; /* where somebody read it */
	struct plan_answer a;
	struct store *store;
	struct plan_conf conf;
	bool has_conf, has_answer;
};
/* The options of tare plan. */
struct plan_given {
	/* what is asked for, and remembered */
	struct opt_list lever;
	int risk; /* enum risk */
	double effort_days, target_frac;
	dec min_saving;
	int64_t horizon_ms, within_ms, seed;
	bool quality;
	/* how it is shown: by is the first */
	const char *by, *html;
	bool findings, refused, backtest, calendar, case_study, all;
};
/* To q.asked and q.want: the options of the last plan where p has read it, else the command line's.
 * 0 or -EINVAL. */
int plan_open_read(struct cli *c, struct plan_open *p, struct plan_given *ret, struct err *err);
/* Settings, store and catalogue, without a plan. */
int plan_open_ask(struct cli *c, struct plan_open *p, struct err *err);
/* From q.asked and q.want to the answer: settings, store, prices. -ENODATA: nothing can be decided.
 * plan_open_close() in any case. */
int plan_open_answer(struct cli *c, struct plan_open *p, struct err *err);
void plan_open_close(struct plan_open *p);

/* The one argument of commands about a recommendation: 0, or the exit code of wrong usage. */
int plan_open_one_argument(struct cli *c);
/* The id that it means, and what was decided so far; p->last is read. 0 or a negative errno. */
int plan_open_subject(struct cli *c, struct plan_open *p, struct plan_marks *marks,
		      const char **ret, struct err *err);
/* The same, also of advice (ret_said, else NULL) and of what was refused. */
int plan_open_subject_any(struct cli *c, struct plan_open *p, struct plan_marks *marks,
			  const char **ret, const struct plan_said **ret_said, struct err *err);
const char *plan_open_user(void); /* who decides; "" = not known */

/* How the printing room wants it. */
struct plan_view plan_open_view(struct cli *c, const struct plan_open *p);
/* Message and exit code of a failure: EXIT_INCOMPLETE for -ENODATA. */
int plan_open_fail(int r, const struct err *err);
#endif
