"""libtare.so by ctypes: where it is found, and its functions with their types. include/tare/tare.h says what they do."""
import ctypes
import ctypes.util
import os
import pathlib
import shutil
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

_HERE = pathlib.Path(__file__).resolve().parent


class Error(Exception):
    """What libtare could not do, in a sentence."""


class NotSaved(Error):
    """A save failed, such as on a full disk. Nothing older is lost, and a later one may well be safe."""


class Options(Structure):
    _fields_ = [("size", c_size_t), ("dir", c_char_p), ("attempt", c_char_p), ("rank", c_int), ("world", c_int), ("threads", c_int),
                ("keep_last", c_int), ("keep_every_hours", c_double), ("commit_wait_ms", c_int64)]


class Piece(Structure):
    _fields_ = [("name", c_char_p), ("p", c_void_p), ("bytes", c_uint64)]


class Copy(Structure):
    _fields_ = [("to", c_void_p), ("source", c_void_p), ("bytes", c_uint64)]


class Stats(Structure):
    _fields_ = [("bytes", c_uint64), ("written_bytes", c_uint64), ("stall_s", c_double), ("write_s", c_double)]


def _candidates():
    """TARE_LIBTARE alone where it is set; else a build beside this folder, the newest first; else what is installed."""
    told = os.environ.get("TARE_LIBTARE")
    if told:
        return [told]
    built = sorted(_HERE.parent.parent.glob("build*/src/libtare.so"), key=lambda p: p.stat().st_mtime if p.exists() else 0, reverse=True)
    prefix = _HERE.parents[3] if len(_HERE.parents) > 3 else _HERE  # of share/tare/python/tare
    program = shutil.which("tare")  # this package may have come by pip, the library with the program
    prefixes = [prefix, pathlib.Path(program).resolve().parent.parent] if program else [prefix]
    installed = [p for at in prefixes for p in (*at.glob("lib/libtare.so.0"), *at.glob("lib/*/libtare.so.0"))]
    found = ctypes.util.find_library("tare")
    return [str(p) for p in built + installed if p.exists()] + ([found] if found else []) + ["libtare.so.0"]


_SIGNATURES = {
    "tare_version": (c_char_p,),
    "tare_saver_open": (c_void_p, POINTER(Options), c_char_p, c_size_t),
    "tare_saver_save": (c_int, c_void_p, c_int64, POINTER(Piece), c_size_t, c_char_p),
    "tare_saver_memory": (c_void_p, c_void_p, c_uint64),
    "tare_saver_fill": (None, c_void_p, POINTER(Copy), c_size_t),
    "tare_saver_reserve": (None, c_void_p, c_uint64),
    "tare_saver_go": (c_int, c_void_p, c_int64, POINTER(Piece), c_size_t, c_char_p),
    "tare_saver_keep_best": (None, c_void_p, c_int64),
    "tare_saver_wait": (c_int, c_void_p, c_int64),
    "tare_saver_safe_step": (c_int64, c_void_p),
    "tare_saver_last": (None, c_void_p, POINTER(Stats)),
    "tare_saver_error": (c_char_p, c_void_p),
    "tare_saver_close": (c_int, c_void_p),
    "tare_load_latest": (c_int, c_char_p, POINTER(c_void_p), c_char_p, c_size_t),
    "tare_load_quick": (c_int, c_char_p, POINTER(c_void_p), c_char_p, c_size_t),
    "tare_load_step": (c_int, c_char_p, c_int64, POINTER(c_void_p), c_char_p, c_size_t),
    "tare_loaded_step": (c_int64, c_void_p),
    "tare_loaded_meta": (c_char_p, c_void_p),
    "tare_loaded_count": (c_size_t, c_void_p),
    "tare_loaded_name": (c_char_p, c_void_p, c_size_t),
    "tare_loaded_bytes": (c_uint64, c_void_p, c_size_t),
    "tare_loaded_find": (c_int64, c_void_p, c_char_p),
    "tare_loaded_read": (c_int, c_void_p, c_size_t, c_void_p),
    "tare_load_older": (c_int, c_void_p),
    "tare_loaded_damage": (c_char_p, c_void_p),
    "tare_loaded_close": (None, c_void_p),
    "tare_should_stop": (c_int,),
    "tare_should_save": (c_int,),
    "tare_notice_left_ms": (c_int64,),
    "tare_step": (None, c_int64),
    "tare_usd_hour_nano": (c_int64,),
}


def _load():
    said = []
    for path in _candidates():
        try:
            lib = ctypes.CDLL(path)  # calls let other threads of Python run
        except OSError as e:
            said.append(str(e))
            continue
        for name, (ret, *args) in _SIGNATURES.items():
            f = getattr(lib, name)
            f.restype, f.argtypes = ret, args
        return lib
    raise Error("libtare.so was not found: build tare, install it, or put its path into TARE_LIBTARE (%s)" % "; ".join(said[:2]))


_loaded = None


def lib():
    """The library, loaded when first used."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def text_buffer(n=1024):
    return (c_char * n)()


__all__ = ["Copy", "Error", "Options", "Piece", "Stats", "byref", "c_void_p", "lib", "text_buffer"]
