#include "run/run_apart.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

int run_apart(struct run_opt *o, const char *task, struct arena *mem, struct err *err)
{
	if (!task || !*task)
		return 0;
	if (strspn(task, "0123456789") != strlen(task) || strlen(task) > 10)
		return 0;
	if (o->store && !strncmp(o->store, "cmd:", 4) && !strstr(o->store, task)) {
		err_set(err, -EINVAL,
			"--store: this is task %s of a Slurm array, and all tasks would write to the same place",
			task);
		err_hint(err, "name a place for each: put $SLURM_ARRAY_TASK_ID into the command");
		return -EINVAL;
	}
	o->dir = arena_printf(mem, "%s/task-%s", o->dir, task);
	if (o->store && strncmp(o->store, "cmd:", 4) != 0) {
		/* before the settings of an address (object_set.c); a folder's name may have any
		 * character */
		bool web = strstr(o->store, "://") && strncmp(o->store, "file:", 5) != 0;
		size_t n = web ? strcspn(o->store, "?") : strlen(o->store);
		o->store = arena_printf(mem, "%.*s%stask-%s%s", (int)n, o->store,
					text_if(!(n && o->store[n - 1] == '/'), "/"), task,
					o->store + n);
	}
	return 0;
}
