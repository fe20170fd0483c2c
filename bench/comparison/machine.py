# SPDX-License-Identifier: BSD-3-Clause
"""machine - the facts without which a figure means nothing: processor, kernel, settings, versions,
load.
"""

import os
import platform
import re
import subprocess
from glob import glob


def read(path, otherwise="unknown"):
    """The text of a small file of the system."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return otherwise


def first_line(arguments):
    """The first line that a command prints; "unknown" when it cannot be run."""
    try:
        done = subprocess.run(
            arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError:
        return "unknown"
    return (
        done.stdout.splitlines()[0].strip()
        if done.returncode == 0 and done.stdout.strip()
        else "unknown"
    )


def processor():
    """The processor's name."""
    match = re.search(r"^model name\s*:\s*(.+)$", read("/proc/cpuinfo", ""), re.M)
    return match[1] if match else platform.machine()


def caches():
    """The sizes of the first cpu's caches, like "L1d 64K"."""
    found = []
    base = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(glob("index*", root_dir=base)):
        kind, level = read(f"{base}/{index}/type"), read(f"{base}/{index}/level")
        if kind != "Instruction":
            found.append(f"L{level}{'d' if kind == 'Data' else ''} {read(f'{base}/{index}/size')}")
    return ", ".join(found) or "unknown"


def memory(field):
    """A value of /proc/meminfo in bytes."""
    match = re.search(rf"^{field}:\s*(\d+) kB$", read("/proc/meminfo", ""), re.M)
    return int(match[1]) * 1024 if match else 0


def cores():
    """How many cpus we may use."""
    return len(os.sched_getaffinity(0))


def revision(root):
    """The commit that is measured; "+changes" when files differ from it."""
    commit = first_line(["git", "-C", root, "rev-parse", "--short=12", "HEAD"])
    changed = first_line(["git", "-C", root, "status", "--porcelain", "--untracked-files=no"])
    return commit + ("" if changed == "unknown" or commit == "unknown" else "+changes")


def settings():
    """Variables of the caller that change what libraries do."""
    prefixes = (
        "TOTUM_",
        "OMPI_MCA_",
        "PRTE_MCA_",
        "UCX_",
        "MPIR_CVAR_",
        "I_MPI_",
        "CCL_",
        "FI_",
        "GLOO_",
    )
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith(prefixes)}


def facts(root, compiler):
    """All of it."""
    return {
        "processor": processor(),
        "cores": cores(),
        "caches": caches(),
        "memory_bytes": memory("MemTotal"),
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        "governor": read(
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "none to be seen"
        ),
        "transparent_huge_pages": read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "ptrace_scope": read("/proc/sys/kernel/yama/ptrace_scope", "no Yama"),
        "compiler": first_line([*compiler, "--version"]),
        "python": platform.python_version(),
        "commit": revision(root),
        "variables": settings(),
        "load_before": os.getloadavg()[0],
    }
