#ifndef TARE_AGENT_FIRES_H
#define TARE_AGENT_FIRES_H
/* What fires on the machine of an agent, from the state of alerts that it keeps in its folder: at
 * most a minute old while it runs. */
#include "base/err.h"
#include "base/mem.h"

struct agent_fire {
	const char *rule, *severity, *summary, *gpu, *mig, *job;
	int64_t since_ms;
};
struct agent_fires {
	bool known; /* there is such a state, and it can be read */
	int64_t as_of_ms;
	const char *damage; /* a sentence where the state was damaged, or NULL */
	VEC(struct agent_fire) v;
};
/* By the rules of the configuration in force: what fires by a rule that was changed since is not in
 * it. Errors are those of the configuration. Texts in mem. */
int agent_fires_load(const char *config, const char *dir, struct arena *mem,
		     struct agent_fires *ret, struct err *err);
void agent_fires_free(struct agent_fires *f);
/* lines of the head of `tare agent status` */
void agent_fires_text(const struct agent_fires *f, struct str *out);

#endif
