#ifndef TARE_TOP_DOCS_H
#define TARE_TOP_DOCS_H
/* The JSON document of this room, for the .docs of its command. */
#include "report/col.h"

extern const struct col_doc top_doc;
#endif
