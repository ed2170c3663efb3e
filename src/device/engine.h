#ifndef TARE_DEVICE_ENGINE_H
#define TARE_DEVICE_ENGINE_H
/*
 * Containers as Docker's REST interface tells of them (Podman speaks it too): GET /containers/json
 * for names and labels, GET /containers/ID/json for the devices. Pure readers, fed in pieces;
 * bounded and cleaned as kubepods.h.
 */
#include <stdbool.h>
#include "base/err.h"
#include "base/mem.h"

#define ENGINE_MAX     2000
#define ENGINE_LABELS  64
#define ENGINE_DEVICES 64

struct engine_container {
	struct sv id, name, image;
	int64_t created_ms, start_ms; /* UNKNOWN_MS; start only from the inspection */
	struct sv *key, *value;       /* [nlabel] */
	size_t nlabel;
	/*
	 * Devices given by name: uuids ("GPU-..."), indices ("0") or files ("/dev/nvidia0"). A
	 * container that may see all GPUs holds none of them: engines reserve nothing, and every
	 * such container would be everybody's owner.
	 */
	struct sv *device; /* [ndevice] */
	size_t ndevice;
	bool all; /* may see all */
};
struct engine;
/* list: of /containers/json, else one inspected container */
struct engine *engine_new(struct arena *mem, bool list);
void engine_free(struct engine *e);
int engine_feed(struct engine *e, struct sv text, struct err *err);
int engine_end(struct engine *e, struct engine_container **ret, size_t *ret_n, struct err *err);

#endif
