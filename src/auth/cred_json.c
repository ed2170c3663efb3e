#include "auth/cred_json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

#define TEXT_MAX ((size_t)1 << 20)

int cred_json_open(struct cred_json *j, struct sv text)
{
	memset(j, 0, sizeof *j);
	text = sv_trim(text);
	/* blanks between members may be line feeds */
	for (size_t i = 0; i < text.n && i < TEXT_MAX; i++)
		str_addc(&j->text, text.p[i] == '\n' || text.p[i] == '\r' ? ' ' : text.p[i]);
	if (text.n > TEXT_MAX)
		j->why = "it is longer than a MiB";
	else
		j->why = jscan_members(&j->m, str_sv(&j->text));
	if (j->why)
		return -EBADMSG;
	return 0;
}

struct sv cred_json_text(struct cred_json *j, const char *name)
{
	for (size_t i = 0; i < j->m.n; i++) {
		struct jscan_member *m = &j->m.v[i];
		if (m->key_escaped || !sv_is(m->key, name))
			continue;
		if (m->type == JSCAN_NESTED || m->type == JSCAN_NULL)
			continue;
		if (m->value_escaped) /* in our copy, once */
			jscan_unescape(&m->value);
		m->value_escaped = false;
		return m->value;
	}
	return SV_NULL;
}

struct sv cred_json_nested(const struct cred_json *j, const char *name)
{
	for (size_t i = 0; i < j->m.n; i++)
		if (!j->m.v[i].key_escaped && sv_is(j->m.v[i].key, name) &&
		    j->m.v[i].type == JSCAN_NESTED)
			return j->m.v[i].value;
	return SV_NULL;
}

void cred_json_close(struct cred_json *j)
{
	if (j->text.p)
		explicit_bzero(j->text.p, j->text.n);
	str_free(&j->text);
	vec_free(&j->m);
}
