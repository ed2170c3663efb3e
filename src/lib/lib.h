#ifndef TARE_LIB_LIB_H
#define TARE_LIB_LIB_H
/* What the shims share: the folder, the place in the group of ranks, and the line to `tare run`. */
#include <stddef.h>
#include "base/err.h"
#include "run/runmsg.h"
#include <tare/tare.h>

const char *lib_dir(const char *given); /* given, else TARE_CHECKPOINT_DIR, else NULL */
/* given, else TARE_ATTEMPT, else made of what torchrun and Slurm set, else "-". */
void lib_attempt(const char *given, char *to, size_t cap);
int lib_env_int(const char *name, int otherwise);
/* the sentence and its hint, cut to fit */
void lib_say(const struct err *err, char *to, size_t cap);

/* 1: ret is the newest id of this step; 0: none. */
struct ckpt_dir;
int lib_find_step(struct ckpt_dir *d, int64_t step, char ret[CKPT_ID_BYTES], struct err *err);

/* Send to `tare run` where that runs this; silently nothing otherwise. Any thread. */
void lib_tell(const struct runmsg *m);

#endif
