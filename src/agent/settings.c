#include "agent/settings.h"

#include "agent/agent_conf.h"
#include "alerts/alerts_conf.h"
#include "profile/profile_keep.h"
#include "plan/plan_conf.h"

const struct setting *const settings_section[SETTINGS_SECTIONS] = {
	&plan_section,
	&agent_section,
	&profile_section,
	&alerts_section,
};

int settings_check(const char *path, struct err *err)
{
	struct plan_conf plan;
	struct agent_conf agent;
	struct profile_keep keep;
	struct alerts_conf alerts;
	int r = plan_conf_load(path, &plan, err);

	if (r < 0)
		return r;
	plan_conf_free(&plan);
	if ((r = agent_conf_load(path, &agent, err)) < 0)
		return r;
	agent_conf_free(&agent);
	if ((r = profile_keep_load(path, &keep, err)) < 0 ||
	    (r = alerts_conf_load(path, &alerts, err)) < 0)
		return r;
	alerts_conf_free(&alerts);
	return 0;
}
