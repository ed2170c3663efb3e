/* The gate: for each of its rules a habit just inside of it and one just outside. */
#include "unit/plan/fleet_fix.h"
#include "plan/proof/gate.h"

#define GIB ((double)(1 << 30))

struct scene {
	struct fix x;
	struct workload first;
	struct habit_runs h;
	struct lever_in in;
	struct gate_offer o;
};

static struct gate_offer offer_of(const struct scene *s, const char *provider, const char *type,
				  int gpus)
{
	const struct instance_type *t = catalog_instance(s->x.cat, sv_of(provider), sv_of(type));

	if (!t)
		fail_msg("no %s", type);
	return (struct gate_offer){
		.gpu = catalog_gpu(s->x.cat, sv_of(t->gpu_model)),
		.type = t,
		.gpus = gpus,
		.slow = 1,
	};
}

/* Twenty well watched runs on 4 V100, of which they use one: one V100 is sure. */
static void open_scene(struct scene *s)
{
	*s = (struct scene){ 0 };
	fix_open(&s->x, 24 * 40);
	s->first = (struct workload){ .provider = "aws",
				      .region = "us-east-1",
				      .instance_type = "p3.8xlarge",
				      .gpu_model = "V100-SXM2-16GB",
				      .purchase = "on_demand",
				      .gpus_milli = 4000 };
	s->h = (struct habit_runs){ .first = &s->first,
				    .asks_milli = 4000,
				    .name = "",
				    .runs = 20,
				    .machines = 1,
				    .weeks = 5,
				    .watched_frac = 1,
				    .whole = true,
				    .longest_ms = 10 * MS_HOUR,
				    .limit_ms = 20 * MS_HOUR,
				    .mem_peak_bytes = 8 * GIB,
				    .step_s = 10,
				    .cpu_cores = 4,
				    .ram_gib = 30,
				    .util_frac = 0.5,
				    .starved_frac = 0,
				    .sm = NAN,
				    .tensor = NAN,
				    .dram = NAN,
				    .most_needed = 1 };
	s->in = (struct lever_in){ .fleet = &s->x.f,
				   .catalog = s->x.cat,
				   .conf = &s->x.conf,
				   .now_ms = FIX_NOW,
				   .mem = &s->x.mem };
	s->o = offer_of(s, "aws", "p3.2xlarge", 1);
}

static void close_scene(struct scene *s)
{
	fix_close(&s->x);
}

static struct gate_verdict ask(struct scene *s)
{
	return gate_check(&s->in, &s->h, &s->o);
}

static void want(struct scene *s, enum gate gate, const char *why)
{
	struct gate_verdict v = ask(s);

	if (v.gate != gate)
		fail_msg("%d, not %d: %s", v.gate, gate, v.why);
	if (!*why)
		assert_string_equal(v.why, "");
	else
		assert_has(v.why, why);
}

/* Another GPU on a machine with as many of them and more of all else. */
static void other_gpu(struct scene *s, const char *type, int gpus)
{
	s->o = offer_of(s, "aws", type, gpus);
	s->h.most_needed = gpus;
}

static void what_is_known_is_sure(void **state)
{
	struct scene s;
	open_scene(&s);
	want(&s, GATE_SURE, "");
	assert_false(ask(&s).reveals);
	other_gpu(&s, "g4dn.12xlarge", 4); /* its speed is an estimate: never sure */
	want(&s, GATE_TRIAL, "another GPU");
	close_scene(&s);
}

static void what_the_catalogue_does_not_know(void **state)
{
	struct scene s;
	open_scene(&s);
	s.o.type = NULL;
	want(&s, GATE_NO, "catalogue");
	s.o = offer_of(&s, "aws", "p3.2xlarge", 1);
	s.o.gpu = NULL;
	want(&s, GATE_NO, "catalogue");
	s.o = offer_of(&s, "aws", "p3.2xlarge", 1);
	s.first.gpu_model = "Voodoo2";
	want(&s, GATE_NO, "catalogue");
	close_scene(&s);
}

static void watched(void **state)
{
	struct scene s;
	open_scene(&s);
	s.h.watched_frac = 0.9;
	want(&s, GATE_SURE, "");
	s.h.watched_frac = 0.899;
	want(&s, GATE_NO, "watched");
	s.x.conf.gates.watched_frac = 0.8; /* a setting */
	want(&s, GATE_SURE, "");
	close_scene(&s);
}

/* 1.10 from 20 runs and readings of 10 s or finer, 1.15 from 10 and 60 s, else 1.25 from 5. */
static void head_room_by_runs_and_step(void **state)
{
	static const struct {
		size_t runs;
		double step_s, factor;
	} t[] = { { 20, 10, 1.10 }, { 19, 10, 1.15 }, { 20, 10.1, 1.15 }, { 10, 60, 1.15 },
		  { 9, 60, 1.25 },  { 10, 61, 1.25 }, { 500, 300, 1.25 }, { 5, 1, 1.25 },
		  { 4, 1, 0 },      { 0, 1, 0 },      { 20, NAN, 1.25 } };
	struct scene s;

	open_scene(&s);
	for (size_t i = 0; i < COUNT(t); i++)
		assert_float_equal(gate_memory_factor(&s.x.conf.gates, t[i].runs, t[i].step_s),
				   t[i].factor, 1e-12);
	for (size_t i = 0; i < COUNT(t); i++) { /* a T4 has 15 GiB that a program can have */
		double most = t[i].factor ? 15 / t[i].factor : 0;
		other_gpu(&s, "g4dn.12xlarge", 4);
		s.h.runs = t[i].runs;
		s.h.step_s = t[i].step_s;
		s.h.mem_peak_bytes = (most ? most * 0.999 : 0.01) * GIB;
		if (t[i].factor)
			want(&s, GATE_TRIAL, "another GPU");
		else
			want(&s, GATE_NO, "too few runs");
		s.h.mem_peak_bytes = most * 1.001 * GIB;
		if (t[i].factor)
			want(&s, GATE_NO, "do not fit into 15.0 GiB of T4");
	}
	close_scene(&s);
}

static void memory_that_was_not_read(void **state)
{
	struct scene s;
	open_scene(&s);
	other_gpu(&s, "g4dn.12xlarge", 4);
	s.h.mem_peak_bytes = NAN;
	want(&s, GATE_NO, "was not read");
	s.h.mem_peak_bytes = 0;
	want(&s, GATE_NO, "was not read");
	/* the same GPUs, as many as any run worked on or filled: nothing moves */
	s.h.mem_peak_bytes = NAN;
	s.o = offer_of(&s, "aws", "p3.2xlarge", 1);
	s.h.most_needed = 1;
	want(&s, GATE_SURE, "");
	/* a default that some need more than: those of the rest were not read */
	s.h.most_needed = 4;
	s.o.is_default = true;
	want(&s, GATE_NO, "was not read");
	close_scene(&s);
}

/* A flat reading is what the framework took: an upper bound, so no size refuses it, and a trial has
 * to reveal the need. */
static void preallocation(void **state)
{
	struct scene s;
	open_scene(&s);
	other_gpu(&s, "g4dn.12xlarge", 4);
	s.h.mem_peak_bytes = 15.5 * GIB;
	want(&s, GATE_NO, "do not fit");
	s.h.preallocates = true;
	assert_true(ask(&s).reveals);
	assert_int_equal(ask(&s).gate, GATE_TRIAL);
	s.h.mem_peak_bytes = NAN; /* that it is flat was read, how much was not */
	assert_int_equal(ask(&s).gate, GATE_NO);
	/* on the same GPU there is nothing to reveal */
	s.o = offer_of(&s, "aws", "p3.2xlarge", 1);
	s.h.mem_peak_bytes = 15.5 * GIB;
	s.h.most_needed = 1;
	assert_false(ask(&s).reveals);
	close_scene(&s);
}

/* p3.2xlarge has 8 CPUs: a peak of 80 % of them is 6.4. */
static void cpus(void **state)
{
	struct scene s;
	open_scene(&s);
	s.h.cpu_cores = 6.4;
	want(&s, GATE_SURE, "");
	s.h.cpu_cores = 6.5;
	want(&s, GATE_TRIAL, "CPU peak");
	s.h.cpu_cores = 8;
	want(&s, GATE_TRIAL, "CPU peak");
	s.h.cpu_cores = 8.1;
	want(&s, GATE_NO, "it uses 9 CPUs, and p3.2xlarge has 8");
	s.h.cpu_cores = NAN;
	want(&s, GATE_TRIAL, "how many CPUs");
	close_scene(&s);
}

/* Of a machine with more GPUs than it is given only their part is its: a quarter of 32 CPUs and of
 * 244 GiB goes with one of four. */
static void a_part_of_a_machine(void **state)
{
	struct scene s;
	open_scene(&s);
	s.o = offer_of(&s, "aws", "p3.8xlarge", 1);
	s.h.cpu_cores = 6.4;
	s.h.ram_gib = 61 / 1.2;
	want(&s, GATE_SURE, "");
	s.h.cpu_cores = 8.1;
	want(&s, GATE_NO, "CPUs");
	s.h.cpu_cores = 6.4;
	s.h.ram_gib = 62;
	want(&s, GATE_NO, "RAM");
	close_scene(&s);
}

/* p3.2xlarge has 61 GiB: 50.8 of them with head-room. */
static void ram(void **state)
{
	struct scene s;
	open_scene(&s);
	s.h.ram_gib = 50.8;
	want(&s, GATE_SURE, "");
	s.h.ram_gib = 50.9;
	want(&s, GATE_TRIAL, "RAM leaves too little");
	s.h.ram_gib = 61;
	want(&s, GATE_TRIAL, "RAM leaves too little");
	s.h.ram_gib = 61.1;
	want(&s, GATE_NO, "it takes 62 GiB of RAM");
	s.h.ram_gib = NAN;
	want(&s, GATE_TRIAL, "how much RAM");
	close_scene(&s);
}

/* Whoever waits for input may wait for CPUs. */
static void who_waits_for_input_keeps_cpus(void **state)
{
	struct scene s;
	open_scene(&s);
	s.h.starved_frac = 0.2;
	want(&s, GATE_SURE, "");
	s.h.starved_frac = 0.21;
	want(&s, GATE_TRIAL, "waits for its input");
	s.o = offer_of(&s, "aws", "p3.8xlarge", 4); /* as many CPUs as before */
	want(&s, GATE_SURE, "");
	close_scene(&s);
}

static void makers_and_processors(void **state)
{
	struct scene s;
	open_scene(&s);
	other_gpu(&s, "g4ad.16xlarge", 4);
	s.h.mem_peak_bytes = 1 * GIB;
	want(&s, GATE_NO, "programs for this GPU");
	/* the same silicon beside an ARM processor */
	s.first.instance_type = "g4dn.12xlarge";
	s.first.gpu_model = "T4";
	s.o = offer_of(&s, "aws", "g5g.16xlarge", 2);
	s.h.most_needed = 2;
	s.h.cpu_cores = 1;
	want(&s, GATE_NO, "instruction set");
	/* back from a GPU with formats that the other lacks */
	s.first.instance_type = "g5.12xlarge";
	s.first.gpu_model = "A10G";
	other_gpu(&s, "g4dn.12xlarge", 4);
	want(&s, GATE_NO, "programs for this GPU"); /* bf16 */
	s.first.instance_type = "g6.12xlarge";
	s.first.gpu_model = "L4";
	other_gpu(&s, "g5.12xlarge", 4);
	want(&s, GATE_NO, "programs for this GPU"); /* fp8 */
	s.first.instance_type = "g4dn.12xlarge";
	s.first.gpu_model = "T4";
	other_gpu(&s, "g5.12xlarge", 4); /* the other way all is there */
	want(&s, GATE_TRIAL, "another GPU");
	close_scene(&s);
}

static void shapes(void **state)
{
	struct scene s;
	open_scene(&s);
	s.o.gpus = 2; /* of a machine with one */
	s.h.cpu_cores = 1;
	want(&s, GATE_NO, "fewer GPUs");
	close_scene(&s);
	open_scene(&s);
	s.h.most_needed = 2;
	want(&s, GATE_NO, "some runs use more GPUs");
	s.o.is_default = true; /* those ask for more */
	want(&s, GATE_SURE, "");
	close_scene(&s);
}

static void gangs_keep_their_shape(void **state)
{
	struct scene s;
	open_scene(&s);
	s.h.machines = 2;
	want(&s, GATE_NO, "several machines");
	s.o.is_default = true; /* nor as a default */
	want(&s, GATE_NO, "several machines");
	s.o.is_default = false;
	other_gpu(&s, "g4dn.12xlarge", 4); /* whole, onto other machines */
	want(&s, GATE_TRIAL, "another GPU");
	close_scene(&s);
}

/* The slow end of the range counts, in whole minutes; as long as now needs no more than now. */
static void limits(void **state)
{
	struct scene s;
	open_scene(&s);
	other_gpu(&s, "g4dn.12xlarge", 4);
	s.o.slow = 2;
	want(&s, GATE_TRIAL, "another GPU");
	assert_int_equal(ask(&s).need_ms, 20 * MS_HOUR);
	s.o.slow = 2.001;
	want(&s, GATE_NO, "slow end");
	assert_int_equal(ask(&s).need_ms, 20 * MS_HOUR + MS_MINUTE);
	s.h.limit_ms = UNKNOWN_MS; /* nothing kills it */
	want(&s, GATE_TRIAL, "another GPU");
	assert_int_equal(ask(&s).need_ms, 20 * MS_HOUR + MS_MINUTE);
	s.h.limit_ms = 10 * MS_HOUR - 1; /* cut before too */
	s.o.slow = 1;
	want(&s, GATE_TRIAL, "another GPU");
	close_scene(&s);
}

static void nvlink(void **state)
{
	static const struct {
		const char *model;
		bool has;
	} t[] = { { "V100-SXM2-16GB", true },  { "A100-SXM4-80GB", true },
		  { "H100-NVL-94GB", true },   { "B200", true },
		  { "V100-PCIE-16GB", false }, { "T4", false },
		  { "L40S", false },           { "A10G", false } };
	struct scene s;

	open_scene(&s);
	for (size_t i = 0; i < COUNT(t); i++) {
		const struct gpu_spec *g = catalog_gpu(s.x.cat, sv_of(t[i].model));
		if (!g)
			fail_msg("no %s", t[i].model);
		assert_int_equal(gate_has_nvlink(g), t[i].has);
	}
	other_gpu(&s, "g4dn.12xlarge", 4);
	assert_int_equal(ask(&s).gate, GATE_TRIAL);
	close_scene(&s);
}

/* What is sold: at the place, with so many GPUs, of the model, cheapest first. */
static void offers(void **state)
{
	struct scene s;
	struct sold_list l;
	struct use u = { .provider = "aws",
			 .region = "us-east-1",
			 .zone = "us-east-1a",
			 .purchase = "on_demand" };
	double last = 0;

	open_scene(&s);
	s.x.f.currency = "USD";
	gate_offers(&s.in, &u, "V100-SXM2-16GB", 1, &l);
	assert_int_equal(l.v.n, 1);
	assert_string_equal(l.v.v[0].type->name, "p3.2xlarge");
	vec_free(&l.v);
	gate_offers(&s.in, &u, "V100-SXM2-16GB", 3, &l);
	assert_int_equal(l.v.n, 0);
	gate_offers(&s.in, &u, NULL, 4, &l);
	assert_true(l.v.n > 3);
	for (size_t i = 0; i < l.v.n; i++) {
		double price = (double)l.v.v[i].rate.nano_gpu_hour *
			       (double)l.v.v[i].type->gpu_milli;
		assert_true(price >= last);
		last = price;
		assert_int_equal(l.v.v[i].type->gpu_milli, 4000);
		for (size_t k = 0; k < i; k++)
			assert_ptr_not_equal(l.v.v[i].type, l.v.v[k].type);
	}
	vec_free(&l.v);
	u.region = "moon-1";
	gate_offers(&s.in, &u, NULL, 4, &l);
	assert_int_equal(l.v.n, 0);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known_is_sure),
		cmocka_unit_test(what_the_catalogue_does_not_know),
		cmocka_unit_test(watched),
		cmocka_unit_test(head_room_by_runs_and_step),
		cmocka_unit_test(memory_that_was_not_read),
		cmocka_unit_test(preallocation),
		cmocka_unit_test(cpus),
		cmocka_unit_test(a_part_of_a_machine),
		cmocka_unit_test(ram),
		cmocka_unit_test(who_waits_for_input_keeps_cpus),
		cmocka_unit_test(makers_and_processors),
		cmocka_unit_test(shapes),
		cmocka_unit_test(gangs_keep_their_shape),
		cmocka_unit_test(limits),
		cmocka_unit_test(nvlink),
		cmocka_unit_test(offers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
