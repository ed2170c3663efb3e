/* Prices over time and place: what the shipped tables say, and rows of users over them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/tm.h"
#include "catalog/catalog.h"

static struct catalog *cat;

static int setup(void **state)
{
	struct err err;
	(void)state;
	if (catalog_open(NULL, &cat, &err) == 0)
		return 0;
	print_error("%s\n", err.msg);
	return -1;
}

static int teardown(void **state)
{
	(void)state;
	catalog_free(cat);
	cat = NULL;
	return 0;
}

static int64_t at(const char *text)
{
	int64_t ms;
	assert_int_equal(tm_parse(sv_of(text), 0, &ms), 0);
	return ms;
}

static void is_money(dec v, int digits, const char *want)
{
	char buf[DEC_BUF];
	assert_string_equal(digits < 0 ? dec_format(buf, v) : dec_format_fixed(buf, v, digits),
			    want);
}

/* Rows of one type at one place; the caller frees them. */
static struct price_row *ask(const char *type, const char *region, const char *purchase,
			     const char *when, size_t *n)
{
	struct price_row *r;
	struct err err;
	const char *words[] = { purchase };
	struct price_query q = { .instance_type = type,
				 .region_glob = region,
				 .purchase = words,
				 .npurchase = purchase ? 1 : 0,
				 .at_ms = when ? at(when) : UNKNOWN_MS,
				 .currency = "*" };
	if (catalog_prices(cat, &q, &r, n, &err) < 0)
		fail_msg("%s", err.msg);
	return r;
}

static void hour_is(const char *type, const char *region, const char *purchase, const char *when,
		    const char *want)
{
	size_t n;
	struct price_row *r = ask(type, region, purchase, when, &n);
	if (!want) {
		assert_int_equal(n, 0);
	} else {
		assert_int_equal(n, 1);
		const char *dot = strchr(want, '.');
		is_money(r[0].hour, dot ? (int)strlen(dot + 1) : 0, want);
	}
	free(r);
}

static void acceptance(void **state)
{
	(void)state;
	hour_is("p5.48xlarge", "us-east-1", "on_demand", "2025-06-22", "98.32");
	hour_is("p5.48xlarge", "us-east-1", "on_demand", "2025-06-24", "55.04");
	hour_is("p5.48xlarge", "us-east-1", "on_demand", NULL, "55.04");
	hour_is("p5.48xlarge", "us-east-1", "on_demand", "2023-07-30", NULL); /* not on sale yet */
	hour_is("a3-highgpu-8g", "us-central1", "spot", "2025-10-15", "20.37");
	hour_is("a3-highgpu-8g", "us-central1", "spot", "2026-07-02", "43.8044");
	hour_is("a3-highgpu-8g", "us-central1", "spot", "2026-07-30", "50.6095");
	hour_is("p4d.24xlarge", "us-east-1", "on_demand", "2026-07-21", "21.957642");
	hour_is("p3.8xlarge", "us-east-1", "on_demand", NULL, "12.24");
	/* a month of committed use over 730 hours: 44810.08066464 / 730, 28370.99821392 / 730 */
	hour_is("a3-highgpu-8g", "us-central1", "committed_1y", "2026-07-30", "61.383672143342");
	hour_is("a3-highgpu-8g", "us-central1", "committed_3y", "2026-07-30", "38.864381114959");
}

static void over_a_change(void **state)
{
	struct price_row *r;
	struct err err;
	size_t n;
	(void)state;
	int64_t from = at("2025-06-01"), to = at("2025-07-01");
	assert_int_equal(catalog_price_over(cat,
					    &(struct price_over){ "AWS", "us-east-1", "us-east-1a",
								  "p5.48xlarge", NULL, "on_demand",
								  from, to },
					    &r, &n, &err),
			 0);
	assert_int_equal(n, 2);
	is_money(r[0].hour, -1, "98.32");
	is_money(r[1].hour, -1, "55.04");
	is_money(r[1].gpu_hour, -1, "6.88");
	assert_true(r[0].from_ms == from && r[1].to_ms == to);
	assert_true(r[0].to_ms == r[1].from_ms && r[1].from_ms == at("2025-06-23T13:18:30Z"));
	free(r);
	/* before the first price there is a gap, not the nearest price */
	assert_int_equal(
		catalog_price_over(cat,
				   &(struct price_over){ "aws", "us-east-1", NULL, "p5.48xlarge",
							 NULL, "on_demand", at("2023-07-01"),
							 at("2023-08-02") },
				   &r, &n, &err),
		0);
	assert_int_equal(n, 1);
	assert_true(r[0].from_ms == at("2023-07-31T13:09:33Z"));
	free(r);
}

static size_t over(const char *provider, const char *region, const char *type, const char *gpu,
		   const char *purchase, struct price_row **r)
{
	struct err err;
	size_t n;
	assert_int_equal(catalog_price_over(cat,
					    &(struct price_over){ provider, region, NULL, type, gpu,
								  purchase, at("2026-10-11"),
								  at("2026-10-12") },
					    r, &n, &err),
			 0);
	return n;
}

static void nothing_is_guessed(void **state)
{
	struct price_row *r;
	(void)state;
	/* never on-demand instead */
	assert_int_equal(over("azure", "eastus", "Standard_NC24_Promo", NULL, "spot", &r), 0);
	free(r);
	assert_int_equal(over("aws", NULL, "p5.48xlarge", NULL, "on_demand", &r), 0); /* no place */
	free(r);
	/* p5.4xlarge or p5.48xlarge? */
	assert_int_equal(over("aws", "us-east-1", NULL, "H100", "on_demand", &r), 0);
	free(r);
	assert_int_equal(over("aws", "us-east-1", "p5.48xlarge", NULL, "savings_plan", &r), 0);
	free(r);
	/* one type holds it */
	assert_int_equal(
		over("coreweave", "US-EAST-04", NULL, "NVIDIA H100 80GB HBM3", "on_demand", &r), 1);
	is_money(r[0].gpu_hour, -1, "6.155");
	free(r);
	assert_int_equal(
		over("azure", "East US", "standard_nd96isr_h100_v5", NULL, "on_demand", &r), 1);
	is_money(r[0].hour, -1, "98.32");
	free(r);
}

static size_t list(struct price_query q, struct price_row **r)
{
	struct err err;
	size_t n;
	if (catalog_prices(cat, &q, r, &n, &err) < 0)
		fail_msg("%s", err.msg);
	return n;
}

static void yuan_are_no_dollars(void **state)
{
	struct price_row *r;
	(void)state;
	size_t n = list((struct price_query){ .provider = "aws",
					      .region_glob = "cn-*",
					      .at_ms = UNKNOWN_MS },
			&r);
	assert_int_equal(n, 0);
	free(r);
	n = list((struct price_query){ .provider = "aws",
				       .region_glob = "cn-*",
				       .at_ms = UNKNOWN_MS,
				       .currency = "CNY" },
		 &r);
	assert_true(n > 20);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(r[i].currency, "CNY");
	free(r);
	n = list((struct price_query){ .at_ms = UNKNOWN_MS, .currency = "*" }, &r);
	for (size_t i = 0; i < n; i++)
		assert_true(strcmp(r[i].currency, "CNY") || strncmp(r[i].region, "cn-", 3) == 0);
	free(r);
}

/* RunPod's 0.50 $ for a GPU that nobody offers: shown on demand and last, chosen by nobody; a
 * user's own rows are marked by the same words. */
static void what_is_no_quote(void **state)
{
	static const char *const term[] = { "placeholder", "from", "1y from", "from today" };
	struct price_query q = { .gpu = "MI300X", .provider = "runpod", .at_ms = UNKNOWN_MS };
	struct price_row *r;
	struct err err;
	(void)state;
	assert_int_equal(list(q, &r), 1);
	is_money(r[0].gpu_hour, -1, "2.39");
	assert_false(r[0].no_quote);
	free(r);
	q.no_quotes = true;
	assert_int_equal(list(q, &r), 2);
	is_money(r[0].gpu_hour, -1, "2.39");
	is_money(r[1].gpu_hour, -1, "0.5");
	assert_true(r[1].no_quote);
	free(r);
	q = (struct price_query){ .provider = "nobody", .at_ms = UNKNOWN_MS };
	for (size_t i = 0; i < sizeof term / sizeof *term; i++) {
		struct price p = { .provider = SV("nobody"),
				   .purchase = SV("on_demand"),
				   .term = sv_of(term[i]),
				   .gpu_model = SV("L4"),
				   .hour = 1 + (dec)i,
				   .from_ms = 0,
				   .to_ms = UNKNOWN_MS };
		assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	}
	assert_int_equal(list(q, &r), 1); /* "from today" is a term like any other */
	free(r);
}

static void slices_are_no_gpus(void **state)
{
	struct price_row *r;
	(void)state;
	size_t n = list(
		(struct price_query){ .gpu = "B300", .provider = "runpod", .at_ms = UNKNOWN_MS },
		&r);
	assert_int_equal(n, 2);
	is_money(r[0].gpu_hour, -1, "6.94");
	free(r);
	n = list((struct price_query){ .gpu = "B300 MIG 1g.34gb", .at_ms = UNKNOWN_MS }, &r);
	assert_int_equal(n, 2);
	is_money(r[0].hour, -1, "0.5");
	is_money(r[0].gpu_hour, -1, "3.5");
	assert_int_equal(r[0].gpu_milli, 143);
	free(r);
	n = list((struct price_query){ .provider = "runpod",
				       .count_milli = 1000,
				       .min_vram_gib = 200,
				       .at_ms = UNKNOWN_MS },
		 &r);
	for (size_t i = 0; i < n; i++)
		assert_null(strstr(r[i].gpu_model, "MIG"));
	free(r);
}

static void traps(void **state)
{
	static const char *const on_demand = "on_demand";
	struct price_row *r;
	size_t n;
	(void)state;
	/* FPGAs are priced, and are no GPUs */
	n = list((struct price_query){ .provider = "azure", .at_ms = UNKNOWN_MS }, &r);
	for (size_t i = 0; i < n; i++)
		assert_true(strncmp(r[i].instance_type, "Standard_NP", 11) != 0 && r[i].gpu_model);
	free(r);
	n = list((struct price_query){ .provider = "azure",
				       .instance_type = "Standard_NP10s",
				       .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n > 0 && r[0].gpu_milli == 0 && !r[0].gpu_model);
	free(r);
	/* a fraction's price is scaled to a whole GPU */
	n = list((struct price_query){ .provider = "gcp",
				       .instance_type = "g4-standard-6",
				       .region_glob = "us-central1",
				       .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n > 0 && r[0].gpu_milli == 125 && r[0].gpu_hour == r[0].hour * 8);
	free(r);
	n = list((struct price_query){ .provider = "azure",
				       .instance_type = "Standard_NV6ads_A10_v5",
				       .region_glob = "eastus",
				       .purchase = &on_demand,
				       .npurchase = 1,
				       .at_ms = UNKNOWN_MS },
		 &r);
	assert_int_equal(n, 1);
	is_money(r[0].hour, -1, "0.454");
	is_money(r[0].gpu_hour, -1, "2.724"); /* six of them, not 1000/167 */
	free(r);
	/* an Oracle shape costs eight times what the index lists */
	n = list((struct price_query){ .provider = "oracle",
				       .instance_type = "BM.GPU.H100.8",
				       .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n == 1 && r[0].gpu_milli == 8000);
	is_money(r[0].hour, -1, "80");
	is_money(r[0].gpu_hour, -1, "10");
	free(r);
	/* promotional sizes say so */
	n = list((struct price_query){ .provider = "azure",
				       .gpu = "K80",
				       .region_glob = "australiaeast",
				       .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		assert_true(!strstr(r[i].instance_type, "_Promo") ==
			    !(r[i].term && !strcmp(r[i].term, "promo")));
	free(r);
	/* unknown counts have no price per GPU and come last */
	n = list((struct price_query){ .provider = "azure", .gpu = "A10", .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n > 2 && r[0].gpu_milli > 0 && r[n - 1].gpu_milli == 0 &&
		    r[n - 1].gpu_hour == 0);
	free(r);
}

static void spot(void **state)
{
	struct price_row *r;
	size_t n;
	(void)state;
	/* spot at the price of on-demand, in one zone on one evening */
	n = list((struct price_query){ .provider = "aws",
				       .instance_type = "p3.2xlarge",
				       .region_glob = "us-east-1",
				       .at_ms = at("2022-05-31T22:00:00Z"),
				       .purchase = (const char *const[]){ "spot" },
				       .npurchase = 1 },
		 &r);
	size_t same = 0;
	for (size_t i = 0; i < n; i++)
		same += r[i].hour == 306 * DEC_ONE / 100 && !strcmp(r[i].zone, "use1-az1");
	assert_int_equal(same, 1);
	assert_int_equal(r[0].interruption_as_of_ms, at("2021-02-10"));
	free(r);
	hour_is("p3.2xlarge", "eu-west-1", "spot", "2026-01-01", NULL); /* the evening is over */
	/* the band is the provider's, per month, with its day */
	n = list((struct price_query){ .provider = "aws",
				       .instance_type = "g4dn.xlarge",
				       .region_glob = "us-east-1",
				       .at_ms = UNKNOWN_MS,
				       .purchase = (const char *const[]){ "spot" },
				       .npurchase = 1 },
		 &r);
	assert_int_equal(n, 1);
	assert_true(r[0].interruption_lo_pct >= 0 &&
		    r[0].interruption_hi_pct > r[0].interruption_lo_pct);
	assert_int_equal(r[0].interruption_as_of_ms, at("2025-06-28"));
	free(r);
	n = list((struct price_query){ .provider = "gcp",
				       .instance_type = "a3-highgpu-8g",
				       .region_glob = "us-central1",
				       .at_ms = UNKNOWN_MS,
				       .purchase = (const char *const[]){ "spot" },
				       .npurchase = 1 },
		 &r);
	assert_true(n == 1 && r[0].interruption_lo_pct == -1 && r[0].interruption_hi_pct == -1);
	free(r);
}

static void order_and_filters(void **state)
{
	struct price_row *r;
	size_t n;
	(void)state;
	n = list((struct price_query){ .gpu = "H100", .count_milli = 8000, .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n > 50);
	for (size_t i = 0; i < n; i++) {
		assert_true(strncmp(r[i].gpu_model, "H100", 4) == 0 && r[i].gpu_milli == 8000);
		assert_true(i == 0 || r[i - 1].gpu_hour <= r[i].gpu_hour);
		assert_true(r[i].as_of_ms != UNKNOWN_MS && r[i].source[0]);
	}
	free(r);
	n = list((struct price_query){ .provider = "gcp", .min_vram_gib = 90, .at_ms = UNKNOWN_MS },
		 &r);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		assert_true(!strcmp(r[i].gpu_model, "RTX-PRO-6000") && r[i].gpu_milli >= 1000);
	free(r);
	n = list((struct price_query){ .provider = "aws",
				       .instance_type = "p5.48xlarge",
				       .region_glob = "us-east-1",
				       .history = true,
				       .purchase = (const char *const[]){ "on_demand" },
				       .npurchase = 1,
				       .at_ms = UNKNOWN_MS },
		 &r);
	assert_int_equal(n, 2);
	assert_true(r[0].to_ms == r[1].from_ms && r[1].to_ms == UNKNOWN_MS);
	free(r);
	struct err err = { 0 };
	struct price_query q = { .gpu = "H10", .at_ms = UNKNOWN_MS };
	assert_true(catalog_prices(cat, &q, &r, &n, &err) < 0);
	assert_non_null(strstr(err.msg, "'H10'"));
}

static struct price user_price(const char *type, const char *region, const char *purchase,
			       const char *hour, const char *from, const char *to)
{
	struct price p = { .provider = SV("aws"),
			   .region = sv_of(region),
			   .instance_type = sv_of(type),
			   .purchase = sv_of(purchase),
			   .source = SV("contract.csv"),
			   .from_ms = at(from),
			   .to_ms = to ? at(to) : UNKNOWN_MS,
			   .interruption_lo_pct = -1,
			   .interruption_hi_pct = -1 };
	assert_int_equal(dec_parse(sv_of(hour), 0, &p.hour), 0);
	return p;
}

static void users_prices_win(void **state)
{
	struct price_row *r;
	struct err err;
	size_t n;
	(void)state;
	struct price p = user_price("p5.48xlarge", "us-east-1", "on_demand", "40.00", "2026-01-01",
				    "2026-03-01");
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	/* fetched: below a user's, above the shipped */
	p = user_price("p5.48xlarge", "us-east-1", "on_demand", "54.00", "2026-02-01", NULL);
	p.source = SV("prices:aws:2026-02-01");
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	hour_is("p5.48xlarge", "us-east-1", "on_demand", "2025-12-31", "55.04");
	hour_is("p5.48xlarge", "us-east-1", "on_demand", "2026-02-15", "40.00");
	hour_is("p5.48xlarge", "us-east-1", "on_demand", "2026-03-02", "54.00");
	assert_int_equal(
		catalog_price_over(cat,
				   &(struct price_over){ "aws", "us-east-1", NULL, "p5.48xlarge",
							 NULL, "on_demand", at("2025-12-01"),
							 at("2026-04-01") },
				   &r, &n, &err),
		0);
	assert_int_equal(n, 3);
	is_money(r[0].hour, -1, "55.04");
	is_money(r[1].hour, -1, "40");
	is_money(r[2].hour, -1, "54");
	assert_true(r[1].from_ms == at("2026-01-01") && r[2].from_ms == at("2026-03-01"));
	assert_string_equal(r[1].source, "contract.csv");
	free(r);
	hour_is("p4d.24xlarge", "us-east-1", "on_demand", NULL, "21.957642"); /* others stay */
}

static void users_prices_by_model(void **state)
{
	struct price_row *r;
	struct err err;
	size_t n;
	(void)state;
	/* 2.50 per A100, wherever it is */
	struct price p = user_price(NULL, "*", "on_demand", "2.5", "2026-01-01", NULL);
	p.gpu_model = SV("NVIDIA A100-SXM4-40GB");
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	assert_int_equal(
		catalog_price_over(cat,
				   &(struct price_over){ "aws", "us-east-1", NULL, "p4d.24xlarge",
							 NULL, "on_demand", at("2026-02-01"),
							 at("2026-02-02") },
				   &r, &n, &err),
		0);
	assert_int_equal(n, 1);
	is_money(r[0].hour, -1, "20");
	is_money(r[0].gpu_hour, -1, "2.5");
	free(r);
	assert_int_equal(
		catalog_price_over(cat,
				   &(struct price_over){ "aws", "mars-1", NULL, NULL, "a100",
							 "on_demand", at("2026-02-01"),
							 at("2026-02-02") },
				   &r, &n, &err),
		0);
	assert_int_equal(n, 1);
	free(r);
	/* a type the catalogue has never seen */
	p = user_price("p9.huge", "us-east-1", "on_demand", "7", "2026-01-01", NULL);
	p.gpu_model = SV("B200");
	p.gpu_milli = 2000;
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	hour_is("p9.huge", "us-east-1", "on_demand", NULL, "7");
	assert_int_equal(
		catalog_price_over(cat,
				   &(struct price_over){ "aws", "us-east-1", NULL, "p9.huge", NULL,
							 "on_demand", at("2026-02-01"),
							 at("2026-02-02") },
				   &r, &n, &err),
		0);
	assert_int_equal(n, 1);
	is_money(r[0].gpu_hour, -1, "3.5");
	free(r);
}

static void several_terms(void **state)
{
	static const struct {
		const char *term, *hour, *upfront;
	} t[] = { { "standard; all upfront", "0", "175200" },
		  { "standard; no upfront", "25", "0" },
		  { "standard; partial upfront", "10", "87600" } };
	struct price_row *r;
	struct err err;
	size_t n;
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct price p = user_price("p5.48xlarge", "us-east-1", "reserved_1y", t[i].hour,
					    "2026-01-01", NULL);
		p.term = sv_of(t[i].term);
		assert_int_equal(dec_parse(sv_of(t[i].upfront), 0, &p.upfront), 0);
		assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	}
	/* 20, 25 and 20 an hour: nothing says which was bought */
	assert_int_equal(
		catalog_price_over(cat,
				   &(struct price_over){ "aws", "us-east-1", NULL, "p5.48xlarge",
							 NULL, "reserved_1y", at("2026-02-01"),
							 at("2026-02-02") },
				   &r, &n, &err),
		0);
	assert_int_equal(n, 1);
	assert_string_equal(r[0].term, "standard; no upfront");
	free(r);
	r = ask("p5.48xlarge", "us-east-1", "reserved_1y", NULL, &n);
	assert_int_equal(n, 3);
	is_money(r[0].effective_hour, -1, "20");
	is_money(r[0].gpu_hour, -1, "2.5");
	is_money(r[2].effective_hour, -1, "25");
	free(r);
}

static void replaced_rows(void **state)
{
	struct err err;
	(void)state;
	/* same day given again: the later row stands; a new day ends the one before */
	struct price p = user_price("g5.xlarge", "us-east-1", "spot", "0.40", "2026-01-01", NULL);
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	p = user_price("g5.xlarge", "us-east-1", "spot", "0.41", "2026-01-01", NULL);
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	hour_is("g5.xlarge", "us-east-1", "spot", "2026-01-02", "0.41");
	p = user_price("g5.xlarge", "us-east-1", "spot", "0.50", "2026-02-01", NULL);
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	hour_is("g5.xlarge", "us-east-1", "spot", "2026-01-31", "0.41");
	hour_is("g5.xlarge", "us-east-1", "spot", "2026-02-01", "0.50");
	p.from_ms = UNKNOWN_MS;
	assert_true(catalog_add_price(cat, &p, &err) < 0);
}

static void added_bands(void **state)
{
	struct price_row *r;
	struct err err;
	(void)state;
	struct price p = user_price("p4d.24xlarge", "eu-west-9", "spot", "0", "2026-02-01", NULL);
	p.term = SV(CATALOG_BAND_TERM);
	p.interruption_lo_pct = 15;
	p.interruption_hi_pct = 20;
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	hour_is("p4d.24xlarge", "eu-west-9", "spot", NULL, NULL); /* a band is no price */
	p = user_price("p4d.24xlarge", "eu-west-9", "spot", "9", "2026-03-01", NULL);
	assert_int_equal(catalog_add_price(cat, &p, &err), 0);
	size_t n = list((struct price_query){ .instance_type = "p4d.24xlarge",
					      .region_glob = "eu-west-9",
					      .at_ms = UNKNOWN_MS },
			&r);
	assert_true(n == 1 && r[0].interruption_lo_pct == 15 && r[0].interruption_hi_pct == 20);
	free(r);
}

/* What a source lists no price of is not sold; a day before it nothing is known. */
static void not_sold(void **state)
{
	const int64_t now = at("2026-11-21");

	(void)state;
	const struct not_offered *x = catalog_not_offered(cat, "aws", "us-east-1", "p5.48xlarge",
							  "reserved_1y", now);
	assert_non_null(x);
	assert_string_equal(x->purchase, "reserved");
	assert_true(not_offered_covers(x, "reserved_3y") && !not_offered_covers(x, "spot"));
	assert_false(not_offered_covers(x, "savings_plan"));
	assert_null(catalog_not_offered(cat, "aws", "us-east-1", "p5.48xlarge", "reserved_1y",
					at("2026-01-20")));
	assert_null(catalog_not_offered(cat, "aws", "us-east-1", "g5.xlarge", "reserved_1y", now));
	assert_null(catalog_not_offered(cat, "aws", "us-east-1", "p5.48xlarge", "spot", now));
	/* sold in some regions: only where it is not */
	assert_non_null(catalog_not_offered(cat, "azure", "eastus", "standard_nd96isr_h100_v5",
					    "savings_plan", now));
	assert_null(
		catalog_not_offered(cat, "azure", "westus", "Standard_NC6", "savings_plan", now));
	assert_non_null(catalog_terms_at(cat, 0));
	assert_null(catalog_terms_at(cat, 100));
}

static void committed(void **state)
{
	static const char *const ways[] = { "reserved_1y" };
	struct price_query q = { .provider = "aws",
				 .region_glob = "us-east-1",
				 .purchase = ways,
				 .npurchase = 1,
				 .at_ms = at("2026-11-21") };
	struct price_row *r;
	struct err err;
	size_t n;

	(void)state;
	q.instance_type = "p4d.24xlarge";
	assert_int_equal(catalog_prices(cat, &q, &r, &n, &err), 0);
	assert_int_equal(n, 1);
	is_money(r[0].hour, -1, "13.921094");
	assert_string_equal(r[0].term, "standard; no upfront");
	free(r);
	/* nothing stands in for what is not sold, the older price neither */
	q.instance_type = "p3.8xlarge";
	q.npurchase = 0;
	assert_int_equal(catalog_prices(cat, &q, &r, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(purchase_terms(sv_of(r[i].purchase)).commitment, COMMITMENT_NONE);
	free(r);
}

#define WITH_CATALOG(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CATALOG(acceptance),
		WITH_CATALOG(over_a_change),
		WITH_CATALOG(nothing_is_guessed),
		WITH_CATALOG(yuan_are_no_dollars),
		WITH_CATALOG(what_is_no_quote),
		WITH_CATALOG(slices_are_no_gpus),
		WITH_CATALOG(traps),
		WITH_CATALOG(spot),
		WITH_CATALOG(order_and_filters),
		WITH_CATALOG(users_prices_win),
		WITH_CATALOG(users_prices_by_model),
		WITH_CATALOG(several_terms),
		WITH_CATALOG(replaced_rows),
		WITH_CATALOG(added_bands),
		WITH_CATALOG(not_sold),
		WITH_CATALOG(committed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
