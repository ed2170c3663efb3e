#ifndef TARE_AGENT_TOP_H
#define TARE_AGENT_TOP_H
/*
 * `tare top`: a thread polls the watch and hands each poll over as a copy; the page is painted from
 * that. So a source that does not answer for seconds (Slurm, Kubernetes) never holds up a key.
 */
#include "agent/top_model.h"
#include "base/err.h"

struct top_opt {
	struct watch_opt watch; /* opened inside */
	int64_t interval_ms;    /* 100 .. 3,600,000 */
	bool colour, utf8;
	int64_t (*now_ms)(void); /* the wall clock */
	/* What an agent has booked today; NULL: there is none. Called in the polling thread after a
	 * poll, at most every 15 s. Rows live until the next call. */
	void (*today)(void *ctx, int64_t now_ms, struct top_today *ret);
	void *today_ctx;
};
/* The page, until it is left. 0; or the number of the signal that ended it (the terminal is as it
 * was); or negative. */
int top_run(const struct top_opt *opt, struct err *err);
/* Two polls, a second apart so that there are rates; the model then has both. Interrupted by
 * nothing. */
int top_once(const struct top_opt *opt, struct top_model *ret, struct err *err);

#endif
