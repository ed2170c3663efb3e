#ifndef TARE_LIB_LIB_H
#define TARE_LIB_LIB_H
/* What the shims share: the folder, the place in the group of ranks, and the line to `tare run`. */
#include <stddef.h>
#include "base/err.h"
#include "run/runmsg.h"
#include <tare/tare.h>

const char *lib_dir(const char *told); /* told, else TARE_CHECKPOINT_DIR, else NULL */
/* told, else TARE_ATTEMPT, else made of what torchrun and Slurm set, else "-". */
void lib_attempt(const char *told, char *to, size_t cap);
int lib_env_int(const char *name, int otherwise);
/* the sentence and its hint, cut to fit */
void lib_say(const struct err *err, char *to, size_t cap);

/* 1: ret is the newest id of this step; 0: none. */
struct ckpt_dir;
int lib_find_step(struct ckpt_dir *d, int64_t step, char ret[40], struct err *err);

/*
 * The word of a `tare run` on another machine, from its file in the folder of checkpoints
 * (run/runmsg.h): true where there is a new one. Looks once a second. Not for two threads at once.
 */
bool lib_far_hear(struct runmsg *ret);
/* Send to `tare run` where that runs this; silently nothing otherwise. Any thread. */
void lib_tell(const struct runmsg *m);

#endif
