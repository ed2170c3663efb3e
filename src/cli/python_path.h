#ifndef TARE_CLI_PYTHON_PATH_H
#define TARE_CLI_PYTHON_PATH_H
/*
 * The command of `tare run` and `tare profile` can `import tare`, whether the binding was installed
 * into Python or not: the folder python/last, of the install prefix (share/tare/python/last) or of
 * the source beside the build, is put at the end of PYTHONPATH. What is in it gives way to any
 * other tare that Python finds. Does nothing where there is no such folder or it is there already.
 */
void python_path_offer(void);

#endif
