#ifndef TARE_AGENT_OPEN_H
#define TARE_AGENT_OPEN_H
/* The files of an agent on this machine, for commands that only read them. */
#include "agent/agent_conf.h"
#include "store/agentdb.h"

/* Its files in dir, which is agent_state_dir(). -ENOENT: none has kept anything there; -EBADMSG:
 * what it wrote is not all there any more. Closed by the caller with agentdb_close(). */
int agent_open_state(const char *dir, struct agentdb **ret, struct err *err);
/* The service's folder is there (a link, where systemd made its user), but this user may not look
 * into it. */
bool agent_service_is_anothers(void);

#endif
