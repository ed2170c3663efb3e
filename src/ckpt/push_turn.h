#ifndef TARE_CKPT_PUSH_TURN_H
#define TARE_CKPT_PUSH_TURN_H
/*
 * A checkpoint is being sent when the word comes that the machine goes, and a newer one is ready:
 * which of the two gets the rest of the time? Pure. The newer one is worth more: less work is lost.
 * An older one that is whole is worth more than a newer one that is not.
 */
#include <stdbool.h>
#include <stdint.h>

struct push_turn {
	double bytes_s;    /* as it goes now; NAN: not known */
	int64_t answer_ms; /* of a small request */
	int64_t left_ms;
	double margin_frac; /* as push_opt */
	int64_t margin_ms;
	uint64_t old_left; /* what the one under way still needs */
	/* what the newer one needs where that is cut: whole files and parts of it that arrived
	 * count */
	uint64_t new_now;
	/* ... and where it is finished first: files that both have are there then */
	uint64_t new_after;
};
/* Expected with margin, ms; -1: not known. Six small requests beside the data. */
int64_t push_need_ms(const struct push_turn *t, uint64_t bytes);
/*
 * Is what is under way to be given up? No where both fit one after the other; yes where the newer
 * one alone fits; no where the older one alone fits; and where neither is expected to, the one that
 * needs less goes on. No where the way was never measured.
 */
bool push_turn_cut(const struct push_turn *t);

#endif
