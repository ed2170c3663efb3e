#ifndef TARE_CATALOG_CPU_H
#define TARE_CATALOG_CPU_H
/* The processor beside the GPUs: a program for the one kind does not run on the other, whatever
 * the GPU. */

enum machine_cpu { CPU_ANY, CPU_X86, CPU_ARM }; /* ANY: not known, or all the same */
/*
 * By the name of the machine: ARM are AWS's families with a g behind the generation (Graviton: g5g)
 * and what has NVIDIA's Grace on the board (GH200, GB200, GB300; GCP's A4X, AWS's P6e). Others are
 * x86. ANY without a name. Any of the texts may be NULL.
 */
enum machine_cpu machine_cpu_of(const char *provider, const char *instance_type,
				const char *gpu_model);
enum machine_cpu machine_cpu_here(void);            /* of this machine */
const char *machine_cpu_name(enum machine_cpu cpu); /* "x86_64", "arm64"; NULL for ANY */

#endif
