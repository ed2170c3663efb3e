/* Printed text put into a narrower line than it was written for: its long lines are folded. */
#include <ctype.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "report/text.h"

/* What a shell, or a file of a scheduler, takes: it stays in one piece, however long. */
static bool is_pasted(struct sv line)
{
	static const char *const word[] = {
		"#",      "$",       "tare",      "tare-agent", "TARE_",    "aws",        "az",
		"gcloud", "kubectl", "helm",      "scontrol",   "sacctmgr", "sbatch",     "scancel",
		"curl",   "sudo",    "systemctl", "export",     "python",   "nvidia-smi",
	};
	size_t in = 0;

	if (line.n && (*line.p == '{' || *line.p == '['))
		return true; /* JSON */
	while (in < line.n && line.p[in] == ' ')
		in++;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
		size_t n = strlen(word[i]);
		bool longer = n && (word[i][n - 1] == '_' || word[i][n - 1] == '#');
		if (line.n - in < n || memcmp(line.p + in, word[i], n) != 0)
			continue;
		if (longer || line.n - in == n)
			return true;
		/* "tare 0.1.0 ..." and "tare plan: ..." are no commands */
		struct sv rest = { line.p + in + n + 1, line.n - in - n - 1 };
		size_t words = 0;
		while (words < rest.n &&
		       (isalpha((unsigned char)rest.p[words]) || rest.p[words] == '-'))
			words++;
		bool prose = words < rest.n && (!words || rest.p[words] == ':');
		if (line.p[in + n] == ' ' && !prose)
			return true;
	}
	return false;
}

/* Columns of a line that may have colours: ESC [ ... letter takes none. */
static int line_width(struct sv line)
{
	int width = 0;

	for (size_t i = 0; i < line.n;) {
		size_t n = i;
		while (n < line.n && line.p[n] != '\033')
			n++;
		width += text_width((struct sv){ line.p + i, n - i });
		for (i = n; i < line.n;) {
			char c = line.p[i++];
			if (within_int(c, 'a', 'z') || within_int(c, 'A', 'Z'))
				break;
		}
	}
	return width;
}

static size_t indent_of(struct sv line)
{
	size_t in = 0;

	while (in < line.n && line.p[in] == ' ')
		in++;
	return in;
}

/* Does this line go on with the sentence of the one before, whose text begins at hang? */
static bool goes_on(struct sv line, size_t hang)
{
	size_t in = indent_of(line);

	/* "note: ...": a line of its own, after another of them too */
	size_t label = in;
	while (label < line.n && islower((unsigned char)line.p[label]))
		label++;
	bool labelled = label > in && label + 1 < line.n && line.p[label] == ':' &&
			line.p[label + 1] == ' ';

	if (in != hang || in == line.n || is_pasted(line) || labelled)
		return false;
	for (size_t i = in; i + 1 < line.n; i++)
		if (line.p[i] == ' ' && line.p[i + 1] == ' ')
			return false;
	return islower((unsigned char)line.p[in]) || isdigit((unsigned char)line.p[in]) ||
	       line.p[in] == '(';
}

static struct sv next_line(struct sv *rest)
{
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
	size_t n = end ? (size_t)(end - rest->p) : rest->n;
	struct sv line = { rest->p, n };

	n += end != NULL;
	*rest = (struct sv){ rest->p + n, rest->n - n };
	return line;
}

void text_fit(struct str *out, struct sv text, int width)
{
	struct str whole = { 0 };

	while (text.n) {
		bool ended = text.p[text.n - 1] == '\n';
		struct sv line = next_line(&text);
		if (line_width(line) <= width || is_pasted(line)) {
			str_add(out, line.p, line.n);
			str_addz(out, text_if(text.n || ended, "\n"));
			continue;
		}

		/* Where the last column of a line begins, if that leaves its text half of the
		 * width: "  --limit N  at most so many rows". */
		size_t in = indent_of(line), hang = in, most = (size_t)width * 11 / 20;
		for (size_t i = in; i + 2 < line.n && i < most; i++)
			if (line.p[i] == ' ' && line.p[i + 1] == ' ' && line.p[i + 2] != ' ') {
				if (i + 2 <= most)
					hang = i + 2;
			}
		if (hang > (size_t)width / 2 + 4)
			hang = in;

		/* Where the command begins that a line ends with, behind ": "; 0: it does not. */
		static const char mark[] = ": tare ";
		const char *at = memmem(line.p, line.n, mark, sizeof mark - 1);
		size_t command = 0;
		if (at)
			command = (size_t)(at - line.p) + 2;

		if (command) { /* "and 3 more: tare plan --all" */
			text_fold(out, (struct sv){ line.p, command - 1 }, hang, (size_t)width);
			str_addf(out, "%*s%.*s\n", (int)indent_of(line), "",
				 (int)(line.n - command), line.p + command);
			continue;
		}
		str_clear(&whole);
		str_add(&whole, line.p, line.n);
		for (struct sv rest = text; rest.n; text = rest) {
			line = next_line(&rest);
			if (!goes_on(line, hang))
				break;
			str_addc(&whole, ' ');
			str_add(&whole, line.p + hang, line.n - hang);
		}
		text_fold(out, str_sv(&whole), hang, (size_t)width);
	}
	str_free(&whole);
}
