/* Who watched a node, and when: the rules of docs/LEDGER.md, Witnesses, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ledger/witness.h"

static const struct witness_node nodes[] = {
	{ SV("n1"), SV("c") },
	{ SV("n2"), SV("c") },
	{ SV("far"), SV("d") },
};

static struct witness_jobs jobs(int64_t source, const char *cluster, const char *node, int64_t from,
				int64_t to, const char *first, const char *last)
{
	return (struct witness_jobs){ .source = source,
				      .cluster = sv_of(cluster),
				      .node = sv_of(node),
				      .from_ms = from,
				      .to_ms = to,
				      .user_first = sv_of(first),
				      .user_last = sv_of(last) };
}

static void expect(const struct witnesses *w, const char *node, const char *cluster,
		   const char *want)
{
	struct arena mem = { 0 };
	struct watch_span *s;
	struct str got = { 0 };
	const struct witness_node of = { sv_of(node), sv_of(cluster) };
	size_t n = witnesses_of(w, &of, MAY_NOT_HOLD, &mem, &s);

	for (size_t i = 0; i < n; i++)
		str_addf(&got, "%s%lld-%lld%s", i ? " " : "", (long long)s[i].from_ms,
			 (long long)s[i].to_ms, s[i].quality == QUALITY_MEASURED ? "!" : "");
	assert_string_equal(got.p ? got.p : "", want);
	str_free(&got);
	arena_free(&mem);
}

static void jobs_watch_the_nodes_they_name(void **state)
{
	struct witness_jobs j[] = { jobs(1, "c", "n1", 100, 200, "ada", "bob"),
				    jobs(1, "c", "n2", 150, 400, "ada", "ada") };
	struct witnesses *w = witnesses_new(NULL, 0, j, 2, nodes, 3);

	expect(w, "n1", "c", "100-400"); /* as far as all of the source's jobs of the cluster */
	expect(w, "n2", "c", "100-400");
	expect(w, "n3", "c", "");
	expect(w, "far", "d", "");
	witnesses_free(w);
}

static void the_cluster_of_a_record_holds_where_jobs_name_none(void **state)
{
	struct witness_jobs j[] = { jobs(1, NULL, "far", 300, 400, "ada", "bob"),
				    jobs(1, NULL, "n1", 100, 200, "ada", "bob") };
	struct witnesses *w = witnesses_new(NULL, 0, j, 2, nodes, 3);

	expect(w, "n1", "c", "100-200");
	expect(w, "far", "d", "300-400");
	witnesses_free(w);
}

static void jobs_without_nodes_watch_their_cluster(void **state)
{
	struct witness_jobs j[] = { jobs(1, "c", NULL, 100, 200, NULL, NULL) };

	j[0].without_user = 3;
	struct witnesses *w = witnesses_new(NULL, 0, j, 1, nodes, 3);
	expect(w, "n1", "c", "100-200");
	expect(w, NULL, "c", "100-200");
	expect(w, "far", "d", "");
	witnesses_free(w);
}

static void a_list_of_one_user_is_a_part(void **state)
{
	struct witness_jobs j[] = { jobs(1, "c", "n1", 100, 200, "ada", "ada"),
				    jobs(1, "c", "n2", 100, 300, "ada", "ada"),
				    jobs(1, "d", "far", 100, 200, "ada", "bob") };
	struct witnesses *w = witnesses_new(NULL, 0, j, 3, nodes, 3);
	struct sv cluster, user;
	int64_t source;
	size_t at = 0;

	expect(w, "n1", "c", "");
	expect(w, "far", "d", "100-200");
	assert_true(witnesses_partial(w, &at, &source, &cluster, &user));
	assert_true(source == 1 && sv_is(cluster, "c") && sv_is(user, "ada"));
	assert_false(witnesses_partial(w, &at, &source, &cluster, &user));
	witnesses_free(w);
	j[1].without_user = 1; /* somebody else may stand there */
	w = witnesses_new(NULL, 0, j, 3, nodes, 3);
	expect(w, "n1", "c", "100-300");
	witnesses_free(w);
}

static void sources_add_up_and_leave_gaps(void **state)
{
	struct witness_jobs j[] = { jobs(1, "c", "n1", 100, 200, "ada", "bob"),
				    jobs(2, "c", "n1", 150, 300, "ada", "bob"),
				    jobs(3, "c", "n1", 400, 500, "ada", "bob") };
	struct witnesses *w = witnesses_new(NULL, 0, j, 3, nodes, 3);

	expect(w, "n1", "c", "100-300 400-500");
	witnesses_free(w);
}

static void what_a_source_says_of_itself_holds(void **state)
{
	struct witness_jobs j[] = { jobs(1, "c", "n1", 100, 200, "ada", "ada"),
				    jobs(2, "c", "n1", 600, 700, "ada", "bob") };
	struct witness_told t[] = {
		{ 1, { SV("c"), SV_NULL, 50, 650, QUALITY_MEASURED } },
		{ 3, { SV_NULL, SV("n2"), 10, 20, QUALITY_MEASURED } },
	};
	struct witnesses *w = witnesses_new(t, 2, j, 2, nodes, 3);

	expect(w, "n1", "c", "50-650! 650-700");
	expect(w, "n2", "c", "10-20! 50-650!");
	witnesses_free(w);
}

static void a_complete_list_without_times_reaches_as_far_as_its_jobs(void **state)
{
	struct witness_jobs j[] = { jobs(1, "c", "n1", 100, 200, "ada", "ada"),
				    jobs(1, "d", NULL, 300, 400, "ada", "ada") };
	struct witness_told t = { 1, { SV_NULL, SV_NULL, UNKNOWN_MS, UNKNOWN_MS, 0 } };
	struct witnesses *w = witnesses_new(&t, 1, j, 2, nodes, 3);

	expect(w, "n1", "c", "100-200!");
	expect(w, "n2", "c", "100-200!");
	expect(w, "far", "d", "300-400!");
	witnesses_free(w);
	t.w.cluster = sv_of("c");
	w = witnesses_new(&t, 1, j, 2, nodes, 3);
	expect(w, "n2", "c", "100-200!");
	expect(w, "far", "d", ""); /* one user, and nothing was said of this cluster */
	witnesses_free(w);
	t.w.cluster = sv_of("empty"); /* without a job of its own: as far as all of them */
	w = witnesses_new(&t, 1, j, 2, nodes, 3);
	expect(w, "m", "empty", "100-400!");
	witnesses_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_watch_the_nodes_they_name),
		cmocka_unit_test(the_cluster_of_a_record_holds_where_jobs_name_none),
		cmocka_unit_test(jobs_without_nodes_watch_their_cluster),
		cmocka_unit_test(a_list_of_one_user_is_a_part),
		cmocka_unit_test(sources_add_up_and_leave_gaps),
		cmocka_unit_test(what_a_source_says_of_itself_holds),
		cmocka_unit_test(a_complete_list_without_times_reaches_as_far_as_its_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
