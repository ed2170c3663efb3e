#ifndef TARE_TOP_TOP_H
#define TARE_TOP_TOP_H
/*
 * `tare top`: a thread polls the watch and hands each poll over as a copy; the page is painted from
 * that. So a source that does not answer for seconds (Slurm, Kubernetes) never holds up a key.
 */
#include "top/top_model.h"
#include "base/err.h"
#include "report/cost/report.h"

struct top_opt {
	struct watch_opt watch; /* opened inside */
	int64_t interval_ms;    /* 100 .. 3,600,000 */
	bool colour, utf8;
	int64_t (*now_ms)(void); /* the wall clock */
	/* where an agent of this machine keeps what it books of today, looked at every 15 s
	 * (top_book.h); NULL: there is none */
	const char *state_dir;
};
/* The page, until it is left. 0; or the number of the signal that ended it (the terminal is as it
 * was); or negative. */
int top_run(const struct top_opt *opt, struct err *err);
/* The same as JSON (OUT_JSON) or as a page of as->width columns. */
int top_print_once(const struct top_opt *opt, const struct out_as *as, struct str *out,
		   struct err *err);

#endif
