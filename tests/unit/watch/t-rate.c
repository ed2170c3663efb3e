/* What a machine costs: who is asked first, amounts of the machine shared by its GPUs, places in
 * the catalogue, nothing guessed. */
#include "../base/test.h"
#include <unistd.h>
#include "watch/rate.h"
#include "base/mem.h"

static struct catalog *cat;
static struct conf conf;
#define NOW INT64_C(1795219200000) /* 2026-11-21 */

static struct watch_rate ask(const struct rate_ask *given, const struct rate_ask *settings,
			     const struct rate_ask *place, int gpus)
{
	struct watch_rate r;
	rate_find(&(struct rate_in){ given, settings, place, &conf, cat, "n1", "H100-SXM5-80GB",
				     gpus, NOW },
		  &r);
	return r;
}

static void amounts(void **state)
{
	struct rate_ask gpu = { .usd_gpu_hour = DEC_ONE * 2, .has_usd_gpu_hour = true },
			machine = { .usd_hour = DEC_ONE * 10, .has_usd_hour = true };
	struct watch_rate r = ask(&gpu, NULL, NULL, 8);
	assert_true(r.known && r.usd_gpu_hour == DEC_ONE * 2);
	assert_string_equal(r.source, "given");
	assert_string_equal(r.currency, "USD");
	r = ask(&machine, &gpu, NULL, 8);
	assert_true(r.usd_gpu_hour == DEC_ONE * 10 / 8);
	r = ask(&machine, NULL, NULL, 0); /* nobody knows among how many it is shared */
	assert_false(r.known);
	r = ask(NULL, &gpu, NULL, 8);
	assert_string_equal(r.source, "settings");
	r = ask(NULL, NULL, NULL, 8);
	assert_false(r.known);
}

static void places(void **state)
{
	struct rate_ask type = { .instance_type = "p5.48xlarge" },
			there = { .instance_type = "p5.48xlarge", .region = "us-east-1" };
	struct rate_ask gpu = { .provider = "gcp", .region = "us-central1" },
			odd = { .instance_type = "no-such-type" };
	struct watch_rate r = ask(&type, NULL, NULL, 8);
	assert_true(r.known && r.usd_gpu_hour > DEC_ONE && r.usd_gpu_hour < DEC_ONE * 20);
	assert_string_equal(r.provider, "aws");
	assert_string_equal(r.region, "us-east-1");
	assert_has(r.source, "assumed");
	struct watch_rate s = ask(&there, NULL, NULL, 8);
	assert_true(s.usd_gpu_hour == r.usd_gpu_hour);
	assert_string_equal(s.source, "catalogue");
	there.purchase = "spot";
	s = ask(&there, NULL, NULL, 8);
	assert_true(!s.known || s.usd_gpu_hour != r.usd_gpu_hour);
	/* of a cloud that says where, but several types there hold this GPU: not guessed */
	r = ask(NULL, NULL, &gpu, 8);
	assert_true(!r.known || r.usd_gpu_hour > 0);
	r = ask(&odd, NULL, NULL, 8);
	assert_false(r.known);
	assert_string_equal(r.instance_type, "no-such-type");
	r = ask(&odd, NULL, &type, 8); /* the next one who knows */
	assert_true(r.known);
}

static void owned_before_the_cloud(void **state)
{
	struct conf c;
	struct err err;
	struct watch_rate r;
	struct rate_ask cloud = { .instance_type = "p5.48xlarge" };
	assert_int_equal(
		conf_parse(
			"t",
			SV("version: 1\nowned:\n- gpu_model: H100-SXM5-80GB\n  purchase: 35040\n  years: 4\n"),
			&c, &err),
		0);
	rate_find(&(struct rate_in){ NULL, NULL, &cloud, &c, cat, "n1", "H100-SXM5-80GB", 8, NOW },
		  &r);
	assert_true(r.known && r.usd_gpu_hour == DEC_ONE);
	assert_string_equal(r.source, "owned");
	conf_free(&c);
}

static void settings(void **state)
{
	char path[] = "/tmp/tare-rate-XXXXXX";
	static const struct {
		const char *text;
		int r;
	} t[] = {
		{ "version: 1\n", 0 },
		{ "version: 1\nagent:\n", 0 },
		{ "version: 1\nagent:\n  node:\n    usd_gpu_hour: 2.5\n    region: here\n", 0 },
		{ "version: 1\nagent:\n  node:\n    usd_gpu_hour: -1\n", -1 },
		{ "version: 1\nagent:\n  node:\n    usd_gpu_hours: 1\n", -1 },
		{ "version: 1\nagent:\n  node:\n    usd_gpu_hour: much\n", -1 },
	};
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	for (size_t i = 0; i < COUNT(t); i++) {
		struct rate_ask a;
		struct arena m = { 0 };
		struct err err = { 0 };
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, t[i].text, strlen(t[i].text), 0), strlen(t[i].text));
		assert_int_equal(rate_load(path, &m, &a, &err) < 0, t[i].r < 0);
		assert_int_equal(a.has_usd_gpu_hour && t[i].r == 0, i == 2);
		if (t[i].r < 0)
			assert_true(*err.msg);
		arena_free(&m);
	}
	close(fd);
	unlink(path);
}

static void told(void **state)
{
	struct arena m = { 0 };
	struct watch_rate r = { .known = true,
				.usd_gpu_hour = DEC_ONE * 274 / 100,
				.currency = "USD",
				.region = "us-east-1",
				.purchase = "on_demand" };
	assert_string_equal(rate_text(&r, &m), "2.74 $/h, us-east-1 on_demand");
	assert_string_equal(rate_text(&(struct watch_rate){ 0 }, &m), "price not known");
	arena_free(&m);
}

static int open_all(void **state)
{
	struct err err;
	return catalog_open(NULL, &cat, &err) < 0 || conf_load(NULL, &conf, &err) < 0 ? -1 : 0;
}

static int close_all(void **state)
{
	catalog_free(cat);
	conf_free(&conf);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts),
		cmocka_unit_test(places),
		cmocka_unit_test(owned_before_the_cloud),
		cmocka_unit_test(settings),
		cmocka_unit_test(told),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
