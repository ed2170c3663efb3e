#ifndef TARE_RUN_RUN_APART_H
#define TARE_RUN_RUN_APART_H
#include "base/mem.h"
#include "run/run.h"

/*
 * The tasks of a Slurm array run the same line, and must not resume from each other's checkpoints:
 * each has a folder and a place in the store of its own below what is named. task: its number, as
 * in SLURM_ARRAY_TASK_ID; NULL or no number: nothing is changed. Texts in mem. -EINVAL: the store
 * is a command that does not name the task.
 */
int run_apart(struct run_opt *o, const char *task, struct arena *mem, struct err *err);
#endif
