#include "report/plan/plan_share.h"

#include <limits.h>
#include <math.h>

#include "base/str.h"
#include "report/grid.h"
#include "report/plan/plan_formats.h"
#include "report/text.h"

/* ---- for programs ------------------------------------------------------------------------ */

#define IN_MEMBER(m) offsetof(struct plan_share_member, m)
static const struct col member_cols[] = {
	{ "name", COL_TEXT, IN_MEMBER(name), NULL, "service or notebook", .always = true },
	{ "owner", COL_WORD, IN_MEMBER(owner), NULL, "whose it is", 0 },
	{ "kind", COL_TEXT, IN_MEMBER(kind), NULL, "service, or notebook for any session",
	  .always = true },
	{ "mem_gib", COL_NUM, .at = offsetof(struct plan_share_member, mem_bytes), .per = 0x1p30,
	  .unit = "GiB", .help = "its highest reading; a tenth more is planned for", .digits = 3 },
	{ "load_frac", COL_NUM, IN_MEMBER(load_frac), "fraction",
	  "of a whole GPU in its busiest minutes", .digits = 4 },
	{ "profile", COL_TEXT, IN_MEMBER(profile), NULL, "MIG instance that it gets", 0 },
	{ "threads_pct", COL_I32, IN_MEMBER(threads_pct), "percent",
	  "of MPS: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", 0 },
	{ "mem_limit_mib", COL_INT, IN_MEMBER(mem_mib), "MiB",
	  "of MPS: CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", 0 },
	{ 0 },
};
static const struct col gpu_cols[] = {
	{ "card", COL_INT, offsetof(struct plan_share_gpu, number), "count", "its number, from 1",
	  .always = true },
	{ "gpu_model", COL_TEXT, offsetof(struct plan_share_gpu, gpu_model), NULL, "the GPU",
	  .always = true },
	{ "how", COL_TEXT, offsetof(struct plan_share_gpu, how), NULL,
	  "mig, mps, timeslice or whole", .always = true },
	{ "why", COL_TEXT, offsetof(struct plan_share_gpu, why), NULL, "the reason",
	  .always = true },
	{ "tenants", COL_LIST(struct plan_share_gpu, member, nmember, member_cols),
	  .help = "who is on it" },
	{ 0 },
};
static const struct col apart_cols[] = {
	{ "tenant", COL_TEXT, offsetof(struct plan_share_apart, tenant), NULL,
	  "has a GPU of its own", .always = true },
	{ "with", COL_TEXT, offsetof(struct plan_share_apart, with), NULL,
	  "who is not on it; the first of those with this reason", .always = true },
	{ "others", COL_SIZE, offsetof(struct plan_share_apart, others), "count",
	  "for whom the reason is the same", .always = true },
	{ "why", COL_TEXT, offsetof(struct plan_share_apart, why), NULL, "the reason",
	  .always = true },
	{ 0 },
};

#define IN_ALL(m) offsetof(struct plan_share_answer, m)
static const struct col doc_cols[] = {
	{ "tenants", COL_SIZE, IN_ALL(tenants), "count",
	  "services' replicas and notebooks, each on a GPU of its own today", .always = true },
	{ "cards", COL_SIZE, IN_ALL(gpus), "count", "GPUs that carry them all", .always = true },
	{ "lower_bound", COL_SIZE, IN_ALL(lower_bound), "count", "fewer GPUs are impossible",
	  .always = true },
	{ "proven", COL_BOOL, IN_ALL(proven), NULL, "whether no way has fewer", 0 },
	{ "too_large", COL_SIZE, IN_ALL(too_large), "count",
	  "tenants that need more memory than a whole GPU of it has", 0 },
	{ "worth_month", COL_DEC, IN_ALL(worth_month), "money",
	  "of the GPUs that are freed, at --usd-gpu-hour, else at what they cost now; of several prices the lowest",
	  .has_at = IN_ALL(priced) },
	{ "currency", COL_WORD, IN_ALL(currency), NULL, "of it", 0 },
	{ "layout", COL_LIST(struct plan_share_answer, gpu, ngpu, gpu_cols), .help = "GPU by GPU" },
	{ "not_shared", COL_LIST(struct plan_share_answer, apart, napart, apart_cols),
	  .help = "who has a GPU of its own, and why it has no neighbour" },
	{ "notes", COL_WORDS(struct plan_share_answer, note.v, note.n),
	  .help = "sentences: who was left out" },
	{ 0 },
};
const struct col_doc plan_share_doc = { "tare.plan-share/1", "plan share",
					"who may share a GPU, how, and why others do not",
					doc_cols };

/* ---- for people -------------------------------------------------------------------------- */

static const char *format_number(struct arena *m, double v, const char *fmt)
{
	return text_or_dash(!isnan(v), arena_printf(m, fmt, v));
}

static bool same_replica(const struct plan_share_gpu *a, const struct plan_share_gpu *b)
{
	if (a->nmember != 1 || b->nmember != 1)
		return false;
	return !strcmp(a->why, b->why) && !strcmp(a->member[0].name, b->member[0].name) &&
	       !strcmp(a->member[0].kind, b->member[0].kind);
}

/* GPUs i.. that carry one replica each of the same service: one line for people. */
static size_t count_alike(const struct plan_share_answer *a, size_t i)
{
	const struct plan_share_gpu *c = &a->gpu[i];
	size_t n = 1;

	while (i + n < a->ngpu && same_replica(c, &a->gpu[i + n]))
		n++;
	return n;
}

static const char *range_text(struct arena *m, int64_t from, size_t n)
{
	if (n == 1)
		return arena_printf(m, "%lld", (long long)from);
	return arena_printf(m, "%lld-%lld", (long long)from, (long long)from + (int64_t)n - 1);
}

/* For programs every GPU, and its number in every row. */
static void put_layout(const struct plan_share_answer *a, bool programs, struct grid *g)
{
	static const char *const head[] = { "GPU",   "how", "tenant", "kind",
					    "owner", "GiB", "load",   "part" };

	for (size_t i = 0; i < 8; i++)
		grid_add_col(g, head[i], grid_side(i == 0 || i == 5 || i == 6), i == 2);
	for (size_t i = 0, n; i < a->ngpu; i += n) {
		const struct plan_share_gpu *c = &a->gpu[i];
		n = programs ? 1 : count_alike(a, i);
		for (size_t k = 0; k < c->nmember; k++) {
			/* The highest of n GPUs with one tenant each. */
			struct plan_share_member x = c->member[k];

			for (size_t j = 1; j < n; j++) {
				x.mem_bytes = fmax(x.mem_bytes, c[j].member[0].mem_bytes);
				x.load_frac = fmax(x.load_frac, c[j].member[0].load_frac);
			}

			const char **cell = grid_add_row(g, GRID_PLAIN);
			bool first = !k || programs;
			cell[0] = first ? range_text(&g->mem, c->number, n) : "";
			cell[1] = first ? c->how : "";
			cell[2] = text_line(&g->mem, sv_of(x.name), 0);
			cell[3] = x.kind;
			cell[4] = text_or_dash(*x.owner, text_line(&g->mem, sv_of(x.owner), 0));
			cell[5] = format_number(&g->mem, x.mem_bytes / 0x1p30, "%.1f");
			cell[6] = format_number(&g->mem, x.load_frac, "%.2f");
			if (x.profile)
				cell[7] = x.profile;
			else if (x.threads_pct == INT_MIN)
				cell[7] = "";
			else
				cell[7] = arena_printf(&g->mem, "%d %% of threads, %lld MiB",
						       x.threads_pct, (long long)x.mem_mib);
		}
	}
}

/* "1-8, 12": the GPUs from i on with the reason of GPU i. */
static void put_numbers(struct arena *m, const struct plan_share_answer *a, size_t i,
			struct str *out)
{
	const char *comma = "", *why = a->gpu[i].why;

	for (size_t n; i < a->ngpu; i += n) {
		for (n = 0; i + n < a->ngpu && !strcmp(a->gpu[i + n].why, why); n++)
			;
		if (n)
			str_addf(out, "%s%s", comma, range_text(m, a->gpu[i].number, n));
		if (n)
			comma = ", ";
		else
			n = 1;
	}
}

static void print_text(const struct plan_share_ask *q, const struct plan_share_answer *a,
		       const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	struct arena m = { 0 };
	int width = columns_or_80(as->width);

	char money[DEC_BUF];

	str_addf(out, "%zu tenant%s: ", a->tenants, plural(a->tenants));
	str_addf(out, "%zu GPU%s in place of %zu", a->gpus, plural(a->gpus), a->tenants);
	if (a->proven)
		str_addz(out, "; fewer is impossible (proven).\n");
	else
		str_addf(out, "; fewer than %zu is impossible.\n", a->lower_bound);
	if (a->too_large)
		str_addf(out, "%zu of them fit%s no such GPU at all: see below.\n", a->too_large,
			 text_if(a->too_large == 1, "s"));
	if (a->priced && a->tenants > a->gpus) {
		size_t freed = a->tenants - a->gpus;
		const char *currency = text_or(a->currency, "USD");
		if (!strcmp(currency, "USD"))
			currency = "$";
		str_addf(out, "The %zu GPU%s freed %s worth %s %s/month (%.0f h).\n", freed,
			 plural(freed), freed == 1 ? "is" : "are",
			 dec_format_people(money, a->worth_month, 2), currency, q->month_hours);
	}
	str_addc(out, '\n');
	put_layout(a, false, &g);
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	str_addc(out, '\n');

	/* Each reason once, with the GPUs that it is of. */
	for (size_t i = 0; i < a->ngpu; i++) {
		bool told = false;
		struct str s = { 0 };
		for (size_t k = 0; k < i && !told; k++)
			told = !strcmp(a->gpu[k].why, a->gpu[i].why);
		if (told)
			continue;
		str_addz(&s, "GPU ");
		put_numbers(&m, a, i, &s);
		str_addf(&s, ": %s", a->gpu[i].why);
		str_addz(out, "  ");
		plan_fold(out, text_line(&m, str_sv(&s), 0), 2, width);
		str_free(&s);
	}

	if (a->napart)
		str_addz(out, "\nNot shared:\n");
	for (size_t i = 0; i < a->napart; i++) {
		const struct plan_share_apart *x = &a->apart[i];
		struct str s = { 0 };
		str_addf(&s, "%s with %s", x->tenant, x->with);
		if (x->others)
			str_addf(&s, " and %zu more", x->others);
		str_addf(&s, ": %s", x->why);
		str_addz(out, "  ");
		plan_fold(out, text_line(&m, str_sv(&s), 0), 2, width);
		str_free(&s);
	}
	for (size_t i = 0; i < a->note.n; i++) {
		str_addz(out, text_if(!i, "\n"));
		plan_fold(out, text_line(&m, sv_of(a->note.v[i]), 0), 0, width);
	}
	grid_free(&g);
	arena_free(&m);
}

void plan_share_print(const struct plan_share_ask *q, const struct plan_share_answer *a,
		      const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		cols_doc(&plan_share_doc, a, out);
	} else if (as->format == OUT_CSV) {
		struct grid g = { 0 };
		put_layout(a, true, &g);
		grid_csv(&g, out);
		grid_free(&g);
	} else {
		print_text(q, a, as, out);
	}
}
