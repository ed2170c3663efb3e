#ifndef TARE_RUN_RUN_AWAY_H
#define TARE_RUN_RUN_AWAY_H
/* The object store of a run, by the thread of run_save.c alone. */
#include "run/run_priv.h"

/* Bring the newest of the store into the folder where it is newer than what is there, and what
 * earlier attempts have measured where the folder has nothing of it. */
int run_away_back(struct run_save *s, struct run_result *r);
/* Copy the newest checkpoint away before s->until_ms; r->step and r->id: what is safe in the store
 * then. */
int run_away_push(struct run_save *s, struct run_result *r);
void run_away_close(struct run_save *s);

#endif
