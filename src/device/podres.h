#ifndef TARE_DEVICE_PODRES_H
#define TARE_DEVICE_PODRES_H
/*
 * The kubelet's answer to v1.PodResourcesLister/List: which container of which pod holds which
 * devices. Pure reader of the gRPC message and its protobuf (kubernetes/kubelet,
 * pkg/apis/podresources/v1/api.proto); fields it does not know are passed over.
 */
#include <stdbool.h>
#include "base/err.h"
#include "base/mem.h"

#define PODRES_MAX 65536 /* devices of one answer */

struct podres {                                                 /* texts lie in the message */
	struct sv pod, namespace_, container, resource, device; /* one entry per device id */
};
/* Body of a gRPC answer: one message with its 5 bytes of head. -EBADMSG, -EOPNOTSUPP (compressed),
 * -E2BIG. *ret lives in mem. */
int podres_parse(struct arena *mem, struct sv body, struct podres **ret, size_t *ret_n,
		 struct err *err);

/* What a device id of a GPU plugin names. */
struct podres_device {
	struct sv uuid; /* "GPU-...", "MIG-...", "" */
	int minor, gi;  /* of ids "nvidia0", "nvidia0/gi3"; -1 */
	bool replica;   /* one of several shares of the device (time-slicing or MPS) */
};
/* False: a resource that is no GPU, or an id of no known shape. */
bool podres_device_of(struct sv resource, struct sv id, struct podres_device *ret);

#endif
