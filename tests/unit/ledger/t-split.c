/* Splitting what nobody used, and spreading bill lines: exact, to the last unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "base/tm.h"
#include "ledger/split.h"
#include "ledger/spread.h"

static uint64_t rnd_state = 42;
static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rnd_state >> 33) % below;
}

static void load(struct conf *c, const char *text)
{
	struct err err;
	if (conf_parse("t", sv_of(text), c, &err) < 0)
		fail_msg("%s", err.msg);
}

static struct split_line line(const char *name, int64_t direct)
{
	return (struct split_line){ .name = name, .direct = direct, .weight = direct };
}

static void test_none_and_owner(void **st)
{
	struct conf c;
	load(&c, "version: 1\n");
	struct split_line l[] = { line("a", 100), line("b", 200) };
	struct split_pot p[] = { { .amount = 40, .owner = SPLIT_NOBODY },
				 { .amount = 7, .owner = 1 } };
	__int128 rest;
	assert_int_equal(
		split_lines(&(struct split_by){ &c, SPLIT_NONE, "team", 1 }, l, 2, p, 2, &rest), 0);
	assert_true(rest == 47 && l[0].idle == 0 && l[1].idle == 0);
	assert_int_equal(
		split_lines(&(struct split_by){ &c, SPLIT_OWNER, "team", 1 }, l, 2, p, 2, &rest),
		0);
	assert_true(rest == 40 && l[1].idle == 7);
	conf_free(&c);
}

static void test_proportional(void **st)
{
	struct conf c;
	load(&c, "version: 1\n");
	struct split_line l[] = { line("", 100), line("a", 200), line("credit", -5) };
	struct split_pot p[] = { { .amount = 100, .owner = 1 } };
	__int128 rest;
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_PROPORTIONAL, "team", 1 }, l, 3,
				     p, 1, &rest),
			 0);
	assert_true(l[0].idle == 33 && l[1].idle == 67 && l[2].idle == 0 && rest == 0);
	/* Steps of 1000: whole nano-dollars of amounts in 10^-12, the odd rest with the first. */
	p[0].amount = 10000 * 1000 + 7;
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_PROPORTIONAL, "team", 1000 }, l,
				     3, p, 1, &rest),
			 0);
	assert_true(l[0].idle == 3333007 && l[1].idle == 6667000);
	/* Nobody used anything: it stays. */
	struct split_line none[] = { line("a", 0) };
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_PROPORTIONAL, "team", 1 }, none,
				     1, p, 1, &rest),
			 0);
	assert_true(rest == p[0].amount);
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_PROPORTIONAL, "team", 1 }, NULL,
				     0, p, 1, &rest),
			 0);
	assert_true(rest == p[0].amount);
	conf_free(&c);
}

static void test_rules(void **st)
{
	struct conf c;
	load(&c, "version: 1\nidle_rules:\n"
		 "  - {when: {cluster: 'res*'}, team: b, share: 0.25}\n"
		 "  - {when: {cluster: '*'}, team: '*', share: 0.5}\n"
		 "  - {when: {cluster: 'res*'}, team: gone}\n");
	struct split_line l[] = { line("a", 100), line("b", 300) };
	const struct split_attr res[] = { { "cluster", "research" } },
				prod[] = { { "cluster", "prod" } };
	struct split_pot p[] = { { 1000, SPLIT_NOBODY, res, 1 },
				 { -80, SPLIT_NOBODY, prod, 1 },
				 { 9, SPLIT_NOBODY, NULL, 0 } };
	__int128 rest;
	assert_int_equal(
		split_lines(&(struct split_by){ &c, SPLIT_RULE, "team", 1 }, l, 2, p, 3, &rest), 0);
	/* research: 250 to b, 500 by use (125, 375), 250 stay; prod: -40 by use (-10, -30), -40
	 * stay; no cluster: '*' takes the empty name too, 4 of 9 */
	assert_true(l[0].idle == 125 - 10 + 1 && l[1].idle == 250 + 375 - 30 + 3);
	assert_true(rest == 250 - 40 + 5);
	/* By project these rules say nothing. */
	assert_int_equal(
		split_lines(&(struct split_by){ &c, SPLIT_RULE, "project", 1 }, l, 2, p, 3, &rest),
		0);
	assert_true(rest == 929);
	conf_free(&c);
}

static void test_shared_teams(void **st)
{
	struct conf c;
	load(&c, "version: 1\nshared_teams: [platform]\n");
	struct split_line l[] = { line("a", 100), line("b", 300), line("platform", 40) };
	struct split_pot p[] = { { .amount = 40, .owner = SPLIT_NOBODY },
				 { .amount = 8, .owner = 2 } };
	__int128 rest;
	assert_int_equal(
		split_lines(&(struct split_by){ &c, SPLIT_OWNER, "team", 1 }, l, 3, p, 2, &rest),
		0);
	assert_true(l[2].is_shared && l[2].idle == 8 && l[2].shared == -48);
	assert_true(l[0].shared == 12 && l[1].shared == 36 && rest == 40);
	/* A platform team has no share of the idle by use. */
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_PROPORTIONAL, "team", 1 }, l, 3,
				     p, 1, &rest),
			 0);
	assert_true(l[2].idle == 0 && l[0].idle == 10 && l[1].idle == 30);
	/* Alone it keeps what it has; and only teams are shared, not projects of that name. */
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_NONE, "team", 1 }, &l[2], 1,
				     NULL, 0, &rest),
			 0);
	assert_true(l[2].shared == 0);
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_NONE, "project", 1 }, l, 3, NULL,
				     0, &rest),
			 0);
	assert_true(l[2].shared == 0 && !l[2].is_shared);
	conf_free(&c);
}

/* Sums stay, whatever comes in; large amounts too. */
static void test_closes(void **st)
{
	struct conf c;
	load(&c,
	     "version: 1\nshared_teams: [t3, t7]\nidle_rules:\n  - {when: {node: 'n1*'}, team: t2, share: 0.333333333}\n"
	     "  - {when: {node: '*'}, team: '*', share: 0.9}\n");
	static const char *const name[] = { "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7" };
	static const struct split_attr attr[] = { { "node", "n1" },
						  { "node", "n12" },
						  { "node", "n3" } };
	for (int i = 0; i < 3000; i++) {
		struct split_line l[8];
		struct split_pot p[5];
		__int128 in = 0, out = 0, rest,
			 scale = i % 3 ? 1 : (__int128)1000000000000LL * 1000000000LL;
		size_t n = rnd(9), np = rnd(6);
		for (size_t k = 0; k < n; k++) {
			l[k] = (struct split_line){ .name = name[k],
						    .direct = ((__int128)rnd(2000000000) - 5000) *
							      scale,
						    .weight = rnd(3) ? rnd(1000000) * scale : 0 };
			in += l[k].direct;
		}
		for (size_t k = 0; k < np; k++) {
			p[k] = (struct split_pot){ ((__int128)rnd(2000000000) - 1000) * scale,
						   n && rnd(2) ? rnd((uint32_t)n) : SPLIT_NOBODY,
						   &attr[rnd(3)], 1 };
			in += p[k].amount;
		}
		struct split_by by = { .conf = &c,
				       .how = (enum idle_split)rnd(4),
				       .by = rnd(2) ? "team" : "project",
				       .unit = rnd(2) ? 1 : 1000 };
		assert_int_equal(split_lines(&by, l, n, p, np, &rest), 0);
		out = rest;
		for (size_t k = 0; k < n; k++)
			out += l[k].direct + l[k].idle + l[k].shared;
		assert_true(in == out);
	}
	struct split_line big = { .name = "x", .direct = (__int128)1 << 120 };
	__int128 rest;
	assert_int_equal(split_lines(&(struct split_by){ &c, SPLIT_NONE, "team", 1 }, &big, 1, NULL,
				     0, &rest),
			 -ERANGE);
	conf_free(&c);
}

static void test_spread(void **st)
{
	int64_t w[] = { MS_HOUR, MS_HOUR, MS_HOUR }, nano[3];
	dec rest, amount;
	assert_int_equal(dec_parse(SV("1.000000000499"), 0, &amount), 0);
	assert_int_equal(spread_amount(amount, 3, w, nano, &rest), 0);
	assert_int_equal(nano[0], 333333333);
	assert_int_equal(nano[1], 333333334);
	assert_int_equal(nano[2], 333333333);
	assert_true(rest == 499);
	assert_int_equal(spread_amount(-amount, 3, w, nano, &rest), 0);
	assert_int_equal(nano[0] + nano[1] + nano[2], -1000000000);
	assert_true(rest == -499);
	/* Without weights the first takes all. */
	int64_t zero[3] = { 0 };
	assert_int_equal(spread_amount(5000, 3, zero, nano, &rest), 0);
	assert_true(nano[0] == 5 && nano[1] == 0 && nano[2] == 0);
	assert_int_equal(spread_amount(5000, 0, zero, nano, &rest), -EINVAL);
	zero[1] = -1;
	assert_int_equal(spread_amount(5000, 3, zero, nano, &rest), -EINVAL);
	assert_int_equal(spread_amount(DEC_ONE * 10000000000LL, 3, w, nano, &rest), -ERANGE);
	w[0] = INT64_MAX;
	assert_int_equal(spread_amount(5000, 3, w, nano, &rest), -ERANGE);
}

static void test_spread_closes(void **st)
{
	for (int i = 0; i < 2000; i++) {
		int64_t w[50], nano[50], sum = 0, weight = 0;
		size_t n = 1 + rnd(50);
		dec amount = ((dec)rnd(2000000000) - 1000000000) * rnd(2000000000) *
			     (rnd(2) ? 1000 : 1),
		    rest;
		for (size_t k = 0; k < n; k++) {
			w[k] = rnd(4) ? rnd(4000000) : 0;
			weight += w[k];
		}
		assert_int_equal(spread_amount(amount, n, w, nano, &rest), 0);
		struct spread s;
		dec rest2;
		assert_int_equal(spread_start(&s, amount, weight, &rest2), 0);
		for (size_t k = 0; k < n; k++) {
			sum += nano[k];
			assert_int_equal(spread_next(&s, w[k]), nano[k]);
			if (weight) {
				/* within one unit of the exact share: |nano x 1000 x W - amount x
				 * w| <= 1500 W */
				__int128 d = (__int128)nano[k] * 1000 * weight - amount * w[k];
				assert_true((d < 0 ? -d : d) <= (__int128)1500 * weight);
			}
		}
		assert_true(nano_to_dec(sum) + rest == amount && rest == rest2);
		assert_true(rest <= 500 && rest >= -500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_and_owner), cmocka_unit_test(test_proportional),
		cmocka_unit_test(test_rules),          cmocka_unit_test(test_shared_teams),
		cmocka_unit_test(test_closes),         cmocka_unit_test(test_spread),
		cmocka_unit_test(test_spread_closes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
