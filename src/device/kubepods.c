#include "device/kubepods.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/tm.h"
#include "base/jstream.h"
#include "model/model.h"

struct kubepods {
	struct arena *mem;
	struct jstream *j;
	VEC(struct kube_pod) pods;
	struct kube_pod pod;
	struct sv key[KUBEPODS_LABELS], value[KUBEPODS_LABELS];
	struct sv ref_kind, ref_name; /* of the owner being read */
	bool ref_controller, has_controller;
};

static int64_t parse_time(struct sv v)
{
	int64_t ms;

	if (tm_parse(v, 0, &ms) == 0)
		return ms;
	return UNKNOWN_MS;
}

static void pod_clear(struct kubepods *k)
{
	k->pod = (struct kube_pod){ .created_ms = UNKNOWN_MS, .start_ms = UNKNOWN_MS };
	k->ref_kind = k->ref_name = SV_NULL;
	k->ref_controller = k->has_controller = false;
}

static void add_label(struct kubepods *k, struct sv key, struct sv value)
{
	struct kube_pod *p = &k->pod;

	if (p->nlabel == KUBEPODS_LABELS)
		return;
	k->key[p->nlabel] = arena_clean(k->mem, key);
	k->value[p->nlabel] = arena_clean(k->mem, value);
	if (k->key[p->nlabel].n && k->value[p->nlabel].n)
		p->nlabel++;
}

static int on_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		     struct err *err)
{
	struct kubepods *k = ctx;
	size_t depth = jstream_depth(j);

	if (depth < 4 || !jstream_at(j, 0, "items"))
		return 0;
	struct sv key = jstream_key(j, 3);
	if (depth == 4 && jstream_at(j, 2, "status")) {
		if (sv_is(key, "phase"))
			k->pod.phase = arena_clean(k->mem, text);
		else if (sv_is(key, "startTime"))
			k->pod.start_ms = parse_time(text);
	}
	if (!jstream_at(j, 2, "metadata"))
		return 0;
	if (depth == 4 && sv_is(key, "uid"))
		k->pod.uid = arena_clean(k->mem, text);
	else if (depth == 4 && sv_is(key, "name"))
		k->pod.name = arena_clean(k->mem, text);
	else if (depth == 4 && sv_is(key, "namespace"))
		k->pod.namespace_ = arena_clean(k->mem, text);
	else if (depth == 4 && sv_is(key, "creationTimestamp"))
		k->pod.created_ms = parse_time(text);
	else if (depth == 5 && sv_is(key, "labels") && quoted)
		add_label(k, jstream_key(j, 4), text);
	else if (depth == 5 && sv_is(key, "annotations") &&
		 jstream_at(j, 4, "kubernetes.io/config.hash"))
		k->pod.alias = arena_clean(k->mem, text);
	else if (depth == 6 && sv_is(key, "ownerReferences") && jstream_at(j, 5, "kind"))
		k->ref_kind = arena_clean(k->mem, text);
	else if (depth == 6 && sv_is(key, "ownerReferences") && jstream_at(j, 5, "name"))
		k->ref_name = arena_clean(k->mem, text);
	else if (depth == 6 && sv_is(key, "ownerReferences") && jstream_at(j, 5, "controller"))
		k->ref_controller = sv_is(text, "true");
	return 0;
}

static int on_close(void *ctx, const struct jstream *j, struct err *err)
{
	struct kubepods *k = ctx;
	struct kube_pod *p = &k->pod;
	size_t depth = jstream_depth(j);

	if (!depth || !jstream_at(j, 0, "items"))
		return 0;
	if (depth == 5 && jstream_at(j, 2, "metadata") && jstream_at(j, 3, "ownerReferences")) {
		bool better = k->ref_controller || !p->owner_name.n;
		if (k->ref_name.n && !k->has_controller && better) {
			p->owner_kind = k->ref_kind;
			p->owner_name = k->ref_name;
			k->has_controller = k->ref_controller;
		}
		k->ref_kind = k->ref_name = SV_NULL;
		k->ref_controller = false;
	}
	if (depth != 2)
		return 0;
	if (k->pods.n == KUBEPODS_MAX)
		return err_set(err, -E2BIG, "more than %d pods: ask for those of one node",
			       KUBEPODS_MAX);
	if (p->uid.n && p->name.n) {
		p->key = arena_copy(k->mem, k->key, p->nlabel, sizeof *p->key);
		p->value = arena_copy(k->mem, k->value, p->nlabel, sizeof *p->value);
		*vec_push(&k->pods) = *p;
	}
	pod_clear(k);
	return 0;
}

static const struct jstream_ops ops = { on_scalar, on_close };

struct kubepods *kubepods_new(struct arena *mem)
{
	struct kubepods *k = xcalloc(1, sizeof *k);

	k->mem = mem;
	k->j = jstream_new(&ops, k);
	jstream_cut(k->j, CLEAN_MAX * 4);
	pod_clear(k);
	return k;
}

void kubepods_free(struct kubepods *k)
{
	if (!k)
		return;
	jstream_free(k->j);
	vec_free(&k->pods);
	free(k);
}

int kubepods_feed(struct kubepods *k, struct sv text, struct err *err)
{
	return jstream_feed(k->j, text, err);
}

int kubepods_end(struct kubepods *k, struct kube_pod **ret, size_t *ret_n, struct err *err)
{
	int rc = jstream_end(k->j, err);

	if (rc < 0)
		return rc;
	*ret = arena_copy(k->mem, k->pods.v, k->pods.n, sizeof **ret);
	*ret_n = k->pods.n;
	return 0;
}
