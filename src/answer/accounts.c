#include "answer/accounts.h"

#include "base/search.h"

int account_names_load(struct store *s, struct arena *mem, struct account_names *ret,
		       struct err *err)
{
	struct account_name *v;
	size_t n;
	int r = store_account_names(s, mem, &v, &n, err);

	if (r >= 0)
		*ret = (struct account_names){ v, n };
	return r;
}

/* The first row of an id; n where there is none. */
static size_t find_account(const struct account_names *names, const char *id)
{
	size_t at = first_where(i, names->n, strcmp(names->v[i].id, id) >= 0);

	if (at < names->n && !strcmp(names->v[at].id, id))
		return at;
	return names->n;
}

const char *account_name(const struct account_names *names, const char *id)
{
	size_t i = find_account(names, id);

	if (i < names->n)
		return names->v[i].name;
	return "";
}

bool account_known(const struct account_names *names, const char *id)
{
	return find_account(names, id) < names->n;
}

bool accounts_named(const struct account_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (*names->v[i].name)
			return true;
	return false;
}
