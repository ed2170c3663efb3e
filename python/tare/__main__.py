"""
python3 -m tare          which libtare is used, and whether PyTorch and numpy are here
python3 -m tare DIR      what the newest checkpoint in DIR that holds has in it
"""
import os
import sys

from . import Error, load_latest, version
from ._lib import lib


def show(value, name="state", depth=0):
    """One line for each entry, two levels deep."""
    kind = type(value).__name__
    size = getattr(value, "shape", None)
    what = "%s %s" % (str(value.dtype), list(size)) if size is not None and hasattr(value, "dtype") else kind
    if isinstance(value, (int, float, str, bool)) or value is None:
        what = "%.60r" % (value,)
    elif isinstance(value, (dict, list, tuple)):
        what += " of %d" % len(value)
    print("%s%s: %s" % ("  " * depth, ascii(name)[1:-1][:80], what))
    if isinstance(value, dict) and depth < 2:
        for k, v in list(value.items())[:50]:
            show(v, str(k), depth + 1)
        if len(value) > 50:
            print("  " * (depth + 1) + "... %d more" % (len(value) - 50))


def main(argv):
    if len(argv) > 1 or argv[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(argv) == 1 else 2
    if argv:
        step, state = load_latest(argv[0], rng_state=False)
        if state is None:
            print("no checkpoint in '%s'" % argv[0])
            return 1
        print("step %d" % step)
        show(state)
        return 0
    print("tare %s, %s" % (version(), lib()._name))
    for name in ("torch", "numpy"):
        try:
            print("%s %s" % (name, __import__(name).__version__))
        except ImportError:
            print("%s is not here" % name)
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(code)
    except BrokenPipeError:  # python3 -m tare DIR | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Error as e:
        print("tare: %s" % e, file=sys.stderr)
        sys.exit(2)
