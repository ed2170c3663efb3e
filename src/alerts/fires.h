#ifndef TARE_ALERTS_FIRES_H
#define TARE_ALERTS_FIRES_H
/* What fires on the machine of an agent, from the state of alerts that it keeps in its folder: at
 * most a minute old while it runs. */
#include "answer/alerts/alerts.h"
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

struct agent_fires_ask {
	const char *dir;               /* the agent's folder */
	const struct alert_rule *rule; /* [nrule] borrowed: the answer names them */
	size_t nrule;
	const struct alert_match *match; /* [nmatch] only alerts that match, NULL = all */
	int nmatch;
	struct arena *mem;
};
/* The same as answer_alerts() has it: what fires now, without costs and worst readings, which the
 * agent does not keep. Its window ends when the state was written. 0, or -ENOENT where no agent has
 * kept any there, and others with their sentence. */
int agent_fires_answer(const struct agent_fires_ask *q, struct alerts_answer *ret, struct err *err);

/* Is an agent at work in that folder? 1, 0, or -1: cannot be told. */
int agent_fires_watched(const char *dir);

/* lines of the head of `tare agent status` */
void agent_fires_text(const struct agent_fires *f, struct str *out);

#endif
