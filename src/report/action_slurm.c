/* Actions in the words of Slurm: lines of job scripts, scontrol. */
#include "base/tm.h"
#include "report/action_in.h"

/* As sbatch reads it: "09:00:00", "1-00:00:00". */
static const char *clock_text(struct lines *l, int64_t ms)
{
	int64_t m = ms / MS_MINUTE;

	return m >= 1440 ? arena_printf(l->mem, "%lld-%02lld:%02lld:00", (long long)(m / 1440),
					(long long)(m / 60 % 24), (long long)(m % 60))
			 : arena_printf(l->mem, "%02lld:%02lld:00", (long long)(m / 60),
					(long long)(m % 60));
}

static void put_cards(struct lines *l, const struct action_submit *s, bool undo)
{
	const struct submit_ask *to = undo ? &s->was : &s->now, *from = undo ? &s->now : &s->was;

	const char *type = quoted(l, QUOTE_CLOUD, to->instance_type, "TYPE");

	if (!to->gpus)
		line_add(l, "#SBATCH --gres=none");
	else if (!(s->change & SUBMIT_TYPE))
		line_add(l, "#SBATCH --gres=gpu:%lld", (long long)to->gpus);
	else if (s->change & SUBMIT_GPUS)
		line_add(l, "#SBATCH --gres=gpu:%lld --constraint=%s", (long long)to->gpus, type);
	else
		line_add(l, "#SBATCH --gres=gpu:%lld --constraint=%s   # %s %s",
			 (long long)to->gpus, type, undo ? "instead of" : "was",
			 quoted(l, QUOTE_NOTE, from->instance_type, ""));
}

void slurm_submit(struct lines *l, const struct action *a, bool undo)
{
	const struct action_submit *s = &a->submit;
	const struct submit_ask *to = undo ? &s->was : &s->now;

	if (s->change & (SUBMIT_GPUS | SUBMIT_TYPE))
		put_cards(l, s, undo);
	if (s->change & SUBMIT_LIMIT)
		line_add(l, "#SBATCH --time=%s", clock_text(l, to->limit_ms));
}
