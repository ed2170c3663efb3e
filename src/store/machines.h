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
/* By what readings may know the jobs in force that started: their id and the GPUs they name, with
 * the time of all that a scope has of one; to_ms INT64_MAX: it runs. By scope, id, GPUs. */
struct job_name {
	struct sv scope, job_id, namespace_, gpu_ids;
	int64_t from_ms, to_ms;
};
int store_job_names(struct store *s, struct arena *a, struct job_name **ret, size_t *ret_n,
		    struct err *err);

/* Nodes that incidents in force are of, each once. */
int store_incident_nodes(struct store *s, struct arena *a, struct sv **ret, size_t *ret_n,
			 struct err *err);

/* GPU time of the hours of [from, to) that one source alone tells of, by machine_time's fields;
 * none where there are not both kinds. */
int store_machine_times(struct store *s, struct span of, struct arena *a, struct machine_time **ret,
			size_t *ret_n, struct err *err);

#endif
