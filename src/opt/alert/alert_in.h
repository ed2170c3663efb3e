#ifndef TARE_OPT_ALERT_ALERT_IN_H
#define TARE_OPT_ALERT_ALERT_IN_H
/* Inside of the alert engine, shared by alert.c and alert_save.c. */
#include "base/mem.h"
#include "opt/alert/alert.h"
#include "opt/alert/alert_window.h"

#define ALERT_TEXT 128 /* bytes of a field, with its end */

struct alert_cell { /* a rule on a GPU */
	enum alert_state state;
	bool was_firing; /* in `no data` */
	bool told, clearing;
	/* observed time of the condition, of its contrary, and of neither */
	int64_t held_ms, clear_ms, unknown_ms;
	int64_t since_ms; /* wall clock */
	double value, worst;
	/* [ALERT_FIELD_N] fields when it began to fire, else NULL */
	char (*snap)[ALERT_TEXT];
	struct window *w; /* NULL without a window */
	bool silenced;
	const struct alert_rule *held_back;
};
struct alert_gpu {
	char field[ALERT_FIELD_N][ALERT_TEXT];
	uint64_t owner;          /* hash of job, user and workload */
	int64_t last_ms;         /* end of the last reading, INT64_MIN: none yet */
	struct alert_cell *cell; /* [nrule], NULL: forgotten */
};
struct alerts {
	const struct alert_rule *rule;
	size_t n;
	alert_fn *fn;
	void *ctx;
	struct intern keys;
	VEC(struct alert_gpu *) gpu; /* by number of the key */
	struct alert_silence *silence;
	size_t nsilence;
	struct arena silence_mem;
};

/* The GPU of this identity, made if absent; NULL when there are too many. */
struct alert_gpu *alert_gpu_get(struct alerts *a, char field[ALERT_FIELD_N][ALERT_TEXT]);
bool alert_cell_firing(const struct alert_cell *c);
uint64_t alert_rule_hash(const struct alert_rule *r);

#endif
