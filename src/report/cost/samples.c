#include "report/cost/samples.h"

#include <math.h>

#include "base/percent.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/text.h"

/* ---- CSV --------------------------------------------------------------------------------- */

struct window_row {
	int64_t from_ms;
	const char *node, *job, *verdict, *cause, *why;
	size_t gpus;
	double util_pct, confidence;
};

static const struct col window_cols[] = {
	{ "time", COL_TIME, offsetof(struct window_row, from_ms), .help = "the window begins" },
	{ "node", COL_WORD, offsetof(struct window_row, node), .help = "the machine" },
	{ "job", COL_WORD, offsetof(struct window_row, job), .help = "that held its GPUs" },
	{ "cards", COL_SIZE, offsetof(struct window_row, gpus), .help = "with readings" },
	{ "verdict", COL_TEXT, offsetof(struct window_row, verdict), .help = "what was judged" },
	{ "util_pct", COL_NUM, offsetof(struct window_row, util_pct), .digits = 1, .fixed = true,
	  .help = "mean" },
	{ "cause", COL_WORD, offsetof(struct window_row, cause), .help = "the first one" },
	{ "confidence", COL_NUM, offsetof(struct window_row, confidence), .digits = 2,
	  .fixed = true, .help = "in the cause" },
	{ "why", COL_TEXT, offsetof(struct window_row, why), .quoted = true,
	  .help = "what it rests on, or what is missing" },
	{ 0 },
};

void samples_csv_head(struct str *out)
{
	cols_csv_head(window_cols, out);
}

void samples_csv_window(const struct samples_window *w, struct str *out)
{
	const struct diag_result *r = w->r;
	struct arena mem = { 0 };
	struct str why = { 0 };

	if (r->n)
		diag_evidence_text(&r->finding[0], &why);
	for (int i = 0; i < r->nmissing && !r->n; i++)
		str_addf(&why, "%s%s", i ? " " : "missing ", r->missing[i]);
	struct window_row row = {
		.from_ms = w->from_ms,
		.node = arena_sv(&mem, w->node),
		.job = arena_sv(&mem, w->job),
		.gpus = w->ngpu,
		.verdict = diag_verdict_name(r->verdict),
		.util_pct = r->util_pct,
		.cause = r->n ? diag_cause_name(r->finding[0].cause) : "",
		.confidence = num_if(r->n, r->finding[0].confidence),
		.why = str_z(&why),
	};
	cols_csv_row(window_cols, &row, out);
	str_free(&why);
	arena_free(&mem);
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct cause_row {
	const char *cause, *change;
	const struct samples_tally *t;
};
struct verdict_row {
	const char *name;
	int64_t n;
};
struct samples_json {
	const struct samples_answer *s;
	double window_s;
	struct verdict_row verdict[4];
	struct cause_row cause[DIAG_N];
	size_t ncause;
};

static bool get_verdicts(const void *doc, union col_value *ret)
{
	ret->rows.p = ((const struct samples_json *)doc)->verdict;
	ret->rows.n = 4;
	return true;
}

static bool get_causes(const void *doc, union col_value *ret)
{
	const struct samples_json *d = doc;

	ret->rows.p = d->cause;
	ret->rows.n = d->ncause;
	return true;
}

static bool get_missing(const void *doc, union col_value *ret)
{
	const struct samples_answer *s = ((const struct samples_json *)doc)->s;

	ret->rows.p = s->missing;
	ret->rows.n = s->nmissing;
	return true;
}

static const struct col cause_cols[] = {
	{ "cause", COL_TEXT, offsetof(struct cause_row, cause), NULL,
	  "the first cause of its windows", .always = true },
	{ "windows", COL_INT, COL_VIA(struct cause_row, t, n), .unit = "count", .always = true,
	  .help = "with this cause" },
	{ "gpu_hours", COL_NUM, COL_VIA(struct cause_row, t, gpu_h), .unit = "GPU-hours",
	  .digits = 3, .help = "of these windows" },
	{ "lost_gpu_hours", COL_NUM, COL_VIA(struct cause_row, t, lost_h), .unit = "GPU-hours",
	  .digits = 3, .help = "the part of them that the cause takes" },
	{ "change", COL_TEXT, offsetof(struct cause_row, change), NULL, "what to do about it", 0 },
	{ 0 },
};
static const struct col verdict_cols[] = {
	{ "verdict", COL_TEXT, offsetof(struct verdict_row, name), NULL, "its name", 0 },
	{ "windows", COL_INT, offsetof(struct verdict_row, n), "count", "windows judged so",
	  .always = true },
	{ 0 },
};
static const struct col missing_cols[] = {
	{ "metric", COL_TEXT, offsetof(struct samples_missing, metric), NULL, "its name", 0 },
	{ "windows", COL_INT, offsetof(struct samples_missing, n), "count",
	  "windows that it would have decided", .always = true },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "windows", COL_INT, COL_VIA(struct samples_json, s, windows), .unit = "count",
	  .always = true, .help = "windows judged" },
	{ "window_s", COL_NUM, offsetof(struct samples_json, window_s), "s", "length of one",
	  .digits = 3, .always = true },
	{ "verdicts", COL_MAP, .get = get_verdicts, .size = sizeof(struct verdict_row),
	  .sub = verdict_cols, .always = true, .help = "windows by verdict" },
	{ "causes", COL_ROWS, .get = get_causes, .size = sizeof(struct cause_row),
	  .sub = cause_cols, .always = true, .help = "those found" },
	{ "missing", COL_MAP, .get = get_missing, .size = sizeof(struct samples_missing),
	  .sub = missing_cols, .always = true,
	  .help = "by reading that is not there, in windows of not enough signals" },
	{ 0 },
};
const struct col_doc samples_doc = { "tare.explain.samples/1", "explain --samples",
				     "causes of low utilisation in recorded readings", doc_cols };

void samples_print(const struct samples_answer *s, const char *file, enum out_format f,
		   struct str *out)
{
	if (f == OUT_JSON) {
		struct samples_json doc = { .s = s, .window_s = (double)s->window_ms / 1000 };

		for (int v = 0; v < 4; v++)
			doc.verdict[v] = (struct verdict_row){
				diag_verdict_name((enum diag_verdict)v), s->verdict[v].n
			};
		for (int c = 0; c < DIAG_N; c++)
			if (s->cause[c].n)
				doc.cause[doc.ncause++] =
					(struct cause_row){ diag_cause_name((enum diag_cause)c),
							    diag_change((enum diag_cause)c),
							    &s->cause[c] };
		cols_doc(&samples_doc, &doc, out);
		return;
	}

	static const char *const what[] = { "well used", "cause found", "idle",
					    "not enough signals" };
	char span[TM_BUF], share[PERCENT_BUF];
	struct arena mem = { 0 };
	int64_t tenths[4];
	__int128 part[4];

	for (int v = 0; v < 4; v++)
		part[v] = s->verdict[v].n;
	percent_split(s->windows, 4, part, PERCENT_TENTHS, tenths);
	str_addf(out, "%s: %lld window%s of %s, %zu GPU%s\n\n", text_line(&mem, sv_of(file), 60),
		 (long long)s->windows, plural(s->windows), tm_format_span(span, s->window_ms),
		 s->gpus, plural(s->gpus));
	for (int v = 0; v < 4; v++)
		str_addf(out, "%8lld  %7s  %8.1f GPU·h  %s\n", (long long)s->verdict[v].n,
			 percent_text(share, tenths[v], PERCENT_TENTHS, part[v], s->windows),
			 s->verdict[v].gpu_h, what[v]);
	if (s->verdict[DIAG_FOUND].n)
		str_addz(out, "\n windows     GPU·h  lost GPU·h  cause\n");
	for (int c = 0; c < DIAG_N; c++)
		if (s->cause[c].n)
			str_addf(out, "%8lld  %8.1f  %10.1f  %s: %s\n", (long long)s->cause[c].n,
				 s->cause[c].gpu_h, s->cause[c].lost_h,
				 diag_cause_name((enum diag_cause)c),
				 diag_cause_title((enum diag_cause)c));
	if (s->nmissing)
		str_addz(out, "\nmissing, in windows of not enough signals:");
	for (size_t i = 0; i < s->nmissing; i++)
		str_addf(out, "%s %s %lld", text_if(i, ","), s->missing[i].metric,
			 (long long)s->missing[i].n);
	str_addz(out, text_if(s->nmissing, "\n"));
	arena_free(&mem);
}
