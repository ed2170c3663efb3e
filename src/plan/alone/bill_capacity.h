#ifndef TARE_PLAN_ALONE_BILL_CAPACITY_H
#define TARE_PLAN_ALONE_BILL_CAPACITY_H
/*
 * Which machines a reservation of capacity holds, and what of it stands empty, by the lines of a
 * bill. A machine that is given back while its reservation goes on is paid for as before, so it is
 * not elastic. Lines of machines name their reservation (FOCUS, Azure, AWS with the columns of
 * capacity), or AWS's lines of the reservation count beside them: then those machines of its type
 * and zone are taken that ran least while all of it stood empty, most first, until their time is
 * what was used. A reservation without a line for two days holds nothing any more.
 */
#include "plan/alone/bill_seen.h"

struct capacity_reader;
struct capacity_reader *capacity_reader_new(struct fleet *f, struct bill_seen *b);
/* Lines by their start. node: what the machine of the line is called; cost: in the fleet's
 * currency; ms: of machines. O(1). */
void capacity_see(struct capacity_reader *r, const struct bill_line *l, struct sv node, dec cost,
		  int64_t ms);
/* After the last line: fills bill_seen.capacity, and marks works and nodes. Frees r. */
void capacity_tell(struct capacity_reader *r);

#endif
