# SPDX-License-Identifier: BSD-3-Clause
"""libraries - what is compared, and how a library is found, installed, built against and started.

A library is a class here or in peers.py and a shim in drivers/; nothing else knows its name.
`settings` says with which options it runs, and the report prints them.
"""

import os
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVERS = os.path.join(ROOT, "bench", "drivers")
COMMON = ("main.c", "driver.c", "meeting.c", "pattern.c")
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O3", "-fPIC", "-Wall", "-Wextra"]


class Missing(Exception):
    """A library, a compiler or a package is not to be had; the text is a sentence."""


def run_quietly(arguments, what, **options):
    """Runs a command; its last line of complaint becomes the sentence of a Missing."""
    done = subprocess.run(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        **options,
    )
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip()] or ["it says nothing"]
        errors = [line for line in lines if "error" in line.lower()] or lines
        raise Missing(f"{what} failed: {errors[-1].strip()[:300]}")
    return done.stdout


class Place:
    """Where things are: the build of totum, our own folder for drivers and packages, the scratch of
    this run; and the hosts, when there are several.
    """

    def __init__(self, build, work, scratch, cores):
        self.build, self.work, self.scratch, self.cores = build, work, scratch, cores
        self.totum = os.path.join(build, "bin", "totum")
        self.hosts = None  # of the layout that is measured (hosts.Hosts)
        self.spread = False  # will there be any?

    def driver(self, name):
        """The path of a driver."""
        return os.path.join(self.work, "drivers", name)

    def environment(self, name):
        """The folder of a library's private Python environment."""
        return os.path.join(self.work, name)


def compiler(language="C"):
    """The command of the compiler."""
    return shlex.split(
        os.environ.get("CC", "cc") if language == "C" else os.environ.get("CXX", "c++")
    )


def compile_driver(place, output, command, sources, more=()):
    """Compiles the common sources and a shim with the command of a library."""
    os.makedirs(os.path.dirname(output), exist_ok=True)
    paths = [os.path.join(DRIVERS, name) for name in sources]
    native = ["-march=native"] if os.uname().machine in ("x86_64", "aarch64") else []
    run_quietly(
        [*command, *FLAGS, *native, *paths, "-o", output, *more],
        f"compiling {os.path.basename(output)}",
    )


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
        run_quietly([*command[: -len(packages) - 3], "update"], "apt-get update", env=variables)
        run_quietly(command, f"installing {name}", env=variables)


def install_python(folder, packages, name):
    """Installs packages of PyPI into a private environment."""
    if not os.path.exists(os.path.join(folder, "bin", "pip")):
        run_quietly(
            [sys.executable, "-m", "venv", folder], f"making a Python environment for {name}"
        )
    run_quietly(
        [os.path.join(folder, "bin", "pip"), "install", "--quiet", *packages], f"installing {name}"
    )


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

    def roomy(self, nranks):
        """Can each rank have a core of its own?"""
        return nranks <= self.place.cores

    def bind(self, nranks):
        """Is each rank bound to a core?  On hosts that share one machine's cores all would take the
        first ones.
        """
        return self.roomy(nranks) and not self.place.hosts

    def commands(self, nranks):
        """The processes that make a job: argument lists, each with its own variables."""
        raise NotImplementedError

    def variables(self, nranks):  # pylint: disable=unused-argument
        """Variables of all processes."""
        return {}

    def settings(self, nranks):
        """The options and variables in one line, without paths."""
        commands = self.commands(nranks)
        words = [
            os.path.basename(word) if word.startswith("/") else word for word in commands[0][0]
        ]
        variables = [
            f"{name}={value}" for name, value in self.variables(nranks).items() if "/" not in value
        ]
        return " ".join([*variables, *words])


class Totum(Library):
    """The library of this tree."""

    key, title = "totum", "totum"
    memories = ("private", "shared", "window")
    peer = False

    def __init__(self, place):
        super().__init__(place)
        if place.spread:
            self.memories = ("private",)

    def build(self):
        include = os.path.join(ROOT, "include")
        compile_driver(
            self.place,
            self.place.driver(self.key),
            compiler(),
            (*COMMON, self.key + ".c"),
            ["-I" + include, "-L" + self.place.build, "-ltotum", "-Wl,-rpath," + self.place.build],
        )

    def commands(self, nranks):
        if self.place.hosts:
            return [self.command_on(rank, nranks) for rank in range(nranks)]
        bind = ["--bind-to", "core"] if self.bind(nranks) else []
        return [
            (
                [
                    self.place.totum,
                    "run",
                    "-n",
                    str(nranks),
                    *bind,
                    "--",
                    self.place.driver(self.key),
                ],
                {},
            )
        ]


    def command_on(self, rank, nranks):
        """A rank on its host, with what any launcher would tell it."""
        secret = os.path.join(self.place.scratch, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write("5e" * 32)
        with_secret = ["sh", "-c", f'exec "$0" "$@" 8<{shlex.quote(secret)}']
        variables = {
            "TOTUM_RANK": str(rank),
            "TOTUM_SIZE": str(nranks),
            "TOTUM_ROOT": f"tcp://{self.place.hosts.addresses()[0]}:7700",
            "TOTUM_SECRET_FD": "8",
        }
        command = self.place.hosts.on(rank, [self.place.driver(self.key)])
        return [*with_secret, *command], variables

    def settings(self, nranks):
        if self.place.hosts:
            return "TOTUM_RANK, TOTUM_SIZE, TOTUM_ROOT, TOTUM_SECRET_FD"
        return super().settings(nranks)


class Limit(Totum):
    """Not a library: what copying alone costs."""

    key, title = "limit", "copy limit"
    memories = ("plain-copy", "streamed-copy", "flags")


class Link(Library):
    """Not a library: what the links between hosts give to plain TCP."""

    key, title = "link", "link limit"
    memories = ("ring", "chain")
    peer = False

    def build(self):
        compile_driver(
            self.place,
            self.place.driver(self.key),
            compiler(),
            (*COMMON, "link.c", "stream.c"),
        )

    def commands(self, nranks):
        hosts = self.place.hosts
        shared = {
            "COMPARE_NRANKS": str(nranks),
            "COMPARE_EACH": str(hosts.layout.each()),
            "COMPARE_ADDRESSES": " ".join(hosts.addresses()),
        }
        return [
            (
                hosts.on(rank, [self.place.driver(self.key)]),
                dict(shared, COMPARE_RANK=str(rank)),
            )
            for rank in range(nranks)
        ]

    def settings(self, nranks):
        return "a stream of each rank to the next host"


def ours(spread):
    """What is measured beside the peers."""
    return (Totum, Link) if spread else (Totum, Limit)
