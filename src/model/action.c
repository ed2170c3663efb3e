#include "model/action.h"

const char *action_name(enum action_kind k)
{
	static const char *const names[ACTION_N] = {
		[ACTION_SUBMIT] = "submit",
		[ACTION_TRIAL] = "trial",
	};

	return names[k];
}
