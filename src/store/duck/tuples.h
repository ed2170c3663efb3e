#ifndef TARE_STORE_DUCK_TUPLES_H
#define TARE_STORE_DUCK_TUPLES_H
/*
 * The texts of the ledger and of allocations. A row has the numbers of tuples, which stand once
 * each in tables of their own. Of the ledger: what was paid for (TUPLE_WHAT) and who answers for it
 * (TUPLE_WHO). Of an allocation: where it is (TUPLE_PLACE), whose (TUPLE_OWNER) and what it holds
 * how (TUPLE_SHAPE, with numbers of few values). Equal tuples have one number in all batches, so
 * numbers can be grouped by in their place.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/dec.h"
#include "base/err.h"
#include "base/str.h"

struct facts;
struct tuples;
struct answer;
enum tuple { TUPLE_WHAT, TUPLE_WHO, TUPLE_PLACE, TUPLE_OWNER, TUPLE_SHAPE, TUPLE_N };
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
#define PLACE_COLUMNS(l) l "scope, " l "node, " l "cluster, " l "namespace, " l "gpu_ids"
#define OWNER_COLUMNS(l) \
	l "user_name, " l "team, " l "project, " l "env, " l "workload, " l "account"
#define SHAPE_COLUMNS(l)                                                                   \
	l "gpu_model, " l "mig_profile, " l "state, " l "queue, " l "currency, " l         \
	  "gpus_milli, " l "share_kind, " l "share_ppb, " l "mig_start, " l "open_end, " l \
	  "checkpointable, " l "attempt, " l "usd_gpu_hour"
#define WHAT_BILL_N 3
#define WHAT_N      (14 + WHAT_BILL_N)
#define WHO_N       8
#define PLACE_TEXTS 5
#define OWNER_TEXTS 6
#define SHAPE_TEXTS 5      /* texts, before struct shape */
#define TUPLE_TEXTS WHAT_N /* the most */

/* The numbers of TUPLE_SHAPE, which are compared as bytes: no holes. INT64_MIN where NULL. */
struct shape {
	int64_t gpus_milli, share_kind, share_ppb, mig_start, open_end, checkpointable, attempt;
	int64_t has_usd_gpu_hour;
	dec usd_gpu_hour;
};
_Static_assert(sizeof(struct shape) == 8 * sizeof(int64_t) + sizeof(dec), "holes");

/* The number of a tuple, new or known; text: its columns, those of an allocation may be {NULL,0};
 * shape: of TUPLE_SHAPE, else NULL. Only inside a batch: those of earlier ones are read when it
 * first asks. 16 bytes of memory and a number a tuple. */
int tuple_id(struct facts *f, enum tuple t, const struct sv *text, const struct shape *shape,
	     int32_t *ret, struct err *err);
/* The highest number that the open batch gave or knows; 0 where it has not asked for any. */
int32_t tuple_last(const struct facts *f, enum tuple t);
/* How many texts it has. */
size_t tuple_texts(enum tuple t);
/* A query for those from the number of $1 on: id, texts, numbers. */
const char *tuple_select(enum tuple t);
/* The numbers of the current row of that. */
struct shape tuple_read_shape(const struct answer *r);
/* Numbers given since the last commit are forgotten. NULL is fine. */
void tuples_free(struct tuples *t);

#endif
