#ifndef TARE_ANSWER_DOCTOR_H
#define TARE_ANSWER_DOCTOR_H
/* What tare can and cannot see here: checks of the store and its ledger. Those of the machine are
 * added by agent/doctor.h. */
#include "answer/ask.h"
#include "answer/opens.h"

struct doctor_check {
	bool ok;
	const char *what, *is; /* "GPUs", "8 GPUs, 0 MIG instances" */
	const char *next;      /* what to do; NULL: nothing, or it is not known */
};

struct doctor {
	struct doctor_check *check; /* [n] in the order in which they were made */
	size_t n, max;
	bool bad;           /* the store is damaged, or its ledger does not close */
	bool none;          /* there is no store yet */
	struct opens opens; /* of the store; of one that is bad nothing */
};

struct doctor_ask {
	struct ask ask;     /* its store: NULL where it could not be opened, for the reason why */
	int store_code;     /* of opening it */
	struct err why;     /* likewise */
	const char *config; /* the settings' file, or NULL */
	int config_code;    /* of reading it, all its sections */
	struct err config_why;
	const char *dir;   /* of the store, NULL: not asked about what it was imported with */
	const char *words; /* " --db DIR" of commands that are advised; NULL: none */
	const char *state; /* the agent's folder, NULL: as the settings say */
	int64_t (*mono_ms)(void); /* a clock that never jumps: how long a check took */
};

/* Append a check; the texts lie in the ask's memory or outlive it. next "" is NULL. */
void doctor_add(const struct doctor_ask *q, struct doctor *d, bool ok, const char *what,
		const char *is, const char *next);
/* The same of an error: its sentence, and its hint as what is next. */
void doctor_add_err(const struct doctor_ask *q, struct doctor *d, const char *what,
		    const struct err *err);
/* Text from elsewhere, fit for a terminal; in the ask's memory. */
const char *doctor_clean(const struct doctor_ask *q, const char *text);

/* Version, settings, catalogue, store and ledger. What is wrong is a check, never an error. A store
 * that is not there yet is no fault. */
void answer_doctor(const struct doctor_ask *q, struct doctor *ret);

#endif
