#include <errno.h>

#include "common.h"

static void check_text(struct sv got, struct sv want)
{
	assert_true(got.p == NULL ? want.p == NULL : want.p && sv_eq(got, want));
}

static void commit_as(struct store *s, const char *source)
{
	struct err err;
	struct batch_file f = { "f.csv", "k", source, source, "{}", 0, 0 };
	fine(store_commit(s, 0, "tare import", &f, 1, &err), &err);
}

static void nodes(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct node *v,
		n1 = { .node = SV("n1"),
		       .provider = SV("aws"),
		       .region = SV(""),
		       .instance_type = SV("p4d.24xlarge"),
		       .gpu_model = SV("A100 \xc3\xa4"),
		       .gpu_ids = SV("GPU-1;GPU-2"),
		       .gpu_milli = 8000,
		       .from_ms = H(5),
		       .to_ms = H(9),
		       .usd_hour = dec_muldiv(DEC_ONE, 21957642, 1000000),
		       .has_usd_hour = true,
		       .cpu_milli = 96500,
		       .ram_mib = 1 << 20 },
		n0 = { .node = SV("n0"), .gpu_milli = 125, .from_ms = H(0), .to_ms = UNKNOWN_MS };
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	fine(store_add_node(s, 0, &n1, &err), &err);
	fine(store_add_node(s, 0, &n0, &err), &err);
	commit_as(s, "A");
	fine(store_nodes(s, NULL, &a, &v, &n, &err), &err);
	assert_int_equal(n, 2);
	assert_true(sv_is(v[0].node, "n0"));
	assert_int_equal(v[0].to_ms, UNKNOWN_MS);
	assert_false(v[0].has_usd_hour);
	check_text(v[0].provider, SV_NULL);
	check_text(v[1].region, SV(""));
	check_text(v[1].gpu_model, n1.gpu_model);
	assert_true(v[1].usd_hour == n1.usd_hour);
	assert_int_equal(v[0].cpu_milli, UNKNOWN_I64); /* nothing is as unknown as unknown */
	assert_int_equal(v[1].cpu_milli, 96500);
	assert_int_equal(v[1].ram_mib, 1 << 20);
	/* Yesterday's node again, now with its end: the newest import's word. */
	begin(s);
	n0.to_ms = H(3);
	fine(store_add_node(s, 0, &n0, &err), &err);
	commit_as(s, "B");
	fine(store_nodes(s, "n0", &a, &v, &n, &err), &err);
	assert_int_equal(n, 1);
	assert_int_equal(v[0].to_ms, H(3));
	arena_free(&a);
	store_close(s);
}

static struct allocation job(const char *id, int from, int to)
{
	return (struct allocation){ .job_id = sv_of(id),
				    .user = SV("u"),
				    .tags = SV("{\"a\":\"b\"}"),
				    .gpus_milli = 4000,
				    .share_kind = SHARE_MIG,
				    .share_ppb = -1,
				    .mig_start = -1,
				    .submit_ms = UNKNOWN_MS,
				    .start_ms = H(from),
				    .end_ms = to < 0 ? UNKNOWN_MS : H(to),
				    .limit_ms = 7200000,
				    .checkpointable = -1,
				    .attempt = 2,
				    .open_end = true,
				    .cpu_milli = 1500,
				    .ram_mib = UNKNOWN_I64 };
}

static void add_job(struct store *s, int file, const char *scope, struct allocation x)
{
	struct err err;
	fine(store_add_allocation(s, file, scope, &x, &err), &err);
}

static size_t count_jobs(struct store *s, const char *scope, int64_t from, int64_t to)
{
	struct arena a = { 0 };
	struct err err;
	struct allocation *v;
	size_t n;
	fine(store_allocations(s, &(struct scope_span){ scope, from, to }, &a, &v, &n, &err), &err);
	arena_free(&a);
	return n;
}

static void allocations(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct allocation *v;
	const char **scope;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add_job(s, 0, "n2", job("12", 4, -1));
	add_job(s, 0, "n1", job("11", 2, 5));
	add_job(s, 0, "n1", job("10", 2, 3));
	add_job(s, 0, "n1", job("10", 2, 3)); /* alike, but in one file: two */
	assert_int_equal(count_jobs(s, NULL, INT64_MIN, INT64_MAX), 4);
	commit_as(s, "A");
	fine(store_allocations(s, &(struct scope_span){ "n1", INT64_MIN, INT64_MAX }, &a, &v, &n,
			       &err),
	     &err);
	assert_int_equal(n, 3);
	assert_true(sv_is(v[0].job_id, "10") && sv_is(v[2].job_id, "11"));
	assert_int_equal(v[2].share_kind, SHARE_MIG);
	assert_int_equal(v[2].share_ppb, -1);
	assert_int_equal(v[2].mig_start, -1);
	assert_int_equal(v[2].submit_ms, UNKNOWN_MS);
	assert_int_equal(v[2].limit_ms, 7200000);
	assert_int_equal(v[2].checkpointable, -1);
	assert_int_equal(v[2].attempt, 2);
	assert_true(v[2].open_end);
	assert_false(v[2].has_usd_gpu_hour);
	check_text(v[2].team, SV_NULL);
	check_text(v[2].tags, SV("{\"a\":\"b\"}"));
	/* 11 only: ends and starts are half open */
	assert_int_equal(count_jobs(s, NULL, H(3), H(4)), 1);
	assert_int_equal(count_jobs(s, NULL, H(8), H(9)), 1); /* 12 still runs */
	assert_int_equal(count_jobs(s, "n2", H(0), H(4)), 0);
	fine(store_allocation_scopes(s, &a, &scope, &n, &err), &err);
	assert_int_equal(n, 2);
	assert_string_equal(scope[0], "n1");
	/* The list of the next day has the job that ran again, ended now. */
	begin(s);
	add_job(s, 0, "n2", job("12", 4, 6));
	commit_as(s, "B");
	fine(store_allocations(s, &(struct scope_span){ "n2", INT64_MIN, INT64_MAX }, &a, &v, &n,
			       &err),
	     &err);
	assert_int_equal(n, 1);
	assert_int_equal(v[0].end_ms, H(6));
	/* In whatever window: the older word touches the later ones, and does not hold. */
	assert_int_equal(count_jobs(s, "n2", H(5), H(9)), 1);
	assert_int_equal(count_jobs(s, "n2", H(6), H(9)), 0);
	assert_int_equal(count_jobs(s, NULL, H(8), H(9)), 0);
	arena_free(&a);
	store_close(s);
}

static void prices(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct price *v, p = { .provider = SV("own"),
			       .gpu_milli = 1000,
			       .hour = DEC_ONE / 3,
			       .from_ms = H(0),
			       .to_ms = UNKNOWN_MS,
			       .interruption_lo_pct = -1,
			       .interruption_hi_pct = 100 };
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	for (int i = 0; i < 3; i++) {
		begin(s);
		p.hour = DEC_ONE * (3 - i) / 3;
		fine(store_add_price(s, 0, &p, &err), &err);
		commit_as(s, i == 1 ? "gone" : "A");
	}
	begin(s);
	struct scope_spans span;
	assert_int_equal(store_reverse_source(s, NULL, "gone", &a, &span, &err), 1);
	commit_as(s, "C");
	fine(store_prices(s, &a, &v, &n, &err), &err);
	assert_int_equal(n, 2);
	assert_true(v[0].hour == DEC_ONE && v[1].hour == DEC_ONE / 3);
	assert_int_equal(v[0].interruption_lo_pct, -1);
	assert_int_equal(v[0].to_ms, UNKNOWN_MS);
	arena_free(&a);
	store_close(s);
}

/* ---- bills ------------------------------------------------------------------------------- */

static struct bill_line line(const char *resource, int hour, dec billed, int64_t gpu_milli)
{
	return (struct bill_line){ .provider = SV("aws"),
				   .account = SV("1"),
				   .currency = SV("USD"),
				   .resource_id = sv_of(resource),
				   .resource_type = SV("Instance"),
				   .tags = SV("{}"),
				   .purchase = SV("spot"),
				   .unit = SV("Hours"),
				   .from_ms = H(hour),
				   .to_ms = H(hour + 1),
				   .period_from_ms = UNKNOWN_MS,
				   .period_to_ms = H(99),
				   .kind = KIND_GPU,
				   .gpu_milli = gpu_milli,
				   .cost = { billed, 2 * billed, 0 },
				   .has_cost = { true, true, false } };
}

static void add_line(struct store *s, const char *scope, struct bill_line l)
{
	struct err err;
	fine(store_add_bill(s, 0, scope, &l, &err), &err);
}

static void exact_totals(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct bill_total *t;
	size_t n;
	dec sum = 0, big = DEC_ONE * 12345678901234LL + 1;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int i = 0; i < 5000; i++) {
		dec v = i % 7 == 0 ? -big : big + i;
		sum += v;
		add_line(s, "", line("r", i % 48, v, i % 3 ? 0 : 1000));
	}
	struct bill_line eur = line("r", 0, 1, 0);
	eur.currency = SV("EUR");
	add_line(s, "", eur);
	commit_as(s, "A");
	fine(store_bill_totals(s, SPAN_ALL, &a, &t, &n, &err), &err);
	assert_int_equal(n, 2);
	assert_true(sv_is(t[0].currency, "EUR") && t[0].cost[BASIS_BILLED] == 1);
	assert_true(t[1].cost[BASIS_BILLED] == sum);
	assert_true(t[1].cost[BASIS_EFFECTIVE] == 2 * sum);
	assert_true(t[1].cost[BASIS_LIST] == 0);
	assert_int_equal(t[1].unknown[BASIS_BILLED], 0);
	assert_int_equal(t[1].unknown[BASIS_LIST], 5000);
	assert_int_equal(t[1].rows, 5000);
	assert_false(t[1].partial);
	fine(store_bill_totals(s, (struct span){ H(0) + 1, H(3) }, &a, &t, &n, &err), &err);
	assert_true(t[0].partial); /* a charge of the first hour reaches in */
	fine(store_bill_totals(s, (struct span){ H(1), H(3) }, &a, &t, &n, &err), &err);
	assert_false(t[0].partial);
	assert_int_equal(n, 1);
	fine(store_bill_totals(s, (struct span){ H(1), H(3) - 1 }, &a, &t, &n, &err), &err);
	assert_true(t[0].partial); /* a charge of the last hour reaches out */
	arena_free(&a);
	store_close(s);
}

static void gpu_lines(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct bill_line *v;
	struct bill_resource *res;
	struct sv *scope;
	struct scope_spans span;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add_line(s, "res:aws/i-2", line("i-2", 1, 100, 8000));
	add_line(s, "res:aws/i-1", line("i-1", 0, 7, 8000));
	add_line(s, "res:aws/i-1", line("i-1", 1, 9, 8000));
	add_line(s, "", line("vol", 1, 5, 0));
	add_line(s, "", line("i-1", 0, 3, 8000)); /* a fee of it is no machine's time */
	add_line(s, "host", line("i-3", 1, 4, 0));
	fine(store_bill_gpu(s, &SCOPES_ALL, &a, &v, &n, &err), &err);
	assert_int_equal(n, 4); /* the host line has a scope and rides along */
	assert_int_equal(v[0].from_ms, H(0));
	assert_true(v[0].cost[BASIS_EFFECTIVE] == 14 && !v[0].has_cost[BASIS_LIST]);
	assert_int_equal(v[0].period_from_ms, UNKNOWN_MS);
	check_text(v[0].account_name, SV_NULL);
	check_text(v[0].purchase, SV("spot"));
	fine(store_bill_set_scope(s, SV("aws"), SV("i-1"), "node-1", &err), &err);
	fine(store_bill_gpu(s, &(struct scope_span){ "node-1", H(1), H(2) }, &a, &v, &n, &err),
	     &err);
	assert_int_equal(n, 1);
	assert_true(v[0].cost[0] == 9);
	commit_as(s, "A");
	/* New lines of a resource that was joined before show up unjoined. */
	begin(s);
	add_line(s, "res:aws/i-1", line("i-1", 2, 11, 8000));
	fine(store_bill_resources(s, &a, &res, &n, &err), &err);
	assert_int_equal(n, 4);
	assert_true(sv_is(res[0].resource_id, "i-1") && sv_is(res[0].scope, "node-1"));
	assert_true(sv_is(res[1].resource_id, "i-1") && sv_is(res[1].scope, "res:aws/i-1"));
	assert_int_equal(res[0].from_ms, H(0));
	assert_int_equal(res[0].to_ms, H(2));
	fine(store_bill_scopes(s, &a, &scope, &n, &err), &err);
	assert_int_equal(n, 4);
	check_text(scope[0], SV("host"));
	fine(store_bill_set_scope(s, SV("aws"), SV("i-1"), "node-x", &err), &err);
	store_rollback(s);
	fine(store_bill_gpu(s, &(struct scope_span){ "node-1", INT64_MIN, INT64_MAX }, &a, &v, &n,
			    &err),
	     &err);
	assert_int_equal(n, 2);
	begin(s);
	assert_int_equal(store_reverse_source(s, "k", "A", &a, &span, &err), 1);
	fine(store_bill_gpu(s, &SCOPES_ALL, &a, &v, &n, &err), &err);
	assert_int_equal(n, 0);
	store_rollback(s);
	arena_free(&a);
	store_close(s);
}

struct lines {
	size_t n, scoped;
	int64_t last;
	dec sum;
};

static int one_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct lines *l = ctx;
	assert_true(b->from_ms >= l->last);
	l->last = b->from_ms;
	l->sum += b->cost[0];
	l->n++;
	l->scoped += scope.n > 0;
	return l->n == 100 ? 42 : 0;
}

static void lines_one_by_one(void **state)
{
	struct err err;
	struct lines l = { .last = INT64_MIN };
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int i = 0; i < 90; i++)
		add_line(s, i % 2 ? "n" : "", line("r", (i * 7) % 90, i, i % 3 ? 0 : 1000));
	commit_as(s, "A");
	fine(store_bill_lines(s, INT64_MIN, INT64_MAX, one_line, &l, &err), &err);
	assert_int_equal(l.n, 90);
	assert_int_equal(l.scoped, 45);
	assert_true(l.sum == 89 * 90 / 2);
	l = (struct lines){ .last = INT64_MIN, .n = 95 };
	assert_int_equal(store_bill_lines(s, INT64_MIN, INT64_MAX, one_line, &l, &err), 42);
	l = (struct lines){ .last = INT64_MIN };
	fine(store_bill_lines(s, H(10), H(20), one_line, &l, &err), &err);
	assert_int_equal(l.n, 10);
	store_close(s);
}

/* Enough lines that DuckDB's threads write them, two tables at once, read between. */
static void many_lines(void **state)
{
	enum { N = 150000 };
	struct arena a = { 0 };
	struct err err;
	struct bill_total *t;
	size_t n;
	char id[32], text[64];
	struct store *s = open_store(STORE_WRITE);
	for (int round = 0; round < 2; round++) {
		begin(s);
		for (int i = 0; i < N; i++) {
			struct bill_line l = line(id, i % 700, i, i % 5 ? 0 : 1000);
			snprintf(id, sizeof id, "i-%d", i % 1000);
			snprintf(text, sizeof text,
				 "a description long enough to be a text of its own %d", i);
			l.charge_description = sv_of(text);
			l.resource_id = sv_of(id);
			add_line(s, "", l);
			struct entry e = gpu_entry(i % 700, "t", STATE_BUSY, 1, i);
			e.owner.field[OWNER_JOB] = sv_of(text);
			fine(store_add_entry(s, &e, &err), &err);
			if (i == 100000) {
				fine(store_bill_totals(s, SPAN_ALL, &a, &t, &n, &err), &err);
				assert_int_equal(t[0].rows, 100001);
			}
		}
		if (round == 0)
			store_rollback(s); /* in the middle of it */
		else
			commit_as(s, "A");
	}
	store_close(s);
	s = open_store(STORE_READ);
	fine(store_bill_totals(s, SPAN_ALL, &a, &t, &n, &err), &err);
	assert_int_equal(t[0].rows, N);
	assert_true(t[0].cost[0] == (dec)N * (N - 1) / 2);
	struct ledger_query q = { .since_ms = INT64_MIN, .until_ms = INT64_MAX };
	struct ledger_row *row;
	fine(store_ledger(s, &q, &a, &row, &n, &err), &err);
	assert_int_equal(n, 1);
	assert_int_equal(row[0].ms, N);
	assert_true(row[0].nano == (__int128)N * (N - 1) / 2);
	arena_free(&a);
	store_close(s);
}

static void broken_texts(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct node *v, x = { .node = SV("n\xff\xc3"),
			      .provider = SV("\xf0\x9f\x98\x80 long enough not to be inline"),
			      .region = SV("\xed\xa0\x80"), /* half a pair */
			      .gpu_milli = 1,
			      .from_ms = 0,
			      .to_ms = 1 };
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	fine(store_add_node(s, 0, &x, &err), &err);
	commit_as(s, "A");
	fine(store_nodes(s, NULL, &a, &v, &n, &err), &err);
	assert_true(sv_is(v[0].node, "n\xc3\xbf\xc3\x83"));
	check_text(v[0].provider, x.provider);
	assert_true(sv_is(v[0].region, "\xc3\xad\xc2\xa0\xef\xbf\xbd"));
	arena_free(&a);
	store_close(s);
}

static void add_incident(struct store *s, const char *node, const char *gpu, const char *kind,
			 int hour)
{
	struct err err;
	struct incident x = {
		.node = sv_of(node), .gpu = sv_of(gpu), .kind = sv_of(kind), .t_ms = H(hour)
	};
	fine(store_add_incident(s, 0, &x, &err), &err);
}

static void incidents(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct incidents v;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add_incident(s, "n1", "G0", "back", 5);
	add_incident(s, "n1", "G0", "lost", 3);
	add_incident(s, "n1", NULL, "start", 3);
	add_incident(s, "n2", "G0", "lost", 3);
	commit_as(s, "A");
	begin(s);
	add_incident(s, "n1", "G0", "lost", 3); /* a second export of the same time */
	add_incident(s, "n1", "G0", "lost", 7);
	commit_as(s, "B");
	fine(store_incidents(s, "n1", H(6), &a, &v, &err), &err);
	assert_int_equal(v.n, 3);
	assert_true(sv_is(v.v[0].kind, "start") && v.v[0].gpu.p == NULL);
	assert_true(sv_is(v.v[1].kind, "lost") && v.v[1].t_ms == H(3) && sv_is(v.v[1].gpu, "G0") &&
		    sv_is(v.v[1].node, "n1"));
	assert_true(sv_is(v.v[2].kind, "back"));
	fine(store_incidents(s, "n1", INT64_MAX, &a, &v, &err), &err);
	assert_int_equal(v.n, 4);
	fine(store_incidents(s, "n3", INT64_MAX, &a, &v, &err), &err);
	assert_int_equal(v.n, 0);
	arena_free(&a);
	store_close(s);
}

struct seen_points {
	struct str text;
};

static int see_point(void *ctx, const struct curve_point *p, struct err *err)
{
	struct seen_points *v = ctx;

	str_addf(&v->text, "%.*s %.*s %.*s %.*s %d %lld %s %.17g\n", SVF(p->run), SVF(p->job),
		 SVF(p->metric), SVF(p->config), (int)p->better, (long long)p->step,
		 p->t_ms == UNKNOWN_MS ? "-" : "t", p->value);
	return v->text.n > 10000 ? -E2BIG : 0;
}

static void add_point(struct store *s, const char *run, const char *job, int64_t step, int64_t t_ms,
		      double value)
{
	struct err err;
	struct curve_point p = { .run = sv_of(run),
				 .job = sv_of(job),
				 .config = step ? SV_NULL : SV("lr=1"),
				 .metric = SV("loss"),
				 .better = step ? BETTER_UNKNOWN : BETTER_LOWER,
				 .step = step,
				 .t_ms = t_ms,
				 .value = value };
	fine(store_add_curve(s, 0, &p, &err), &err);
}

static void see_points(struct store *s, const char *want)
{
	struct seen_points v = { 0 };
	struct err err;

	fine(store_curves(s, see_point, &v, &err), &err);
	assert_string_equal(str_z(&v.text), want);
	str_free(&v.text);
}

/* A run that goes on is exported again and again; a job that was requeued logs a step twice. */
static void curves(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct scope_spans span;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add_point(s, "r2", NULL, 0, UNKNOWN_MS, 1.0 / 3);
	add_point(s, "r1", "7", -1, H(1), 5);
	add_point(s, "r1", "7", 0, H(2), 4);
	add_point(s, "r1", "7", 0, H(3), 3);
	add_point(s, "r1", "8", 0, H(9), 9);
	commit_as(s, "A");
	see_points(s, "r1 7 loss  0 -1 t 5\nr1 7 loss lr=1 1 0 t 3\nr1 8 loss lr=1 1 0 t 9\n"
		      "r2  loss lr=1 1 0 - 0.33333333333333331\n");
	begin(s);
	add_point(s, "r1", "7", 0, H(2), 2.5);
	add_point(s, "r1", "7", 1, H(4), 2);
	commit_as(s, "B");
	see_points(s, "r1 7 loss  0 -1 t 5\nr1 7 loss lr=1 1 0 t 2.5\nr1 7 loss  0 1 t 2\n"
		      "r1 8 loss lr=1 1 0 t 9\nr2  loss lr=1 1 0 - 0.33333333333333331\n");
	begin(s);
	assert_int_equal(store_reverse_source(s, "k", "A", &a, &span, &err), 1);
	commit_as(s, "C");
	see_points(s, "r1 7 loss lr=1 1 0 t 2.5\nr1 7 loss  0 1 t 2\n");
	arena_free(&a);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(nodes),     T(allocations),      T(prices),     T(exact_totals),
		T(gpu_lines), T(lines_one_by_one), T(many_lines), T(broken_texts),
		T(incidents), T(curves),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
