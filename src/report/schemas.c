#include "report/schemas.h"

#include "report/alerts.h"
#include "report/chargeback.h"
#include "report/config.h"
#include "report/doctor.h"
#include "report/formats.h"
#include "report/gpu_eval.h"
#include "report/import.h"
#include "report/kpi.h"
#include "report/plan_batch.h"
#include "report/plan_capacity.h"
#include "report/plan_commit.h"
#include "report/plan_forecast.h"
#include "report/plan_gpu.h"
#include "report/plan_mig.h"
#include "report/plan_own.h"
#include "report/plan_reserved.h"
#include "report/plan_schedule.h"
#include "report/plan_spot.h"
#include "report/plan_view.h"
#include "report/price_update.h"
#include "report/prices.h"
#include "report/reconcile.h"
#include "report/samples.h"
#include "report/simulate_jobs.h"
#include "report/simulate_requests.h"
#include "report/simulate_spot.h"
#include "report/tags.h"
#include "report/trace.h"

/* clang-format off */
const struct col_doc *const schema_docs[] = {
	&alerts_doc,
	&alerts_rules_doc,
	&alerts_silences_doc,
	&config_doc,
	&doctor_doc,
	&explain_doc,
	&import_doc,
	&trace_doc,
	&kpi_doc,
	&plan_doc,
	&plan_backtest_doc,
	&plan_batch_doc,
	&plan_by_doc,
	&plan_capacity_doc,
	&plan_commit_doc,
	&plan_findings_doc,
	&plan_forecast_doc,
	&plan_gpu_doc,
	&gpu_eval_doc,
	&plan_mig_doc,
	&plan_own_doc,
	&plan_refused_doc,
	&plan_reserved_doc,
	&schedule_job_doc,
	&plan_spot_doc,
	&price_update_doc,
	&prices_doc,
	&reconcile_doc,
	&report_doc,
	&samples_doc,
	&chargeback_doc,
	&showback_doc,
	&simulate_jobs_doc,
	&simulate_requests_doc,
	&simulate_spot_doc,
	&tags_doc,
	NULL,
};
/* clang-format on */

/* "plan-own" of "tare.plan-own/1" */
static struct sv short_name(const struct col_doc *d)
{
	struct sv name = sv_from(sv_of(d->schema), sizeof "tare." - 1);

	name.n -= sizeof "/1" - 1;
	return name;
}

const struct col_doc *schema_find(const struct col_doc *const *docs, const char *name)
{
	for (size_t i = 0; docs[i]; i++) {
		const struct col_doc *d = docs[i];
		if (!strcmp(d->command, name) || !strcmp(d->schema, name) ||
		    sv_is(short_name(d), name))
			return d;
	}
	return NULL;
}
