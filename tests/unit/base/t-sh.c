#include "test.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/sh.h"

static struct arena mem;

/* Names that stay one argument, in every shell that is here. */
static const char *const words[] = {
	"",
	"plain",
	"--all",
	"-rf",
	"a b",
	"  ",
	"$(touch x)",
	"`id`",
	"'",
	"''",
	"a'b",
	"\"",
	"\\",
	"a\\",
	";",
	"a;b",
	"&&",
	"|",
	"*",
	"?",
	"[a-z]",
	"~",
	"~root",
	"#",
	"a #b",
	"!",
	"!!",
	"!$",
	"=ls",
	"==",
	"%n",
	"%1",
	"{a,b}",
	"a=b",
	"<x",
	">x",
	"$HOME",
	"${x}",
	"$'\\n'",
	"(x)",
	"a|b&c;d(e)",
	"x^y",
	"@(x)",
	"+(x)",
	"-",
	"--",
	"\xf0\x9f\x98\x80",
	"Grüße",
	"日本",
	"a,b",
	"file:///etc/passwd",
	"@/etc/passwd",
	"if",
	"time",
	"'\\''",
	"a'\\''b",
};

static void run_in(const char *shell, const char *line, char *out, size_t cap)
{
	int fd[2];
	assert_int_equal(pipe(fd), 0);
	pid_t pid = fork();
	if (!pid) {
		dup2(fd[1], 1);
		close(fd[0]);
		execlp(shell, shell, strcmp(shell, "zsh") ? "-c" : "-fc", line, (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	size_t n = 0;
	for (ssize_t got; (got = read(fd[0], out + n, cap - 1 - n)) > 0;)
		n += (size_t)got;
	out[n] = 0;
	close(fd[0]);
	int status;
	waitpid(pid, &status, 0);
}

static void words_are_one_argument(void **state)
{
	static const char *const shells[] = { "sh", "bash", "zsh" };

	for (size_t k = 0; k < 3; k++) {
		char out[4096], have[64];
		run_in(shells[k], "printf here", have, sizeof have);
		if (strcmp(have, "here") != 0) {
			print_message("no %s\n", shells[k]);
			continue;
		}
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			char *want = arena_printf(&mem, "1:%s:", words[i]);
			run_in(shells[k],
			       arena_printf(&mem, "set -- %s; printf '%%s:%%s:' $# \"$1\"",
					    sh_word(&mem, words[i])),
			       out, sizeof out);
			assert_string_equal(out, want);
		}
	}
}

static void what_cannot_be_said_makes_a_comment(void **state)
{
	static const char *const bad[] = { "a\nb",
					   "a\rb",
					   "\x1b[2J",
					   "a\tb",
					   "a\x7f",
					   "\xff",
					   "\xe2\x80\xae"
					   "gpj",
					   "a\xe2\x80\xa8"
					   "b",
					   "\xc2\x9b"
					   "31m",
					   "\xc0\xaf" };
	char *longer = arena_alloc(&mem, SH_WORD_MAX + 2);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *line =
			sh_line(&mem, arena_printf(&mem, "stop %s now", sh_word(&mem, bad[i])));
		assert_int_equal(line[0], '#');
		assert_null(strpbrk(line, "\n\r\x1b\x01"));
		/* raw in a line, by mistake: the same */
		assert_int_equal(sh_line(&mem, arena_printf(&mem, "stop # %s", bad[i]))[0], '#');
	}
	memset(longer, 'a', SH_WORD_MAX + 1);
	longer[SH_WORD_MAX + 1] = 0;
	assert_int_equal(sh_line(&mem, sh_word(&mem, longer))[0], '#');
	longer[SH_WORD_MAX] = 0;
	assert_string_equal(sh_line(&mem, sh_word(&mem, longer)), longer);
	assert_string_equal(sh_line(&mem, "kubectl cordon n1"), "kubectl cordon n1");
}

static void names_are_nothing_else_to_a_tool(void **state)
{
	static const char *const bad[] = { "--all",   "-rf", "",       "a,b", "n[1-99]",
					   "*",       "a b", "@x",     "=x",  "$(x)",
					   ".hidden", "_x",  "file:a", "a/b" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(sh_name_ok(bad[i], SH_HOST));
		assert_int_equal(sh_line(&mem, sh_unsafe(&mem, bad[i]))[0], '#');
	}
	assert_true(sh_name_ok("gpu-01.rack_2", SH_HOST));
	assert_true(sh_name_ok("/subscriptions/x/vm-1", SH_CLOUD));
	assert_true(sh_name_ok("arn:aws:ec2:us-east-1:1:instance/i-0", SH_CLOUD));
	assert_false(sh_name_ok("file:///etc/passwd", SH_CLOUD));
	assert_false(sh_name_ok("@/etc/passwd", SH_CLOUD));
	assert_false(sh_name_ok("--all", SH_CLOUD));
}

static void notes_are_words_of_a_comment(void **state)
{
	assert_string_equal(sh_note(&mem, "a b-1.c:2/x@y+z=1,5%"), "a b-1.c:2/x@y+z=1,5%");
	assert_null(strpbrk(sh_note(&mem, "$(x) `y` 'z' \"\\;&|<>(){}[]*?~!#^\n\x1b\xe2\x80\xae"),
			    "$()`'\"\\;&|<>{}[]*?~!#^\n\x1b\xe2"));
	assert_true(strlen(sh_note(&mem, arena_printf(&mem, "%0500d", 1))) <= 84);
	assert_string_equal(sh_show(&mem, "a\nb"), "a_b");
	assert_string_equal(sh_show(&mem, "a b"), "'a b'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_one_argument),
		cmocka_unit_test(what_cannot_be_said_makes_a_comment),
		cmocka_unit_test(names_are_nothing_else_to_a_tool),
		cmocka_unit_test(notes_are_words_of_a_comment),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&mem);
	return rc;
}
