/*
 * AWS: savings plan rates of a region, another list of hundreds of megabytes, read as a stream.
 *
 *   terms.savingsPlan[] { description, effectiveDate, rates[] { discountedUsageType,
 *   discountedOperation, discountedInstanceType, unit, discountedRate { price, currency } } }
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include "base/str.h"
#include "base/tm.h"
#include "base/jstream.h"
#include "feed/prices/prices.h"

enum field { F_USAGE, F_OPERATION, F_TYPE, F_REGION, F_UNIT, F_PRICE, F_CURRENCY, F_N };

struct aws_savings {
	struct price_fetch *f;
	struct jstream *j;
	struct str description, effective; /* of the plan */
	struct str field[F_N];             /* of the rate */
	bool saw_plan;
};

/* A plan is terms.savingsPlan.(item): depth 3; a rate is (plan).rates.(item): depth 5. */
static int on_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		     struct err *err)
{
	static const char *const name[] = { [F_USAGE] = "discountedUsageType",
					    [F_OPERATION] = "discountedOperation",
					    [F_TYPE] = "discountedInstanceType",
					    [F_REGION] = "discountedRegionCode",
					    [F_UNIT] = "unit" };
	struct aws_savings *a = ctx;
	size_t depth = jstream_depth(j);
	(void)quoted;
	(void)err;
	if (!jstream_at(j, 0, "terms") || !jstream_at(j, 1, "savingsPlan"))
		return 0;
	if (depth == 4 && jstream_at(j, 3, "description"))
		str_setsv(&a->description, text);
	if (depth == 4 && jstream_at(j, 3, "effectiveDate"))
		str_setsv(&a->effective, text);
	if (!jstream_at(j, 3, "rates"))
		return 0;
	for (int i = 0; i < F_PRICE && depth == 6; i++)
		if (jstream_at(j, 5, name[i]))
			str_setsv(&a->field[i], text);
	if (depth == 7 && jstream_at(j, 5, "discountedRate") && jstream_at(j, 6, "price"))
		str_setsv(&a->field[F_PRICE], text);
	if (depth == 7 && jstream_at(j, 5, "discountedRate") && jstream_at(j, 6, "currency"))
		str_setsv(&a->field[F_CURRENCY], text);
	return 0;
}

/* Linux on shared hardware: "BoxUsage:p5.48xlarge", outside us-east-1 with the region's prefix:
 * "USE2-BoxUsage:...". */
static bool is_plain(const struct aws_savings *a)
{
	struct sv usage = str_sv(&a->field[F_USAGE]), rest, before = sv_cut(usage, ':', &rest);
	if (!sv_is(before, "BoxUsage") && !sv_ends(before, SV("-BoxUsage")))
		return false;
	return sv_is(str_sv(&a->field[F_OPERATION]), "RunInstances") &&
	       sv_is(str_sv(&a->field[F_UNIT]), "Hrs");
}

static int end_rate(struct aws_savings *a, struct err *err)
{
	struct sv type = str_sv(&a->field[F_TYPE]);
	const struct instance_type *t = catalog_instance(a->f->catalog, SV("aws"), type);
	struct price p = { .provider = SV("aws"),
			   .region = str_sv(&a->field[F_REGION]),
			   .instance_type = type,
			   .purchase = SV("savings_plan"),
			   .term = str_sv(&a->description),
			   .currency = str_sv(&a->field[F_CURRENCY]),
			   .to_ms = UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	a->f->report->rows_read++;
	if (!t || !t->gpu_model || !is_plain(a)) {
		a->f->report->rows_skipped++;
		return 0;
	}
	p.gpu_milli = t->gpu_milli;
	if (dec_parse(str_sv(&a->field[F_PRICE]), 0, &p.hour) < 0 || p.hour < 0 ||
	    tm_parse(str_sv(&a->effective), 0, &p.from_ms) < 0)
		return err_set(err, -EBADMSG,
			       "aws: a savings plan rate of '%.*s' has no readable amount or date",
			       SVF(type));
	return price_emit(a->f, &p, err);
}

static int on_close(void *ctx, const struct jstream *j, struct err *err)
{
	struct aws_savings *a = ctx;
	size_t depth = jstream_depth(j);
	int r = 0;
	if (!jstream_at(j, 0, "terms") || !jstream_at(j, 1, "savingsPlan"))
		return 0;
	a->saw_plan = true;
	if (depth != 5 || !jstream_at(j, 3, "rates"))
		return 0;
	r = end_rate(a, err);
	for (int i = 0; i < F_N; i++)
		str_clear(&a->field[i]);
	return r;
}

struct aws_savings *aws_savings_new(struct price_fetch *f)
{
	static const struct jstream_ops ops = { on_scalar, on_close };
	struct aws_savings *a = xcalloc(1, sizeof *a);
	a->f = f;
	a->j = jstream_new(&ops, a);
	return a;
}

int aws_savings_feed(struct aws_savings *a, struct sv piece, struct err *err)
{
	return jstream_feed(a->j, piece, err);
}

int aws_savings_end(struct aws_savings *a, struct err *err)
{
	int r = jstream_end(a->j, err);
	if (r == 0 && !a->saw_plan)
		return err_set(err, -EBADMSG, "aws: the answer is no list of savings plans");
	return r;
}

void aws_savings_free(struct aws_savings *a)
{
	if (!a)
		return;
	jstream_free(a->j);
	str_free(&a->description);
	str_free(&a->effective);
	for (int i = 0; i < F_N; i++)
		str_free(&a->field[i]);
	free(a);
}

static int on_body(void *ctx, struct sv piece, struct err *err)
{
	return aws_savings_feed(ctx, piece, err);
}

static int region_path(struct sv json, const char *region, struct str *ret, struct err *err)
{
	json_error_t e;
	size_t i;
	json_t *item, *root = json_loadb(text_or(json.p, ""), json.n, 0, &e);
	str_clear(ret);
	if (!root)
		return err_set(err, -EBADMSG,
			       "aws: the savings plans' region index is not JSON: %s", e.text);
	json_array_foreach(json_object_get(root, "regions"), i, item)
	{
		const char *code = json_string_value(json_object_get(item, "regionCode")),
			   *url = json_string_value(json_object_get(item, "versionUrl"));
		if (!code || !url || *url != '/')
			continue;
		if (!strcmp(code, region) && !ret->n)
			str_addz(ret, url);
	}
	json_decref(root);
	if (ret->n)
		return 0;
	return err_set(err, -ENOENT, "aws: the savings plans' region index has no region '%s'",
		       region);
}

int aws_savings_fetch(struct price_fetch *f, const char *region, struct err *err)
{
	static const struct aws_index index = {
		"/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json", region_path
	};
	struct aws_savings *a = aws_savings_new(f);
	int r = aws_region_stream(f, &index, region, on_body, a, err);
	if (r == 0)
		r = aws_savings_end(a, err);
	if (r < 0)
		err_prefix(err, "savings plans of '%s'", region);
	aws_savings_free(a);
	return r;
}
