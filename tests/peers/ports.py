"""Ports on loopback for servers that cannot be told to take any: below those that the kernel gives to connections, which are taken again in the moment they are free."""
import random
import socket

_given = set()


def _first_of_the_kernel():
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
            return int(f.read().split()[0])
    except (OSError, ValueError, IndexError):
        return 32768


def free_port():
    """Not in use now, and nobody is given it by chance; each only once."""
    end = _first_of_the_kernel()
    rnd = random.SystemRandom()
    for _ in range(200):
        port = rnd.randrange(10000, end) if end > 12000 else 0
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
            port = s.getsockname()[1]
        if port not in _given:
            _given.add(port)
            return port
    raise RuntimeError("no free port on loopback")
