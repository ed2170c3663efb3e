#include "base/tab.h"

void tab_close(struct tab *t)
{
	if (t)
		t->ops->close(t);
}

int tab_col(const struct tab *t, const char *name)
{
	struct sv want = sv_of(name);
	for (size_t i = 0; i < t->ncol; i++)
		if (sv_eq(t->col[i], want))
			return (int)i;
	for (size_t i = 0; i < t->ncol; i++)
		if (sv_ieq(t->col[i], want))
			return (int)i;
	return -1;
}
