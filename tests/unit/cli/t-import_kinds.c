/* Every kind of file that can be read can be named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/cmds.h"
#include "feed/feed.h"

static bool is_among(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = words; (p = strstr(p, word)); p += n)
		if ((p == words || p[-1] == '|') && (!p[n] || p[n] == '|'))
			return true;
	return false;
}

static void each_kind_can_be_named(void **state)
{
	const struct cli_opt *as = cmd_import_def.opt;

	while (as->name && strcmp(as->name, "as") != 0)
		as++;
	assert_non_null(as->values);
	for (size_t i = 0; feed_table[i]; i++)
		if (!is_among(as->values, feed_table[i]->kind))
			fail_msg("--as does not know '%s'", feed_table[i]->kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_kind_can_be_named) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
