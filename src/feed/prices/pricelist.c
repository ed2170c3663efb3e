/* Price lists: the native kind, and the custom price sheets that Kubernetes cost tools read. */
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "feed/rows.h"

enum {
	P_PROVIDER,
	P_REGION,
	P_ZONE,
	P_TYPE,
	P_MODEL,
	P_COUNT,
	P_PURCHASE,
	P_TERM,
	P_UPFRONT,
	P_HOUR,
	P_CURRENCY,
	P_FROM,
	P_TO,
	P_SOURCE,
	P_BAND_LO,
	P_BAND_HI
};
static const char *const price_names[] = { "provider",
					   "region",
					   "zone",
					   "instance_type",
					   "gpu_model",
					   "gpu_count",
					   "purchase",
					   "term",
					   "upfront_usd",
					   "usd_hour",
					   "currency",
					   "from",
					   "to",
					   "source",
					   "interruption_lo_pct",
					   "interruption_hi_pct",
					   NULL };

static void price_read(struct rows *w, struct price *p, struct sv source)
{
	int64_t lo = -1, hi = -1;

	*p = (struct price){ .provider = rows_need(w, P_PROVIDER),
			     .region = rows_text(w, P_REGION),
			     .zone = rows_text(w, P_ZONE),
			     .instance_type = rows_text(w, P_TYPE),
			     .gpu_model = rows_text(w, P_MODEL),
			     .purchase = rows_need(w, P_PURCHASE),
			     .term = rows_text(w, P_TERM),
			     .currency = rows_text(w, P_CURRENCY),
			     .source = rows_text(w, P_SOURCE),
			     .from_ms = UNKNOWN_MS,
			     .to_ms = UNKNOWN_MS };
	if (!p->source.n)
		p->source = source;
	rows_milli(w, P_COUNT, &p->gpu_milli);
	rows_dec(w, P_UPFRONT, &p->upfront);
	rows_need(w, P_HOUR);
	rows_price(w, P_HOUR, &p->hour);
	rows_need(w, P_FROM);
	rows_time(w, P_FROM, &p->from_ms);
	rows_time(w, P_TO, &p->to_ms);
	rows_i64(w, P_BAND_LO, 0, 100, &lo);
	rows_i64(w, P_BAND_HI, 0, 100, &hi);
	p->interruption_lo_pct = (int)lo;
	p->interruption_hi_pct = (int)hi;
	if (!p->instance_type.n && !p->gpu_model.n)
		rows_bad(w, P_TYPE,
			 "neither instance_type nor gpu_model says what the price is for");
	if (p->to_ms != UNKNOWN_MS && p->to_ms <= p->from_ms)
		rows_bad(w, P_TO, "is not after 'from'");
}

static int price_give(struct rows *w, const struct price *p, struct err *err)
{
	int rc = w->r->sink->price(w->r->sink->ctx, p, err);

	if (rc < 0)
		return rc;
	w->r->report->rows_kept++;
	feed_cover(w->r->report, p->from_ms, p->to_ms == UNKNOWN_MS ? p->from_ms : p->to_ms);
	return 0;
}

static int native_rows(struct rows *w, struct err *err)
{
	struct sv source = sv_of(input_name(w->r->in));
	struct price p;
	int rc, go;

	while ((rc = rows_next(w, err)) > 0) {
		price_read(w, &p, source);
		if (!rows_good(w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if (!purchase_is_known(p.purchase))
			feed_note(w->r->report,
				  "purchase '%.*s' is none of the known words; kept as it is",
				  SVF(p.purchase));
		if ((rc = price_give(w, &p, err)) < 0)
			return rc;
	}
	return rc;
}

/* ---- price sheets ------------------------------------------------------------------------
 * EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,
 * Version */

enum { S_END, S_ID, S_REGION, S_CLASS, S_TYPE, S_PRICE, S_PROVIDER, S_PURCHASE, S_CURRENCY };
static const char *const sheet_names[] = {
	"EndTimestamp",      "InstanceID", "Region",   "AssetClass", "InstanceType",
	"MarketPriceHourly", "provider",   "purchase", "currency",   NULL
};

static void sheet_read(struct rows *w, struct price *p)
{
	bool gpu = sv_ieq(rows_text(w, S_CLASS), SV("gpu"));

	*p = (struct price){ .provider = rows_text(w, S_PROVIDER),
			     .region = rows_text(w, S_REGION),
			     .purchase = rows_text(w, S_PURCHASE),
			     .currency = rows_text(w, S_CURRENCY),
			     .source = sv_of(input_name(w->r->in)),
			     .from_ms = UNKNOWN_MS,
			     .to_ms = UNKNOWN_MS,
			     .interruption_lo_pct = -1,
			     .interruption_hi_pct = -1 };
	if (!p->provider.n)
		p->provider = SV("custom");
	if (!p->purchase.n)
		p->purchase = SV("on_demand");
	if (gpu) {
		p->gpu_model = rows_need(w, S_ID);
		p->gpu_milli = 1000;
	} else
		p->instance_type = rows_text(w, S_TYPE);
	rows_need(w, S_PRICE);
	rows_price(w, S_PRICE, &p->hour);
	/* "2019-04-17 23:34:22 UTC", "2020-07-20" */
	struct sv end = rows_need(w, S_END);
	if (sv_ends(end, SV(" UTC")))
		end.n -= 4;
	if (end.n && tm_parse(sv_trim(end), 0, &p->from_ms) < 0)
		rows_bad(w, S_END, "'%.*s' is not a time", (int)min_size(end.n, 60), end.p);
}

static int sheet_run(struct feed_run *r, struct err *err)
{
	struct rows w;
	struct price p;
	int rc = rows_open(&w, r, sheet_names, NULL, err), go;

	if (rc < 0)
		return rc;
	feed_note(
		r->report,
		"a price sheet: prices count from their EndTimestamp on, as %s of provider %s (--set purchase=..., --set provider=...)",
		sv_or(w.fixed[S_PURCHASE], SV("on_demand")).p,
		sv_or(w.fixed[S_PROVIDER], SV("custom")).p);
	while ((rc = rows_next(&w, err)) > 0) {
		struct sv class = rows_text(&w, S_CLASS);
		if (!sv_ieq(class, SV("gpu")) && !sv_ieq(class, SV("node"))) {
			feed_skip(r, rows_line(&w), rows_text(&w, S_ID),
				  "neither a GPU nor a node");
			continue;
		}
		sheet_read(&w, &p);
		if (!rows_good(&w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if (!p.gpu_model.n && !p.instance_type.n) {
			feed_skip(
				r, rows_line(&w), rows_text(&w, S_ID),
				"the price of one node, not of an instance type: give it as usd_hour of a node");
			continue;
		}
		if ((rc = price_give(&w, &p, err)) < 0)
			return rc;
	}
	return rc;
}

static int prices_run(struct feed_run *r, struct err *err)
{
	static const int needed[] = { P_PROVIDER, P_REGION, P_PURCHASE, P_HOUR, P_FROM };
	struct rows w;
	int rc;

	if (tab_col(r->tab, "MarketPriceHourly") >= 0 && tab_col(r->tab, "AssetClass") >= 0)
		return sheet_run(r, err);
	if ((rc = rows_open(&w, r, price_names, NULL, err)) < 0)
		return rc;
	if (w.col[P_FROM] < 0 && !w.fixed[P_FROM].n && tab_col(r->tab, "as_of") >= 0) {
		w.col[P_FROM] = tab_col(r->tab, "as_of");
		feed_note(r->report, "prices count from their as_of on: there is no column from");
	}
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		const char *name = price_names[needed[i]];
		if (w.col[needed[i]] >= 0 || w.fixed[needed[i]].n)
			continue;
		err_set(err, -EINVAL, "'%s' has no column %s, which prices need", input_name(r->in),
			name);
		err_hint(
			err,
			"Give a constant with --set %s=%s, or the column's name with --map (docs/MAPS.md).",
			name, !strcmp(name, "from") ? "2026-01-31" : "VALUE");
		return -EINVAL;
	}
	return native_rows(&w, err);
}

static int prices_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	if (rows_named(col, ncol, "MarketPriceHourly") && rows_named(col, ncol, "AssetClass"))
		return 90;
	if (ROWS_NAMED(col, ncol, "provider", "purchase", "usd_hour") &&
	    !rows_named(col, ncol, "node"))
		return 90;
	return 0;
}

/* No list of required columns: there are two shapes, and prices_run() checks. */
const struct feed feed_prices = {
	.kind = "prices",
	.group = "the rest",
	.about =
		"price lists: provider, region, instance_type or gpu_model, purchase, usd_hour, from, ...",
	.tabular = true,
	.detect = prices_detect,
	.run = prices_run,
	.ragged = true,
};
