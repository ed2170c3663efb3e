#ifndef TARE_ANSWER_OPENS_H
#define TARE_ANSWER_OPENS_H
/* Which commands have an answer with what a store holds, and what one more input would add. */
#include "answer/ask.h"

/* Kinds of input, as bits. */
enum brings {
	BRINGS_BILL = 1,
	BRINGS_NODES = 2,
	BRINGS_JOBS = 4,
	BRINGS_READINGS = 8,
	BRINGS_REQUESTS = 16,
	BRINGS_PRICES = 32,
};
struct opens_row {
	unsigned needs;      /* BRINGS_...: all of them */
	const char *what;    /* "cost by team and job" */
	const char *command; /* that shows it */
};
/* An input that is missing, and the first thing that it would show. */
struct opens_next {
	enum brings kind;
	const char *file; /* "a job list (sacct, OpenCost, any CSV)" */
	const char *what; /* what it shows together with what is there */
};
#define OPENS_MAX 16
struct opens {
	unsigned has;      /* BRINGS_... */
	const char *store; /* " --db X", behind each command; NULL: none is needed */
	const struct opens_row *now[OPENS_MAX];
	size_t nnow;
	struct opens_next next[OPENS_MAX]; /* what is missing, the one that opens most first */
	size_t nnext;
};

/* Pure. has: BRINGS_... of what is there. */
void opens_of(unsigned has, struct opens *ret);
/* What a store holds; one that is NULL holds nothing. */
int answer_opens(struct store *store, struct arena *mem, struct opens *ret, struct err *err);

#endif
