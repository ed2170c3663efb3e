/* Which NVIDIA GPUs and MIG instances there are, read again where that changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "device/nvml_in.h"

#define GPUS_MAX 1024 /* no machine has more: a driver that says so is not believed */

struct listing { /* the new list while the old one is still there */
	VEC(struct gpu_dev) dev;
	VEC(struct nvml_dev) state;
};

void nvml_dev_free(struct nvml *n, struct nvml_dev *d)
{
	gpm_free(n, &d->gpm);
	vec_free(&d->proc);
	vec_free(&d->sm);
}

/* A text of the driver: with an end, whatever it wrote. */
static void read_text(int (*call)(void *, char *, uint32_t), void *h, char *ret, size_t ret_n)
{
	char buf[NVML_NAME_BYTES + 1] = "";

	if (!call || call(h, buf, NVML_NAME_BYTES) != NVML_OK)
		buf[0] = 0;
	buf[NVML_NAME_BYTES] = 0;
	snprintf(ret, ret_n, "%.*s", (int)ret_n - 1, buf);
}

static void read_instance(struct nvml *n, void *gpu, void *h, const struct gpu_info *parent,
			  int parent_at, struct gpu_info *c)
{
	uint32_t gi, ci;

	gpu_info_init(c);
	c->index = parent->index;
	c->minor = parent->minor;
	c->parent = parent_at;
	memcpy(c->bus_id, parent->bus_id, sizeof c->bus_id);
	read_text(n->lib.uuid, h, c->uuid, sizeof c->uuid);
	read_text(n->lib.name, h, c->name, sizeof c->name);
	if (n->lib.mig_gi && n->lib.mig_gi(h, &gi) == NVML_OK && gi != NVML_NO_INSTANCE) {
		c->gi = (int)gi;
		/* where it stands: only the administrator may ask */
		struct nvml_gi_info info;
		void *at = NULL;
		memset(&info, 0, sizeof info);
		if (n->lib.gi_by_id && n->lib.gi_info && n->lib.gi_by_id(gpu, gi, &at) != NVML_OK)
			at = NULL;
		if (at && n->lib.gi_info(at, &info) == NVML_OK && info.start < 64)
			c->mig_start = (int)info.start;
	}
	if (n->lib.mig_ci && n->lib.mig_ci(h, &ci) == NVML_OK && ci != NVML_NO_INSTANCE)
		c->ci = (int)ci;
	/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb"; older drivers name the GPU alone, so that slices
	 * and memory must do. */
	const char *at = strstr(c->name, " MIG ");
	struct nvml_mig_attr a;

	memset(&a, 0, sizeof a);
	if (at && strlen(at + 5) < sizeof c->mig_profile) {
		snprintf(c->mig_profile, sizeof c->mig_profile, "%.*s",
			 (int)sizeof c->mig_profile - 1, at + 5);
	} else if (n->lib.mig_attr && n->lib.mig_attr(h, &a) == NVML_OK &&
		   within_u64(a.gi_slices, 1, 64) && a.memory_mib) {
		unsigned long long gib = (a.memory_mib + 1023) / 1024;
		if (a.ci_slices && a.ci_slices < a.gi_slices)
			snprintf(c->mig_profile, sizeof c->mig_profile, "%uc.%ug.%llugb",
				 a.ci_slices, a.gi_slices, gib % 100000);
		else
			snprintf(c->mig_profile, sizeof c->mig_profile, "%ug.%llugb", a.gi_slices,
				 gib % 100000);
	}
}

static bool is_same_gpu(const struct gpu_info *a, const struct gpu_info *b)
{
	if ((a->parent >= 0) != (b->parent >= 0))
		return false;
	if (a->uuid[0] || b->uuid[0])
		return !strcmp(a->uuid, b->uuid);
	if (a->index != b->index || a->gi != b->gi)
		return false;
	return a->ci == b->ci && !strcmp(a->bus_id, b->bus_id);
}

static void add_gpu(struct nvml *n, struct listing *l, const struct gpu_info *c, void *h,
		    int64_t mono_ms)
{
	struct gpu_dev *g = vec_push(&l->dev);
	struct nvml_dev d = { 0 };
	bool known = false; /* in the same mode: what it refused it still refuses */

	*g = (struct gpu_dev){ .info = *c, .present = true };
	gpu_dev_clear(g);
	/* What was known of this device moves out of the old list; the place is left without state
	 * (h NULL, nothing owned) and marked as taken. */
	for (size_t i = 0; i < n->dev.n; i++) {
		struct gpu_info *old = &n->set.dev.v[i].info;
		if (old->index == -2 || !is_same_gpu(old, c))
			continue;
		d = n->dev.v[i];
		n->dev.v[i] = (struct nvml_dev){ 0 };
		old->index = -2;
		known = old->mig_enabled == c->mig_enabled;
		break;
	}
	if (!known || d.h != h || d.lost) {
		d.refused = d.forbidden = 0;
		d.refused_ms = mono_ms;
		if (d.h != h)
			d.events = 0;
		d.nvlink_tx.known = d.nvlink_rx.known = d.pcie_tx.known = d.pcie_rx.known = false;
		gpm_free(n, &d.gpm);
	}
	d.h = h;
	d.lost = h == NULL;
	d.static_ms = 0; /* limits stand in the GPU, which is new here */
	*vec_push(&l->state) = d;
}

static void add_instances(struct nvml *n, struct listing *l, void *gpu, size_t at, int64_t mono_ms)
{
	uint32_t max = 0;

	if (!n->lib.mig_max || !n->lib.mig_handle || n->lib.mig_max(gpu, &max) != NVML_OK)
		return;
	for (uint32_t i = 0; i < max && i < NVML_MIG_MAX; i++) {
		struct gpu_info c;
		void *h = NULL;
		if (n->lib.mig_handle(gpu, i, &h) != NVML_OK || !h)
			continue;
		read_instance(n, gpu, h, &l->dev.v[at].info, (int)at, &c);
		add_gpu(n, l, &c, h, mono_ms);
	}
	for (size_t i = at + 1; i < l->dev.n; i++)
		for (size_t j = at + 1; j < l->dev.n; j++)
			l->state.v[i].gi_shared |= i != j && l->dev.v[i].info.gi >= 0 &&
						   l->dev.v[i].info.gi == l->dev.v[j].info.gi;
}

static void list_gpus(struct nvml *n, struct listing *l, int64_t mono_ms)
{
	for (uint32_t i = 0; i < n->count; i++) {
		struct gpu_info c;
		void *h = NULL;
		int rc = n->lib.handle(i, &h);
		if (rc == NVML_OK && h) {
			struct nvml_pci pci;
			uint32_t minor, now = 0, pending;

			gpu_info_init(&c);
			c.index = (int)i;
			read_text(n->lib.uuid, h, c.uuid, sizeof c.uuid);
			read_text(n->lib.name, h, c.name, sizeof c.name);
			memset(&pci, 0, sizeof pci);
			if (n->lib.pci && n->lib.pci(h, &pci) == NVML_OK) {
				const char *id = pci.bus_id[0] ? pci.bus_id : pci.bus_id_legacy;
				snprintf(c.bus_id, sizeof c.bus_id, "%.*s", 16, id);
			}
			if (n->lib.minor && n->lib.minor(h, &minor) == NVML_OK && minor < 1u << 20)
				c.minor = (int)minor;
			c.mig_enabled = n->lib.mig_mode &&
					n->lib.mig_mode(h, &now, &pending) == NVML_OK && now == 1;
			add_gpu(n, l, &c, h, mono_ms);
			if (c.mig_enabled)
				add_instances(n, l, h, l->dev.n - 1, mono_ms);
		} else if (rc == NVML_NO_PERMISSION) {
			n->unopened++;
		} else {
			/* the GPU that stood at this index, when its handle cannot be had now */
			size_t k = 0;
			while (k < n->set.dev.n && (n->set.dev.v[k].info.parent >= 0 ||
						    n->set.dev.v[k].info.index != (int)i))
				k++;
			if (k == n->set.dev.n)
				continue;
			c = n->set.dev.v[k].info;
			add_gpu(n, l, &c, NULL, mono_ms);
		}
	}
	/* GPUs that were here and are in no place of the driver's list any more */
	for (size_t i = 0; i < n->set.dev.n; i++) {
		struct gpu_info c = n->set.dev.v[i].info;
		if (c.index != -2 && c.parent < 0)
			add_gpu(n, l, &c, NULL, mono_ms);
	}
}

static bool has_changed(const struct nvml *n, const struct listing *l, const struct gpu_info *old,
			size_t nold)
{
	if (nold != l->dev.n)
		return true;
	for (size_t i = 0; i < nold; i++)
		if (!is_same_gpu(&old[i], &l->dev.v[i].info) ||
		    old[i].parent != l->dev.v[i].info.parent ||
		    old[i].mig_enabled != l->dev.v[i].info.mig_enabled)
			return true;
	return false;
}

void nvml_list(struct nvml *n, int64_t mono_ms)
{
	struct listing l = { 0 };
	size_t nold = n->set.dev.n;
	struct gpu_info *old = xcalloc(nold + 1, sizeof *old);
	uint32_t count = 0;

	if (n->lib.count(&count) != NVML_OK)
		count = 0;
	n->count = count > GPUS_MAX ? GPUS_MAX : count;
	n->unopened = 0;
	for (size_t i = 0; i < nold; i++)
		old[i] = n->set.dev.v[i].info;
	list_gpus(n, &l, mono_ms);
	if (has_changed(n, &l, old, nold) || !n->set.generation)
		n->set.generation++;
	/* GPUs whose instances are not those of before. */
	for (size_t i = 0; i < l.dev.n; i++) {
		size_t was = SIZE_MAX, k, j;
		if (l.dev.v[i].info.parent >= 0 || !l.state.v[i].h)
			continue;
		for (j = 0; j < nold && was == SIZE_MAX; j++)
			if (old[j].parent < 0 && is_same_gpu(&old[j], &l.dev.v[i].info))
				was = j;
		if (was == SIZE_MAX)
			continue;
		for (k = 1; i + k < l.dev.n && l.dev.v[i + k].info.parent == (int)i; k++)
			if (was + k >= nold || !is_same_gpu(&old[was + k], &l.dev.v[i + k].info))
				break;
		if (old[was].mig_enabled != l.dev.v[i].info.mig_enabled ||
		    (i + k < l.dev.n && l.dev.v[i + k].info.parent == (int)i) ||
		    (was + k < nold && old[was + k].parent == (int)was))
			*vec_push(&n->set.event) = (struct gpu_event){ GPU_MIG_CHANGED, (int)i, 0 };
	}
	for (size_t i = 0; i < n->dev.n; i++)
		nvml_dev_free(n, &n->dev.v[i]);
	vec_free(&n->dev);
	vec_free(&n->set.dev);
	memcpy(&n->dev, &l.state, sizeof n->dev);
	memcpy(&n->set.dev, &l.dev, sizeof n->set.dev);
	nvml_events_open(n);
	free(old);
}

bool nvml_mig_same(struct nvml *n)
{
	for (size_t i = 0; i < n->dev.n; i++) {
		const struct gpu_info *c = &n->set.dev.v[i].info;
		uint32_t now = 0, pending, max = 0;
		size_t k = i;
		if (c->parent >= 0 || !n->dev.v[i].h)
			continue;
		if (n->dev.v[i].lost || !n->lib.mig_mode)
			continue;
		if (n->lib.mig_mode(n->dev.v[i].h, &now, &pending) != NVML_OK)
			now = 0;
		if ((now == 1) != c->mig_enabled)
			return false;
		if (now != 1 || !n->lib.mig_max)
			continue;
		if (!n->lib.mig_handle || n->lib.mig_max(n->dev.v[i].h, &max) != NVML_OK)
			continue;
		for (uint32_t m = 0; m < max && m < NVML_MIG_MAX; m++) {
			char uuid[sizeof c->uuid];
			void *h = NULL;
			if (n->lib.mig_handle(n->dev.v[i].h, m, &h) != NVML_OK || !h)
				continue;
			read_text(n->lib.uuid, h, uuid, sizeof uuid);
			k++;
			if (k >= n->dev.n || n->set.dev.v[k].info.parent != (int)i)
				return false;
			if (n->dev.v[k].h != h || strcmp(uuid, n->set.dev.v[k].info.uuid) != 0)
				return false;
		}
		if (k + 1 < n->dev.n && n->set.dev.v[k + 1].info.parent == (int)i)
			return false;
	}
	return true;
}
