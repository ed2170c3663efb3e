#include "agent/docs.h"

const struct col_doc *const agent_docs[] = {
	&agent_status_doc,
	&top_doc,
	NULL,
};
