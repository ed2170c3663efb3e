#ifndef TARE_TESTS_PLAN_FAKE_H
#define TARE_TESTS_PLAN_FAKE_H
/* A plan made by hand: 200,000 a month, three changes of which the third depends on the second, one
 * piece of advice, one refusal. */
#include <math.h>
#include "plan/plan.h"

struct plan_fake {
	struct fleet fleet;
	struct plan plan;
	struct rec rec[5];
};

static inline void fake_rec(struct plan_fake *f, int i, const char *id, const char *lever,
			    const char *title, const char *team, enum risk risk,
			    int64_t saving_nano, int64_t alone_nano)
{
	struct rec *r = &f->rec[i];

	*r = (struct rec){ .id = id,
			   .lever = lever,
			   .title = title,
			   .team = team,
			   .risk = risk,
			   .effort_days = i + 1,
			   .within_days = 2 * i + 1,
			   .confidence_frac = 0.9,
			   .saving_nano = saving_nano,
			   .p05_nano = saving_nano - saving_nano / 10,
			   .p95_nano = saving_nano + saving_nano / 20,
			   .alone_nano = alone_nano };
	r->replay = (struct rec_replay){ .since_ms = f->fleet.since_ms,
					 .until_ms = f->fleet.until_ms,
					 .jobs = 240,
					 .interruptions = 1.5,
					 .p99_before_ms = NAN,
					 .p99_after_ms = NAN };
	*vec_push(&r->subject) = (struct subject){ "team", team };
	*vec_push(&r->evidence) = (struct evidence){ QUALITY_MEASURED, "GPUs with work",
						     "1 of 4",         "cards",
						     "telemetry",      "2026-10-01/2026-10-31" };
	*vec_push(&r->action) = (struct action){
		.kind = ACTION_SUBMIT,
		.submit = { .change = SUBMIT_GPUS, .to = TO_SLURM, .was.gpus = 4, .now.gpus = 1 }
	};
	*vec_push(&r->risk_text) = "a job may need more GPUs than it did";
}

static inline void fake_workload(struct plan_fake *f, const char *job, const char *workload,
				 int64_t nano)
{
	*vec_push(&f->fleet.workload) = (struct workload){ .kind = WORKLOAD_JOB,
							   .job = job,
							   .name = "bert-ft",
							   .user = "mei",
							   .team = "vision",
							   .project = "",
							   .env = "",
							   .workload = workload,
							   .cluster = "",
							   .node = "train-01",
							   .currency = "USD",
							   .service = "",
							   .provider = "aws",
							   .region = "us-east-1",
							   .zone = "",
							   .instance_type = "p3.8xlarge",
							   .gpu_model = "V100-SXM2-16GB",
							   .purchase = "on_demand",
							   .resource = "",
							   .start_ms = f->fleet.since_ms,
							   .end_ms = f->fleet.since_ms + 36000000,
							   .limit_ms = 86400000,
							   .deadline_ms = UNKNOWN_MS,
							   .attempts = 1,
							   .checkpointable = -1,
							   .end_state = "COMPLETED",
							   .gpus_milli = 4000,
							   .elastic = true,
							   .ms = 144000000,
							   .cost_nano = nano,
							   .measured_ms = 144000000,
							   .stats = { .covered_frac = 1,
								      .gpus = 4,
								      .gpus_used = 1,
								      .util_mean_pct = 22,
								      .mem_p99_bytes = 9e9 } };
}

static inline void fake_change(struct plan_fake *f, int rec, uint32_t workload, int64_t after_nano)
{
	*vec_push(&f->rec[rec].change) =
		(struct rec_change){ .workload = workload,
				     .after = { .gpu_model = "V100-SXM2-16GB",
						.purchase = "spot",
						.gpus_milli = 1000,
						.cost_nano = after_nano },
				     .lo_nano = after_nano,
				     .hi_nano = after_nano };
}

/* Amounts with digits below the cent, so that what is shown has to be rounded. */
static inline void fake_make(struct plan_fake *f)
{
	struct plan *p = &f->plan;

	memset(f, 0, sizeof *f);
	f->fleet.currency = "USD";
	f->fleet.since_ms = 1790812800000;
	f->fleet.until_ms = f->fleet.since_ms + 730 * 3600000LL;
	f->fleet.gpu_ms = 288000000;
	f->fleet.measured_ms = 288000000;
	fake_workload(f, "41", "training", 120000333333333);
	fake_workload(f, "42", "evaluation", 79999666666667);
	f->fleet.cost_nano = 200000000000000;
	fake_rec(f, 0, "rightsize_count-vision", "rightsize_count",
		 "vision: 1 GPU, not 4, for 212 of 240 experiments (p3.8xlarge -> p3.2xlarge)",
		 "vision", RISK_LOW, 41300499999999, 41300499999999);
	fake_rec(f, 1, "spot-checkpoints", "spot", "nlp, vision: add checkpoints", "", RISK_LOW, 0,
		 0);
	fake_rec(f, 2, "spot-training", "spot", "nlp, vision: move to spot", "nlp", RISK_MEDIUM,
		 34900499999999, 71200000000000);
	*vec_push(&f->rec[2].depends_on) = "spot-checkpoints";
	fake_change(f, 0, 0, 78699833333334);
	fake_change(f, 2, 0, 43799333333335);
	fake_rec(f, 3, "advice-early-stopping", "advice", "stop runs early that do not improve", "",
		 RISK_LOW, 0, 0);
	f->rec[1].prepares = true;
	f->rec[3].advice = true;
	fake_rec(f, 4, "share-assist", "share", "search: two services on one GPU", "search",
		 RISK_HIGH, 0, 9000000000000);
	p->fleet = &f->fleet;
	p->month_hours = p->window_hours = 730;
	p->baseline_nano = f->fleet.cost_nano;
	p->baseline_month = 200000 * DEC_ONE;
	p->after_month = p->baseline_month;
	p->after_nano = p->baseline_nano;
	for (int i = 0; i < 3; i++) {
		struct rec *r = &f->rec[i];
		*vec_push(&p->rec.v) = r;
		*vec_push(&p->saving_month) = nano_to_dec(r->saving_nano);
		*vec_push(&p->p05_month) = nano_to_dec(r->p05_nano);
		*vec_push(&p->p95_month) = nano_to_dec(r->p95_nano);
		p->after_month -= nano_to_dec(r->saving_nano);
		p->after_nano -= r->saving_nano;
	}
	p->after_month_p05 = p->after_month - 4000 * DEC_ONE;
	p->after_month_p95 = p->after_month + 8000 * DEC_ONE;
	/* the first can be undone, the third wants a trial, and binds what the fourth would */
	f->rec[1].tier = f->rec[2].tier = TIER_TRIAL;
	p->tier[TIER_SURE] =
		(struct plan_tier){ .items = 1,
				    .saving_month = p->saving_month.v[0],
				    .p05_month = p->p05_month.v[0],
				    .p95_month = p->p95_month.v[0],
				    .after_month = p->baseline_month - p->saving_month.v[0] };
	p->tier[TIER_TRIAL] = (struct plan_tier){ .items = 2,
						  .saving_month = p->saving_month.v[2],
						  .p05_month = p->p05_month.v[2],
						  .p95_month = p->p95_month.v[2],
						  .after_month = p->after_month };
	p->tier[TIER_BINDS] = (struct plan_tier){ .after_month = p->after_month };
	p->replayed_month = p->after_month - DEC_ONE;
	*vec_push(&p->pool) = (struct plan_pool){ "p3.8xlarge", "us-east-1", "on_demand", 12, 3 };
	*vec_push(&p->advice.v) = &f->rec[3];
	*vec_push(&p->refused.v) = &f->rec[4];
	*vec_push(&p->refused_why) = "risk high: 3 % of the requests over their limit";
	*vec_push(&p->finding) =
		(struct finding){ .cause = "overbooked",
				  .title = "evaluation books 24 h and is done after 8",
				  .nano = 9900000000000,
				  .gpu_ms = 36000000,
				  .quality = QUALITY_MEASURED,
				  .lever = "trim_time" };
	*vec_push(&p->note) = "2 jobs are longer than the history: how long they take is not known";
	*vec_push(&p->sensitivity) = (struct plan_case){ "prices +10 %", 220000000000000,
							 140000000000000 };
	p->replay = (struct rec_replay){ .since_ms = f->fleet.since_ms,
					 .until_ms = f->fleet.until_ms,
					 .jobs = 14231,
					 .interruptions = 12.25,
					 .p99_before_ms = 41,
					 .p99_after_ms = 58 };
	p->exact = true;
	p->saving_frac_p05 = 0.341;
	p->saving_frac_p95 = 0.402;
}

static inline void fake_free(struct plan_fake *f)
{
	struct plan *p = &f->plan;

	for (size_t i = 0; i < 5; i++) {
		vec_free(&f->rec[i].subject);
		vec_free(&f->rec[i].change);
		vec_free(&f->rec[i].evidence);
		vec_free(&f->rec[i].action);
		vec_free(&f->rec[i].risk_text);
		vec_free(&f->rec[i].depends_on);
	}
	vec_free(&p->rec.v);
	vec_free(&p->saving_month);
	vec_free(&p->p05_month);
	vec_free(&p->p95_month);
	vec_free(&p->advice.v);
	vec_free(&p->refused.v);
	vec_free(&p->refused_why);
	vec_free(&p->finding);
	vec_free(&p->note);
	vec_free(&p->sensitivity);
	vec_free(&p->pool);
	vec_free(&f->fleet.workload);
}

#endif
