#ifndef TARE_STORE_DUCK_TUPLES_H
#define TARE_STORE_DUCK_TUPLES_H
/*
 * The texts of the ledger. A row of it has the numbers of two tuples, which stand once each in
 * tables of their own: what was paid for (TUPLE_WHAT) and who answers for it (TUPLE_WHO). Equal
 * texts have one number in all batches, so numbers can be grouped by in their place.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct facts;
struct tuples;
enum tuple { TUPLE_WHAT, TUPLE_WHO, TUPLE_N };
/* Their columns after the number, in the order of the texts that tuple_id() takes; l is what a
 * column's name begins with. The last texts of what was paid for (WHAT_BILL_COLUMNS) stand in
 * ledger_bill, under the same number, where there is any of them. */
#define WHAT_COLUMNS(l)                                                                         \
	l "scope, " l "gpu, " l "node, " l "cluster, " l "provider, " l "region, " l "zone, " l \
	  "gpu_model, " l "purchase, " l "currency, " l "cloud_service, " l "account, " l       \
	  "instance_type, " l "commitment"
#define WHO_COLUMNS(l)                                                                       \
	l "user_name, " l "team, " l "project, " l "env, " l "workload, " l "owner_from, " l \
	  "tags, " l "service"
#define WHAT_BILL_COLUMNS(l) l "invoice, " l "billing_account, " l "charge_category"
#define WHAT_WITH_BILL                                                           \
	"(SELECT x.*, " WHAT_BILL_COLUMNS("y.") " FROM ledger_what x LEFT JOIN " \
						"ledger_bill y ON y.what = x.id)"
#define WHAT_BILL_N 3
#define WHAT_N      (14 + WHAT_BILL_N)
#define WHO_N       8

/* The number of a tuple, new or known; text [WHAT_N] or [WHO_N]. Only inside a batch: those of
 * earlier ones are read when it first asks. 16 bytes of memory and a number a tuple. */
int tuple_id(struct facts *f, enum tuple t, const struct sv *text, int32_t *ret, struct err *err);
/* Numbers given since the last commit are forgotten. NULL is fine. */
void tuples_free(struct tuples *t);

#endif
