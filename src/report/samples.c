#include "report/samples.h"

#include <math.h>

#include "base/jw.h"
#include "base/percent.h"
#include "base/tm.h"
#include "report/text.h"

/* ---- CSV --------------------------------------------------------------------------------- */

void samples_csv_head(struct str *out)
{
	str_addz(out, "time,node,job,cards,verdict,util_pct,cause,confidence,why\n");
}

void samples_csv_window(const struct samples_window *w, struct str *out)
{
	const struct diag_result *r = w->r;
	char t[TM_BUF];

	str_addf(out, "%s,", tm_format(t, w->from_ms));
	text_csv(out, w->node);
	str_addc(out, ',');
	text_csv(out, w->job);
	str_addf(out, ",%zu,%s,", w->ncard, diag_verdict_name(r->verdict));
	if (!isnan(r->util_pct))
		str_addf(out, "%.1f", r->util_pct);
	str_addf(out, ",%s,", r->n ? diag_cause_name(r->finding[0].cause) : "");
	if (r->n)
		str_addf(out, "%.2f,\"", r->finding[0].confidence);
	else
		str_addz(out, ",\"");
	if (r->n)
		diag_evidence_text(&r->finding[0], out);
	for (int i = 0; i < r->nmissing && !r->n; i++)
		str_addf(out, "%s%s", i ? " " : "missing ", r->missing[i]);
	str_addz(out, "\"\n");
}

/* ---- out --------------------------------------------------------------------------------- */

static void table(const struct samples_answer *s, const char *file, struct str *out)
{
	static const char *const what[] = { "well used", "cause found", "idle",
					    "not enough signals" };
	char span[TM_BUF], share[PERCENT_BUF];
	struct arena mem = { 0 };
	int64_t tenths[4];
	__int128 part[4];

	for (int v = 0; v < 4; v++)
		part[v] = s->verdict[v].n;
	percent_split(s->windows, 4, part, PERCENT_TENTHS, tenths);
	str_addf(out, "%s: %lld window%s of %s, %zu card%s\n\n", text_line(&mem, sv_of(file), 60),
		 (long long)s->windows, s->windows == 1 ? "" : "s",
		 tm_format_span(span, s->window_ms), s->cards, s->cards == 1 ? "" : "s");
	for (int v = 0; v < 4; v++)
		str_addf(out, "%8lld  %7s  %8.1f GPU·h  %s\n", (long long)s->verdict[v].n,
			 percent_text(share, tenths[v], PERCENT_TENTHS, part[v], s->windows),
			 s->verdict[v].card_h, what[v]);
	if (s->verdict[DIAG_FOUND].n)
		str_addz(out, "\n windows     GPU·h  lost GPU·h  cause\n");
	for (int c = 0; c < DIAG_N; c++)
		if (s->cause[c].n)
			str_addf(out, "%8lld  %8.1f  %10.1f  %s: %s\n", (long long)s->cause[c].n,
				 s->cause[c].card_h, s->cause[c].lost_h,
				 diag_cause_name((enum diag_cause)c),
				 diag_cause_title((enum diag_cause)c));
	if (s->nmissing)
		str_addz(out, "\nmissing, in windows of not enough signals:");
	for (size_t i = 0; i < s->nmissing; i++)
		str_addf(out, "%s %s %lld", i ? "," : "", s->missing[i].metric,
			 (long long)s->missing[i].n);
	str_addz(out, s->nmissing ? "\n" : "");
	arena_free(&mem);
}

static void json_causes(const struct samples_answer *s, struct jw *w)
{
	jw_key(w, "causes");
	jw_arr(w);
	for (int c = 0; c < DIAG_N; c++) {
		if (!s->cause[c].n)
			continue;
		jw_obj(w);
		jw_put_str(w, "cause", diag_cause_name((enum diag_cause)c));
		jw_put_int(w, "windows", s->cause[c].n);
		jw_put_num(w, "gpu_hours", s->cause[c].card_h, 3);
		jw_put_num(w, "lost_gpu_hours", s->cause[c].lost_h, 3);
		jw_put_str(w, "change", diag_change((enum diag_cause)c));
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json(const struct samples_answer *s, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.explain.samples/1");
	jw_put_int(&w, "windows", s->windows);
	jw_put_num(&w, "window_s", (double)s->window_ms / 1000, 3);
	jw_key(&w, "verdicts");
	jw_obj(&w);
	for (int v = 0; v < 4; v++)
		jw_put_int(&w, diag_verdict_name((enum diag_verdict)v), s->verdict[v].n);
	jw_end_obj(&w);
	json_causes(s, &w);
	jw_key(&w, "missing");
	jw_obj(&w);
	for (size_t i = 0; i < s->nmissing; i++)
		jw_put_int(&w, s->missing[i].metric, s->missing[i].n);
	jw_end_obj(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

void samples_print(const struct samples_answer *s, const char *file, enum out_format f,
		   struct str *out)
{
	if (f == OUT_JSON)
		json(s, out);
	else
		table(s, file, out);
}
