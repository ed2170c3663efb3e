/*
 * Would a waiting job have fitted on what idles?
 *
 *   find a machine s_k for each part k of the job with
 *     sum over k on s of gpus_k <= free_s (+ held_s)
 *     sum over k on s of cpu_k   <= cpu_s  (+ cpu of the held), memory likewise
 *
 * first without what is held, then with it. Best fit: a part goes where it leaves the fewest idle
 * GPUs, so that large idle machines stay whole for large jobs. Jobs come in order of submission;
 * what one gets the next cannot have. Not the most that could be placed (that is a knapsack), so
 * what is counted is a lower bound of what idled in vain.
 */
#include "opt/capacity/queued.h"

#include "base/num.h"

static bool ask_fits(int64_t ask, int64_t has, int64_t held, bool with_held)
{
	if (has == QUEUED_UNKNOWN || ask == QUEUED_UNKNOWN)
		return has == QUEUED_UNKNOWN;
	return ask <= has + (with_held ? held : 0);
}

/* What is asked of a machine is known where its own is: see ask_fits(). */
static void add_known(int64_t *has, int64_t n)
{
	if (*has != QUEUED_UNKNOWN)
		*has += n;
}

static void move_part(struct queued_spot *s, const struct queued_part *p,
		      const struct queued_got *got, int sign)
{
	s->free -= sign * got->free;
	s->held -= sign * got->held;
	add_known(&s->cpu_milli, -sign * p->cpu_milli);
	add_known(&s->ram_mib, -sign * p->ram_mib);
}

static bool place_parts(size_t nspot, struct queued_spot *spot, size_t npart,
			const struct queued_part *part, bool with_held, struct queued_got *ret)
{
	for (size_t k = 0; k < npart; k++) {
		size_t s = nspot;

		for (size_t i = 0; i < nspot; i++) {
			int64_t idle = spot[i].free + (with_held ? spot[i].held : 0);
			bool room = part[k].gpus <= idle &&
				    ask_fits(part[k].cpu_milli, spot[i].cpu_milli,
					     spot[i].held_cpu_milli, with_held) &&
				    ask_fits(part[k].ram_mib, spot[i].ram_mib, spot[i].held_ram_mib,
					     with_held);
			if (room &&
			    (s == nspot || idle < spot[s].free + (with_held ? spot[s].held : 0)))
				s = i;
		}
		if (s == nspot) {
			while (k--)
				move_part(&spot[ret[k].spot], &part[k], &ret[k], -1);
			return false;
		}
		int64_t of_free = min_i64(part[k].gpus, spot[s].free);
		ret[k] = (struct queued_got){ s, of_free, part[k].gpus - of_free };
		move_part(&spot[s], &part[k], &ret[k], 1);
	}
	return true;
}

bool queued_place(size_t nspot, struct queued_spot *spot, size_t npart,
		  const struct queued_part *part, struct queued_got *ret_got)
{
	return place_parts(nspot, spot, npart, part, false, ret_got) ||
	       place_parts(nspot, spot, npart, part, true, ret_got);
}
