#ifndef TARE_LIB_LIB_H
#define TARE_LIB_LIB_H
/* What the shims share: the folder, the place in the group of ranks, and the line to `tare run`. */
#include <stddef.h>
#include "base/err.h"
#include "spot/runmsg.h"
#include <tare/tare.h>

const char *lib_dir(const char *told);	   /* told, else TARE_CHECKPOINT_DIR, else NULL */
const char *lib_attempt(const char *told); /* told, else TARE_ATTEMPT, else "-" */
int lib_env_int(const char *name, int otherwise);
void lib_say(const struct err *err, char *to, size_t cap); /* the sentence and its hint, cut to fit */

/* Send to `tare run` where that runs this; silently nothing otherwise. Any thread. */
void lib_tell(const struct runmsg *m);

#endif
