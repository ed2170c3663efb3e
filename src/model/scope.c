#include "model/scope.h"

#include "base/str.h"

static const struct {
	enum scope_kind kind;
	struct sv text;
} prefix[] = {
	{ SCOPE_NODE, { "node:", 5 } }, { SCOPE_POOL, { "pool:", 5 } },
	{ SCOPE_GPU, { "gpu:", 4 } },   { SCOPE_RESOURCE, { "res:", 4 } },
	{ SCOPE_BILL, { "bill:", 5 } },
};
#define NPREFIX (sizeof prefix / sizeof *prefix)

static const struct sv *prefix_of(struct sv key)
{
	for (size_t i = 0; i < NPREFIX; i++)
		if (sv_starts(key, prefix[i].text))
			return &prefix[i].text;
	return NULL;
}

static void add_escaped(struct str *out, struct sv v)
{
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '%')
			str_addz(out, "%25");
		else if (v.p[i] == '/')
			str_addz(out, "%2F");
		else
			str_addc(out, v.p[i]);
	}
}

static struct sv unescape_part(struct sv v, struct arena *mem)
{
	char *p = arena_alloc(mem, v.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < v.n; i++) {
		struct sv rest = { v.p + i, v.n - i };
		bool percent = sv_starts(rest, SV("%25")), slash = sv_starts(rest, SV("%2F"));
		p[n++] = slash ? '/' : v.p[i];
		if (percent || slash)
			i += 2;
	}
	p[n] = 0;
	return (struct sv){ p, n };
}

void scope_key(const struct scope *s, struct str *out)
{
	switch (s->kind) {
	case SCOPE_NODE:
		if (prefix_of(s->name))
			str_addz(out, "node:");
		str_addsv(out, s->name);
		return;
	case SCOPE_POOL:
		str_addz(out, "pool:");
		add_escaped(out, s->cluster);
		str_addc(out, '/');
		str_addsv(out, s->gpu_model);
		return;
	case SCOPE_GPU:
		str_addz(out, "gpu:");
		str_addsv(out, s->name);
		return;
	case SCOPE_RESOURCE:
		str_addz(out, "res:");
		add_escaped(out, s->provider);
		str_addc(out, '/');
		str_addsv(out, s->name);
		return;
	case SCOPE_BILL:
		str_addf(out, "bill:%lld/%lld", (long long)s->batch, (long long)s->file);
		return;
	}
}

const char *scope_key_in(const struct scope *s, struct arena *mem)
{
	struct str out = { 0 };

	scope_key(s, &out);
	const char *key = arena_strn(mem, text_or(out.p, ""), out.n);
	str_free(&out);
	return key;
}

struct scope scope_of_key(struct sv key, struct arena *mem)
{
	struct scope s = { .kind = SCOPE_NODE, .name = key };
	struct sv head, rest = SV_NULL;
	const struct sv *p = prefix_of(key);

	if (!p)
		return s;
	for (size_t i = 0; i < NPREFIX; i++)
		if (p == &prefix[i].text)
			s.kind = prefix[i].kind;
	s.name = sv_from(key, p->n);
	if (s.kind == SCOPE_NODE || s.kind == SCOPE_GPU)
		return s;
	head = sv_cut(s.name, '/', &rest);
	if (s.kind == SCOPE_POOL) {
		s.cluster = unescape_part(head, mem);
		s.gpu_model = rest;
		s.name = SV_NULL;
	} else if (s.kind == SCOPE_RESOURCE && rest.p) {
		s.provider = unescape_part(head, mem);
		s.name = rest;
	} else if (s.kind == SCOPE_BILL) {
		sv_i64(head, &s.batch);
		sv_i64(rest, &s.file);
		s.name = SV_NULL;
	}
	return s;
}
