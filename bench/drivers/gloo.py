# SPDX-License-Identifier: BSD-3-Clause
"""gloo - PyTorch's Gloo backend as bench/compare measures it: python3 gloo.py LIBRARY, one process
a rank.

LIBRARY is the driver with drivers/gloo.c.  Tensors are views of the driver's buffers, made once per
measurement; a call is the torch.distributed function that a program would use, waited for.
"""

import ctypes
import os
import sys
import traceback

import torch
import torch.distributed as dist

ALLGATHER, REDUCE_SCATTER, ALLREDUCE, BROADCAST, ALLTOALL, BARRIER = range(6)  # as in library.h


def tensor(address, count, dtype):
    """A view of count elements at the address."""
    size = torch.empty(0, dtype=dtype).element_size()
    if count == 0:
        return torch.empty(0, dtype=dtype)
    memory = (ctypes.c_char * (count * size)).from_address(address)
    return torch.frombuffer(memory, dtype=dtype)


def operation(what, count, send, recv):
    """The call as a function without arguments."""
    nranks = dist.get_world_size()
    if what == ALLGATHER:
        source, result = tensor(send, count, torch.uint8), tensor(recv, nranks * count, torch.uint8)
        return lambda: dist.all_gather_into_tensor(result, source)
    if what == REDUCE_SCATTER:
        source, result = tensor(send, nranks * count, torch.float32), tensor(
            recv, count, torch.float32
        )
        return lambda: dist.reduce_scatter_tensor(result, source)
    if what == ALLREDUCE:
        source, result = tensor(send, count, torch.float32), tensor(recv, count, torch.float32)

        def allreduce():  # torch.distributed has it in place only: the copy belongs to the call
            result.copy_(source)
            dist.all_reduce(result)

        return allreduce
    if what == BROADCAST:
        result = tensor(recv, count, torch.uint8)
        return lambda: dist.broadcast(result, 0)
    if what == ALLTOALL:
        source, result = tensor(send, nranks * count, torch.uint8), tensor(
            recv, nranks * count, torch.uint8
        )
        return lambda: dist.all_to_all_single(result, source)
    return dist.barrier


class Calls:
    """What the driver calls: 0 when all is well."""

    def __init__(self):
        self.run = None

    def prepare(self, what, count, send, recv):
        """Makes the operation of the calls to come."""
        try:
            self.run = operation(what, count, send, recv)
            return 0
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
            return 1

    def call(self):
        """Does it once."""
        try:
            self.run()
            return 0
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
            return 1


PREPARE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p
)
CALL = ctypes.CFUNCTYPE(ctypes.c_int)


class Functions(ctypes.Structure):
    """struct functions of gloo.c."""

    _fields_ = [("prepare", PREPARE), ("call", CALL)]


def main():
    """Joins the job and hands over to the driver."""
    torch.set_num_threads(1)
    rank, nranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    store = dist.FileStore(os.path.abspath("store"), nranks)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=nranks)
    driver = ctypes.CDLL(sys.argv[1])
    driver.gloo_run.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_char_p, Functions]
    calls = Calls()
    functions = Functions(PREPARE(calls.prepare), CALL(calls.call))
    code = driver.gloo_run(rank, nranks, f"Gloo of PyTorch {torch.__version__}".encode(), functions)
    dist.destroy_process_group()
    return code


if __name__ == "__main__":
    sys.exit(main())
