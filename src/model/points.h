#ifndef TARE_MODEL_POINTS_H
#define TARE_MODEL_POINTS_H
/* A series of readings per container or service, as feed/planner/points.h reads it. */
#include <stdint.h>
#include "base/mem.h"

struct point {
	int64_t t_ms;
	double value;
	uint32_t who; /* number in the table of names; POINT_NOBODY where the cell is empty */
};
#define POINT_NOBODY UINT32_MAX
struct points {
	VEC(struct point) v; /* in order of time, then of who, then as in the file */
	int64_t nobody;      /* rows without a name */
};
#endif
