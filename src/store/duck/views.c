#include "store/duck/views.h"

#include "base/str.h"
#include "store/query.h"

#define MILLI(c)   c " * 0.001::DECIMAL(4,3)"
#define NANO(c)    c " * 0.000000001::DECIMAL(10,9)"
#define WORD(c)    "nullif(" c ", '')"
#define DATE_OF(c) "make_date(" c " // 10000, " c " // 100 % 100, " c " % 100)"
#define UTC(c)     "epoch_ms(" c ")"

/* expr of a column that holds a number of an enum: its name is put there by put_names() */
static const char of_kind[] = "kind", of_state[] = "state", of_cause[] = "cause",
		  of_quality[] = "quality", of_priced[] = "priced", of_share[] = "share_kind";

static const struct query_view_column entries[] = {
	{ "hour_utc", NULL, "the hour it lies in, its start", UTC("hour_ms") },
	{ "day_utc", NULL, "the day of that", DATE_OF("day") },
	{ "kind", NULL, "gpu, storage, egress ... commitment_unused, other", of_kind },
	{ "state", NULL, "busy, underused, idle_held ... unknown; NULL: no GPU time", of_state },
	{ "cause", NULL, "of the state", of_cause },
	{ "quality", NULL, "measured, estimated or assumed", of_quality },
	{ "priced_by", NULL, "bill, record (node list, import) or catalog; NULL: no price",
	  of_priced },
	{ "team", NULL, "NULL: nobody", WORD("team") },
	{ "project", NULL, NULL, WORD("project") },
	{ "env", NULL, NULL, WORD("env") },
	{ "workload", NULL, "training, inference ...", WORD("workload") },
	{ "user_name", NULL, NULL, WORD("user_name") },
	{ "job", NULL, "its id", WORD("job") },
	{ "run", NULL, "what its attempts are together", WORD("run") },
	{ "service", NULL, "that was served", WORD("service") },
	{ "cluster", NULL, NULL, WORD("cluster") },
	{ "node", NULL, NULL, WORD("node") },
	{ "gpu", NULL, "uuid or place on the node; NULL: no GPU is named", WORD("gpu") },
	{ "gpu_model", NULL, NULL, WORD("gpu_model") },
	{ "instance_type", NULL, NULL, WORD("instance_type") },
	{ "provider", NULL, NULL, WORD("provider") },
	{ "region", NULL, NULL, WORD("region") },
	{ "zone", NULL, NULL, WORD("zone") },
	{ "purchase", NULL, "on_demand, spot, reserved_1y ...", WORD("purchase") },
	{ "commitment", NULL, "the discount, reservation or plan that paid", WORD("commitment") },
	{ "account", NULL, "of the bill", WORD("account") },
	{ "billing_account", NULL, "that the bill is sent to", WORD("billing_account") },
	{ "invoice", NULL, "its id; of Google the month", WORD("invoice") },
	{ "charge_category", NULL, "Usage, Purchase, Tax, Credit or Adjustment",
	  WORD("charge_category") },
	{ "cloud_service", NULL, "as the bill names it", WORD("cloud_service") },
	{ "tags_json", NULL, "json_extract_string(tags_json, '$.KEY')", WORD("tags") },
	{ "gpu_seconds", "s", "paid time of a GPU x its share of it", MILLI("ms") },
	{ "used_gpu_seconds", "s", "the same x utilisation; NULL: not read", MILLI("util_ms") },
	{ "currency", NULL, "of the costs", WORD("currency") },
	{ "billed_cost", "money", "as invoiced; NULL: no price", NANO("billed_nano") },
	{ "effective_cost", "money", "with fees spread over their term", NANO("effective_nano") },
	{ "list_cost", "money", "without discounts", NANO("list_nano") },
	{ 0 },
};
static const struct query_view_column nodes[] = {
	{ "node" },
	{ "cluster" },
	{ "provider" },
	{ "region" },
	{ "zone" },
	{ "instance_type" },
	{ "gpu_model" },
	{ "gpus", "GPUs", NULL, MILLI("gpu_milli") },
	{ "gpu_ids", NULL, "; between them" },
	{ "purchase" },
	{ "resource_id", NULL, "as the bill calls it" },
	{ "from_utc", NULL, "paid from", UTC("from_ms") },
	{ "to_utc", NULL, "paid to; NULL: still", UTC("to_ms") },
	{ "price_per_hour", "money/h", "as the list says it; NULL: nothing", "usd_hour" },
	{ "currency", NULL, "of that; NULL: the configured one" },
	{ "cpus", "cores", NULL, MILLI("cpu_milli") },
	{ "ram_mib", "MiB" },
	{ 0 },
};
static const struct query_view_column jobs[] = {
	{ "job", NULL, "its id", "job_id" },
	{ "name" },
	{ "user_name" },
	{ "team", NULL, "as the job says; the ledger's owner is in entries" },
	{ "project" },
	{ "env" },
	{ "workload" },
	{ "account" },
	{ "namespace" },
	{ "queue" },
	{ "cluster" },
	{ "node" },
	{ "gpu_model" },
	{ "gpus", "GPUs", NULL, MILLI("gpus_milli") },
	{ "gpu_ids", NULL, "; between them" },
	{ "share_kind", NULL, "whole, mig, mps, timeslice, fraction", of_share },
	{ "mig_profile" },
	{ "submit_utc", NULL, NULL, UTC("submit_ms") },
	{ "start_utc", NULL, NULL, UTC("start_ms") },
	{ "end_utc", NULL, "of a running job: as far as is known", UTC("end_ms") },
	{ "running", NULL, "true: it had not ended when it was told of",
	  "start_ms IS NOT NULL AND (open_end <> 0 OR end_ms IS NULL)" },
	{ "state", NULL, "as its source spells it" },
	{ "attempt" },
	{ "limit_seconds", "s", "the time it booked", MILLI("limit_ms") },
	{ "checkpointable", NULL, NULL,
	  "CASE checkpointable WHEN 1 THEN true WHEN 0 THEN false END" },
	{ "cpus", "cores", NULL, MILLI("cpu_milli") },
	{ "ram_mib", "MiB" },
	{ "tags_json", NULL, NULL, "tags" },
	{ 0 },
};
static const struct query_view_column bill_lines[] = {
	{ "provider" },
	{ "account" },
	{ "account_name" },
	{ "sub_account" },
	{ "sub_account_name" },
	{ "invoice", NULL, "its id; of Google the invoice's month, 202411", NULL },
	{ "charge_category" },
	{ "charge_class" },
	{ "charge_description" },
	{ "pricing_category" },
	{ "service_category" },
	{ "cloud_service", NULL, NULL, "service_name" },
	{ "sku_id" },
	{ "usage_type" },
	{ "instance_type" },
	{ "region" },
	{ "zone" },
	{ "resource_id" },
	{ "resource_name" },
	{ "resource_type" },
	{ "commitment", NULL, NULL, "commitment_id" },
	{ "commitment_type" },
	{ "commitment_status" },
	{ "kind", NULL, "what the ledger takes it for", of_kind },
	{ "gpu_model" },
	{ "gpus", "GPUs", "of the machine", MILLI("gpu_milli") },
	{ "purchase" },
	{ "from_utc", NULL, "charge period", UTC("from_ms") },
	{ "to_utc", NULL, NULL, UTC("to_ms") },
	{ "quantity" },
	{ "unit", NULL, "of the quantity" },
	{ "currency", NULL, "of the costs" },
	{ "billed_cost", "money", NULL, "billed" },
	{ "effective_cost", "money", NULL, "effective" },
	{ "list_cost", "money", NULL, "list" },
	{ "contracted_cost", "money", NULL, "contracted" },
	{ "tags_json", NULL, NULL, "tags" },
	{ 0 },
};
static const struct query_view_column request_minutes[] = {
	{ "minute_utc", NULL, "its start", UTC("t_ms") },
	{ "service" },
	{ "tenant" },
	{ "ok", NULL, "they went well", "ok <> 0" },
	{ "requests" },
	{ "tokens_in", "tokens", "NULL: not told" },
	{ "tokens_out", "tokens", "NULL: not told" },
	{ "gpu_seconds", "s", "NULL: not told", MILLI("gpu_ms") },
	{ "prefill_seconds", "s", "of input tokens, over all requests; NULL: not told",
	  MILLI("prefill_ms") },
	{ "decode_seconds", "s", "of output tokens, over all requests; NULL: not told",
	  MILLI("decode_ms") },
	{ 0 },
};
static const struct query_view_column prices[] = {
	{ "provider" },
	{ "region" },
	{ "zone" },
	{ "instance_type" },
	{ "gpu_model" },
	{ "gpus", "GPUs", NULL, MILLI("gpu_milli") },
	{ "purchase" },
	{ "term" },
	{ "price_per_hour", "money/h", "of the machine", "hour" },
	{ "upfront", "money" },
	{ "currency" },
	{ "from_utc", NULL, NULL, UTC("from_ms") },
	{ "to_utc", NULL, NULL, UTC("to_ms") },
	{ "source" },
	{ 0 },
};
static const struct query_view_column exchange_rates[] = {
	{ "day_utc", NULL, NULL, UTC("day_ms") "::DATE" },
	{ "from_currency" },
	{ "to_currency" },
	{ "rate", "to_currency/from_currency" },
	{ 0 },
};
static const struct query_view_column incidents[] = {
	{ "time_utc", NULL, NULL, UTC("t_ms") }, { "node" }, { "gpu" }, { "mig" }, { "kind" },
	{ "code", NULL, "of an Xid" },           { 0 },
};
static const struct query_view_column curves[] = {
	{ "run" },
	{ "job" },
	{ "metric" },
	{ "step" },
	{ "time_utc", NULL, NULL, UTC("t_ms") },
	{ "value", NULL, "in the metric's own unit" },
	{ 0 },
};
static const struct query_view_column imports[] = {
	{ "batch", NULL, "number of the import" },
	{ "committed_utc", NULL, NULL, UTC("committed_ms") },
	{ "path" },
	{ "kind", NULL, "focus, sacct ..." },
	{ "from_utc", NULL, "of its rows", UTC("from_ms") },
	{ "to_utc", NULL, NULL, UTC("to_ms") },
	{ "in_force", NULL, "false: a later import replaced all of it" },
	{ "command" },
	{ "tare_version", NULL, "that imported it", "version" },
	{ 0 },
};
static const struct query_view_column accounts[] = {
	{ "account", NULL, "as entries have it", BILL_ACCOUNT },
	{ "account_name", NULL, "NULL: no line says it", BILL_ACCOUNT_NAME },
	{ "provider" },
	{ "from_utc", NULL, "of the lines that call it so", UTC("min(from_ms)") },
	{ "to_utc", NULL, NULL, UTC("max(to_ms)") },
	{ 0 },
};

enum force { ALL, IN_FORCE, BILLS };
static const struct source {
	struct query_view view;
	const char *from;
	enum force force;
	const char *newest; /* what is told by several files is told by the newest: their key */
	bool grouped;       /* by all columns that are no sum */
	bool ends;          /* ... by the newest that tells its end, as store/newest.h says */
} sources[] = {
	{ { "entries",
	    "the ledger: what each hour of each GPU, and each other cost, was; add up, as "
	    "a row may take back another",
	    entries },
	  schema_entries,
	  ALL,
	  NULL },
	{ { "jobs", "who held how many GPUs, from when to when", jobs },
	  "allocation",
	  IN_FORCE,
	  "job_id, name, cluster, namespace, node, gpu_ids, mig_profile, attempt, mig_start, start_ms",
	  .ends = true },
	{ { "nodes", "machines, and when they were paid for", nodes },
	  "node",
	  IN_FORCE,
	  "node, cluster, provider, from_ms" },
	{ { "bill_lines", "lines of bills in force", bill_lines },
	  "(SELECT * FROM bill UNION ALL SELECT * FROM bill_gpu)",
	  BILLS,
	  NULL },
	{ { "request_minutes", "requests that were served, by minute, service, tenant and outcome",
	    request_minutes },
	  "request",
	  IN_FORCE,
	  NULL },
	{ { "prices", "price files and lists that were imported (not the catalogue)", prices },
	  "price",
	  IN_FORCE,
	  NULL },
	{ { "exchange_rates", "what one unit of a currency is in another", exchange_rates },
	  "exchange_rate",
	  IN_FORCE,
	  NULL },
	{ { "incidents", "what agents say happened to GPUs and machines", incidents },
	  "incident",
	  IN_FORCE,
	  NULL },
	{ { "curves", "metrics that training runs logged", curves },
	  "curve",
	  IN_FORCE,
	  "run, job, metric, step" },
	{ { "imports", "files that were imported", imports },
	  "(SELECT b.batch, b.committed_ms, b.command, b.version, f.path, f.kind, f.from_ms, f.to_ms, "
	  "f.src NOT IN (SELECT src FROM reversal) AS in_force FROM batch_file f JOIN batch b ON "
	  "b.batch = (f.src >> 20))",
	  ALL,
	  NULL },
	{ { "accounts",
	    "ids and names of accounts, a row for each that bill lines in force say together",
	    accounts },
	  "(SELECT * FROM bill UNION ALL SELECT * FROM bill_gpu)",
	  BILLS,
	  NULL,
	  true },
};
#define SOURCES (sizeof sources / sizeof *sources)

const struct query_view *facts_views(size_t *ret_n)
{
	static struct query_view v[SOURCES];

	for (size_t i = 0; i < SOURCES; i++)
		v[i] = sources[i].view;
	*ret_n = SOURCES;
	return v;
}

static const char by_end[] =
	"end_ms IS NULL, open_end = 0 AND end_ms >= coalesce(seen_ms, end_ms) DESC, "
	"CASE WHEN open_end <> 0 THEN end_ms END DESC NULLS LAST, ";

/* NULL past the last. */
#define NAME_OF(what, enum_type, n, of_value)          \
	static const char *name_##what(int i)          \
	{                                              \
		if (i < (n))                           \
			return of_value((enum_type)i); \
		return NULL;                           \
	}
NAME_OF(kind, enum kind, KIND_N, kind_name)
NAME_OF(state, enum state, STATE_N, state_name)
NAME_OF(cause, enum cause, CAUSE_N, cause_name)
NAME_OF(quality, enum quality, QUALITY_N, quality_name)
NAME_OF(priced, enum priced, PRICED_N, priced_name)
NAME_OF(share, enum share_kind, SHARE_N, share_kind_name)
#undef NAME_OF

static const struct {
	const char *expr;
	const char *(*name)(int i);
} names[] = {
	{ of_kind, name_kind },       { of_state, name_state },   { of_cause, name_cause },
	{ of_quality, name_quality }, { of_priced, name_priced }, { of_share, name_share },
};

/* CASE kind WHEN 0 THEN 'gpu' ... END; a number without a name is NULL. */
static bool put_names(struct str *sql, const char *expr)
{
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		if (names[k].expr != expr)
			continue;
		str_addf(sql, "CASE %s", expr);
		for (int i = 0; names[k].name(i); i++)
			if (*names[k].name(i))
				str_addf(sql, " WHEN %d THEN '%s'", i, names[k].name(i));
		str_addz(sql, " END");
		return true;
	}
	return false;
}

static int make_view(struct facts *f, const struct source *s, struct err *err)
{
	struct str sql = { 0 };

	str_addf(&sql, "CREATE OR REPLACE TEMP VIEW %s AS SELECT ", s->view.name);
	for (const struct query_view_column *c = s->view.column; c->name; c++) {
		str_addz(&sql, text_if(c != s->view.column, ", "));
		if (!put_names(&sql, c->expr))
			str_addz(&sql, text_or(c->expr, c->name));
		str_addf(&sql, " AS %s", c->name);
	}
	str_addz(&sql, " FROM ");
	if (s->ends)
		str_addf(
			&sql,
			"(SELECT *, max(CASE WHEN open_end <> 0 THEN end_ms END) OVER (PARTITION BY %s) AS seen_ms FROM ",
			s->newest);
	str_addf(&sql, "%s WHERE true", s->from);
	if (s->force == IN_FORCE)
		duck_in_force(f, &sql);
	else if (s->force == BILLS)
		duck_bill_in_force(f, &sql);
	if (s->ends)
		str_addz(&sql, ")");
	if (s->newest)
		str_addf(
			&sql,
			" QUALIFY src = first_value(src) OVER (PARTITION BY %s ORDER BY %ssrc DESC)",
			s->newest, text_if(s->ends, by_end));
	if (s->grouped)
		str_addz(&sql, " GROUP BY ALL");
	int r = sql_exec(f->con, str_z(&sql), "make the views of the store", err);
	str_free(&sql);
	return r;
}

int views_make(struct facts *f, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < SOURCES && r == 0; i++)
		r = make_view(f, &sources[i], err);
	return r;
}
