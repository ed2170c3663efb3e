/* `tare agent status` for people and as rows: shares by state of each device. */
#include "agent/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/percent.h"
#include "base/str.h"
#include "base/tm.h"
#include "report/grid.h"

static void pct_cell(char buf[24], double v)
{
	if (isnan(v))
		snprintf(buf, 24, "-");
	else
		snprintf(buf, 24, "%.0f %%", v);
}

/* Texts of drivers are no terminal output: what is not printable ASCII becomes a question mark. */
static const char *clean_text(struct arena *a, struct sv v)
{
	struct sv told = sv_or(v, SV("-"));
	char *t = arena_strn(a, told.p, told.n);

	for (char *p = t; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return t;
}

static const enum state shown[] = { STATE_BUSY,       STATE_UNDERUSED,   STATE_IDLE_HELD,
				    STATE_IDLE_EMPTY, STATE_UNALLOCATED, STATE_UNKNOWN };
enum {
	SHOWN_N = sizeof shown / sizeof *shown,
	INDEX_WIDTH = 4,
	NAME_WIDTH = 20,
	SHARES_IN = 48 /* where shares stand, behind an index */
};

static int64_t all_ms(const struct agent_status_dev *d)
{
	int64_t all = 0;

	for (int k = 0; k < STATE_N; k++)
		all += d->ms[k];
	return all;
}

/* " busy 71.7 % unknown 3.7 %", going on below itself where the line is full. */
static void put_shares(const struct agent_status_dev *d, int in, int width, struct str *out)
{
	char piece[64];
	int64_t all = all_ms(d), tenths[SHOWN_N];
	__int128 part[SHOWN_N];
	char share[PERCENT_BUF];
	int at = in;

	for (size_t k = 0; k < SHOWN_N; k++)
		part[k] = d->ms[shown[k]];
	percent_split(all, SHOWN_N, part, PERCENT_TENTHS, tenths);
	for (size_t k = 0; all && k < SHOWN_N; k++) {
		if (!d->ms[shown[k]])
			continue;
		int n = snprintf(piece, sizeof piece, " %s %s", state_name(shown[k]),
				 percent_text(share, tenths[k], PERCENT_TENTHS, part[k], all));
		if (at > in && at + n > width) {
			str_addf(out, "\n%*s", in, "");
			at = in;
		}
		str_addz(out, piece);
		at += n;
	}
}

/* For programs, and for pages: the same columns. */
static void fill_grid(const struct agent_status *s, struct grid *g)
{
	static const char *const heads[] = { "gpu",          "index",         "gpu_model",
					     "mig_profile",  "util_mean_pct", "util_p50_pct",
					     "util_p95_pct", "readings" };
	struct arena *a = &g->mem;

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_add_col(g, heads[i], grid_side(i > 3), false);
	for (size_t k = 0; k < SHOWN_N; k++)
		grid_add_col(g, arena_printf(a, "%s_s", state_name(shown[k])), GRID_RIGHT, false);
	for (size_t i = 0; i < s->ndev; i++) {
		const struct agent_status_dev *d = &s->dev[i];
		const double util[] = { rollup_hist_mean(&d->hist),
					rollup_hist_quantile(&d->hist, 0.5),
					rollup_hist_quantile(&d->hist, 0.95) };
		const char **cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = clean_text(a, d->d->uuid);
		cell[1] = arena_printf(a, "%d", d->d->index);
		cell[2] = clean_text(a, d->d->model);
		cell[3] = d->d->mig_profile.n ? clean_text(a, d->d->mig_profile) : "";
		for (size_t k = 0; k < 3; k++)
			cell[4 + k] = isnan(util[k]) ? "" : arena_printf(a, "%.3f", util[k]);
		cell[7] = arena_printf(a, "%" PRIu64, (uint64_t)d->hist.n);
		for (size_t k = 0; k < SHOWN_N; k++)
			cell[8 + k] = arena_printf(a, "%.3f", (double)d->ms[shown[k]] / 1000);
	}
}

static void print_table(const struct agent_status *s, struct arena *a, int width, struct str *out)
{
	char from[TM_BUF], to[TM_BUF], p50[24], p95[24], mean[24];

	const char *agent = "-";
	if (s->running > 0)
		agent = "running";
	else if (s->running == 0)
		agent = "not running: nothing is seen now";
	str_addf(out, "node      %s\nkept in   %s\nagent     %s\n", clean_text(a, sv_of(s->node)),
		 s->dir, agent);
	if (s->minutes)
		str_addf(out, "minutes   %s to %s\n", tm_format(from, s->from_ms),
			 tm_format(to, s->to_ms));
	else
		str_addz(out, "minutes   none yet\n");
	if (s->held_ms)
		str_addf(out, "clock     was set: %s wait until it has been steady for 10 min\n",
			 tm_format_span(from, s->held_ms));
	if (s->raw.samples)
		str_addf(out, "readings  %" PRId64 " in %.*f MB, %.2f bytes each\n", s->raw.samples,
			 s->raw.bytes < 1000000 ? 3 : 1, (double)s->raw.bytes / 1e6,
			 (double)s->raw.bytes / (double)s->raw.samples);
	if (s->sent.batch || s->sent.under_way_batch)
		str_addf(out, "sent      %" PRId64 " batches%s\n", send_state_accepted(&s->sent),
			 text_if(s->sent.under_way_batch, ", one under way"));
	if (s->sent.refused)
		str_addf(out,
			 "refused   %" PRId64 " batch%s, the last with status %" PRId64
			 ": kept in\n          %s/refused with what the server said\n",
			 s->sent.refused, text_if(s->sent.refused != 1, "es"),
			 s->sent.refused_status, s->dir);
	agent_fires_text(&s->fires, out);
	if (!s->ndev) {
		str_addz(out, "\nNo GPU was seen. tare doctor says what is missing.\n");
		return;
	}
	/* Of one machine by its index. A recording may be of several machines: there the GPU's own
	 * name tells it, "train-1/0". */
	bool of_one = true;
	for (size_t i = 0; i < s->ndev; i++)
		for (size_t k = 0; k < i; k++) {
			const struct agentdb_device *x = s->dev[i].d, *y = s->dev[k].d;
			of_one &= x->parent || y->parent || x->index != y->index;
		}
	size_t longest = INDEX_WIDTH;
	for (size_t i = 0; !of_one && i < s->ndev; i++)
		longest = max_size(longest, s->dev[i].d->uuid.n);
	int wide = (int)min_size(longest, NAME_WIDTH);
	str_addf(out, "\n%-*s %-20s %6s %6s %6s  share of the time seen\n", wide, "GPU", "model",
		 "mean", "p50", "p95");
	for (size_t i = 0; i < s->ndev; i++) {
		const struct agent_status_dev *d = &s->dev[i];
		pct_cell(mean, rollup_hist_mean(&d->hist));
		pct_cell(p50, rollup_hist_quantile(&d->hist, 0.5));
		pct_cell(p95, rollup_hist_quantile(&d->hist, 0.95));
		const char *dev_name;
		if (!of_one)
			dev_name = clean_text(a, d->d->uuid);
		else
			dev_name = arena_printf(a, "%d", d->d->index);
		str_addf(out, "%-*.*s %-20.20s %6s %6s %6s", wide, wide, dev_name,
			 clean_text(a, d->d->mig_profile.n ? d->d->mig_profile : d->d->model), mean,
			 p50, p95);
		if (all_ms(d))
			str_addc(out, ' ');
		put_shares(d, SHARES_IN + wide - INDEX_WIDTH, width, out);
		str_addc(out, '\n');
	}
}

void agent_status_print(const struct agent_status *s, const struct out_as *as, struct str *out)
{
	struct arena mem = { 0 };

	if (as->format == OUT_JSON)
		agent_status_json(s, out);
	else if (as->format != OUT_TABLE) {
		enum out_format f = as->format;
		struct grid g = { 0 };

		fill_grid(s, &g);
		if (f == OUT_MD)
			grid_md(&g, out);
		else
			grid_csv(&g, out);
		grid_free(&g);
	} else
		print_table(s, &mem, as->width, out);
	arena_free(&mem);
}
