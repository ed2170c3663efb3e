#include <stdio.h>
#include <stdlib.h>
#include "lib/lib.h"

const char *tare_version(void)
{
	return TARE_VERSION;
}

static const char *env(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

const char *lib_dir(const char *told)
{
	return told && *told ? told : env("TARE_CHECKPOINT_DIR");
}

const char *lib_attempt(const char *told)
{
	const char *v = told && *told ? told : env("TARE_ATTEMPT");

	return v ? v : "-";
}

int lib_env_int(const char *name, int otherwise)
{
	int64_t n;

	return sv_i64(sv_of(env(name)), &n) == 0 && n >= 0 && n < 1 << 20 ? (int)n : otherwise;
}

void lib_say(const struct err *err, char *to, size_t cap)
{
	if (cap)
		snprintf(to, cap, "%s%s%s", err->msg, err->hint[0] ? ": " : "", err->hint);
}
