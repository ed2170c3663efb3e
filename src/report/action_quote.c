/* Names in lines that people paste into a shell: what names come from is not ours. */
#include "base/sh.h"
#include "report/action_in.h"

static const char *const fit[QUOTE_N] = {
	[QUOTE_HOST] = SH_HOST,
	[QUOTE_CLOUD] = SH_CLOUD,
};

const char *quote_names(struct lines *l, enum quote how, const struct raw_name *names, size_t n,
			const char *unknown)
{
	const char *z = n && names[0].z ? names[0].z : "";

	if (!*z)
		return unknown;
	return how == QUOTE_NOTE ? sh_note(l->mem, z) : sh_name(l->mem, z, fit[how]);
}
