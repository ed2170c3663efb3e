#include "device/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/num.h"
#include "base/tm.h"
#include "base/jstream.h"
#include "model/model.h"

struct engine {
	struct arena *mem;
	struct jstream *j;
	bool list;
	VEC(struct engine_container) containers;
	struct engine_container container;
	struct sv key[ENGINE_LABELS], value[ENGINE_LABELS], device[ENGINE_DEVICES];
	/* of the device request being read */
	struct sv request[ENGINE_DEVICES];
	size_t nrequest;
	int64_t count;
	bool gpu, nvidia_runtime;
	struct sv visible; /* NVIDIA_VISIBLE_DEVICES of the environment */
};

static void box_clear(struct engine *e)
{
	e->container = (struct engine_container){ .created_ms = UNKNOWN_MS,
						  .start_ms = UNKNOWN_MS };
	e->nrequest = 0;
	e->count = 0;
	e->gpu = e->nvidia_runtime = false;
	e->visible = SV_NULL;
}

static void set_name(struct engine *e, struct sv v)
{
	if (v.n && v.p[0] == '/') /* names are paths to the engine */
		v = sv_from(v, 1);
	if (!e->container.name.n && !memchr(v.p, '/', v.n)) /* "/other/alias" is a link's name */
		e->container.name = arena_clean(e->mem, v);
}

static void add_label(struct engine *e, struct sv key, struct sv value)
{
	size_t n = e->container.nlabel;

	if (n == ENGINE_LABELS)
		return;
	e->key[n] = arena_clean(e->mem, key);
	e->value[n] = arena_clean(e->mem, value);
	if (e->key[n].n && e->value[n].n)
		e->container.nlabel++;
}

static void add_device(struct engine *e, struct sv v)
{
	v = arena_clean(e->mem, v);
	for (size_t i = 0; i < e->container.ndevice; i++)
		if (sv_eq(e->device[i], v))
			return;
	if (v.n && e->container.ndevice < ENGINE_DEVICES)
		e->device[e->container.ndevice++] = v;
}

/* ---- one container ----------------------------------------------------------------------- */

static void request_scalar(struct engine *e, const struct jstream *j, struct sv text)
{
	struct sv key = jstream_key(j, 3);

	if (sv_is(key, "Driver"))
		e->gpu |= sv_is(text, "nvidia") || sv_is(text, "cdi");
	else if (sv_is(key, "Count"))
		sv_i64(text, &e->count);
	else if (sv_is(key, "DeviceIDs") && jstream_depth(j) == 5 && e->nrequest < ENGINE_DEVICES)
		e->request[e->nrequest++] = arena_clean(e->mem, text);
	else if (sv_is(key, "Capabilities") && sv_is(text, "gpu"))
		e->gpu = true;
}

static void one_scalar(struct engine *e, const struct jstream *j, struct sv text, bool quoted)
{
	size_t depth = jstream_depth(j);

	if (depth == 1 && jstream_at(j, 0, "Id"))
		e->container.id = arena_clean(e->mem, text);
	else if (depth == 1 && jstream_at(j, 0, "Name"))
		set_name(e, text);
	else if (depth == 2 && jstream_at(j, 0, "State") && jstream_at(j, 1, "StartedAt") &&
		 tm_parse(text, 0, &e->container.start_ms) < 0)
		e->container.start_ms = UNKNOWN_MS;
	else if (depth == 2 && jstream_at(j, 0, "HostConfig") && jstream_at(j, 1, "Runtime"))
		e->nvidia_runtime = sv_is(text, "nvidia");
	else if (depth == 3 && jstream_at(j, 0, "Config") && jstream_at(j, 1, "Env") &&
		 sv_starts(text, SV("NVIDIA_VISIBLE_DEVICES=")))
		e->visible = arena_clean(e->mem, sv_from(text, 23));
	else if (depth == 3 && jstream_at(j, 0, "Config") && jstream_at(j, 1, "Labels") && quoted)
		add_label(e, jstream_key(j, 2), text);
	else if (depth >= 4 && jstream_at(j, 0, "HostConfig") && jstream_at(j, 1, "DeviceRequests"))
		request_scalar(e, j, text);
	else if (depth == 4 && jstream_at(j, 0, "HostConfig") && jstream_at(j, 1, "Devices") &&
		 jstream_at(j, 3, "PathOnHost") && sv_starts(text, SV("/dev/nvidia")) &&
		 text.n > 11 && within_int(text.p[11], '0', '9'))
		add_device(e, text);
}

/* "nvidia.com/gpu=0" of CDI is the device 0; "=all" is all. */
static void request_id(struct engine *e, struct sv id)
{
	struct sv value;

	sv_cut(id, '=', &value);
	if (value.p)
		id = value;
	if (sv_is(id, "all"))
		e->container.all = true;
	else
		add_device(e, id);
}

/* ---- both -------------------------------------------------------------------------------- */

static int on_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		     struct err *err)
{
	struct engine *e = ctx;
	size_t depth = jstream_depth(j);
	int64_t s;

	if (!e->list)
		one_scalar(e, j, text, quoted);
	else if (depth == 2 && jstream_at(j, 1, "Id"))
		e->container.id = arena_clean(e->mem, text);
	else if (depth == 2 && jstream_at(j, 1, "Image"))
		e->container.image = arena_clean(e->mem, text);
	else if (depth == 2 && jstream_at(j, 1, "Created") && sv_i64(text, &s) == 0 && s > 0 &&
		 s < 1LL << 40)
		e->container.created_ms = s * 1000;
	else if (depth == 3 && jstream_at(j, 1, "Names"))
		set_name(e, text);
	else if (depth == 3 && jstream_at(j, 1, "Labels") && quoted)
		add_label(e, jstream_key(j, 2), text);
	return 0;
}

static int on_close(void *ctx, const struct jstream *j, struct err *err)
{
	struct engine *e = ctx;
	struct engine_container *b = &e->container;
	bool request = !e->list && jstream_depth(j) == 3;
	char n[24];

	if (request && jstream_at(j, 0, "HostConfig") && jstream_at(j, 1, "DeviceRequests")) {
		if (e->gpu && !e->nrequest && e->count < 0)
			b->all = true;
		/* N GPUs: the engine gives the first N */
		int64_t first = e->gpu && !e->nrequest ? e->count : 0;
		for (int64_t i = 0; i < first && i < ENGINE_DEVICES; i++) {
			snprintf(n, sizeof n, "%d", (int)i);
			add_device(e, sv_of(n));
		}
		for (size_t i = 0; e->gpu && i < e->nrequest; i++)
			request_id(e, e->request[i]);
		e->nrequest = 0;
		e->count = 0;
		e->gpu = false;
	}
	if (jstream_depth(j) != (e->list ? 1u : 0u))
		return 0;

	/* a container ends */
	if (e->containers.n == ENGINE_MAX)
		return err_set(err, -E2BIG, "more than %d containers", ENGINE_MAX);
	/* the runtime of before device requests: the environment says which GPUs */
	struct sv visible = SV_NULL;
	if (!e->list && e->nvidia_runtime)
		visible = e->visible;
	if (!sv_is(visible, "none") && !sv_is(visible, "void"))
		while (visible.n)
			request_id(e, sv_trim(sv_cut(visible, ',', &visible)));
	if (b->id.n) {
		b->key = arena_copy(e->mem, e->key, b->nlabel, sizeof *b->key);
		b->value = arena_copy(e->mem, e->value, b->nlabel, sizeof *b->value);
		b->device = arena_copy(e->mem, e->device, b->ndevice, sizeof *b->device);
		*vec_push(&e->containers) = *b;
	}
	box_clear(e);
	return 0;
}

static const struct jstream_ops ops = { on_scalar, on_close };

struct engine *engine_new(struct arena *mem, bool list)
{
	struct engine *e = xcalloc(1, sizeof *e);

	e->mem = mem;
	e->list = list;
	e->j = jstream_new(&ops, e);
	jstream_cut(e->j, CLEAN_MAX * 4);
	box_clear(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	jstream_free(e->j);
	vec_free(&e->containers);
	free(e);
}

int engine_feed(struct engine *e, struct sv text, struct err *err)
{
	return jstream_feed(e->j, text, err);
}

int engine_end(struct engine *e, struct engine_container **ret, size_t *ret_n, struct err *err)
{
	int rc = jstream_end(e->j, err);

	if (rc < 0)
		return rc;
	*ret = arena_copy(e->mem, e->containers.v, e->containers.n, sizeof **ret);
	*ret_n = e->containers.n;
	return 0;
}
