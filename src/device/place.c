#include "device/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/jscan.h"
#include "base/str.h"
#include "net/http.h"

#define BODY_BYTES ((size_t)256 << 10)

struct asking {
	struct http *http;
	struct http_res res;
	int64_t limit_ms;
	struct err err; /* of the last question */
};

static int get_metadata(struct asking *a, const char *method, const char *base, const char *path,
			const char *header)
{
	char url[512];
	struct http_req q = { .url = url,
			      .method = method,
			      .header = &header,
			      .nheader = header ? 1 : 0,
			      .connect_timeout_ms = a->limit_ms,
			      .timeout_ms = a->limit_ms,
			      .body_max = BODY_BYTES };
	size_t n = strlen(base);

	snprintf(url, sizeof url, "%.*s%s", (int)(n && base[n - 1] == '/' ? n - 1 : n), base, path);
	int rc = http_do(a->http, &q, &a->res, &a->err);
	if (!rc && (a->res.status < 200 || a->res.status > 299))
		rc = http_status_err(url, &a->res, &a->err);
	return rc;
}

/* A text of a JSON answer; escapes never occur in these, so one that has them is not taken. */
static struct sv read_text(struct sv object, const char *key)
{
	struct sv v = jscan_text(jscan_get(object, key));

	if (v.n && !memchr(v.p, '\\', v.n))
		return v;
	return SV_NULL;
}

#define PUT(field, value) sv_clean((value), (field), sizeof(field))

/* What follows the last slash: "projects/123/zones/us-central1-a". */
static struct sv last_part(struct sv v)
{
	const char *slash = NULL;

	if (v.n)
		slash = memrchr(v.p, '/', v.n);
	if (slash)
		return (struct sv){ slash + 1, v.n - (size_t)(slash + 1 - v.p) };
	return v;
}

/* ---- AWS: a session's token first, so that a proxy or a tricked server cannot ask for it ---- */

static bool token_fits(struct sv v)
{
	for (size_t i = 0; i < v.n; i++)
		if ((unsigned char)v.p[i] <= ' ' || (unsigned char)v.p[i] >= 0x7f)
			return false;
	return v.n > 0 && v.n < 900;
}

static int ask_aws(struct asking *a, const char *base, struct place *p)
{
	char header[1024];
	int rc = get_metadata(a, "PUT", base, "/latest/api/token",
			      "X-aws-ec2-metadata-token-ttl-seconds: 60");

	if (rc < 0)
		return rc;
	struct sv token = sv_trim(str_sv(&a->res.body));
	if (!token_fits(token))
		return err_set(&a->err, -EPROTO, "the metadata service gave no token");
	snprintf(header, sizeof header, "X-aws-ec2-metadata-token: %.*s", SVF(token));
	rc = get_metadata(a, NULL, base, "/latest/dynamic/instance-identity/document", header);
	struct sv doc = str_sv(&a->res.body);
	if (!rc && (!jscan_is_object(doc) || !read_text(doc, "instanceId").n))
		rc = err_set(&a->err, -EPROTO, "the metadata service gave no identity document");
	if (rc < 0)
		return rc;
	PUT(p->region, read_text(doc, "region"));
	PUT(p->zone, read_text(doc, "availabilityZone"));
	PUT(p->instance_type, read_text(doc, "instanceType"));
	PUT(p->instance_id, read_text(doc, "instanceId"));
	PUT(p->resource_id, read_text(doc, "instanceId"));
	PUT(p->account, read_text(doc, "accountId"));
	if (get_metadata(a, NULL, base, "/latest/meta-data/instance-life-cycle", header) == 0) {
		struct sv life = sv_trim(str_sv(&a->res.body));
		if (sv_is(life, "spot"))
			PUT(p->purchase, life);
		else if (sv_is(life, "on-demand"))
			PUT(p->purchase, SV("on_demand"));
		else if (sv_is(life, "capacity-block"))
			PUT(p->purchase, SV("capacity_block"));
	}
	snprintf(p->provider, sizeof p->provider, "aws");
	return 0;
}

/* ---- Google Cloud ------------------------------------------------------------------------ */

static int ask_gcp(struct asking *a, const char *base, struct place *p)
{
	int rc = get_metadata(a, NULL, base, "/computeMetadata/v1/instance/?recursive=true",
			      "Metadata-Flavor: Google");
	struct sv doc = str_sv(&a->res.body), scheduling, dash;

	if (!rc && (!jscan_is_object(doc) || !read_text(doc, "machineType").n))
		rc = err_set(&a->err, -EPROTO, "the metadata service gave no machine type");
	if (rc < 0)
		return rc;
	PUT(p->zone, last_part(read_text(doc, "zone")));
	dash = sv_of(p->zone);
	const char *end = memrchr(p->zone, '-', dash.n);
	if (end)
		PUT(p->region, ((struct sv){ p->zone, (size_t)(end - p->zone) }));
	PUT(p->instance_type, last_part(read_text(doc, "machineType")));
	PUT(p->instance_id, read_text(doc, "id"));
	scheduling = jscan_get(doc, "scheduling");
	if (scheduling.n) {
		struct sv pre = read_text(scheduling, "preemptible");
		if (sv_ieq(pre, SV("true")))
			PUT(p->purchase, SV("spot"));
		else if (sv_ieq(pre, SV("false")))
			PUT(p->purchase, SV("on_demand"));
	}
	snprintf(p->provider, sizeof p->provider, "gcp");
	if (get_metadata(a, NULL, base, "/computeMetadata/v1/project/project-id",
			 "Metadata-Flavor: Google") < 0)
		return 0; /* the place is known all the same */
	PUT(p->account, sv_trim(str_sv(&a->res.body)));
	if (p->account[0] && p->zone[0] && p->instance_id[0])
		snprintf(p->resource_id, sizeof p->resource_id,
			 "//compute.googleapis.com/projects/%s/zones/%s/instances/%s", p->account,
			 p->zone, p->instance_id);
	return 0;
}

/* ---- Azure ------------------------------------------------------------------------------- */

static int ask_azure(struct asking *a, const char *base, struct place *p)
{
	int rc = get_metadata(a, NULL, base, "/metadata/instance?api-version=2021-02-01",
			      "Metadata: true");
	struct sv doc = str_sv(&a->res.body), c = SV_NULL;

	if (rc >= 0 && jscan_is_object(doc))
		c = jscan_get(doc, "compute");
	if (!rc && !read_text(c, "vmSize").n)
		rc = err_set(&a->err, -EPROTO, "the metadata service gave no size of the machine");
	if (rc < 0)
		return rc;
	PUT(p->region, read_text(c, "location"));
	PUT(p->zone, read_text(c, "zone"));
	PUT(p->instance_type, read_text(c, "vmSize"));
	PUT(p->instance_id, read_text(c, "vmId"));
	PUT(p->resource_id, read_text(c, "resourceId"));
	PUT(p->account, read_text(c, "subscriptionId"));
	struct sv priority = read_text(c, "priority"); /* "" where it is an ordinary one */
	PUT(p->purchase, sv_ieq(priority, SV("spot")) || sv_ieq(priority, SV("low"))
				 ? SV("spot")
				 : SV("on_demand"));
	snprintf(p->provider, sizeof p->provider, "azure");
	return 0;
}

/* ---- whom to ask ------------------------------------------------------------------------- */

static const struct provider {
	const char *name, *vendor, *url;
	int (*ask)(struct asking *a, const char *base, struct place *p);
} providers[] = {
	{ "aws", "Amazon EC2", "http://169.254.169.254", ask_aws },
	{ "gcp", "Google", "http://metadata.google.internal", ask_gcp },
	{ "azure", "Microsoft Corporation", "http://169.254.169.254", ask_azure },
};
#define NPROVIDER (sizeof providers / sizeof *providers)

/* Where provider i is asked; "": not at all, as the machine's maker says that it is none of its. It
 * may be anybody's where that is a virtual machine, or nothing is said. */
static const char *base_of(const struct place_opt *o, size_t i, const char *vendor)
{
	static const char *const virtual[] = {
		"", "QEMU", "Xen", "OpenStack Foundation", "Red Hat", "KVM", "VMware, Inc.", "Bochs"
	};
	const char *const given[] = { o->aws, o->gcp, o->azure };
	const char *env = getenv("TARE_METADATA");

	if (given[i])
		return given[i];
	if (env && !strcmp(env, "off"))
		return "";
	if (env && *env)
		return env;
	if (!strcmp(vendor, providers[i].vendor))
		return providers[i].url;
	for (size_t k = 0; k < sizeof virtual / sizeof *virtual; k++)
		if (!strcmp(vendor, virtual[k]))
			return providers[i].url;
	return "";
}

int place_find(const struct place_opt *opt, struct place *ret, struct err *err)
{
	static const struct place_opt none;
	struct http_opt direct = { .proxy = "" };
	struct asking a = { 0 };
	const char *dead = NULL; /* an address where nobody is: two providers share one */
	char path[512], raw[96], vendor[96];
	size_t nraw = 0;
	int rc = http_new(&direct, &a.http, err);

	if (rc < 0)
		return rc;
	if (!opt)
		opt = &none;
	const char *env = getenv("TARE_METADATA");
	/* Where nobody may be, half a second is enough; who names a service has one, and it may be
	 * slow. */
	if (opt->limit_ms > 0)
		a.limit_ms = opt->limit_ms;
	else if (env && *env)
		a.limit_ms = 5000;
	else
		a.limit_ms = 500;
	memset(ret, 0, sizeof *ret);
	snprintf(path, sizeof path, "%s/class/dmi/id/sys_vendor", text_or(opt->sysfs, "/sys"));
	FILE *f = fopen(path, "re");
	if (f) {
		nraw = fread(raw, 1, sizeof raw, f);
		fclose(f);
	}
	sv_clean((struct sv){ raw, nraw }, vendor, sizeof vendor);
	if (env && !strcmp(env, "off"))
		snprintf(ret->why, sizeof ret->why,
			 "TARE_METADATA is off: no cloud's metadata service is asked");
	else
		snprintf(ret->why, sizeof ret->why,
			 "no cloud's metadata service is asked on a machine of '%s'", vendor);
	for (size_t i = 0; i < NPROVIDER && !ret->known; i++) {
		const char *base = base_of(opt, i, vendor);
		struct place p = { 0 };
		if (!*base || (dead && !strcmp(base, dead)))
			continue;
		rc = providers[i].ask(&a, base, &p);
		if (rc < 0 && !a.res.status)
			dead = base;
		if (rc < 0) {
			snprintf(ret->why, sizeof ret->why,
				 "no metadata service of a cloud answers: %.150s", a.err.msg);
			continue;
		}
		*ret = p;
		ret->known = true;
		snprintf(ret->why, sizeof ret->why, "the metadata service of %s", p.provider);
	}
	http_res_free(&a.res);
	http_free(a.http);
	return 0;
}
