#ifndef TARE_AGENT_UNIT_H
#define TARE_AGENT_UNIT_H
/* The service of a node, as `tare agent init systemd` prints it. */
#include "base/str.h"

/*
 * The unit's text with the program it starts: where it is told to be, /usr/local/bin, say. Where
 * program is no tare-agent, or its path has characters that systemd reads its own way (blanks,
 * quotes, %), the text stays as it is.
 */
void agent_unit_put(const char *text, const char *program, struct str *out);
#endif
