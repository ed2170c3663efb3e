#include "device/cgroup.h"

#include <stdio.h>

#include "base/num.h"

#define ID_HEX 64

static bool is_hex(char c)
{
	return within_int(c, '0', '9') || within_int(c, 'a', 'f') || within_int(c, 'A', 'F');
}

static bool all_hex(struct sv s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_hex(s.p[i]))
			return false;
	return s.n > 0;
}

static bool take_prefix(struct sv *s, const char *prefix)
{
	struct sv p = sv_of(prefix);

	if (!sv_starts(*s, p))
		return false;
	*s = sv_from(*s, p.n);
	return true;
}

static bool drop_end(struct sv *s, const char *suffix)
{
	struct sv p = sv_of(suffix);

	if (!sv_ends(*s, p))
		return false;
	s->n -= p.n;
	return true;
}

static void copy_id(char *out, size_t cap, struct sv s)
{
	if (s.n >= cap)
		return; /* longer than any real one: not known rather than another */
	memcpy(out, s.p, s.n);
	out[s.n] = 0;
}

/* ---- Slurm ------------------------------------------------------------------------------- */

static int64_t number_after(struct sv s, const char *prefix)
{
	int64_t n;

	if (!take_prefix(&s, prefix) || !s.n || s.p[0] == '-' || s.p[0] == '+')
		return -1;
	if (sv_i64(s, &n) < 0 || n < 0 || n >= UINT32_MAX)
		return -1;
	return n;
}

static bool slurm_root(struct sv s)
{
	return sv_is(s, "slurm") || sv_starts(s, SV("slurm_")) ||
	       sv_ends(s, SV("slurmstepd.scope"));
}

static void slurm_part(struct cgroup_who *w, struct sv s)
{
	int64_t n;

	if (w->slurm_job < 0) {
		if ((n = number_after(s, "uid_")) >= 0)
			w->slurm_uid = n;
		if ((n = number_after(s, "job_")) > 0)
			w->slurm_job = n;
	} else if (!w->slurm_step[0] && take_prefix(&s, "step_")) {
		copy_id(w->slurm_step, sizeof w->slurm_step, s);
	}
}

/* ---- pods and containers ----------------------------------------------------------------- */

/* 8-4-4-4-12 hex digits with - or _ between, or 32 without. */
static bool pod_uid(struct sv s, char out[40])
{
	bool plain = s.n == 32;

	if (s.n != 36 && !plain)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool gap = !plain && (i == 8 || i == 13 || i == 18 || i == 23);
		if (gap ? s.p[i] != '-' && s.p[i] != '_' : !is_hex(s.p[i]))
			return false;
		if (gap)
			out[i] = '-';
		else if (s.p[i] >= 'A' && s.p[i] <= 'F')
			out[i] = (char)(s.p[i] + 32);
		else
			out[i] = s.p[i];
	}
	out[s.n] = 0;
	return true;
}

/* "pod<uid>" of the cgroupfs driver, "kubepods-burstable-pod<uid>.slice" of the systemd driver. */
static bool pod_part(struct sv s, char out[40])
{
	struct sv rest;

	s = sv_cut(s, ':', &rest); /* "<slice>:cri-containerd:<id>" */
	if (take_prefix(&s, "pod"))
		return pod_uid(s, out);
	if (!drop_end(&s, ".slice") || !sv_has(s, SV("kubepods")))
		return false;
	for (size_t i = s.n; i-- > 3;) /* the last "-pod": a uid has none */
		if (sv_starts(sv_from(s, i - 3), SV("-pod")))
			return pod_uid(sv_from(s, i + 1), out);
	return false;
}

static enum cgroup_engine container_part(struct sv s, struct sv before, struct sv *ret_id)
{
	static const struct {
		const char *prefix;
		enum cgroup_engine engine;
	} known[] = {
		{ "cri-containerd-", ENGINE_CONTAINERD },
		{ "crio-", ENGINE_CRIO },
		{ "docker-", ENGINE_DOCKER },
		{ "libpod-", ENGINE_PODMAN },
		{ "nerdctl-", ENGINE_CONTAINERD },
	};
	drop_end(&s, ".scope");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct sv id = s;
		if (take_prefix(&id, known[i].prefix) && id.n == ID_HEX && all_hex(id)) {
			*ret_id = id;
			return known[i].engine;
		}
	}
	/* containerd names of systemd's kind: "...:cri-containerd:<id>" */
	for (size_t i = s.n; i-- > 0;)
		if (s.p[i] == ':') {
			*ret_id = sv_from(s, i + 1);
			if (ret_id->n == ID_HEX && all_hex(*ret_id))
				return ENGINE_CONTAINERD;
			return ENGINE_NONE;
		}
	if (s.n != ID_HEX || !all_hex(s))
		return ENGINE_NONE;
	*ret_id = s;
	if (sv_is(before, "docker"))
		return ENGINE_DOCKER;
	if (sv_is(before, "libpod_parent"))
		return ENGINE_PODMAN;
	return ENGINE_OTHER;
}

/* ---- systemd ----------------------------------------------------------------------------- */

static void unit_part(struct cgroup_who *w, struct sv s)
{
	bool service = sv_ends(s, SV(".service")), scope = sv_ends(s, SV(".scope"));
	/* not those that start or keep the others */
	bool keeper = sv_is(s, "init.scope") || sv_ends(s, SV("slurmstepd.scope"));

	if (scope && sv_starts(s, SV("session-"))) {
		w->session = true;
	} else if (service && sv_starts(s, SV("user@"))) {
		w->session = true;
	} else if ((service || scope) && !keeper) {
		w->unit[0] = 0; /* the innermost: a unit below the manager of a user */
		copy_id(w->unit, sizeof w->unit, s);
	}
}

/* ---- a path ------------------------------------------------------------------------------ */

static void path_parse(struct cgroup_who *w, struct sv path)
{
	struct cgroup_who p = { .slurm_job = -1, .slurm_uid = -1 };
	struct sv before = SV_NULL, id, rest = path;
	bool slurm = false;

	while (rest.p) {
		struct sv s = sv_cut(rest, '/', &rest);
		if (!s.n)
			continue;
		bool inside = p.container[0] != 0;
		if (!inside && !p.session && !p.pod[0] &&
		    (!p.unit[0] || sv_starts(sv_of(p.unit), SV("slurm"))) && slurm_root(s))
			slurm = true;
		else if (slurm && !inside && !p.pod[0])
			slurm_part(&p, s);
		enum cgroup_engine e = container_part(s, before, &id);
		if (!p.pod[0] && pod_part(s, p.pod)) {
			/* a node that is a container itself (kind) has its pods inside */
			p.container[0] = 0;
			p.engine = ENGINE_NONE;
			p.unit[0] = 0;
			inside = false;
		}
		if (!inside && e) {
			copy_id(p.container, sizeof p.container, id);
			p.engine = e;
		} else if (!inside && !p.pod[0] && p.slurm_job < 0) {
			unit_part(&p, s);
		}
		before = s;
	}
	/* what the path says that nobody knew yet */
	if (w->slurm_job < 0 && p.slurm_job >= 0) {
		w->slurm_job = p.slurm_job;
		w->slurm_uid = p.slurm_uid;
	}
	if (!w->slurm_step[0] && p.slurm_job >= 0 && p.slurm_job == w->slurm_job)
		memcpy(w->slurm_step, p.slurm_step, sizeof w->slurm_step);
	if (!w->pod[0])
		memcpy(w->pod, p.pod, sizeof w->pod);
	if (!w->container[0]) {
		memcpy(w->container, p.container, sizeof w->container);
		w->engine = p.engine;
	}
	if (!w->unit[0])
		memcpy(w->unit, p.unit, sizeof w->unit);
	w->session |= p.session;
}

void cgroup_parse(struct sv text, struct cgroup_who *ret)
{
	*ret = (struct cgroup_who){ .slurm_job = -1, .slurm_uid = -1 };
	while (text.p) {
		struct sv line = sv_cut(text, '\n', &text), controllers, path;
		sv_cut(line, ':', &controllers);
		if (!controllers.p)
			continue;
		sv_cut(controllers, ':', &path);
		if (path.n)
			path_parse(ret, path);
	}
}
