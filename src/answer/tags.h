#ifndef TARE_ANSWER_TAGS_H
#define TARE_ANSWER_TAGS_H
/* The ledger by each required tag. */
#include "answer/report.h"

struct tags_one {         /* a required tag */
	const char *name; /* "team", "tag:cost-center" */
	/* by the tag (dim[0]), team (dim[1]), user (dim[2]), node (dim[3]) */
	const struct report_cell *cell;
	size_t ncell;
};
struct tags_answer {
	const struct tags_one *tag;
	size_t ntag;
	/* false: no tags.required in the configuration, these are the usual ones */
	bool configured;
};
/* q: its window is set (report_window()). In the ask's arena. */
int answer_tags(const struct report_ask *q, struct tags_answer *ret, struct err *err);
#endif
