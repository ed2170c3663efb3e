/* See opens.h. */
#include "answer/opens.h"

#include <string.h>

#include "store/store.h"

#define COUNT(v) (sizeof(v) / sizeof *(v))

/* What can be seen, and what it takes: most telling last. */
static const struct opens_row rows[] = {
	{ BRINGS_BILL, "cost by service, kind, region and tag", "tare report --by cloud_service" },
	{ BRINGS_NODES, "machines and what they cost", "tare report --by node" },
	{ BRINGS_JOBS, "GPU time by team, user and job; failed work", "tare report --by team" },
	{ BRINGS_JOBS | BRINGS_BILL, "cost by team and job", "tare report --by team,job" },
	{ BRINGS_JOBS | BRINGS_NODES, "machines that nobody holds", "tare report --by state" },
	{ BRINGS_READINGS, "busy, half-used and idle GPUs", "tare report --by state" },
	{ BRINGS_READINGS | BRINGS_JOBS, "idle time of each job; right size, booked time",
	  "tare plan" },
	{ BRINGS_REQUESTS, "requests and tokens by service", "tare report --serving" },
	{ BRINGS_REQUESTS | BRINGS_READINGS, "replicas, sharing, latency kept", "tare plan" },
	{ BRINGS_PRICES, "your own prices", "tare price" },
};

static const struct opens_next kinds[] = {
	{ BRINGS_JOBS, "a job list (sacct, OpenCost, any CSV)", "who held what" },
	{ BRINGS_READINGS, "telemetry (DCGM, Prometheus, nvidia-smi, any CSV)",
	  "what the GPUs did" },
	{ BRINGS_BILL, "a cloud bill (FOCUS, CUR, Azure, GCP)", "what is really paid" },
	{ BRINGS_NODES, "the machines (nodes.csv, Prometheus)", "what nobody holds" },
	{ BRINGS_REQUESTS, "a request log (requests.csv, Prometheus)", "cost per request" },
};

void opens_of(unsigned has, struct opens *ret)
{
	size_t opened[COUNT(kinds)] = { 0 };

	*ret = (struct opens){ .has = has };
	for (size_t i = 0; i < COUNT(rows); i++)
		if (!(rows[i].needs & ~has))
			ret->now[ret->nnow++] = &rows[i];
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct opens_next next = kinds[i];
		if (has & next.kind)
			continue;

		enum brings kind = next.kind;
		size_t opened_by = 0;

		for (size_t k = 0; k < COUNT(rows); k++) {
			bool new = (rows[k].needs & kind) && !(rows[k].needs & ~(has | kind));
			opened_by += new;
			if (new)
				next.what = rows[k].what;
		}
		size_t n = opened_by, at = ret->nnext++;
		for (; at && opened[at - 1] < n; at--) { /* equal ones keep their order */
			ret->next[at] = ret->next[at - 1];
			opened[at] = opened[at - 1];
		}
		ret->next[at] = next;
		opened[at] = n;
	}
}

int answer_opens(struct store *store, struct arena *mem, struct opens *ret, struct err *err)
{
	static const struct {
		const char *key;
		enum brings kind;
	} of[] = {
		{ "rows.bill", BRINGS_BILL },        { "rows.bill_gpu", BRINGS_BILL },
		{ "rows.node", BRINGS_NODES },       { "rows.allocation", BRINGS_JOBS },
		{ "rows.samples", BRINGS_READINGS }, { "rows.request", BRINGS_REQUESTS },
		{ "rows.price", BRINGS_PRICES },
	};
	struct store_fact *fact;
	size_t n = 0;
	unsigned has = 0;
	int r = 0;

	if (store)
		r = store_facts(store, mem, &fact, &n, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < COUNT(of); k++)
			if (!strcmp(fact[i].key, of[k].key) && strcmp(fact[i].value, "0"))
				has |= of[k].kind;
	opens_of(has, ret);
	return 0;
}
