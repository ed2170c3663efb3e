#ifndef TARE_AGENT_DOCS_H
#define TARE_AGENT_DOCS_H
/* The JSON documents of the agent's room, for the .docs of their commands. */
#include "report/col.h"

extern const struct col_doc agent_status_doc, run_doc, run_drill_doc, ckpt_check_doc;
#endif
