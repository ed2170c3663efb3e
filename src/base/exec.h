#ifndef TARE_BASE_EXEC_H
#define TARE_BASE_EXEC_H
/* What a shell would say of a command that could not be started, and what to type instead. */
#include "base/err.h"

/*
 * e: what execvp(name) left in errno. Sets the sentence (-ENOEXEC is for the caller to return) and,
 * where the name shows it, the hint: a whole shell line given as one word, a script whose
 * interpreter is missing, a folder, a file that may not be executed. Returns the exit code of
 * shells: 127 not found, 126 cannot be executed. Looks at the file's first line, no more.
 */
int exec_failed(const char *name, int e, struct err *err);

#endif
