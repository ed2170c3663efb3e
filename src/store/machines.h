#ifndef TARE_STORE_MACHINES_H
#define TARE_STORE_MACHINES_H
/* Machines that sources know by different names. */
#include "model/machine_id.h"
#include "store/store.h"

/* Ids of the machines (MACHINE_TAG) that jobs in force with a node tell of, by scope and id; each
 * once. */
struct job_machine {
	struct sv scope, resource_id;
};
int store_job_machines(struct store *s, struct arena *a, struct job_machine **ret, size_t *ret_n,
		       struct err *err);
/* GPU time of the hours of [from, to) that one source alone tells of, by machine_time's fields;
 * none where there are not both kinds. */
int store_machine_times(struct store *s, struct span of, struct arena *a, struct machine_time **ret,
			size_t *ret_n, struct err *err);

#endif
