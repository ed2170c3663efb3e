"""The random generators of a program as a state: Python's own, and numpy's and PyTorch's (with every GPU) where those are loaded."""
import random
import sys


def state():
    got = {"python": random.getstate()}
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy:
        got["numpy"] = numpy.random.get_state()
    if torch:
        got["torch"] = torch.get_rng_state()
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            got["cuda"] = torch.cuda.get_rng_state_all()
    return got


def restore(got):
    """What was saved and is loaded now. Where there are other GPUs than then, theirs stay as they are."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if "python" in got:
        random.setstate(got["python"])
    if numpy and "numpy" in got:
        numpy.random.set_state(got["numpy"])
    if torch and "torch" in got:
        torch.set_rng_state(got["torch"].cpu().clone())
    if torch and got.get("cuda") and torch.cuda.is_available() and torch.cuda.device_count() == len(got["cuda"]):
        torch.cuda.set_rng_state_all([t.cpu().clone() for t in got["cuda"]])
