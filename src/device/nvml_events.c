/* XID and double-bit ECC errors: the driver keeps them in an event set that is emptied at every
 * poll, without waiting. */
#include <math.h>

#include "device/nvml_in.h"

#define EVENTS_A_POLL 256 /* a GPU in trouble can throw more than anybody wants to read */

void nvml_events_open(struct nvml *n)
{
	if (!n->lib.event_set || !n->lib.event_register)
		return;
	if (!n->lib.event_wait && !n->lib.event_wait1)
		return;
	if (!n->events && n->lib.event_set(&n->events) != NVML_OK) {
		n->events = NULL;
		return;
	}
	for (size_t i = 0; i < n->dev.n; i++) {
		struct nvml_dev *d = &n->dev.v[i];
		uint64_t types = NVML_EVENT_XID | NVML_EVENT_DOUBLE_BIT_ECC, supported = 0;
		if (n->set.dev.v[i].info.parent >= 0 || !d->h || d->events)
			continue;
		if (n->lib.event_types && n->lib.event_types(d->h, &supported) == NVML_OK)
			types &= supported;
		if (types && n->lib.event_register(d->h, types, n->events) == NVML_OK)
			d->events = types;
	}
}

static int wait_none(struct nvml *n, struct nvml_event *e)
{
	struct nvml_event1 e1 = { 0 };
	int rc;

	*e = (struct nvml_event){ 0 };
	if (n->lib.event_wait)
		return n->lib.event_wait(n->events, e, 0);
	rc = n->lib.event_wait1(n->events, &e1, 0);
	*e = (struct nvml_event){ .device = e1.device,
				  .type = e1.type,
				  .data = e1.data,
				  .gi = NVML_NO_INSTANCE,
				  .ci = NVML_NO_INSTANCE };
	return rc;
}

void nvml_events_read(struct nvml *n)
{
	struct nvml_event e;

	if (!n->events)
		return;
	for (size_t i = 0; i < n->dev.n; i++)
		if (n->dev.v[i].events & NVML_EVENT_XID)
			n->set.dev.v[i].value[METRIC_XID] = 0;
	for (int i = 0; i < EVENTS_A_POLL; i++) {
		int rc = wait_none(n, &e);
		if (nvml_driver_gone(rc))
			n->down = true;
		if (rc != NVML_OK) /* a time-out: no more; a lost GPU shows at its readings */
			return;
		size_t at = 0;
		while (at < n->dev.n &&
		       (n->dev.v[at].h != e.device || n->set.dev.v[at].info.parent >= 0))
			at++;
		if (at == n->dev.n)
			continue;
		if (e.type & NVML_EVENT_XID)
			n->set.dev.v[at].value[METRIC_XID] = (double)e.data;
		if (e.type & (NVML_EVENT_XID | NVML_EVENT_DOUBLE_BIT_ECC))
			*vec_push(&n->set.event) =
				(struct gpu_event){ e.type & NVML_EVENT_XID ? GPU_XID : GPU_ECC,
						    (int)at, (int64_t)e.data };
	}
}

void nvml_events_close(struct nvml *n)
{
	if (n->events && n->lib.event_free)
		n->lib.event_free(n->events);
	n->events = NULL;
	for (size_t i = 0; i < n->dev.n; i++)
		n->dev.v[i].events = 0;
}
