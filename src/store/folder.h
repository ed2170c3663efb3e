#ifndef TARE_STORE_FOLDER_H
#define TARE_STORE_FOLDER_H
/* Folders whose names outlive a power cut: a file that is synced in a folder that is not is not
 * there afterwards. */
#include <sys/types.h>
#include "base/err.h"

/* Make dir and what lies above it, as far as it is not there. A folder above that may not be opened
 * for reading is not synced. */
int folder_make(const char *dir, mode_t mode, struct err *err);
/* The names in dir are durable: what was made, renamed or removed in it. */
int folder_sync(const char *dir, struct err *err);

/* -EINVAL where the file there is a link, a pipe or anything else that is no file: what is written
 * to it would go elsewhere, what reads it would wait. */
int folder_check_file(const char *dir, const char *name, struct err *err);

#endif
