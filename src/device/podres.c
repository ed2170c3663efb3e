#include "device/podres.h"

#include <errno.h>

#include "base/num.h"

#define GRPC_HEAD 5

/* ---- protobuf: varints and length-delimited fields, nothing past the end ----------------- */

struct pb {
	const unsigned char *p, *end;
};

struct pb_field { /* of wire type 2 */
	uint32_t number;
	struct sv bytes;
};

static bool read_varint(struct pb *b, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && b->p < b->end; shift += 7) {
		unsigned char c = *b->p++;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/* The next field that holds bytes, the only ones of use here: 1 and it, 0 at the end, -EBADMSG.
 * Groups (wire types 3, 4) are of no message. */
static int read_field(struct pb *b, struct pb_field *ret)
{
	uint64_t tag, n;

	while (b->p < b->end) {
		if (!read_varint(b, &tag) || tag >> 3 > 0x1fffffff || !(tag >> 3))
			return -EBADMSG;
		switch (tag & 7) {
		case 0:
			if (!read_varint(b, &n))
				return -EBADMSG;
			break;
		case 1:
		case 5:
			n = tag & 4 ? 4 : 8;
			if (n > (uint64_t)(b->end - b->p))
				return -EBADMSG;
			b->p += n;
			break;
		case 2:
			if (!read_varint(b, &n) || n > (uint64_t)(b->end - b->p))
				return -EBADMSG;
			*ret = (struct pb_field){ (uint32_t)(tag >> 3),
						  { (const char *)b->p, (size_t)n } };
			b->p += n;
			return 1;
		default: return -EBADMSG;
		}
	}
	return 0;
}

static struct pb open_inside(struct sv v)
{
	const unsigned char *p = (const unsigned char *)v.p;

	return (struct pb){ p, p + v.n };
}

/* ---- the messages ------------------------------------------------------------------------ */

struct reader {
	struct arena *mem;
	VEC(struct podres) out;
};

/* A message's own names may come after what is inside of it. */
static void name_all(struct reader *r, size_t first, size_t member, struct sv name)
{
	for (size_t i = first; i < r->out.n; i++)
		memcpy((char *)&r->out.v[i] + member, &name, sizeof name);
}

/* ContainerDevices { resource_name = 1, device_ids = 2 }: the name may come after the ids. */
static int read_devices(struct reader *r, struct sv msg, struct podres base)
{
	struct pb b = open_inside(msg);
	struct pb_field f;
	size_t first = r->out.n;
	int rc;

	while ((rc = read_field(&b, &f)) > 0) {
		if (f.number == 1)
			base.resource = f.bytes;
		if (f.number != 2)
			continue;
		if (r->out.n == PODRES_MAX)
			return -E2BIG;
		base.device = f.bytes;
		*vec_push(&r->out) = base;
	}
	name_all(r, first, offsetof(struct podres, resource), base.resource);
	return rc;
}

/* ContainerResources { name = 1, devices = 2 } */
static int read_container(struct reader *r, struct sv msg, struct podres base)
{
	struct pb b = open_inside(msg);
	struct pb_field f;
	size_t first = r->out.n;
	int rc;

	while ((rc = read_field(&b, &f)) > 0) {
		if (f.number == 1)
			base.container = f.bytes;
		if (f.number == 2 && (rc = read_devices(r, f.bytes, base)) < 0)
			return rc;
	}
	name_all(r, first, offsetof(struct podres, container), base.container);
	return rc;
}

/* PodResources { name = 1, namespace = 2, containers = 3 } */
static int read_pod(struct reader *r, struct sv msg)
{
	struct pb b = open_inside(msg);
	struct podres base = { .pod = SV_NULL };
	struct pb_field f;
	size_t first = r->out.n;
	int rc;

	while ((rc = read_field(&b, &f)) > 0) {
		if (f.number == 1)
			base.pod = f.bytes;
		if (f.number == 2)
			base.namespace_ = f.bytes;
		if (f.number == 3 && (rc = read_container(r, f.bytes, base)) < 0)
			return rc;
	}
	name_all(r, first, offsetof(struct podres, pod), base.pod);
	name_all(r, first, offsetof(struct podres, namespace_), base.namespace_);
	return rc;
}

int podres_parse(struct arena *mem, struct sv body, struct podres **ret, size_t *ret_n,
		 struct err *err)
{
	const unsigned char *h = (const unsigned char *)body.p;
	struct reader r = { .mem = mem };
	struct pb_field f;
	int rc = -EBADMSG;

	*ret = NULL;
	*ret_n = 0;
	if (body.n < GRPC_HEAD || ((size_t)h[1] << 24 | (size_t)h[2] << 16 | (size_t)h[3] << 8 |
				   h[4]) != body.n - GRPC_HEAD)
		return err_set(err, -EBADMSG, "the kubelet's answer is no gRPC message");
	if (h[0])
		return err_set(err, -EOPNOTSUPP,
			       "the kubelet's answer is compressed, which was not asked for");
	struct pb b = open_inside(sv_from(body, GRPC_HEAD));
	while ((rc = read_field(&b, &f)) > 0)
		if (f.number == 1 && (rc = read_pod(&r, f.bytes)) < 0)
			break;
	if (!rc && r.out.n) {
		*ret = arena_copy(mem, r.out.v, r.out.n, sizeof **ret);
		*ret_n = r.out.n;
	}
	vec_free(&r.out);
	if (rc < 0)
		return err_set(err, rc,
			       rc == -E2BIG ? "the kubelet's answer lists more than %d devices"
					    : "the kubelet's answer is damaged",
			       PODRES_MAX);
	return 0;
}

/* ---- device ids -------------------------------------------------------------------------- */

static bool number_at(struct sv *s, int *ret)
{
	size_t i = 0;
	int n = 0;

	while (i < s->n && within_int(s->p[i], '0', '9') && n < 4096)
		n = n * 10 + (s->p[i++] - '0');
	if (!i || n >= 4096)
		return false;
	*s = sv_from(*s, i);
	*ret = n;
	return true;
}

bool podres_device_of(struct sv resource, struct sv id, struct podres_device *ret)
{
	*ret = (struct podres_device){ .uuid = SV_NULL, .minor = -1, .gi = -1 };
	if (!sv_starts(resource, SV("nvidia.com/")) && !sv_starts(resource, SV("amd.com/")))
		return false;
	for (size_t i = 0; i + 1 < id.n; i++)
		if (id.p[i] == ':' && id.p[i + 1] == ':') { /* "<uuid>::<n>" */
			ret->replica = true;
			id.n = i;
		}
	if (sv_starts(id, SV("GPU-")) || sv_starts(id, SV("MIG-"))) {
		ret->uuid = id.n < 96 ? id : SV_NULL;
		return ret->uuid.n > 0;
	}
	/* GKE: "nvidia0", "nvidia0/gi3", either with "/vgpu2" behind */
	if (!sv_starts(id, SV("nvidia")))
		return false;
	id = sv_from(id, 6);
	if (!number_at(&id, &ret->minor))
		return false;
	if (sv_starts(id, SV("/gi"))) {
		id = sv_from(id, 3);
		if (!number_at(&id, &ret->gi))
			return false;
	}
	bool vgpu = sv_starts(id, SV("/vgpu"));
	ret->replica |= vgpu;
	return !id.n || vgpu;
}
