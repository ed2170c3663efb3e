#include "answer/store_state.h"

#include <unistd.h>

#include "ledger/rules.h"

void answer_store_state(struct store *s, struct store_state *ret)
{
	struct err ignored;
	int rules = 0;

	*ret = (struct store_state){ .rules_now = LEDGER_RULES };
	if (store_rules(s, &rules, &ignored) < 0 || !rules)
		return;
	ret->rules = rules;
	ret->older = ledger_rules_older(rules);

	struct str path = { 0 };

	str_addf(&path, "%s/control.db", store_dir(s));
	ret->undecided = access(str_z(&path), F_OK) != 0;
	str_free(&path);
}
