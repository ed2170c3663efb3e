/* From evidence to owners: order of the sources, tags of any shape, rules, inference, runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/tm.h"
#include "ledger/owner.h"

static const char config[] = "version: 1\n"
			     "tags:\n"
			     "  alias:\n"
			     "    team: [cost-center, squad]\n"
			     "virtual_tags:\n"
			     "  - when: {account: 'res-*'}\n"
			     "    set: {team: research, env: dev}\n"
			     "  - when: {namespace: 'prod-*', 'tag:tier': gold}\n"
			     "    set: {team: search}\n"
			     "    override: true\n"
			     "  - when: {team: research, name: '*'}\n"
			     "    set: {project: papers}\n";

struct fix {
	struct conf c;
	struct owner_resolver *r;
};

static int setup(void **st)
{
	struct fix *f = xcalloc(1, sizeof *f);
	struct err err;
	if (conf_parse("t", sv_of(config), &f->c, &err) < 0)
		fail_msg("%s", err.msg);
	f->r = owner_resolver_new(&f->c);
	*st = f;
	return 0;
}

static int teardown(void **st)
{
	struct fix *f = *st;
	owner_resolver_free(f->r);
	conf_free(&f->c);
	free(f);
	return 0;
}

static struct owner_evidence ev(void)
{
	return (struct owner_evidence){ .duration_ms = UNKNOWN_MS, .gpus_milli = UNKNOWN_I64 };
}

static void check(const struct owner *o, enum owner_field f, const char *want,
		  enum owner_source from)
{
	if (!sv_is(o->field[f], want))
		fail_msg("%s is '%.*s', not '%s'", owner_field_name(f), SVF(o->field[f]), want);
	assert_int_equal(o->source[f], from);
}

static void test_sources(void **st)
{
	struct fix *f = *st;
	struct owner_evidence e = ev();
	e.user = SV("ada");
	e.team = SV("declared");
	e.tags =
		SV("{\"cost-center\":\"tagged\",\"Environment\":\"prod\",\"user:Project\":\"p1\"}");
	const struct owner *o = owner_resolve(f->r, &e);
	check(o, OWNER_USER, "ada", FROM_MEASURED);
	check(o, OWNER_TEAM, "declared", FROM_MEASURED);
	check(o, OWNER_ENV, "prod", FROM_TAG);
	check(o, OWNER_PROJECT, "p1", FROM_TAG);
	check(o, OWNER_WORKLOAD, "", FROM_NOWHERE);
	assert_true(o->field[OWNER_WORKLOAD].p == NULL);
	e.team = SV_NULL;
	check(owner_resolve(f->r, &e), OWNER_TEAM, "tagged", FROM_TAG);
	/* the configured aliases come first */
	e.tags = SV("{\"squad\":\"s\",\"team\":\"builtin\"}");
	check(owner_resolve(f->r, &e), OWNER_TEAM, "s", FROM_TAG);
	e.tags = SV("{\"TEAM\":\" builtin \"}");
	check(owner_resolve(f->r, &e), OWNER_TEAM, "builtin", FROM_TAG);
}

static void test_rules(void **st)
{
	struct fix *f = *st;
	struct owner_evidence e = ev();
	e.account = SV("res-12");
	const struct owner *o = owner_resolve(f->r, &e);
	check(o, OWNER_TEAM, "research", FROM_RULE);
	check(o, OWNER_ENV, "dev", FROM_RULE);
	check(o, OWNER_PROJECT, "", FROM_NOWHERE); /* no name: '*' wants one */
	e.name = SV("x");
	check(owner_resolve(f->r, &e), OWNER_PROJECT, "papers", FROM_RULE);
	e.team = SV("mine");
	o = owner_resolve(f->r, &e);
	check(o, OWNER_TEAM, "mine", FROM_MEASURED);
	check(o, OWNER_PROJECT, "", FROM_NOWHERE);
	e.namespace_ = SV("prod-eu");
	check(owner_resolve(f->r, &e), OWNER_TEAM, "mine", FROM_MEASURED); /* the tag is missing */
	e.tags = SV("{\"tier\":\"gold\"}");
	check(owner_resolve(f->r, &e), OWNER_TEAM, "search", FROM_RULE);
}

static void test_same_pointer(void **st)
{
	struct fix *f = *st;
	struct owner_evidence e = ev(), g = ev();
	char name[] = "ada";
	e.user = sv_of(name);
	e.job = SV("7");
	g = e;
	const struct owner *o = owner_resolve(f->r, &e);
	name[0] = 'x'; /* the resolver keeps its own text */
	check(o, OWNER_USER, "ada", FROM_MEASURED);
	g.user = SV("ada");
	assert_ptr_equal(owner_resolve(f->r, &g), o);
	g.job = SV("8");
	assert_ptr_not_equal(owner_resolve(f->r, &g), o);
	/* "a" + "b" is not "ab" + "". */
	e.user = SV("ab");
	g.user = SV("a");
	g.job = e.job;
	g.team = SV("b");
	assert_ptr_not_equal(owner_resolve(f->r, &g), owner_resolve(f->r, &e));
}

static void test_tags(void **st)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "{\"b\": 1, \"a\": \"x\"}", "{\"a\":\"x\",\"b\":\"1\"}" },
		{ "\"b\": \"2\",\"a\": \"1\"", "{\"a\":\"1\",\"b\":\"2\"}" }, /* no braces */
		{ "{\"a\": null, \"b\": true, \"c\": [1, 2], \"d\": {\"z\":1,\"y\":2}}",
		  "{\"b\":\"true\",\"c\":\"[1,2]\",\"d\":\"{\\\"y\\\":2,\\\"z\\\":1}\"}" },
		{ "{\"a\":\"1\",\"a\":\"2\"}", "{\"a\":\"2\"}" },
		{ "{\"a\":0.1}", "{\"a\":\"0.1\"}" },
		{ "  {\"a\":\"\\u00e4\"} ", "{\"a\":\"\xc3\xa4\"}" },
		{ "{}", NULL },
		{ "{\"a\":", NULL },
		{ "[1]", NULL },
		{ "NULL", NULL },
		{ "", NULL },
	};
	struct fix *f = *st;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sv got = owner_tags_normalise(f->r, sv_of(cases[i].in));
		if (cases[i].out ? !sv_is(got, cases[i].out) : got.p != NULL)
			fail_msg("%s gives %.*s", cases[i].in, SVF(got));
	}
}

static void test_inference(void **st)
{
	static const struct {
		const char *name, *job, *service;
		int gpus;
		double hours;
		bool open, requests;
		const char *want;
	} cases[] = {
		/* a request log beats the name */
		{ "ranker-train", "1", "", 8, 30, false, true, "inference" },
		{ "x", "1", "svc", 1, 1, false, false, "inference" },
		{ "JupyterLab", "1", "", 1, 30, false, false, "research" },
		{ "nightly_eval_v2", "1", "", 8, 30, false, false, "evaluation" },
		{ "retrieval", "1", "", 1, 1, false, false, "" },
		{ "constrained", "1", "", 1, 1, false, false, "" },
		{ "Pretrain-7b", "1", "", 1, 1, false, false, "training" },
		{ "llama-finetune", "1", "", 1, 1, false, false, "training" },
		{ "x", "12_3", "", 1, 0.5, false, false, "batch" },
		{ "x", "12_3", "", 1, 5, false, false, "" },
		{ "x", "a_3", "", 1, 0.5, false, false, "" },
		{ "x", "1", "", 4, 5, false, false, "training" },
		{ "x", "1", "", 4, 1, false, false, "" },
		{ "x", "1", "", 1, 24 * 8, true, false, "inference" },
		{ "x", "1", "", 1, 24 * 8, false, false, "" },
	};
	struct fix *f = *st;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct owner_evidence e = ev();
		e.name = sv_of(cases[i].name);
		e.job = sv_of(cases[i].job);
		e.service = sv_of(cases[i].service);
		e.gpus_milli = cases[i].gpus * 1000;
		e.duration_ms = (int64_t)(cases[i].hours * MS_HOUR);
		e.open_end = cases[i].open;
		e.has_requests = cases[i].requests;
		check(owner_resolve(f->r, &e), OWNER_WORKLOAD, cases[i].want,
		      *cases[i].want ? FROM_INFERENCE : FROM_NOWHERE);
	}
	struct owner_evidence e = ev();
	e.name = SV("train");
	e.workload = SV("batch");
	check(owner_resolve(f->r, &e), OWNER_WORKLOAD, "batch", FROM_MEASURED);
	e.workload = SV_NULL;
	f->c.infer_workload = false;
	check(owner_resolve(f->r, &e), OWNER_WORKLOAD, "", FROM_NOWHERE);
}

/* ---- runs ---- */

struct job {
	const char *id, *user, *name, *state;
	double from_h, to_h;
	const char *run;
	int attempt;
};

static void check_runs(const struct job *j, size_t n)
{
	struct allocation a[40] = { 0 };
	const char *run[40];
	int attempt[40];
	for (int turn = 0; turn < 2; turn++) { /* in order and in reverse */
		struct arena mem = { 0 };
		for (size_t i = 0; i < n; i++) {
			const struct job *s = &j[turn ? n - 1 - i : i];
			a[i] = (struct allocation){ .job_id = sv_of(s->id),
						    .user = sv_of(s->user),
						    .name = sv_of(s->name),
						    .state = sv_of(s->state),
						    .start_ms = (int64_t)(s->from_h * MS_HOUR),
						    .end_ms = (int64_t)(s->to_h * MS_HOUR) };
		}
		runs_group(a, n, &mem, run, attempt);
		for (size_t i = 0; i < n; i++) {
			const struct job *s = &j[turn ? n - 1 - i : i];
			if (strcmp(run[i], s->run) != 0 || attempt[i] != s->attempt)
				fail_msg("job %s at %g h: run %s attempt %d, not %s %d", s->id,
					 s->from_h, run[i], attempt[i], s->run, s->attempt);
		}
		arena_free(&mem);
	}
}

static void test_runs(void **st)
{
	static const struct job jobs[] = {
		/* requeued under its id, on two nodes at a time */
		{ "10", "ada", "train", "NODE_FAIL", 0, 5, "10", 0 },
		{ "10", "ada", "train", "NODE_FAIL", 0, 5, "10", 0 },
		{ "10", "ada", "train", "COMPLETED", 6, 9, "10", 1 },
		/* submitted again after a failure; then a day later after a success: another run */
		{ "20", "bob", "fit", "FAILED", 0, 2, "20", 0 },
		{ "21", "bob", "fit", "OUT_OF_MEMORY", 3, 4, "20", 1 },
		{ "22", "bob", "fit", "COMPLETED", 20, 30, "20", 2 },
		{ "23", "bob", "fit", "COMPLETED", 31, 32, "23", 0 },
		/* a failure more than a day ago */
		{ "30", "cy", "fit", "FAILED", 0, 2, "30", 0 },
		{ "31", "cy", "fit", "COMPLETED", 26.5, 27, "31", 0 },
		/* an array, and a job with a similar id */
		{ "40_0", "eve", "arr", "COMPLETED", 0, 1, "40", 0 },
		{ "40_99", "eve", "arr", "COMPLETED", 50, 51, "40", 0 },
		{ "401", "eve", "arr", "COMPLETED", 0, 1, "401", 0 },
		/* a sweep: numbers differ; one long after is another; another user's is not */
		{ "50", "flo", "lr0.01-seed1", "COMPLETED", 0, 3, "50", 0 },
		{ "51", "flo", "lr0.3-seed22", "COMPLETED", 0.1, 3, "50", 0 },
		{ "52", "flo", "lr0.3-seed3", "COMPLETED", 3.5, 6, "50", 0 },
		{ "53", "flo", "lr0.3-seed4", "COMPLETED", 100, 103, "53", 0 },
		{ "54", "gus", "lr0.3-seed4", "COMPLETED", 0, 3, "54", 0 },
		/* nobody's jobs and names without numbers are no sweep */
		{ "60", "", "seed1", "COMPLETED", 0, 3, "60", 0 },
		{ "61", "", "seed2", "COMPLETED", 0, 3, "61", 0 },
		{ "62", "hal", "fit", "COMPLETED", 0, 3, "62", 0 },
		{ "63", "hal", "fit", "COMPLETED", 0, 3, "63", 0 },
	};
	check_runs(jobs, sizeof jobs / sizeof *jobs);
	runs_group(NULL, 0, NULL, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sources, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_pointer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tags, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inference, setup, teardown),
		cmocka_unit_test(test_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
