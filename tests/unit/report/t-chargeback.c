/* Showback and chargeback: whatever the split, the lines close to the ledger, and with the
 * difference to the bill. */
#include "cells.h"
#include <jansson.h>
#include "report/invoice/chargeback.h"
#include "report/cost/cube.h"

static struct conf conf_of(void)
{
	return (struct conf){ .currency = "USD" };
}

/* team, kind, cluster: the last two are what the split looks at */
static struct report_in fleet(const struct report_cell *cell, size_t n, const struct conf *conf,
			      enum idle_split split)
{
	static const char *const dim[] = { "team", "kind", "cluster" };
	return (struct report_in){ .dim = dim,
				   .ndim = 1,
				   .nattr = 2,
				   .cell = cell,
				   .ncell = n,
				   .since_ms = T0,
				   .until_ms = T0 + 30 * MS_DAY,
				   .basis = BASIS_EFFECTIVE,
				   .conf = conf,
				   .split = split,
				   .now_ms = UNKNOWN_MS };
}

#define CELLS                                                                              \
	{                                                                                  \
		gpu(DIMS("a", "gpu", "c1"), STATE_BUSY, H(30), "1", "USD"),                \
			gpu(DIMS("b", "gpu", "c1"), STATE_IDLE_HELD, H(10), "1", "USD"),   \
			line(DIMS("b", "storage", ""), "20", "USD"),                       \
			gpu(DIMS("platform", "gpu", "c2"), STATE_BUSY, H(40), "1", "USD"), \
			gpu(DIMS("", "gpu", "c1"), STATE_UNALLOCATED, H(7), "1", "USD"),   \
			gpu(DIMS("b", "gpu", "c2"), STATE_UNALLOCATED, H(3), "1", "USD"),  \
			line(DIMS("", "commitment_unused", ""), "0.000000001", "USD"),     \
			gpu(DIMS("", "gpu", "c1"), STATE_BUSY, H(1), "1", "USD"),          \
	}
#define ALL "111.000000001"

static char *charged(const struct report_in *in, enum charge_mode m, enum out_format f)
{
	struct str out = { 0 };
	struct err err = { 0 };
	if (chargeback_print(in, m, f, &out, &err) < 0)
		fail_msg("%s", err.msg);
	return out.p;
}

static const struct cube_row *row(const struct cube *c, const char *team, bool rest)
{
	for (size_t i = 0; i < c->nrow; i++)
		if (!strcmp(c->row[i].dim[0], team) && c->row[i].is_rest == rest)
			return &c->row[i];
	return NULL;
}

static void closes(const struct cube *c, int64_t hours)
{
	dec direct = 0, idle = 0, shared = 0, cost = 0;
	int64_t ms = 0;
	for (size_t i = 0; i < c->nrow; i++) {
		dec states = 0;
		for (int s = 0; s < STATE_N; s++)
			states += c->row[i].state[s].cost;
		assert_true(states == c->row[i].direct + c->row[i].idle);
		assert_true(c->row[i].cost == c->row[i].direct + c->row[i].idle + c->row[i].shared);
		direct += c->row[i].direct;
		idle += c->row[i].idle;
		shared += c->row[i].shared;
		cost += c->row[i].cost;
		ms += c->row[i].gpu.ms;
	}
	assert_true(cost == D(ALL));
	assert_true(direct + idle == D(ALL));
	assert_true(shared == 0);
	assert_int_equal(ms, H(hours));
}

static void every_split_closes(void **st)
{
	(void)st;
	const struct report_cell c[] = CELLS;
	struct conf conf = conf_of();
	*vec_push(&conf.shared_teams) = "platform";
	*vec_push(&conf.idle_rules) =
		(struct idle_rule){ .field = "cluster", .glob = "c1", .to_team = "b", .frac = 0.5 };
	*vec_push(&conf.idle_rules) = (struct idle_rule){
		.field = "cluster", .glob = "c*", .to_team = "new", .frac = 0.25
	};
	for (int split = SPLIT_NONE; split <= SPLIT_RULE; split++)
		for (int shared = 0; shared < 2; shared++) {
			struct report_in in = fleet(c, 8, &conf, (enum idle_split)split);
			struct cube cube;
			struct err err;
			assert_int_equal(cube_build(&in, shared, &cube, &err), 0);
			closes(&cube, 91);
			cube_free(&cube);
		}
	vec_free(&conf.shared_teams);
	vec_free(&conf.idle_rules);
}

/* Without a split nobody pays for time that nobody held, not even the owner of the machine. */
static void without_a_split_idle_is_a_line(void **st)
{
	(void)st;
	const struct report_cell c[] = CELLS;
	struct conf conf = conf_of();
	struct report_in in = fleet(c, 8, &conf, SPLIT_NONE);
	struct cube cube;
	struct err err;

	assert_int_equal(cube_build(&in, true, &cube, &err), 0);
	assert_true(row(&cube, "b", false)->cost == D("30"));
	assert_true(row(&cube, "b", false)->direct == D("30"));
	assert_true(row(&cube, "b", false)->idle == 0);
	assert_int_equal(row(&cube, "b", false)->gpu.ms, H(10));
	assert_true(row(&cube, "", true)->cost == D("10"));
	/* what nobody used of a commitment is its owner's */
	assert_true(row(&cube, "", false)->direct == D("1.000000001"));
	cube_free(&cube);
	/* a report keeps it with the owner, as a state */
	assert_int_equal(cube_build(&in, false, &cube, &err), 0);
	assert_true(row(&cube, "b", false)->cost == D("33"));
	assert_null(row(&cube, "", true));
	cube_free(&cube);
}

static void owner_pays_for_its_own(void **st)
{
	(void)st;
	const struct report_cell c[] = CELLS;
	struct conf conf = conf_of();
	struct report_in in = fleet(c, 8, &conf, SPLIT_OWNER);
	struct cube cube;
	struct err err;

	assert_int_equal(cube_build(&in, false, &cube, &err), 0);
	assert_true(row(&cube, "b", false)->idle == D("3"));
	assert_true(row(&cube, "b", false)->direct == D("30"));
	assert_true(row(&cube, "b", false)->kind[KIND_STORAGE] == D("20"));
	assert_true(row(&cube, "", true)->cost == D("7.000000001")); /* of nobody: stays a line */
	/* use without a team is not the same thing */
	assert_true(row(&cube, "", false)->direct == D("1"));
	assert_int_equal(row(&cube, "b", false)->gpu.ms, H(13));
	cube_free(&cube);
}

static void rules_name_teams(void **st)
{
	(void)st;
	const struct report_cell c[] = CELLS;
	struct conf conf = conf_of();
	*vec_push(&conf.idle_rules) =
		(struct idle_rule){ .field = "cluster", .glob = "c1", .to_team = "new", .frac = 1 };
	struct report_in in = fleet(c, 8, &conf, SPLIT_RULE);
	struct cube cube;
	struct err err = { 0 };

	assert_int_equal(cube_build(&in, false, &cube, &err), 0);
	assert_true(row(&cube, "new", false)->cost == D("7"));
	assert_int_equal(row(&cube, "new", false)->gpu.ms, H(7));
	assert_true(row(&cube, "", true)->cost == D("3.000000001"));
	cube_free(&cube);
	in.dim = DIMS("user", "kind", "cluster");
	assert_int_equal(cube_build(&in, false, &cube, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "teams or projects"));
	vec_free(&conf.idle_rules);
}

static void showback_table(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("a", "gpu", ""), STATE_BUSY, H(30), "1", "USD"),
		gpu(DIMS("b", "gpu", ""), STATE_BUSY, H(10), "1", "USD"),
		gpu(DIMS("infra", "gpu", ""), STATE_BUSY, H(4), "1", "USD"),
		gpu(DIMS("", "gpu", ""), STATE_UNALLOCATED, H(11), "1", "USD"),
	};
	struct conf conf = conf_of();
	*vec_push(&conf.shared_teams) = "infra";
	struct report_in in = fleet(c, 4, &conf, SPLIT_PROPORTIONAL);
	char *t = charged(&in, CHARGE_SHOWBACK, OUT_TABLE);
	expect(t,
	       "30 days to 2024-10-30 · effective cost, USD · 55.0 GPU·h paid · 100 % measured ·\n"
	       "idle split: proportional\n"
	       "\n"
	       "team   GPU·h  direct  idle share  shared  total  of all\n"
	       "a       30.0   30.00        8.25    3.00  41.25    75 %\n"
	       "b       10.0   10.00        2.75    1.00  13.75    25 %\n"
	       "infra    4.0    4.00        0.00   -4.00   0.00     0 %\n"
	       "───────────────────────────────────────────────────────\n"
	       "        44.0   44.00       11.00    0.00  55.00   100 %\n"
	       "\n");
	free(t);
	t = charged(&in, CHARGE_CHARGEBACK, OUT_TABLE);
	expect(t,
	       "30 days to 2024-10-30 · effective cost, USD · 55.0 GPU·h paid · 100 % measured ·\n"
	       "idle split: proportional\n"
	       "\n"
	       "team   line                          GPU·h  amount  total\n"
	       "a      GPU time                       30.0   30.00\n"
	       "       share of idle (proportional)    8.2    8.25\n"
	       "       share of shared teams                  3.00  41.25\n"
	       "b      GPU time                       10.0   10.00\n"
	       "       share of idle (proportional)    2.8    2.75\n"
	       "       share of shared teams                  1.00  13.75\n"
	       "infra  GPU time                        4.0    4.00\n"
	       "       given to the other teams              -4.00   0.00\n"
	       "─────────────────────────────────────────────────────────\n"
	       "                                      55.0          55.00\n"
	       "\n");
	free(t);
	vec_free(&conf.shared_teams);
}

/* The journal adds up to the bill: the difference is a line of it. */
static void journal_closes_to_the_bill(void **st)
{
	(void)st;
	const struct report_cell c[] = CELLS;
	struct conf conf = conf_of();
	const struct report_reconcile rec = {
		.currency = "USD", .billed = D("112"), .has_bill = true, .ledger = D(ALL)
	};
	struct report_in in = fleet(c, 8, &conf, SPLIT_PROPORTIONAL);
	in.reconcile = &rec;
	in.nreconcile = 1;
	char *t = charged(&in, CHARGE_CHARGEBACK, OUT_CSV), *p = t;
	dec sum = 0;
	int lines = 0;

	assert_int_equal(
		strncmp(p,
			"since,until,team,line,kind,gpu_seconds,amount,currency,basis,split_idle,cost_center\n",
			72),
		0);
	while ((p = strchr(p, '\n')) && *++p) {
		struct sv rest = { p, strcspn(p, "\n") }, cell[11];
		dec v;
		for (int i = 0; i < 11; i++)
			cell[i] = sv_cut(rest, ',', &rest);
		assert_null(rest.p);
		assert_int_equal(dec_parse(cell[6], 0, &v), 0);
		sum += v;
		lines++;
	}
	assert_true(sum == D("112"));
	assert_int_equal(lines, 10); /* 5 direct, 4 shares of idle, the difference */
	assert_non_null(strstr(t, ",difference,,0,0.999999999,USD,effective,proportional,\n"));
	free(t);
}

static void json_lines(void **st)
{
	(void)st;
	const struct report_cell c[] = CELLS;
	struct conf conf = conf_of();
	struct report_in in = fleet(c, 8, &conf, SPLIT_NONE);
	char *t = charged(&in, CHARGE_CHARGEBACK, OUT_JSON);
	json_t *j = json_loads(t, JSON_REJECT_DUPLICATES, NULL), *r;

	assert_non_null(j);
	assert_string_equal(json_string_value(json_object_get(j, "schema")), "tare.chargeback/1");
	r = json_array_get(json_object_get(j, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(r, "team")), "platform");
	assert_string_equal(json_string_value(json_object_get(r, "cost")), "40");
	assert_int_equal(json_array_size(json_object_get(r, "lines")), 1);
	r = json_array_get(json_object_get(j, "totals"), 0);
	assert_string_equal(json_string_value(json_object_get(r, "cost")), ALL);
	json_decref(j);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_split_closes),
		cmocka_unit_test(without_a_split_idle_is_a_line),
		cmocka_unit_test(owner_pays_for_its_own),
		cmocka_unit_test(rules_name_teams),
		cmocka_unit_test(showback_table),
		cmocka_unit_test(journal_closes_to_the_bill),
		cmocka_unit_test(json_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
