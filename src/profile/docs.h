#ifndef TARE_PROFILE_DOCS_H
#define TARE_PROFILE_DOCS_H
/* The JSON documents of this room, for the .docs of their commands. */
#include "report/col.h"

extern const struct col_doc profile_doc, profile_run_doc;
#endif
