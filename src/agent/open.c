#include "agent/open.h"

#include <sys/stat.h>
#include <unistd.h>

#include "agent/recover.h"

int agent_open_state(const char *dir, struct agentdb **ret, struct err *err)
{
	struct agentdb *db;
	int r = agentdb_open(dir, false, &db, err);

	if (r < 0)
		return r;
	r = recover_check(db, err);
	if (r < 0) {
		agentdb_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

bool agent_service_is_anothers(void)
{
	struct stat st;

	return geteuid() && lstat(AGENT_SYSTEM_DIR, &st) == 0;
}
