/*
 * Precision and recall of the diagnosis on simulated work (tests/unit/opt/diag_sim.h), a confusion
 * table, and what it costs.
 *
 *   bench-diagnose [FIRST [COUNT [v]]]    seeds; default 10 10, those that nothing was tuned on
 */
#include <stdio.h>
#include <time.h>

#include "../tests/unit/opt/diag_sim.h"

static const char *scene_name(int s)
{
	return s < DIAG_N         ? diag_cause_name((enum diag_cause)s)
	       : s == SIM_HEALTHY ? "healthy"
				  : "mixture";
}

struct score {
	int tp, fp, fn, unknown, runs, top[DIAG_N + 3];
};

static double ms_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void one(const struct sim *s, const struct diag_result *r, struct score *score, int verbose)
{
	struct score *sc = &score[s->scene];
	bool got[DIAG_N] = { 0 };

	for (int i = 0; i < r->n; i++)
		got[r->finding[i].cause] = true;
	for (int c = 0; c < DIAG_N; c++) {
		int t = sim_truth(s, (enum diag_cause)c);
		score[c].tp += t == 1 && got[c];
		score[c].fn += t == 1 && !got[c];
		score[c].fp += t == 0 && got[c];
		if (verbose && ((t == 1 && !got[c]) || (t == 0 && got[c])))
			printf("  %s: %s %s\n", scene_name((int)s->scene), t ? "MISSED" : "WRONG",
			       diag_cause_name((enum diag_cause)c));
	}
	sc->runs++;
	sc->unknown += r->verdict == DIAG_UNKNOWN;
	sc->top[r->n                         ? (int)r->finding[0].cause
		: r->verdict == DIAG_HEALTHY ? DIAG_N
		: r->verdict == DIAG_UNKNOWN ? DIAG_N + 1
					     : DIAG_N + 2]++;
}

static void print_run(const struct sim *s, const struct diag_result *r, unsigned seed)
{
	struct str o = { 0 };

	printf("%s seed %u %s x%d %ds verdict %s util %.0f:", scene_name((int)s->scene), seed,
	       s->board->name, s->devs, s->secs, diag_verdict_name(r->verdict), r->util_pct);
	for (int c = 0; c < DIAG_N; c++)
		if (s->lost[c] > 0.02)
			printf(" [%s %.2f]", diag_cause_name((enum diag_cause)c), s->lost[c]);
	puts("");
	for (int i = 0; i < r->n; i++) {
		str_clear(&o);
		diag_evidence_text(&r->finding[i], &o);
		printf("    %s dev %d conf %.2f lost %.2f: %s\n",
		       diag_cause_name(r->finding[i].cause), r->finding[i].dev,
		       r->finding[i].confidence, r->finding[i].lost_frac, str_z(&o));
	}
	for (int i = 0; i < r->nmissing; i++)
		printf("    missing %s\n", r->missing[i]);
	str_free(&o);
}

int main(int argc, char **argv)
{
	unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 10,
		 count = argc > 2 ? (unsigned)atoi(argv[2]) : 10;
	int verbose = argc > 3, unknown = 0, runs = 0;
	struct score score[SIM_SCENES] = { 0 };
	struct sim *s = sim_new();
	double spent = 0;

	for (int c = 0; c < SIM_SCENES; c++)
		for (unsigned i = first; i < first + count; i++) {
			struct diag_result r;
			sim_run(s, (enum sim_scene)c, i);
			double t = ms_now();
			diag_run(s->dev, (size_t)s->devs, &r);
			spent += ms_now() - t;
			if (verbose)
				print_run(s, &r, i);
			one(s, &r, score, verbose);
			unknown += r.verdict == DIAG_UNKNOWN;
			runs++;
		}
	printf("cause               true  found  precision  recall  unknown\n");
	for (int c = 0; c < DIAG_N; c++)
		printf("%-18s  %4d  %5d  %9.3f  %6.3f  %d/%d\n", scene_name(c),
		       score[c].tp + score[c].fn, score[c].tp + score[c].fp,
		       (double)score[c].tp /
			       (score[c].tp + score[c].fp ? score[c].tp + score[c].fp : 1),
		       (double)score[c].tp /
			       (score[c].tp + score[c].fn ? score[c].tp + score[c].fn : 1),
		       score[c].unknown, score[c].runs);
	printf("\nfirst finding of each scene (rows: scene; columns in the same order, then healthy, unknown, idle)\n%-18s",
	       "");
	for (int c = 0; c < DIAG_N + 3; c++)
		printf(" %3.3s", c < DIAG_N        ? diag_cause_name((enum diag_cause)c)
				 : c == DIAG_N     ? "ok"
				 : c == DIAG_N + 1 ? "?"
						   : "idle");
	for (int x = 0; x < SIM_SCENES; x++) {
		printf("\n%-18s", scene_name(x));
		for (int c = 0; c < DIAG_N + 3; c++)
			score[x].top[c] ? printf(" %3d", score[x].top[c]) : printf("   .");
	}
	printf("\n\nruns %d, unknown %.1f %%, %.0f us each\n", runs, 100.0 * unknown / runs,
	       spent / runs * 1000);
	sim_free(s);
	return 0;
}
