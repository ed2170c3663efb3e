#ifndef TARE_ANSWER_ENERGY_H
#define TARE_ANSWER_ENERGY_H
/* Energy and carbon beside dollars: of who used the GPUs, and of a plan (plan/energy.h). */
#include "answer/report.h"
#include "plan/energy.h"

struct energy_row {
	const char *const *dim; /* [ndim], "" = none */
	int64_t cost_nano;      /* effective, of GPU time; what has no price is not in it */
	int64_t unpriced_ms;    /* of it that has none */
	struct energy_sum sum;
};
struct energy_answer {
	struct energy_row *row; /* [nrow] most energy first, unknown last */
	size_t nrow;
	struct energy_row total;
	const char *currency;
	/* charged in other currencies, for which no exchange rate is known: in no row */
	const struct energy_other {
		const char *currency;
		int64_t gpu_ms;
		dec cost;
	} * other;
	size_t nother;
	double pue;
	int64_t since_ms, until_ms; /* of the data; UNKNOWN_MS: none */
};
/*
 * q: its window is set (report_window()). Dimensions of who, where and what machine; others, and a
 * filter, are -EINVAL, which says which there are. In the ask's arena.
 */
int answer_energy(const struct report_ask *q, const struct report_dims *d, struct catalog *cat,
		  struct energy_answer *ret, struct err *err);

/* Of the plan's items and of all: [p->rec.n] in mem. */
struct plan_energy {
	struct energy_saved *item, all;
};
int answer_plan_energy(const struct conf *conf, struct catalog *cat, const struct plan *p,
		       struct arena *mem, struct plan_energy *ret, struct err *err);
#endif
