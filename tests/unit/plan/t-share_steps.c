/* Lever share: the replay of the actions that are printed, each of its checks by a list of actions
 * that breaks that check alone; and an order that is found holds in it. */
#include "unit/base/test.h"
#include <math.h>
#include "plan/share/share_in.h"

static const char *const names[] = { "n0", "n1", "n2" };

/* Three machines of two GPUs, "api" with a replica on each; it needs 1.2 GPUs. */
struct world {
	struct pool p;
	struct workload w[3];
	struct rec r;
};

static void begin(struct world *x)
{
	memset(x, 0, sizeof *x);
	struct svc *v = vec_push(&x->p.svc);
	*v = (struct svc){
		.service = "api", .team = "", .before = 3, .after = 2, .peak = 1.2, .left = 1
	};
	for (size_t i = 0; i < 3; i++) {
		x->w[i] = (struct workload){ .node = names[i], .service = "api", .cluster = "" };
		*vec_push(&v->replica) = &x->w[i];
		*vec_push(&x->p.node) = (struct machine){
			.node = names[i], .one = &x->w[i], .gpus_milli = 2000, .gpus = 2
		};
	}
	x->p.node.v[2].back = true;
	x->p.key = &x->w[0];
}

static void scale(struct world *x, int was, int now)
{
	rec_action(&x->r, ACTION_REPLICAS)->replicas =
		(struct action_replicas){ .service = raw_name("api"), .was = was, .now = now };
}

static void on(struct world *x, enum action_kind k, const char *node)
{
	rec_action(&x->r, k)->machine = (struct machine_ref){ .node = raw_name(node) };
}

static void rollout(struct world *x)
{
	rec_action(&x->r, ACTION_ROLLOUT)->replicas =
		(struct action_replicas){ .service = raw_name("api"), .was = 3, .now = 3 };
}

static void empty(struct world *x, const char *node)
{
	on(x, ACTION_CORDON, node);
	on(x, ACTION_DRAIN, node);
	rollout(x);
}

static void ends(struct world *x, double factor, enum pods_break want)
{
	assert_int_equal(share_replay(&x->p, &x->r, factor), want);
	vec_free(&x->r.action);
	vec_free(&x->p.svc.v[0].replica);
	vec_free(&x->p.svc);
	vec_free(&x->p.node);
}

static void what_holds(void **s)
{
	struct world x;

	begin(&x);
	empty(&x, "n2");
	on(&x, ACTION_STOP, "n2");
	assert_int_equal(share_replay(&x.p, &x.r, 2.5), PODS_FINE);
	assert_int_equal(x.p.svc.v[0].lost_left, 1);
	ends(&x, 2.5, PODS_FINE);
}

static void given_back_in_words_alone(void **s)
{
	struct world x;

	begin(&x); /* drained, and paid on */
	empty(&x, "n2");
	ends(&x, 1.25, PODS_NOT_EMPTY);
	begin(&x); /* another machine than the one that is counted */
	empty(&x, "n1");
	on(&x, ACTION_STOP, "n1");
	ends(&x, 1.25, PODS_NOT_EMPTY);
}

static void not_as_it_was(void **s)
{
	struct world x;

	begin(&x);
	scale(&x, 4, 3);
	empty(&x, "n2");
	on(&x, ACTION_STOP, "n2");
	ends(&x, 1.25, PODS_UNKNOWN);
	begin(&x);
	empty(&x, "n9");
	ends(&x, 1.25, PODS_UNKNOWN);
	begin(&x);
	rec_action(&x.r, ACTION_RELEASE);
	ends(&x, 1.25, PODS_UNKNOWN);
}

static void too_few_at_the_end(void **s)
{
	struct world x;

	begin(&x); /* three carry 2.5 times 1.2, not 2.6 times that */
	empty(&x, "n2");
	on(&x, ACTION_STOP, "n2");
	ends(&x, 2.6, PODS_OVERLOAD);
	begin(&x); /* two machines: one is left when one is lost, and two must be */
	x.p.svc.v[0].left = 2;
	empty(&x, "n2");
	on(&x, ACTION_STOP, "n2");
	ends(&x, 1.25, PODS_OVERLOAD);
}

static void the_last_on_the_way(void **s)
{
	struct world x;

	begin(&x);
	x.w[0].node = x.w[1].node = names[2]; /* all of it on the machine that goes */
	empty(&x, "n2");
	on(&x, ACTION_STOP, "n2");
	ends(&x, 1.25, PODS_NONE_LEFT);
	begin(&x); /* the order that is found puts some elsewhere first, and holds */
	x.w[0].node = x.w[1].node = names[2];
	x.p.node.v[2].gpus = 3;
	x.p.node.v[2].cost_nano = 1;
	x.p.svc.v[0].after = 3;
	struct share_steps steps = { 0 };
	assert_true(share_find_steps(&x.p, 2, &steps));
	assert_true(x.p.node.v[2].back);
	for (size_t i = 0; i < steps.v.n; i++)
		share_add_action(&(struct fleet){ 0 }, &x.r, &x.p, &steps.v.v[i]);
	vec_free(&steps.v);
	ends(&x, 1.25, PODS_FINE);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(what_holds),
					cmocka_unit_test(given_back_in_words_alone),
					cmocka_unit_test(not_as_it_was),
					cmocka_unit_test(too_few_at_the_end),
					cmocka_unit_test(the_last_on_the_way) };
	return cmocka_run_group_tests(t, NULL, NULL);
}
