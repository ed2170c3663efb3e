/*
 * What analysers cannot see, for tools/analyse, which includes it before every source: err_set()
 * returns the number that it is given, never above 0; inline functions with a branch for NULL do not
 * say that every caller may have it.
 */
#include <errno.h>

#include "base/err.h"
#include "base/str.h"

#define err_set(e, code, ...)                       \
	({                                          \
		const int code_ = (code);           \
		(err_set)((e), code_, __VA_ARGS__); \
		if (code_ > 0)                      \
			__builtin_unreachable();    \
		code_;                              \
	})
#define err_nomem(e) ((void)(err_nomem)(e), -ENOMEM)

struct sv analyse_sv(const char *z);
const char *analyse_text(const char *z, const char *other);
#define sv_of(z)        analyse_sv(z)
#define text_or(z, s)   analyse_text(z, s)
#define filled_or(z, s) analyse_text(z, s)
