#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "opt/spot/spot_seen.h"
#include "run/run_known.h"
#include "run/run_price.h"

static struct run_known some(void)
{
	struct run_known k;

	run_known_init(&k);
	k.cost = (struct run_cost){ 350, 600, -1, 12000 };
	k.step_us = 41000;
	k.job_ms = 1795289980832;
	k.done_ms = 7200000;
	run_known_spell(&k, 3600000, true, "us-east-1/us-east-1a");
	run_known_spell(&k, 100, false, NULL);
	return k;
}

static void comes_back(void **state)
{
	struct run_known k = some(), back;
	struct str s = { 0 };
	struct err err;

	run_known_write(&k, &s);
	assert_int_equal(run_known_parse(str_sv(&s), &back, &err), 0);
	assert_int_equal(back.cost.stall_ms, 350);
	assert_int_equal(back.cost.push_ms, -1);
	assert_int_equal(back.cost.restart_ms, 12000);
	assert_int_equal(back.push_bytes_s, -1);
	assert_int_equal(back.step_us, 41000);
	assert_true(back.job_ms == k.job_ms && back.done_ms == k.done_ms);
	assert_int_equal(back.nspell, 2);
	assert_true(back.spell[0].interrupted && back.spell[0].ms == 3600000 &&
		    !back.spell[1].interrupted);
	assert_string_equal(back.place[back.spell[0].place], "us-east-1/us-east-1a");
	assert_int_equal(back.spell[1].place, -1);
	str_free(&s);
}

/* Any byte changed, any end cut off: it counts for nothing. */
static void damage_is_seen(void **state)
{
	struct run_known k = some(), back;
	struct str s = { 0 };
	struct err err;

	run_known_write(&k, &s);
	for (size_t i = 0; i < s.n; i++) {
		s.p[i] ^= 1;
		assert_int_equal(run_known_parse(str_sv(&s), &back, &err), -EBADMSG);
		assert_int_equal(back.cost.stall_ms, -1);
		assert_int_equal(back.nspell, 0);
		s.p[i] ^= 1;
		assert_int_equal(run_known_parse((struct sv){ s.p, i }, &back, &err), -EBADMSG);
	}
	str_free(&s);
}

static void the_oldest_attempts_go(void **state)
{
	struct run_known k, back;
	struct str s = { 0 };
	struct err err;

	run_known_init(&k);
	for (int i = 0; i < 3 * RUN_SPELLS; i++)
		run_known_spell(&k, i, i & 1, NULL);
	assert_int_equal(k.nspell, RUN_SPELLS);
	assert_int_equal(k.spell[0].ms, 2 * RUN_SPELLS);
	run_known_write(&k, &s);
	assert_true(s.n < RUN_KNOWN_MAX);
	assert_int_equal(run_known_parse(str_sv(&s), &back, &err), 0);
	assert_int_equal(back.nspell, RUN_SPELLS);
	str_free(&s);
}

/* Where attempts ran: words, as many places as there is room for; of others nobody knows. The file
 * stays as small as is promised. */
static void where_they_ran(void **state)
{
	struct run_known k, back;
	char place[RUN_PLACE] = "", full[RUN_PLACE];
	struct str s = { 0 };
	struct err err;

	run_place_add(place, "us-east-1");
	run_place_add(place, NULL);
	run_place_add(place, "us-east-1");
	run_place_add(place, "my own/zone\n");
	assert_string_equal(place, "us-east-1/my_own_zone");
	assert_true(spot_place_has(place, SV("us-east-1")) &&
		    !spot_place_has(place, SV("us-east")) && !spot_place_has(place, SV("")) &&
		    !spot_place_has("", SV("a")));
	run_known_init(&k);
	for (int i = 0; i < 3 * RUN_SPELLS; i++) {
		memset(full, 'a' + i % 20, sizeof full - 1);
		full[sizeof full - 1] = 0;
		run_known_spell(&k, INT64_C(253402300800000), true, full);
	}
	int unknown = 0;
	for (int i = 0; i < RUN_SPELLS; i++)
		unknown += k.spell[i].place < 0;
	assert_true(unknown > 0 && unknown < RUN_SPELLS);
	run_known_write(&k, &s);
	assert_true(s.n < RUN_KNOWN_MAX);
	assert_int_equal(run_known_parse(str_sv(&s), &back, &err), 0);
	for (int i = 0; i < RUN_SPELLS; i++) {
		assert_int_equal(k.spell[i].place < 0, back.spell[i].place < 0);
		assert_true(k.spell[i].place < 0 ||
			    !strcmp(k.place[k.spell[i].place], back.place[back.spell[i].place]));
	}
	/* those of before are forgotten: there is room for new ones */
	for (int i = 0; i < RUN_SPELLS; i++)
		run_known_spell(&k, 1, false, "b/c");
	assert_string_equal(k.place[k.spell[RUN_SPELLS - 1].place], "b/c");
	str_free(&s);
}

static void in_a_folder(void **state)
{
	char dir[] = "/tmp/t-run-known.XXXXXX", path[64];
	struct run_known k = some(), back;
	struct err err;

	assert_non_null(mkdtemp(dir));
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(run_known_load(fd, &back, &err), 0);
	assert_int_equal(run_known_save(fd, &k), 0);
	assert_int_equal(run_known_load(fd, &back, &err), 1);
	assert_int_equal(back.cost.save_ms, 600);
	snprintf(path, sizeof path, "%s/measured", dir);
	assert_int_equal(truncate(path, 30), 0);
	assert_int_equal(run_known_load(fd, &back, &err), -EBADMSG);
	assert_int_equal(back.cost.save_ms, -1);
	unlink(path);
	assert_int_equal(mkdir(path, 0755), 0); /* what cannot be read or replaced is no crash */
	assert_true(run_known_load(fd, &back, &err) < 0);
	assert_true(run_known_save(fd, &k) < 0);
	rmdir(path);
	close(fd);
	assert_int_equal(rmdir(dir), 0);
}

static void prices(void **state)
{
	const char *good[] = { "2.74", " $2.74 \nand more", "2.740000\r\n" },
		   *bad[] = { "", "\n", "-1", "free", "1e9", "100001", "2.74 USD", "\x1b[31m" };
	int64_t nano;
	struct err err;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(run_price_parse(sv_of(good[i]), &nano, &err), 0);
		assert_int_equal(nano, 2740000000);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(run_price_parse(sv_of(bad[i]), &nano, &err), -EBADMSG);
		assert_null(strchr(err.msg, '\x1b'));
	}
	assert_int_equal(run_price_command((char *)"echo 1.5", 0, NULL, NULL, &nano, &err), 0);
	assert_int_equal(nano, 1500000000);
	assert_true(run_price_command((char *)"echo 1.5; exit 3", 0, NULL, NULL, &nano, &err) < 0);
	assert_true(run_price_file((char *)"/nonexistent/price", 0, NULL, NULL, &nano, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back),
					    cmocka_unit_test(damage_is_seen),
					    cmocka_unit_test(the_oldest_attempts_go),
					    cmocka_unit_test(where_they_ran),
					    cmocka_unit_test(in_a_folder),
					    cmocka_unit_test(prices) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
