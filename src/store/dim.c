/* What a ledger can be grouped by: names, and values as people write them. */
#include "store/dim.h"

#include <stdio.h>

#include "base/tm.h"

static const char *const dim_names[DIM_N] = {
	[DIM_KIND] = "kind",
	[DIM_TEAM] = "team",
	[DIM_PROJECT] = "project",
	[DIM_ENV] = "env",
	[DIM_WORKLOAD] = "workload",
	[DIM_USER] = "user",
	[DIM_JOB] = "job",
	[DIM_RUN] = "run",
	[DIM_CLUSTER] = "cluster",
	[DIM_NODE] = "node",
	[DIM_PROVIDER] = "provider",
	[DIM_REGION] = "region",
	[DIM_GPU_MODEL] = "gpu_model",
	[DIM_GPU] = "gpu",
	[DIM_PURCHASE] = "purchase",
	[DIM_STATE] = "state",
	[DIM_CAUSE] = "cause",
	[DIM_QUALITY] = "quality",
	[DIM_HOUR] = "hour",
	[DIM_DAY] = "day",
	[DIM_WEEK] = "week",
	[DIM_MONTH] = "month",
	[DIM_QUARTER] = "quarter",
	[DIM_ZONE] = "zone",
	[DIM_SERVICE] = "service",
	[DIM_CLOUD_SERVICE] = "cloud_service",
	[DIM_ACCOUNT] = "account",
	[DIM_ACCOUNT_NAME] = "account_name",
	[DIM_INSTANCE_TYPE] = "instance_type",
	[DIM_COMMITMENT] = "commitment",
	[DIM_INVOICE] = "invoice",
	[DIM_BILLING_ACCOUNT] = "billing_account",
	[DIM_CHARGE_CATEGORY] = "charge_category",
	[DIM_TAG] = "tag",
};

const char *dim_name(enum dim d)
{
	return dim_names[d];
}

int dim_of(struct sv name)
{
	if (sv_starts(name, SV("tag:"))) {
		if (name.n > 4)
			return DIM_TAG;
		return -1;
	}
	for (int d = 0; d < DIM_TAG; d++)
		if (sv_is(name, dim_names[d]))
			return d;
	return -1;
}

/* Digits of "2024-09-18" or "2024-W36" as a number; -1 if it is something else. letter: the one
 * that may stand behind the dash, or '-'. */
static int64_t date_number(struct sv v, size_t ndigit, char letter)
{
	int64_t n = 0;
	size_t seen = 0;
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '-' || (v.p[i] == letter && seen == 4))
			continue;
		if (v.p[i] < '0' || v.p[i] > '9')
			return -1;
		n = n * 10 + (v.p[i] - '0');
		if (++seen > ndigit)
			return -1;
	}
	if (seen == ndigit)
		return n;
	return -1;
}

int64_t dim_number(enum dim d, struct sv v)
{
	int64_t ms;
	switch (d) {
	case DIM_KIND: return kind_of(v);
	case DIM_STATE: return v.n ? state_of(v) : STATE_NONE;
	case DIM_CAUSE: return v.n ? cause_of(v) : CAUSE_NONE;
	case DIM_QUALITY: return quality_of(v);
	case DIM_DAY: return date_number(v, 8, '-');
	case DIM_WEEK: return date_number(v, 6, 'W');
	case DIM_MONTH: return date_number(v, 6, '-');
	case DIM_QUARTER: return date_number(v, 5, 'Q');
	case DIM_HOUR: return tm_parse(v, 0, &ms) ? -1 : ms;
	default: return -1;
	}
}

bool dim_is_number(enum dim d)
{
	static const bool numbers[DIM_N] = {
		[DIM_KIND] = true,    [DIM_STATE] = true, [DIM_CAUSE] = true,
		[DIM_QUALITY] = true, [DIM_HOUR] = true,  [DIM_DAY] = true,
		[DIM_WEEK] = true,    [DIM_MONTH] = true, [DIM_QUARTER] = true,
	};

	return numbers[d];
}

static struct sv name_in(struct arena *a, const char *z)
{
	return (struct sv){ arena_strn(a, z, strlen(z)), strlen(z) };
}

struct sv dim_text(enum dim d, int64_t n, struct arena *a)
{
	char buf[TM_BUF];
	switch (d) {
	case DIM_KIND: return name_in(a, kind_name((enum kind)n));
	case DIM_STATE: return name_in(a, state_name((enum state)n));
	case DIM_CAUSE: return name_in(a, cause_name((enum cause)n));
	case DIM_QUALITY: return name_in(a, quality_name((enum quality)n));
	case DIM_HOUR: return name_in(a, tm_format(buf, n));
	case DIM_DAY:
		snprintf(buf, sizeof buf, "%04d-%02d-%02d", (int)(n / 10000), (int)(n / 100 % 100),
			 (int)(n % 100));
		return name_in(a, buf);
	case DIM_WEEK:
		snprintf(buf, sizeof buf, "%04d-W%02d", (int)(n / 100), (int)(n % 100));
		return name_in(a, buf);
	case DIM_MONTH:
		snprintf(buf, sizeof buf, "%04d-%02d", (int)(n / 100), (int)(n % 100));
		return name_in(a, buf);
	case DIM_QUARTER:
		snprintf(buf, sizeof buf, "%04d-Q%d", (int)(n / 10), (int)(n % 10));
		return name_in(a, buf);
	default: return SV_NULL;
	}
}
