#ifndef TARE_TOP_TOP_MODEL_H
#define TARE_TOP_TOP_MODEL_H
/*
 * What `tare top` knows: the last poll, each device's past, and the waste of today. Pure: no clock,
 * no terminal.
 *
 * Waste of a piece (docs/LEDGER.md): its time x share x price, for idle_held, idle_empty,
 * unallocated and lost all of it, for underused what was not used, 1 - utilisation. Sums are exact
 * (10^-12 of the currency a poll and owner).
 *
 * Today begins at 00:00 UTC. Where the agent has booked this day (top_today), its book counts up to
 * where it was written, and what top saw after that; else only what top saw itself, and since_ms
 * says from when.
 */
#include "top/top_snap.h"
#include "base/percent.h"
#include "opt/diagnose/diagnose.h"

#define TOP_PAST 600 /* polls kept of each device */

struct waste_line {
	enum state state;
	enum cause cause;
	dec cost;          /* of the currency of the rate; only while a price is known */
	dec ms_ppb;        /* milliseconds x share in 10^-9 of a GPU, wasted */
	int64_t minute_ms; /* seen by top in this minute; UNKNOWN_MS: from the agent's book */
};
struct waste {
	VEC(struct waste_line) line;
};

struct top_track { /* of a device, from poll to poll */
	char key[96];
	struct diag_step *past; /* [npast] ring, the newest at (first + npast - 1) % TOP_PAST */
	size_t npast, first, cap;
	/* of its largest part, and since when without a break; since the first poll:
	 * top_model.start_ms */
	enum state state;
	enum cause cause;
	int64_t state_since_ms;
	struct waste waste;
	enum cause found; /* why it is underused, by the last diagnosis; CAUSE_NONE = not known */
	bool told;        /* a state told what is wasted, if only that nothing is */
	bool seen;        /* at the last poll */
};

/* What an agent on this machine has booked of today; one row a device, state and cause. */
struct top_booked {
	struct sv key; /* as snap_dev.key */
	enum state state;
	enum cause cause;
	dec ms_ppb; /* the wasted part; it is priced at today's rate */
};
struct top_today {
	bool known;
	int64_t since_ms, until_ms; /* of the book: whole minutes */
	const struct top_booked *row;
	size_t n;
};

struct top_model {
	/* the last poll, owned; NULL before the first. On hold: that of the moment it began */
	struct top_snap *snap;
	struct top_snap *held_back; /* on hold: the last poll */
	bool hold;                  /* set by top_model_hold() */
	int64_t start_ms;           /* first poll */
	int64_t since_ms;           /* from when the waste is counted */
	int64_t diagnosed_mono_ms;
	bool booked; /* by the agent */
	VEC(struct top_track *) track;
	dec wasted;  /* sum over all devices */
	bool priced; /* some of it had a price */
	dec wasted_ms_ppb;
	VEC(struct waste_line) by; /* sums over devices by state and cause, most expensive first */
};
void top_model_free(struct top_model *m);

/*
 * A poll; takes the snap over. What is underused without a known cause is diagnosed every ten
 * seconds, from its first minute on; the cause found stands in the snap from then on.
 */
void top_model_feed(struct top_model *m, struct top_snap *s);
/* On hold polls are counted as ever, and what is shown of the devices stands still. */
void top_model_hold(struct top_model *m, bool hold);
/* The agent's book of today, read after the last poll; copied. known == false takes nothing
 * back. */
void top_model_book(struct top_model *m, const struct top_today *t);

/* never NULL for a device of the last poll */
const struct top_track *top_track_of(const struct top_model *m, const struct snap_dev *d);
/* The readings back polls before the last, NULL where there are none. */
const struct diag_step *top_past(const struct top_track *t, size_t back);
/* Mean of a reading over the kept past, and how many polls had it; NAN. */
double top_past_mean(const struct top_track *t, enum metric m, size_t *ret_n);

/* Share of a piece that is wasted: 0..1, NAN where that cannot be told. */
double waste_frac(enum state s, double util_pct);
/* Sum of a device's waste. *ret_ms_ppb may be NULL. */
dec top_wasted(const struct top_track *t, dec *ret_ms_ppb);
/* What a share of a GPU costs an hour; false = no price. */
bool top_usd_h(const struct top_model *m, int64_t share_ppb, dec *ret);
/* The part of a device that wastes most, else the largest; NULL where it has none. */
const struct snap_part *top_main_part(const struct snap_dev *d);
int64_t top_share_ppb(const struct snap_dev *d); /* of all its parts; a GPU 10^9 */
/* Utilisation as the page shows it: of an instance its SM activity where it has no utilisation.
 * NAN. */
double top_util_pct(const struct snap_dev *d);
/*
 * A part's share of the GPU, rounded together with those of the device's other parts: "33 %", or
 * tight "33%". p is one of d->part. buf[PERCENT_BUF]; returns buf.
 */
char *top_share_text(char *buf, const struct snap_dev *d, const struct snap_part *p, bool tight);

#endif
