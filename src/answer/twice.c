#include "answer/twice.h"

#include "catalog/catalog.h"
#include "ledger/join.h"
#include "store/machines.h"

int answer_twice(const struct ask *ask, int64_t from_ms, int64_t to_ms, struct twice *ret,
		 struct err *err)
{
	struct nameless_gpu x = { 0 };
	struct machine_time *v;
	struct catalog *own = NULL;
	size_t n = 0;
	int rc = store_nameless_gpu(ask->store, from_ms, to_ms, &x, err);

	*ret = (struct twice){ 0 };
	if (x.ngpu)
		ret->nameless = join_nameless_words(ask->mem, x.ms, x.ngpu, x.nmachine);
	if (!rc)
		rc = store_machine_times(ask->store, (struct span){ from_ms, to_ms }, ask->mem, &v,
					 &n, err);
	if (rc || !n)
		return rc;
	if (!ask->catalog && (rc = catalog_open(NULL, &own, err)) < 0)
		return rc;
	const struct catalog *c = ask->catalog ? ask->catalog : own;
	struct join_twice t = join_twice(c, v, n, ask->mem);
	ret->named = join_twice_words(ask->mem, &t);
	catalog_free(own);
	return 0;
}
