"""Write a trace in the format of torch.profiler: make-trace.py KIND [STEPS] > trace.json

Steps of 100 ms by construction, so that the shares are known: KIND is busy, loader, launch, sync, copies, comm or small.
"""
import json
import sys

kind, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
out, corr = [], 0
BASE = 1763683200000000.0  # microseconds since 1970: a double alone would lose the fractions


def host(cat, name, ts, dur, **args):
    out.append({"ph": "X", "cat": cat, "name": name, "pid": 4242, "tid": 4242, "ts": BASE + ts, "dur": dur, "args": args})


def card(cat, name, ts, dur, stream=7, launch=None, **args):
    """Work on the card, and the call that started it 5 us (or as told) before."""
    global corr
    corr += 1
    call = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync"}[cat]
    host("cuda_runtime", call, launch if launch is not None else ts - 5, 4, **{"correlation": corr, "External id": corr})
    out.append({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": BASE + ts, "dur": dur,
                "args": {"External id": corr, "device": 0, "stream": stream, "correlation": corr, **args}})
    return corr


def gemm(ts, dur, launch=None, blocks=8.0):
    c = card("kernel", "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn", ts, dur, launch=launch,
             **{"blocks per SM": blocks, "est. achieved occupancy %": 50, "grid": [64, 8, 1], "block": [256, 1, 1]})
    host("cpu_op", "aten::mm", ts - 20, 18, **{"External id": c, "Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::Half", "c10::Half"]})


for i in range(steps):
    t = i * 100000.0
    host("user_annotation", "ProfilerStep#%d" % i, t, 100000)
    if kind == "busy":  # one kernel after the other, the calls long before
        for k in range(100):
            gemm(t + k * 1000, 1000, launch=t + k * 1000 - 2000)
    elif kind == "loader":  # 60 ms wait for data, 40 ms kernels
        host("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t, 60000)
        for k in range(40):
            gemm(t + 60000 + k * 1000, 1000, launch=t + 60000 + k * 1000 - (0 if k == 0 else 500))
    elif kind == "launch":  # kernels of 4 us, one each 10 us
        for k in range(10000):
            card("kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>", t + k * 10, 4, launch=t + k * 10 - 3, **{"blocks per SM": 0.1})
    elif kind == "sync":  # 500 us kernel, .item(), then 500 us until the next
        for k in range(100):
            gemm(t + k * 1000, 500, launch=t + k * 1000 - 10)
            host("cuda_runtime", "cudaStreamSynchronize", t + k * 1000 + 5, 500, correlation=0)
    elif kind == "copies":  # 50 ms pageable copy, then 50 ms kernels
        card("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", t, 50000, launch=t - 10, bytes=300000000)
        for k in range(50):
            gemm(t + 50000 + k * 1000, 1000, launch=t + 50000 + k * 1000 - 500)
    elif kind == "comm":  # 60 ms kernels; a collective of 50 ms of which 10 ms are beside them
        for k in range(60):
            gemm(t + k * 1000, 1000, launch=t + k * 1000 - 2000)
        card("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", t + 50000, 50000, stream=20, launch=t + 40000)
    elif kind == "small":
        for k in range(100):
            gemm(t + k * 1000, 1000, launch=t + k * 1000 - 2000, blocks=0.2)
    out.append({"ph": "s", "id": i, "pid": 0, "tid": 7, "ts": BASE + t, "cat": "ac2g", "name": "ac2g"})
out.append({"ph": "M", "name": "process_name", "pid": 0, "ts": BASE, "args": {"name": "python"}})
out.append({"ph": "i", "name": "Iteration Start: PyTorch Profiler", "s": "g", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": BASE})
json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "numSms": 108}], "with_flops": 0,
           "displayTimeUnit": "ms", "traceEvents": out, "traceName": "trace.json"}, sys.stdout)
