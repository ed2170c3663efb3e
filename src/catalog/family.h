#ifndef TARE_CATALOG_FAMILY_H
#define TARE_CATALOG_FAMILY_H
/* The family of a type of machine: what a contract's discount is agreed on. */

#define FAMILY_BUF 64
/*
 * By the name: "p4d.24xlarge" of aws -> "p4d"; "Standard_NC24ads_A100_v4" of azure ->
 * "NC_A100_v4" (its size and the letters of its features do not count); "a2-highgpu-8g" of gcp ->
 * "a2-highgpu"; of others the GPU's model. Texts may be NULL or "". "" where nothing tells it.
 * Longer names are cut. ret is returned.
 */
const char *machine_family(const char *provider, const char *instance_type, const char *gpu_model,
			   char ret[FAMILY_BUF]);

#endif
