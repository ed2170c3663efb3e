/* Typed options: every type, what fits and what does not, defaults, variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/dec.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "model/model.h"

struct asked {
	bool loud;
	const char *text, *file;
	int64_t count, seed, span, life, at;
	double num, some, frac, work;
	dec usd, fee;
	int how, sig;
	struct opt_list many, words;
	struct opt_spans spans;
	int64_t every;
	bool has_fee;
	const char *kind;
};
#define AT(m) .at = offsetof(struct asked, m)

static const struct cli_opt rows[] = {
	{ "loud", NULL, "a flag", .type = OPT_FLAG, AT(loud) },
	{ "text", "T", "a string", .type = OPT_TEXT, AT(text) },
	{ "file", "FILE", "a file", .values = "FILE", .type = OPT_FILE, AT(file) },
	{ "count", "N", "how many", .type = OPT_INT, AT(count), .lo = 1, .hi = 10, .def = "3" },
	{ "seed", "N", "of draws", .type = OPT_INT, AT(seed), .hi = INFINITY, .def = "1" },
	{ "num", "N", "a number", .type = OPT_NUM, AT(num), .lo = 0.5, .hi = 2.5 },
	{ "some", "N", "any (default: all)", .type = OPT_NUM, AT(some), .def = "7" },
	{ "frac", "F", "a share", .type = OPT_FRAC, AT(frac) },
	{ "span", "SPAN", "a duration", .type = OPT_SPAN, AT(span), .def = "20s" },
	{ "life", "SPAN", "a duration", .type = OPT_SPAN, AT(life), .lo = MS_HOUR, .hi = MS_DAY },
	{ "work", "SPAN", "hours", .type = OPT_HOURS, AT(work) },
	{ "at", "T", "an instant", .type = OPT_TIME, AT(at) },
	{ "usd", "USD", "an amount", .type = OPT_MONEY, AT(usd) },
	{ "fee", "USD", "an amount", .type = OPT_MONEY, AT(fee), .hi = 10, .what = "fee",
	  .has = offsetof(struct asked, has_fee) },
	{ "kind", "KIND", "one of", .values = "cat|dog", .type = OPT_TEXT, AT(kind) },
	{ "signal", "SIG", "a signal", .type = OPT_SIGNAL, AT(sig) },
	{ "spans", "S[,S]", "spans", .type = OPT_SPANS, AT(spans), .lo = 1000, .hi = MS_DAY },
	{ "every", "SPAN", "or never", .values = "never|none", .type = OPT_SPAN, AT(every),
	  .lo = 1000, .hi = MS_DAY },
	{ "how", "HOW", "one of", .values = "none|some|all", .type = OPT_CHOICE, AT(how) },
	{ "many", "X", "several", .many = true, .type = OPT_LIST, AT(many) },
	{ "words", "W[,W]", "words", .values = "a|b|cc", .type = OPT_LIST, AT(words) },
	{ "old", "X", "read elsewhere", 0, false, NULL },
	{ 0 },
};
static const struct cli_cmd cmd = { .name = "x", .opt = rows };

static const struct cli_opt *row(const char *name)
{
	const struct cli_opt *o = rows;

	while (strcmp(o->name, name) != 0)
		o++;
	return o;
}

/* One option twice at most; value NULL: none. The caller frees c->mem. */
static int read2(struct cli *c, const char *name, const char *value, const char *value2,
		 struct asked *a, struct err *err)
{
	struct cli_given *g;

	*c = (struct cli){ .cmd = &cmd };
	g = arena_alloc(&c->mem, 2 * sizeof *g);
	memset(a, 0x55, sizeof *a);
	c->given = g;
	if (name)
		g[c->ngiven++] = (struct cli_given){ row(name), value };
	if (value2)
		g[c->ngiven++] = (struct cli_given){ row(name), value2 };
	return cli_read_opts(c, a, err);
}

#define GOOD(name, value, test)                                              \
	do {                                                                 \
		struct cli c;                                                \
		struct asked a;                                              \
		struct err err = { 0 };                                      \
		assert_int_equal(read2(&c, name, value, NULL, &a, &err), 0); \
		assert_true(test);                                           \
		arena_free(&c.mem);                                          \
	} while (0)

static void bad(const char *name, const char *value, const char *sentence)
{
	struct cli c;
	struct asked a;
	struct err err = { 0 };

	assert_int_equal(read2(&c, name, value, NULL, &a, &err), -EINVAL);
	assert_string_equal(err.msg, sentence);
	assert_string_equal(err.hint, "");
	arena_free(&c.mem);
}

static void nothing_given(void **state)
{
	(void)state;
	GOOD(NULL, NULL, !a.loud && !a.text && !a.file && a.count == 3 && a.seed == 1);
	GOOD(NULL, NULL,
	     isnan(a.num) && a.some == 7 && isnan(a.frac) && isnan(a.work) && a.usd == 0);
	GOOD(NULL, NULL, a.span == 20000 && a.life == 0 && a.at == UNKNOWN_MS && a.how == -1);
	GOOD(NULL, NULL, a.many.n == 0 && a.words.n == 0 && a.spans.n == 0);
	GOOD(NULL, NULL, a.sig == 0 && a.every == 0 && !a.has_fee && !a.kind);
}

static void good(void **state)
{
	(void)state;
	GOOD("loud", NULL, a.loud);
	GOOD("fee", "2", a.has_fee && a.fee == 2 * DEC_ONE);
	GOOD("kind", "dog", !strcmp(a.kind, "dog") && !a.has_fee);
	GOOD("signal", "USR1", a.sig == SIGUSR1);
	GOOD("signal", "sigusr2", a.sig == SIGUSR2);
	GOOD("signal", "15", a.sig == SIGTERM);
	GOOD("spans", "5s, 2m,",
	     a.spans.n == 2 && a.spans.ms[0] == 5000 && a.spans.ms[1] == 120000);
	GOOD("every", "5s", a.every == 5000);
	GOOD("every", "none", a.every == INT64_MAX);
	GOOD("text", "b c", !strcmp(a.text, "b c"));
	GOOD("text", "", !strcmp(a.text, ""));
	GOOD("file", "x.csv", !strcmp(a.file, "x.csv"));
	GOOD("count", "10", a.count == 10);
	GOOD("count", " 1 ", a.count == 1);
	GOOD("seed", "9007199254740993", a.seed == 9007199254740993);
	GOOD("seed", "9223372036854775807", a.seed == INT64_MAX);
	GOOD("num", "2.5", a.num == 2.5);
	GOOD("some", "-1e9", a.some == -1e9);
	GOOD("frac", "1", a.frac == 1);
	GOOD("span", "0", a.span == 0);
	GOOD("span", "2h", a.span == 2 * MS_HOUR);
	GOOD("life", "1d", a.life == MS_DAY);
	GOOD("work", "48", a.work == 48);
	GOOD("work", "6m", a.work == 0.1);
	GOOD("at", "1970-01-02", a.at == MS_DAY);
	GOOD("usd", "30,000.5", a.usd == DEC_ONE * 300005 / 10);
	GOOD("fee", "10", a.fee == DEC_ONE * 10);
	GOOD("how", "all", a.how == 2);
	GOOD("words", " cc, a,,", a.words.n == 2 && !strcmp(a.words.v[0], "cc"));
}

static void last_wins_and_lists_keep_all(void **state)
{
	struct cli c;
	struct asked a;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read2(&c, "count", "2", "5", &a, &err), 0);
	assert_int_equal(a.count, 5);
	arena_free(&c.mem);
	assert_int_equal(read2(&c, "many", "p,q", "r", &a, &err), 0);
	assert_int_equal(a.many.n, 2);
	assert_string_equal(a.many.v[0], "p,q");
	arena_free(&c.mem);
}

static bool is_amount(const struct cli_opt *o)
{
	return o->type == OPT_INT || o->type == OPT_NUM || o->type == OPT_FRAC ||
	       o->type == OPT_SPAN || o->type == OPT_SPANS || o->type == OPT_HOURS ||
	       o->type == OPT_MONEY;
}

/* The value of one option of a command; the others as they are without. */
static int read_alone(const struct cli_opt *o, const struct cli_cmd *of, const char *value,
		      struct err *err)
{
	struct cli_opt one[] = { *o, { 0 } };
	struct cli_cmd alone = { .name = of->name, .examples = of->examples, .opt = one };
	struct cli_given given = { &one[0], value };
	struct cli c = { .cmd = &alone, .given = &given, .ngiven = 1, .no_variables = true };
	struct {
		union {
			int64_t n;
			double x;
			dec d;
			struct opt_spans s;
		} value;
		bool has;
	} got;

	one[0].at = 0;
	one[0].has = o->has ? offsetof(__typeof__(got), has) : 0;
	int r = cli_read_opts(&c, &got, err);
	arena_free(&c.mem);
	return r;
}

/* What is no number is told so by every command, with one that would do; nothing counts below 0. */
static void every_number_of_every_command(void **state)
{
	static const char *const bad_values[] = { "-1", "nan", "inf", "-inf", "1e999", "x", "1x" };
	size_t n = 0;

	for (size_t i = 0; cli_commands[i]; i++)
		for (const struct cli_opt *o = cli_commands[i]->opt; o && o->name; o++) {
			for (size_t k = 0; is_amount(o) && k < 7; k++) {
				struct err err = { 0 };
				int r = read_alone(o, cli_commands[i], bad_values[k], &err);
				if (r >= 0)
					fail_msg("tare %s --%s %s is taken", cli_commands[i]->name,
						 o->name, bad_values[k]);
				if (!strstr(err.msg, o->name) || !strstr(err.msg, "such as"))
					fail_msg("tare %s: %s", cli_commands[i]->name, err.msg);
			}
			n += is_amount(o);
		}
	assert_true(n > 100);
	(void)state;
}

static void wrong(void **state)
{
	(void)state;
	bad("kind", "cow", "--kind does not know 'cow': it takes cat|dog");
	bad("signal", "KILL",
	    "--signal: 'KILL' is not a signal that a program can answer, such as USR1");
	bad("signal", "0", "--signal: '0' is not a signal that a program can answer, such as USR1");
	bad("spans", "5s,1ms", "--spans: '1ms' is not a duration from 1s to 1d, such as 1s");
	bad("every", "ever", "--every: 'ever' is not a duration from 1s to 1d, such as 1s");
	bad("count", "x", "--count: 'x' is not a whole number from 1 to 10, such as 3");
	bad("count", "2.5", "--count: '2.5' is not a whole number from 1 to 10, such as 3");
	bad("count", "0", "--count: '0' is not a whole number from 1 to 10, such as 3");
	bad("count", "11", "--count: '11' is not a whole number from 1 to 10, such as 3");
	bad("count", "", "--count: '' is not a whole number from 1 to 10, such as 3");
	bad("seed", "-1", "--seed: '-1' is not a whole number of 0 or more, such as 1");
	bad("seed", "9223372036854775808",
	    "--seed: '9223372036854775808' is not a whole number of 0 or more, such as 1");
	bad("num", "nan", "--num: 'nan' is not a number from 0.5 to 2.5, such as 0.5");
	bad("num", "2.6", "--num: '2.6' is not a number from 0.5 to 2.5, such as 0.5");
	bad("num", "", "--num: '' is not a number from 0.5 to 2.5, such as 0.5");
	bad("some", "many", "--some: 'many' is not a number, such as 7");
	bad("frac", "1.1", "--frac: '1.1' is not a share from 0 to 1, such as 0.5");
	bad("frac", "-0.1", "--frac: '-0.1' is not a share from 0 to 1, such as 0.5");
	bad("span", "soon", "--span: 'soon' is not a duration such as 5m, 1h or 0");
	bad("span", "", "--span: '' is not a duration such as 5m, 1h or 0");
	bad("life", "30m", "--life: '30m' is not a duration from 1h to 1d, such as 1h");
	bad("life", "0", "--life: '0' is not a duration from 1h to 1d, such as 1h");
	bad("work", "nan", "--work: 'nan' is not a duration such as 6m, 20s or 48h");
	bad("work", "-1", "--work: '-1' is not a duration such as 6m, 20s or 48h");
	bad("at", "noon", "--at: 'noon' is not a time such as 2026-11-20 or 2026-11-20T12:00:00Z");
	bad("usd", "3,06", "--usd: '3,06' is not an amount");
	bad("usd", "", "--usd: '' is not an amount");
	bad("fee", "11", "--fee: '11' is not a fee from 0 to 10, such as 1");
	bad("fee", "-0.5", "--fee: '-0.5' is not a fee from 0 to 10, such as 1");
	bad("how", "half", "--how does not know 'half': it takes none|some|all");
	bad("how", "", "--how does not know '': it takes none|some|all");
	bad("words", "a,d", "--words does not know 'd': it takes a|b|cc");
}

static void variables(void **state)
{
	(void)state;
	setenv("TARE_COUNT", "4", 1);
	setenv("TARE_LOUD", "1", 1);
	setenv("TARE_HOW", "", 1);
	setenv("TARE_MANY", "m", 1);
	GOOD(NULL, NULL, a.count == 4 && a.loud && a.how == -1 && a.many.n == 1);
	GOOD("count", "5", a.count == 5);
	unsetenv("TARE_COUNT");
	unsetenv("TARE_LOUD");
	unsetenv("TARE_HOW");
	unsetenv("TARE_MANY");
}

static void a_wrong_variable_is_named(void **state)
{
	struct cli c;
	struct asked a;
	struct err err = { 0 };

	(void)state;
	setenv("TARE_HOW", "half", 1);
	assert_int_equal(read2(&c, NULL, NULL, NULL, &a, &err), -EINVAL);
	assert_string_equal(err.msg, "--how does not know 'half': it takes none|some|all");
	assert_string_equal(err.hint, "the value is that of the variable TARE_HOW");
	arena_free(&c.mem);
	assert_int_equal(read2(&c, "how", "none", NULL, &a, &err), 0);
	assert_int_equal(a.how, 0);
	arena_free(&c.mem);
	unsetenv("TARE_HOW");
}

static void help_says_the_default(void **state)
{
	struct str s = { 0 };

	(void)state;
	cli_opt_help(row("count"), &s);
	assert_string_equal(str_z(&s), "how many (default: 3)");
	str_clear(&s);
	cli_opt_help(row("some"), &s);
	assert_string_equal(str_z(&s), "any (default: all)");
	str_clear(&s);
	cli_opt_help(row("old"), &s);
	assert_string_equal(str_z(&s), "read elsewhere");
	str_free(&s);
}

/* Defaults are values of their rows: in every command's table. */
static void rows_of_all_commands(void **state)
{
	(void)state;
	for (size_t i = 0; cli_commands[i]; i++) {
		struct cli c = { .cmd = cli_commands[i] };
		struct err err = { 0 };
		max_align_t asked[512];

		for (const struct cli_opt *o = c.cmd->opt; o && o->name; o++) {
			assert_true(o->at + sizeof(struct opt_list) <= sizeof asked);
			/* TARE_OUTPUT is no file: tare init looks at what was given itself */
			bool elsewhere = o->section || (!strcmp(c.cmd->name, "init") &&
							!strcmp(o->name, "output"));
			if ((o->type == OPT_UNTYPED) != elsewhere)
				fail_msg("%s --%s has no type", c.cmd->name, o->name);
			assert_true(o->type == OPT_UNTYPED || (o->type == OPT_FLAG) == !o->arg);
			assert_true(o->type != OPT_CHOICE || o->values);
		}
		if (cli_read_opts(&c, asked, &err) < 0)
			fail_msg("%s: %s", c.cmd->name, err.msg);
		arena_free(&c.mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given),
		cmocka_unit_test(good),
		cmocka_unit_test(last_wins_and_lists_keep_all),
		cmocka_unit_test(wrong),
		cmocka_unit_test(every_number_of_every_command),
		cmocka_unit_test(variables),
		cmocka_unit_test(a_wrong_variable_is_named),
		cmocka_unit_test(help_says_the_default),
		cmocka_unit_test(rows_of_all_commands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
