#include <stdio.h>
#include <stdlib.h>
#include "lib/lib.h"

#include "base/str.h"

const char *tare_version(void)
{
	return TARE_VERSION;
}

const char *lib_dir(const char *given)
{
	if (given && *given)
		return given;
	return filled_or(getenv("TARE_CHECKPOINT_DIR"), NULL);
}

/*
 * What the launchers say about this attempt: each of these is the same on all ranks. torchrun
 * counts its own restarts and takes a new port or id for each start; Slurm counts requeues of a
 * job.
 */
static const char *const attempt_env[] = { "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT",
					   "MASTER_PORT",         "SLURM_JOB_ID",
					   "SLURM_RESTART_COUNT", "SLURM_STEP_ID" };

void lib_attempt(const char *given, char *to, size_t cap)
{
	const char *v = given && *given ? given : filled_or(getenv("TARE_ATTEMPT"), NULL);
	size_t n = 0;

	snprintf(to, cap, "%s", text_or(v, "-"));
	for (size_t i = 0; !v && i < sizeof attempt_env / sizeof *attempt_env; i++)
		if (filled_or(getenv(attempt_env[i]), NULL) && n + 1 < cap)
			n += (size_t)snprintf(to + n, cap - n, "%s%.40s", text_if(n, "."),
					      filled_or(getenv(attempt_env[i]), NULL));
	for (char *p = to; *p; p++) /* a word of a line of text */
		if (*p <= ' ' || *p == 127)
			*p = '_';
}

int lib_env_int(const char *name, int otherwise)
{
	int64_t n;

	if (sv_i64(sv_of(filled_or(getenv(name), NULL)), &n) == 0 && n >= 0 && n < 1 << 20)
		return (int)n;
	return otherwise;
}

void lib_say(const struct err *err, char *to, size_t cap)
{
	if (cap)
		snprintf(to, cap, "%s%s%s", err->msg, text_if(err->hint[0], ": "), err->hint);
}
