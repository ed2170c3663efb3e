#ifndef TARE_DEVICE_KUBEPODS_H
#define TARE_DEVICE_KUBEPODS_H
/*
 * A PodList in JSON, from the kubelet's /pods or the API server's /api/v1/pods, read as it comes
 * in: what says whose a pod is. Bounded: KUBEPODS_MAX pods, KUBEPODS_LABELS labels each, texts cut
 * and cleaned.
 */
#include "base/err.h"
#include "base/mem.h"

#define KUBEPODS_MAX    2000
#define KUBEPODS_LABELS 64

struct kube_pod {             /* texts live in the arena; {NULL,0} = not said */
	struct sv uid, alias; /* alias: the uid that a static pod has in cgroup paths */
	struct sv name, namespace_, phase;
	struct sv owner_kind, owner_name; /* the controller, else the first owner */
	int64_t created_ms, start_ms;     /* UNKNOWN_MS */
	struct sv *key, *value;           /* [nlabel] */
	size_t nlabel;
};
struct kubepods;
struct kubepods *kubepods_new(struct arena *mem);
void kubepods_free(struct kubepods *k);                                 /* NULL is fine */
int kubepods_feed(struct kubepods *k, struct sv text, struct err *err); /* 0, -EBADMSG, -E2BIG */
int kubepods_end(struct kubepods *k, struct kube_pod **ret, size_t *ret_n, struct err *err);

#endif
