/* See cloud_id.h. */
#include "model/cloud_id.h"

#include "base/num.h"

#define GUID_LEN 36

/* "8a0c...-....": 8-4-4-4-12; what is behind it (":<guid>_2019-05-31") does not matter. */
static bool is_guid(struct sv v)
{
	for (size_t i = 0; i < GUID_LEN; i++) {
		bool dash = i >= 8 && i <= 23 && (i - 8) % 5 == 0;
		char c = '\0';
		if (i < v.n)
			c = v.p[i];
		bool hex = within_int(c, '0', '9') || within_int(c, 'a', 'f') ||
			   within_int(c, 'A', 'F');
		if (dash ? c != '-' : !hex)
			return false;
	}
	return true;
}

static struct sv plain_id(struct sv provider, struct sv id, struct sv path, bool fold,
			  struct str *buf)
{
	struct sv rest, cut = SV_NULL;

	if (!sv_is(provider, "azure"))
		return id;
	if (id.n > path.n && sv_ieq((struct sv){ id.p, path.n }, path))
		cut = sv_cut(sv_from(id, path.n), '/', &rest);
	if (cut.n)
		id = cut;
	if (!fold && !is_guid(id))
		return id;
	str_clear(buf);
	for (size_t i = 0; i < id.n; i++)
		str_addc(buf, id.p[i] >= 'A' && id.p[i] <= 'Z' ? (char)(id.p[i] + 32) : id.p[i]);
	if (id.n)
		return str_sv(buf);
	return id;
}

struct sv cloud_account(struct sv provider, struct sv id, bool fold, struct str *buf)
{
	return plain_id(provider, id, SV("/providers/Microsoft.Billing/billingAccounts/"), fold,
			buf);
}

struct sv cloud_sub_account(struct sv provider, struct sv id, bool fold, struct str *buf)
{
	return plain_id(provider, id, SV("/subscriptions/"), fold, buf);
}
