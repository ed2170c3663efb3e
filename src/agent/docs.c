#include "agent/docs.h"

/* clang-format off */
const struct col_doc *const agent_docs[] = {
	&agent_status_doc,
	&profile_doc,
	&profile_run_doc,
	&run_doc,
	&top_doc,
	NULL,
};
/* clang-format on */
