/* Where past attempts were decides for which place they count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/tm.h"
#include "run/run_known.h"
#include "run/run_seen.h"

static bool in(const void *word, const char *place)
{
	return spot_place_has(place, sv_of(word));
}

static void save(const char *dir, const struct run_known *k)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(run_known_save(fd, k), 0);
	close(fd);
}

static void of_its_place(void **state)
{
	char dir[] = "/tmp/t-spot-seen.XXXXXX", path[64];
	struct run_known k;
	struct spot_seen all, a, b, c;
	struct arena mem = { 0 };
	struct err err;

	assert_non_null(mkdtemp(dir));
	run_known_init(&k);
	run_known_spell(&k, 2 * MS_HOUR, true, NULL); /* of before: nobody knows where */
	run_known_spell(&k, 10 * MS_HOUR, true, "us-east-1/us-east-1a/p3.8xlarge");
	run_known_spell(&k, 30 * MS_HOUR, false, "us-east-1/us-east-1c/p3.8xlarge");
	k.attempts = 4;
	/* one more in 5 hours, longer ago than the attempts that are told one by one */
	k.interruptions = 3;
	k.seen_ms = 47 * MS_HOUR;
	save(dir, &k);
	assert_int_equal(run_seen_read(dir, &mem, &all, &err), 0);
	assert_true(all.known && all.hours == 47 && all.interruptions == 3);
	spot_seen_at(&all, in, "us-east-1a", &a);
	spot_seen_at(&all, in, "us-east-1c", &b);
	spot_seen_at(&all, in, "us-east-1", &c);
	assert_true(a.known && a.hours == 17 && a.interruptions == 3);
	assert_true(b.known && b.hours == 37 && b.interruptions == 2);
	assert_true(c.hours == 47 && c.interruptions == 3);
	spot_seen_at(&all, in, "eu-west-1", &a);
	assert_true(a.known && a.hours == 7 && a.interruptions == 2);

	run_known_init(&k); /* all of it is known to have been elsewhere */
	run_known_spell(&k, 10 * MS_HOUR, true, "us-east-1a");
	k.attempts = k.interruptions = 1;
	k.seen_ms = 10 * MS_HOUR;
	save(dir, &k);
	assert_int_equal(run_seen_read(dir, &mem, &all, &err), 0);
	spot_seen_at(&all, in, "us-east-1c", &b);
	assert_false(b.known);
	assert_true(spot_mtbi_h(0, b.hours, b.interruptions) == SPOT_PRIOR_H);
	assert_true(spot_mtbi_h(14, all.hours, all.interruptions) == 12);
	snprintf(path, sizeof path, "%s/measured", dir);
	unlink(path);
	rmdir(dir);
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_its_place) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
