/* Names in lines that people paste into a shell: what names come from is not ours. */
#include <strings.h>

#include "base/sh.h"
#include "base/str.h"
#include "report/action/action_in.h"

/* Letters, digits and these are fit for the tool that reads them. */
static const struct {
	const char *fit, *before, *between;
	bool no_all; /* its tool takes "all" for every machine */
} ways[QUOTE_N] = {
	[QUOTE_HOST] = { SH_HOST, "", "", false },
	[QUOTE_CLOUD] = { SH_CLOUD, "", "", false },
	[QUOTE_BUCKET] = { "-.", "", "", false },
	[QUOTE_NODES] = { SH_HOST, "", ",", true },
	[QUOTE_HOSTS] = { SH_HOST, "", " ", true },
	[QUOTE_IDS] = { SH_CLOUD, "", " ", true },
	[QUOTE_YAML] = { SH_HOST " :/@+", "", "", false },
	[QUOTE_TAGS] = { SH_HOST " :/@+", "Name=tag:Name,Values=", ",", true },
};

/* One that is more than a name to its tool spoils the word. */
const char *quote_names(struct lines *l, enum quote how, const struct raw_name *names, size_t n,
			const char *unknown)
{
	struct str s = { 0 };
	const char *bad = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *z = names[i].z;
		if (!z || !*z)
			continue;
		if (how == QUOTE_NOTE)
			return sh_note(l->mem, z);
		if (how == QUOTE_PATTERN)
			return sh_pattern(l->mem, z);
		if (!sh_name_ok(z, ways[how].fit) || (ways[how].no_all && !strcasecmp(z, "all")))
			bad = z;
		str_addf(&s, "%s%s", text_if(s.n, ways[how].between), z);
	}
	if (how == QUOTE_NOTE || how == QUOTE_PATTERN)
		return unknown;
	const char *z = unknown;
	if (s.n)
		z = arena_strn(l->mem, s.p, s.n);
	str_free(&s);
	if (bad)
		z = sh_unsafe(l->mem, bad);
	if (*ways[how].before)
		z = sh_word(l->mem, arena_printf(l->mem, "%s%s", ways[how].before, z));
	return z;
}
