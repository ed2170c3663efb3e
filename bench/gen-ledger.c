/*
 * Fills a store with N made-up ledger rows through the store's own door: gen-ledger DIR N. Some
 * 1,600 GPUs in 200 nodes, 12 teams, 300 users, 4,000 jobs a month; every combination of states.
 * And prints the SQL of a report's query: gen-ledger --sql DIM[,DIM...]
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "store/store.h"

static uint64_t state = 1;

static uint32_t rnd(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static int fail(const struct err *err)
{
	fprintf(stderr, "gen-ledger: %s\n", err->msg);
	return 1;
}

static struct sv text(char *buf, size_t size, const char *fmt, unsigned v)
{
	int n = snprintf(buf, size, fmt, v);

	return (struct sv){ buf, (size_t)n };
}

static int fill(struct store *s, long long n, struct err *err)
{
	static const enum state states[] = { STATE_BUSY,      STATE_BUSY,       STATE_UNDERUSED,
					     STATE_IDLE_HELD, STATE_IDLE_EMPTY, STATE_UNALLOCATED,
					     STATE_LOST,      STATE_UNKNOWN };
	static const struct sv models[] = { { "H100-SXM5-80GB", 14 },
					    { "A100-SXM4-80GB", 14 },
					    { "V100-SXM2-16GB", 14 } };
	char node[32], gpu[40], team[32], user[32], job[32], project[32];
	int64_t from = 1767225600000; /* 2026-01-01 */
	int rc = 0;

	for (long long i = 0; i < n && rc == 0; i++) {
		uint32_t g = (uint32_t)(i % 1600), j = rnd(4000);
		int64_t hour = i / 1600 * 3;
		struct entry e = { .hour_ms = from + hour / 10 * MS_HOUR,
				   .kind = KIND_GPU,
				   .state = states[rnd(8)],
				   .quality = QUALITY_MEASURED };
		e.node = e.scope = text(node, sizeof node, "gpu-%03u", g / 8);
		e.gpu = text(gpu, sizeof gpu, "gpu/%u", g);
		e.cluster = g < 800 ? SV("east") : SV("west");
		e.provider = SV("aws");
		e.region = SV("us-east-1");
		e.gpu_model = models[g % 3];
		e.purchase = SV("on_demand");
		e.currency = SV("USD");
		if (e.state != STATE_UNALLOCATED) {
			e.owner.field[OWNER_TEAM] = text(team, sizeof team, "team-%02u", j % 12);
			e.owner.field[OWNER_PROJECT] = text(project, sizeof project, "project-%02u",
							    j % 60);
			e.owner.field[OWNER_USER] = text(user, sizeof user, "user-%03u", j % 300);
			e.owner.field[OWNER_JOB] = text(job, sizeof job, "%u",
							(unsigned)(hour / 7200) * 4000 + j);
			e.owner.field[OWNER_WORKLOAD] = j % 3 ? SV("training") : SV("inference");
		}
		e.ms = 300000 + rnd(600000);
		e.util_ms = e.state == STATE_UNKNOWN ? UNKNOWN_I64 : e.ms / 100 * rnd(100);
		for (int b = 0; b < BASIS_N; b++)
			e.nano[b] = e.ms * 611;
		rc = store_add_entry(s, &e, err);
	}
	return rc;
}

static int print_sql(const char *dims)
{
	enum dim dim[8];
	const char *tag[8] = { 0 };
	struct ledger_query q = { .dim = dim,
				  .tag = tag,
				  .since_ms = INT64_MIN,
				  .until_ms = INT64_MAX,
				  .basis = BASIS_EFFECTIVE };
	struct sv rest = sv_of(dims);
	struct str sql = { 0 };
	struct err err = { 0 };

	while (rest.p && q.ndim < 8) {
		int d = dim_of(sv_cut(rest, ',', &rest));
		if (d < 0)
			return fprintf(stderr, "gen-ledger: '%s' is not a dimension\n", dims), 1;
		dim[q.ndim++] = (enum dim)d;
	}
	if (store_ledger_sql(&q, &sql, &err))
		return fail(&err);
	printf("%s\n", str_z(&sql));
	str_free(&sql);
	return 0;
}

int main(int argc, char **argv)
{
	struct store *s;
	struct err err = { 0 };
	int64_t batch;

	if (argc != 3)
		return fprintf(stderr, "usage: gen-ledger DIR N | --sql DIM,...\n"), 2;
	if (!strcmp(argv[1], "--sql"))
		return print_sql(argv[2]);
	struct batch_file file = { .path = "bench",
				   .kind = "bench",
				   .hash = "bench",
				   .source = "bench",
				   .report_json = "{}",
				   .from_ms = 1767225600000,
				   .to_ms = 1798761600000 };
	if (store_open(argv[1], STORE_WRITE, 0, "bench", &s, &err) ||
	    store_begin(s, &batch, &err) || fill(s, atoll(argv[2]), &err) ||
	    store_commit(s, 1767225600000, "bench", &file, 1, &err))
		return fail(&err);
	store_close(s);
	return 0;
}
