#ifndef TARE_LEDGER_SPLIT_H
#define TARE_LEDGER_SPLIT_H
/*
 * Who pays for what nobody used (--split-idle), and the lines of a chargeback: direct + idle share
 * + shared share.
 * Works on sums, exactly: whatever the mode, the lines and the rest add up to what was put in
 * (asserted). Pure.
 *
 *   none          the pots stay a line of their own (ret_rest)
 *   proportional  each pot over the teams by weight (use)
 *   owner         a pot whose resource has an owner (bill tag, node or quota owner) goes to that
 *                 team; other pots stay
 *   rule          the rules of the configuration in their order, each takes its fraction of every
 *                 pot it matches (of the whole pot, and never more than is left); to_team "*" =
 *                 over all teams by weight; what no rule takes stays
 *
 * Then what the shared teams hold (direct and idle) is spread over the others by weight and taken
 * off their own line.
 */
#include "ledger/conf.h"

enum idle_split { SPLIT_NONE, SPLIT_PROPORTIONAL, SPLIT_OWNER, SPLIT_RULE };
const char *idle_split_name(enum idle_split s); /* "none" "proportional" "owner" "rule" */

#define SPLIT_NOBODY ((size_t)-1)

/* A team (or whatever the lines are by). Any unit: dec money, nano-dollars, milliseconds; all
 * amounts of a call in the same one. */
struct split_line {
	const char *name; /* team; "" = use without a team, which takes its share like any other */
	__int128 direct;  /* in: cost of what it held (may be negative: credits) */
	__int128 weight;  /* in: its use, usually max(direct, 0); negative counts as 0 */
	__int128 idle;    /* out: share of what nobody used */
	/* out: share of the shared teams' cost; on a shared team's own line minus what was given
	 * away */
	__int128 shared;
	bool is_shared; /* out: named in conf->shared_teams */
};

/* Cost that nobody used: one pot per combination of attributes that rules look at. */
struct split_pot {
	__int128 amount;
	size_t owner; /* index of the line of the resource's owner, SPLIT_NOBODY */
	/* [nattr] cluster node gpu_model region account state cause ... */
	const struct split_attr {
		const char *field, *value;
	} * attr;
	size_t nattr;
};

struct split_by {
	const struct conf *conf;
	enum idle_split how;
	/* "team" or "project": which of a rule's to_team and to_project names a line */
	const char *by;
	/* the step shares are rounded to, in units of the amounts: 1, or 1000 to get whole
	 * nano-dollars from dec; an odd rest below it goes to the first line that has a share */
	__int128 unit;
};
/*
 * line [nline] in the order of their names (ties of the rounding go to the smaller index).
 * Teams that only a rule names must be among the lines already (add them with 0 direct): a rule to
 * an absent team takes nothing.
 * *ret_rest: what stays with nobody. sum(direct) + sum(pots) = sum(direct + idle + shared) + rest.
 * Returns 0 or -ERANGE (amounts beyond 10^35). O(nline x npot) time, O(nline) memory.
 */
int split_lines(const struct split_by *s, struct split_line *line, size_t nline,
		const struct split_pot *pot, size_t npot, __int128 *ret_rest);

/*
 * total over weights by largest remainder at 128 bits (split_largest_remainder() is for int64
 * totals): parts are multiples of unit but for the first with a weight. Weights below 0 count as 0;
 * all zero: part is zero everywhere and false comes back.
 */
bool split_parts(__int128 total, __int128 unit, size_t n, const __int128 *weight,
		 __int128 *ret_part);

#endif
