#ifndef TARE_OPT_SIZE_IDLE_H
#define TARE_OPT_SIZE_IDLE_H
/*
 * What idle machines and works give back under a policy that sees no future: a machine is released
 * when it has been free for release_ms and booted again when a job needs it; an idle work is
 * stopped when it has been idle for after_ms and started again when it next works.
 *
 *   released = sum over gaps g of max(0, g - release - boot) (the last gap before the end: no boot)
 *
 * This is the ski-rental rule with the threshold fixed beforehand (Karlin et al. 1988: waiting as
 * long as a restart costs is at most twice the optimum). We charge the boot to every gap and report
 * who waited for it, so that a replay can count missed deadlines.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idle_span {
	int64_t from_ms, to_ms;
};

/* Sort spans by start and melt those that touch; returns how many are left. In place, O(n log
 * n). */
size_t idle_union(struct idle_span *v, size_t n);

struct idle_wait {
	int64_t release_ms, boot_ms;
};
/*
 * The parts of the time paid in which a machine would have been given back.
 *
 *   busy [n]   spans in which it was held, as idle_union() leaves them
 *   ret [n+1]  released spans, in order of time
 *
 * The release begins release_ms after the machine became free (also at its start: it was paid and
 * nobody came). A machine that is wanted again is back in time, boot_ms before; one that is not
 * wanted until the end stays away. A gap that is too short gives nothing. Returns how many spans
 * were written.
 */
size_t idle_release(const struct idle_span *busy, size_t n, struct idle_span paid,
		    struct idle_wait rule, struct idle_span *ret);

/* An hour of a workload: how long it was held, and how much of that it did nothing and this is
 * measured. */
struct idle_hour {
	int64_t hour_ms, ms, idle_ms, nano;
};

struct idle_cull {
	int64_t off_ms, saved_nano; /* GPU time and money not spent */
	/* how often it would have been stopped; and of these, how often it was wanted again */
	int64_t stops, restarts;
};
/*
 * Replay of "stop what has been idle for after_ms": an hour counts as idle when at least 99.9 % of
 * it is measured idle. Hours that are missing are neither. The hour in which work resumes is paid
 * in full.
 */
struct idle_cull idle_cull(const struct idle_hour *h, size_t n, int64_t after_ms);

#endif
