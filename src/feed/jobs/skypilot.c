/*
 * SkyPilot's catalogue, catalogs/<version>/<cloud>/vms.csv: InstanceType, AcceleratorName,
 * AcceleratorCount, vCPUs, MemoryGiB, GpuInfo, Price, SpotPrice, Region, AvailabilityZone, Arch.
 * $/h per instance; counts may be fractions of a GPU; the zone may be an id.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/tm.h"
#include "feed/rows.h"

enum { K_TYPE, K_ACC, K_COUNT, K_PRICE, K_SPOT, K_REGION, K_ZONE, K_PROVIDER, K_FROM };
static const char *const sky_names[] = {
	"InstanceType", "AcceleratorName",  "AcceleratorCount", "Price", "SpotPrice",
	"Region",       "AvailabilityZone", "provider",         "from",  NULL
};

/* ".../catalogs/v7/aws/vms.csv" -> aws; {NULL,0} where the path does not say. */
static struct sv provider_of_path(const char *path)
{
	struct sv p = sv_of(path), last = SV_NULL, before = SV_NULL;

	while (p.p) {
		struct sv rest, part = sv_cut(p, '/', &rest);
		if (part.n) {
			before = last;
			last = part;
		}
		p = rest;
	}
	static const char *const clouds[] = {
		"aws",    "azure",      "gcp",        "lambda",     "runpod", "oci",
		"ibm",    "cudo",       "fluidstack", "paperspace", "do",     "vast",
		"nebius", "hyperbolic", "scp",        "vsphere",    "seeweb", "primeintellect",
		"verda",  "shadeform"
	};
	for (size_t i = 0; i < sizeof clouds / sizeof *clouds; i++)
		if (sv_is(before, clouds[i]))
			return before;
	return SV_NULL;
}

static int sky_give(struct rows *w, struct price *p, int price, const char *purchase,
		    struct err *err)
{
	const struct feed_sink *sink = w->r->sink;
	int rc;

	if (!rows_dec(w, price, &p->hour))
		return 0;
	p->purchase = sv_of(purchase);
	if ((rc = sink->price(sink->ctx, p, err)) < 0)
		return rc;
	return 1;
}

static int sky_row(struct rows *w, struct price *p, int64_t *no_gpu, struct err *err)
{
	struct feed_report *report = w->r->report;
	int rc, spot;
	dec d;

	p->instance_type = rows_text(w, K_TYPE);
	p->gpu_model = rows_text(w, K_ACC);
	p->region = rows_text(w, K_REGION);
	p->zone = rows_text(w, K_ZONE);
	p->gpu_milli = 0;
	bool tpu = sv_starts(p->gpu_model, SV("tpu-")) || sv_starts(p->gpu_model, SV("TPU"));
	if (!p->gpu_model.n || tpu) { /* most rows of these files: counted, not named */
		report->rows_skipped++;
		++*no_gpu;
		return 0;
	}
	/* prices in the row are checked before the first is passed on */
	rows_need(w, K_TYPE);
	rows_need(w, K_COUNT);
	rows_milli(w, K_COUNT, &p->gpu_milli);
	rows_price(w, K_PRICE, &d);
	rows_price(w, K_SPOT, &d);
	if (!rows_good(w, &rc, err))
		return rc;
	if ((rc = sky_give(w, p, K_PRICE, "on_demand", err)) < 0 ||
	    (spot = sky_give(w, p, K_SPOT, "spot", err)) < 0) {
		if (rc < 0)
			return rc;
		return spot;
	}
	if (rc + spot == 0)
		feed_skip(w->r, rows_line(w), p->instance_type, "has no price");
	else
		report->rows_kept++;
	return 0;
}

static int sky_head(struct rows *w, struct price *p, struct err *err)
{
	struct feed_run *r = w->r;
	const char *from = feed_set_get(r, "from");

	*p = (struct price){ .to_ms = UNKNOWN_MS,
			     .currency = SV("USD"),
			     .source = sv_of(input_name(r->in)),
			     .interruption_lo_pct = -1,
			     .interruption_hi_pct = -1 };
	if (w->fixed[K_PROVIDER].n)
		p->provider = w->fixed[K_PROVIDER];
	else
		p->provider = provider_of_path(input_name(r->in));
	if (!p->provider.n) {
		err_set(err, -EINVAL, "'%s' does not say whose prices it holds", input_name(r->in));
		err_hint(err, "--set provider=aws says it, or a path that ends in aws/vms.csv");
		return -EINVAL;
	}
	p->from_ms = r->at_ms != UNKNOWN_MS ? r->at_ms : r->now_ms;
	if (from && tm_parse(sv_of(from), 0, &p->from_ms) < 0)
		return err_set(err, -EINVAL, "--set from: '%s' is not a time", from);
	if (!from && r->at_ms == UNKNOWN_MS)
		feed_note(
			r->report,
			"the file has no dates: its prices count from now on (--at T or --set from=T says since when)");
	return 0;
}

static int sky_run(struct feed_run *r, struct err *err)
{
	struct rows w;
	struct price p;
	int64_t no_gpu = 0;
	int rc;

	if ((rc = rows_open(&w, r, sky_names, NULL, err)) < 0 || (rc = sky_head(&w, &p, err)) < 0)
		return rc;
	while ((rc = rows_next(&w, err)) > 0)
		if ((rc = sky_row(&w, &p, &no_gpu, err)) < 0)
			return rc;
	if (rc == 0 && no_gpu)
		feed_note(r->report, "%lld instance types without a GPU were left out",
			  (long long)no_gpu);
	if (rc == 0 && r->report->rows_kept)
		feed_cover(r->report, p.from_ms, p.from_ms);
	return rc;
}

static int sky_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	if (rows_named(col, ncol, "InstanceType") && rows_named(col, ncol, "AcceleratorName") &&
	    rows_named(col, ncol, "AcceleratorCount"))
		return 90;
	return 0;
}

static const char *const sky_required[] = { "InstanceType", "AcceleratorName", "AcceleratorCount",
					    "Price",        "Region",          NULL };

const struct feed feed_skypilot = {
	.kind = "skypilot",
	.group = "the rest",
	.about = "SkyPilot's catalogue of instance types (vms.csv)",
	.tabular = true,
	.detect = sky_detect,
	.required = sky_required,
	.run = sky_run,
};
