"""
What `import tare` finds in the folder that `tare run` and `tare profile` put at the end of PYTHONPATH: any other tare that Python knows (yours beside the script,
one that pip installed), and only where there is none the binding that came with the program. So nothing is hidden by it.
"""
import importlib
import os
import sys

_here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # the folder on PYTHONPATH
sys.path[:] = [p for p in sys.path if os.path.realpath(p) != _here] + [os.path.dirname(_here)]
del sys.modules[__name__]
importlib.invalidate_caches()
importlib.import_module(__name__)  # takes this module's place in sys.modules, which is what the import gives
