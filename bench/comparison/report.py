# SPDX-License-Identifier: BSD-3-Clause
"""report - a run as text: what was measured on what, a table per collective and number of ranks,
and the losses.

A peer's column is its time divided by totum's, so that 1.00 is a draw and larger is better for
totum.  Losses are marked LOSS, in red on a terminal, and listed once more at the end.
"""

from .verdict import (
    CLASSES,
    MODES,
    describe,
    geometric_mean,
    judge,
    judge_all,
    layout,
    limit,
    median,
)

RED, PLAIN = "\033[1;31m", "\033[0m"
MODE_TEXT = {"reused": "inputs reused, calls back to back", "fresh": "inputs fresh, single calls"}


def microseconds(nanoseconds):
    """Four digits, as they are read best."""
    value = nanoseconds / 1000
    return (
        f"{value:.3f}"
        if value < 10
        else f"{value:.2f}" if value < 100 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"
    )


def times(ratio):
    """A ratio in a narrow column."""
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0f}"


def facts(run):
    """The first lines: the machine, the libraries, how it was run."""
    machine = run["machine"]
    yield f"totum compared, {run['date']}"
    yield f"command    {run['command']}"
    yield (
        f"machine    {machine['processor']}, {machine['cores']} cores, {machine['caches']}, "
        f"{machine['memory_bytes'] / 2**30:.0f} GiB, {machine['architecture']}"
    )
    yield (
        f"system     Linux {machine['kernel']}, {machine['libc']}, "
        f"governor: {machine['governor']}, huge pages: {machine['transparent_huge_pages']}"
    )
    yield f"built by   {machine['compiler']}, commit {machine['commit']}"
    if run.get("hosts"):
        yield f"hosts      {run['hosts']}"
    yield f"load       {machine['load_before']:.2f} processes ready to run before the start"
    if machine["variables"]:
        yield "variables  " + " ".join(
            f"{name}={value}" for name, value in machine["variables"].items()
        )
    for key, library in run["libraries"].items():
        if library.get("missing"):
            yield f"{key:10} not compared: {library['missing']}"
            continue
        yield f"{key:10} {library['version']}"
        for where, settings in library["settings"].items():
            yield f"{'':13}{where}{' ranks' if where.isdigit() else ''}: {settings}"


def table(run, points, mode, red):
    """The table of one collective and number of ranks."""
    rows = [(point, judge(run, point, mode)) for point in points]
    with_totum = "totum" in run["libraries"]
    if with_totum and not any(median(point, "totum", mode) for point in points):
        return
    peers = [
        key
        for key, library in run["libraries"].items()
        if library["peer"] and any(median(point, key, mode) for point in points)
    ]
    ours = [
        name
        for name in ("totum shared", "totum window")
        if any(median(point, name, mode) for point in points)
    ]
    if not with_totum and not peers:
        return
    flags = [
        name
        for name in ["limit flags"]
        if any(median(point, name, "reused") for point in points)
    ]
    head = [
        f"{'size':>8}",
        f"{'totum us':>9}",
        *(f"{name.split()[1]:>9}" for name in ours + flags),
        f"{'limit':>9}",
        *(f"{key:>{max(8, len(key) + 1)}}" for key in peers),
        f"  {'best peer':10}",
        f"{'us':>8}",
        f"{'ratio':>7}",
    ]
    yield ""
    unit = "" if with_totum else "; peers in microseconds"
    yield f"{points[0]['collective']}, {layout(points[0])}, {MODE_TEXT[mode]}{unit}"
    yield "".join(head)
    for point, verdict in rows:
        totum = median(point, "totum", mode)
        cells = [f"{point['size'] or '-':>8}", f"{microseconds(totum) if totum else '-':>9}"]
        for time in [
            *(median(point, name, mode) for name in ours),
            *(median(point, name, "reused") for name in flags),
            limit(point, mode),
        ]:
            cells.append(f"{microseconds(time) if time else '-':>9}")
        for key in peers:
            time = median(point, key, mode)
            cell = "-"
            if time and (totum or not with_totum):
                cell = times(time / totum) if with_totum else microseconds(time)
            cells.append(f"{cell:>{max(8, len(key) + 1)}}")
        if verdict:
            cells.append(f"  {verdict.peer:10}{microseconds(verdict.peer_ns):>8}")
            cells.append(mark(f"{times(verdict.ratio()):>7}", verdict, red))
        yield "".join(cells)


def mark(text, verdict, red):
    """The text, with LOSS behind it when it is one."""
    if not verdict.loses():
        return text
    return f"{RED}{text} LOSS{PLAIN}" if red else f"{text} LOSS"


def classes(run):
    """Worst and mean ratio of small, middle and large sizes."""
    verdicts = judge_all(run)
    yield ""
    yield "best peer / totum, worst and geometric mean over both kinds of inputs"
    yield f"{'collective':15}{'':>20}" + "".join(f"{name:>22}" for name, _, _ in CLASSES)
    for collective, where in dict.fromkeys(
        (point["collective"], layout(point)) for point in run["points"]
    ):
        cells = []
        for _, low, high in CLASSES:
            ratios = [
                verdict.ratio()
                for verdict in verdicts
                if (verdict.point["collective"], layout(verdict.point)) == (collective, where)
                and low <= verdict.point["bytes"] <= high
            ]
            cells.append(
                f"{times(min(ratios))} / {times(geometric_mean(ratios))}" if ratios else "-"
            )
        yield f"{collective:15}{str(where):>20}" + "".join(f"{cell:>22}" for cell in cells)


def losses(run, red):
    """Every point at which totum is slower than the best peer, worst first."""
    verdicts = judge_all(run)
    lost = sorted(
        (verdict for verdict in verdicts if verdict.loses()), key=lambda verdict: verdict.ratio()
    )
    yield ""
    yield f"totum loses {len(lost)} of {len(verdicts)} comparisons" + (":" if lost else ".")
    for verdict in lost:
        title = run["libraries"][verdict.peer]["title"]
        yield (
            mark(f"{times(verdict.ratio()):>7}", verdict, red)
            + f"  {describe(verdict.point)}, {verdict.mode}: "
            + f"totum {microseconds(verdict.totum_ns)} us, "
            + f"{title} {microseconds(verdict.peer_ns)} us"
            + (" (their spreads overlap)" if verdict.overlaps() else "")
        )


def report(run, red=False):
    """All lines."""
    yield from facts(run)
    for collective, where in dict.fromkeys(
        (point["collective"], layout(point)) for point in run["points"]
    ):
        points = [
            point
            for point in run["points"]
            if (point["collective"], layout(point)) == (collective, where)
        ]
        for mode in MODES:
            yield from table(run, points, mode, red)
    if "totum" in run["libraries"]:
        yield from classes(run)
        yield from losses(run, red)
    yield from (f"note: {text}" for text in run["notes"])
    yield from (f"FAULT: {text}" for text in run["faults"])
    yield f"It took {run['seconds']:.0f} s; load at the end {run['load_after']:.2f}."


def progress(run, point, red):
    """The line that is shown when a point is done."""
    words = f"{describe(point):46}"
    for mode in MODES:
        verdict = judge(run, point, mode)
        if "totum" not in run["libraries"]:
            peers = [
                f"{key} {microseconds(median(point, key, mode))}"
                for key in run["libraries"]
                if median(point, key, mode)
            ]
            words += f"  {mode} us: " + ", ".join(peers) if peers else ""
        if verdict:
            text = f"{mode} {microseconds(verdict.totum_ns):>8} us, {verdict.peer}"
            words += mark(f"  {text:30} {times(verdict.ratio()):>5}", verdict, red)
    return words.rstrip()
