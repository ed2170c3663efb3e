#ifndef TARE_AGENT_DOCTOR_H
#define TARE_AGENT_DOCTOR_H
/* The checks of `tare doctor` of this machine: what can be read of its GPUs, network and disks,
 * from whom it is known who holds them, where it stands, and whether an agent watches it. */
#include "answer/doctor.h"

/* Append them. Reads only; takes a tenth of a second, and up to ten where a driver hangs. */
void doctor_machine(const struct doctor_ask *q, struct doctor *d);

#endif
