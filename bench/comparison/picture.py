# SPDX-License-Identifier: BSD-3-Clause
"""picture - a run as SVG: latency and bandwidth of each collective, and the ratios of all.

Axes are logarithmic; lines differ by dash and mark as well as by colour, so that they can be told
apart in black and white; the command, the machine and the date stand in the picture.
"""

import math
from dataclasses import dataclass, field
from html import escape

from .sizes import format_bytes
from .verdict import judge, layout, limit, median

# key: colour, dash, mark, width.  The colours are those of Okabe and Ito, which the colour-blind
# can tell apart.
STYLES = {
    "totum": ("#000000", "", "disc", 2.4),
    "totum shared": ("#000000", "7 3", "ring", 1.6),
    "totum window": ("#000000", "1.5 3", "plus", 1.6),
    "limit": ("#808080", "12 4", "", 3),
    "openmpi": ("#D55E00", "", "square", 1.2),
    "openmpi5": ("#D55E00", "5 3", "box", 1.2),
    "mpich": ("#0072B2", "", "diamond", 1.2),
    "mpich5": ("#0072B2", "5 3", "rhomb", 1.2),
    "impi": ("#009E73", "8 3 2 3", "triangle", 1.2),
    "oneccl": ("#CC79A7", "3 2", "cross", 1.2),
    "gloo": ("#E69F00", "9 4", "delta", 1.2),
}
MARKS = {
    "disc": '<circle r="3.4" fill="{0}"/>',
    "ring": '<circle r="3.2" fill="white" stroke="{0}"/>',
    "plus": '<path d="M-4 0h8M0 -4v8" stroke="{0}" fill="none"/>',
    "square": '<path d="M-3 -3h6v6h-6z" fill="{0}"/>',
    "box": '<path d="M-3 -3h6v6h-6z" fill="white" stroke="{0}"/>',
    "diamond": '<path d="M0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z" fill="{0}"/>',
    "rhomb": '<path d="M0 -4l4 4l-4 4l-4 -4z" fill="white" stroke="{0}"/>',
    "triangle": '<path d="M0 -4l4 7h-8z" fill="{0}"/>',
    "delta": '<path d="M0 4l4 -7h-8z" fill="white" stroke="{0}"/>',
    "cross": '<path d="M-3 -3l6 6M-3 3l6 -6" stroke="{0}" stroke-width="1.6" fill="none"/>',
    "loss": '<path d="M-4 -4l8 8M-4 4l8 -8" stroke="#D00000" stroke-width="2.6" fill="none"/>',
}
SHEET = (
    "text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#111}"
    ".number{font-size:11px}.title{font-size:12.5px}.axis{font-size:12px}.foot{font-size:10.5px}"
    ".head{font-size:17px;font-weight:bold}"
    ".frame{fill:none;stroke:#333}.grid{stroke:#ddd;stroke-width:0.7}.lost{fill:#f3e3e3}"
)
LATENCY_TO, BANDWIDTH_FROM = 72 << 10, 60 << 10  # both show 64K and its neighbours
WIDTH, HEIGHT, LEFT, GAP = 380, 250, 78, 74


@dataclass
class Line:
    """Points of a line, with the low and high end of a bar at each, or None."""

    key: str
    points: list = field(default_factory=list)  # (x, y, low, high)


STEPS = (1, 2, 5)


def rounded(value, up):
    """The next of 1, 2, 5, 10, 20 ... above or below a value, as exponent and step."""
    power = math.floor(math.log10(value))
    ladder = [(power, step) for step in STEPS] + [(power + 1, 1)]
    fits = [
        rung
        for rung in ladder
        if (worth(rung) >= value * 0.999 if up else worth(rung) <= value * 1.001)
    ]
    return fits[0] if up else fits[-1]


def worth(rung):
    """The value of an exponent and a step."""
    return rung[1] * 10.0 ** rung[0]


def ladder(low, high):
    """The rungs from low to high."""
    return [
        (power, step)
        for power in range(low[0], high[0] + 1)
        for step in STEPS
        if low <= (power, step) <= high
    ]


class Panel:
    """One pair of logarithmic axes at a place of the picture."""

    def __init__(self, left, top, title, lines, y_title, show=()):
        """show: values that the vertical axis must have in its range."""
        self.left, self.top, self.title, self.y_title = left, top, title, y_title
        self.lines = [line for line in lines if line.points]
        xs = sorted({point[0] for line in self.lines for point in line.points})
        ys = [y for line in self.lines for point in line.points for y in point[1:] if y] + list(
            show
        )
        self.x_low, self.x_high = math.log2(xs[0]) - 0.3, math.log2(xs[-1]) + 0.3
        self.rungs = ladder(rounded(min(ys), False), rounded(max(ys), True))
        self.y_low, self.y_high = (
            math.log10(worth(rung)) for rung in (self.rungs[0], self.rungs[-1])
        )

    def x(self, value):
        """Where a value stands, in the picture's units."""
        return self.left + (math.log2(value) - self.x_low) / (self.x_high - self.x_low) * WIDTH

    def y(self, value):
        """Where a value stands, downward."""
        share = (math.log10(value) - self.y_low) / (self.y_high - self.y_low)
        return self.top + HEIGHT * (1 - min(1, max(0, share)))

    def frame(self):
        """Axes, grid, numbers and titles."""
        yield box(self.left, self.top, WIDTH, HEIGHT, "frame")
        yield text(self.left + WIDTH / 2, self.top - 8, self.title, "middle", "title")
        place = f'transform="translate({self.left - 52} {self.top + HEIGHT / 2}) rotate(-90)"'
        yield f'<text class="axis" text-anchor="middle" {place}>{escape(self.y_title)}</text>'
        for rung in self.rungs:
            y = self.y(worth(rung))
            yield f'<path d="M{self.left} {y:.1f}h{WIDTH}" class="grid"/>'
            if rung[1] == 1 or len(self.rungs) < 10:
                yield text(self.left - 6, y + 4, f"{worth(rung):g}", "end")
        first, last = math.ceil(self.x_low), math.floor(self.x_high)
        for power in range(first, last + 1, 2 if last - first > 6 else 1):
            x = self.x(2**power)
            yield f'<path d="M{x:.1f} {self.top}v{HEIGHT}" class="grid"/>'
            yield text(x, self.top + HEIGHT + 15, format_bytes(2**power), "middle")

    def draw(self):
        """Everything."""
        yield from self.frame()
        for line in self.lines:
            colour, dash, shape, width = STYLES[line.key]
            places = sorted(line.points)
            path = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y, _, _ in places)
            yield stroke("M" + path, colour, width, dash)
            for x, y, low, high in places:
                if low:
                    bar = f"M{self.x(x):.1f} {self.y(low):.1f}V{self.y(high):.1f}"
                    yield stroke(bar, colour, 0.8)
                yield mark(shape, self.x(x), self.y(y), colour)


def text(x, y, words, anchor="start", kind="number"):
    """One line of text."""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} class="{kind}">{escape(words)}</text>'


def box(x, y, width, height, kind):
    """A rectangle."""
    return f'<rect x="{x}" y="{y:.1f}" width="{width}" height="{height:.1f}" class="{kind}"/>'


def stroke(path, colour, width, dash=""):
    """A line."""
    pen = f'stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"'
    return f'<path d="{path}" fill="none" {pen}/>'


def mark(shape, x, y, colour):
    """A mark at a place."""
    return (
        f'<g transform="translate({x:.1f} {y:.1f})">{MARKS[shape].format(colour)}</g>'
        if shape
        else ""
    )


def page(run, width, height, title, body):
    """The whole file."""
    machine = run["machine"]
    foot = [
        f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}, governor: "
        f"{machine['governor']}; commit {machine['commit']}",
        f"{run['command']}   {run['date']}",
    ]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    yield f"<style>{SHEET}</style>"
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
    yield text(LEFT, 28, title, kind="head")
    yield from body
    for i, words in enumerate(foot):
        yield text(LEFT, height - 26 + 15 * i, words, kind="foot")
    yield "</svg>"


def legend(run, keys, x, y):
    """Names of the lines."""
    for i, key in enumerate(keys):
        colour, dash, shape, width = STYLES[key]
        at = y + 20 * i
        name = {
            "totum shared": "totum, totum_alloc",
            "totum window": "totum, window",
            "limit": "link limit" if run.get("hosts") else "copy limit",
        }.get(key) or run["libraries"].get(key, {}).get("title", key)
        yield stroke(f"M{x} {at}h34", colour, width, dash)
        yield mark(shape, x + 17, at, colour)
        yield text(x + 42, at + 4, name)


def latency(points, keys):
    """Lines of microseconds over bytes, inputs reused."""
    for key in keys:
        line = Line(key)
        for point in points:
            result = point["results"].get(key, {}).get("reused")
            if result and point["bytes"] <= LATENCY_TO:
                line.points.append(
                    (
                        point["bytes"],
                        *(result[name] / 1e3 for name in ("median_ns", "p10_ns", "p90_ns")),
                    )
                )
            elif key == "limit" and point["bytes"] <= LATENCY_TO and limit(point, "reused"):
                line.points.append((point["bytes"], limit(point, "reused") / 1e3, None, None))
        yield line


def bandwidth(points, keys):
    """Lines of bytes per nanosecond (GB/s) over bytes, inputs fresh.  A window moves no bytes: it
    has none.
    """
    for key in keys:
        line = Line(key)
        for point in points:
            time = limit(point, "fresh") if key == "limit" else median(point, key, "fresh")
            if time and point["bytes"] >= BANDWIDTH_FROM and key != "totum window":
                line.points.append((point["bytes"], point["bytes"] / time, None, None))
        yield line


def used_keys(run, points):
    """The lines that there are, in the order of STYLES."""

    def used(key):
        return any(
            limit(point, "reused") if key == "limit" else point["results"].get(key)
            for point in points
        )

    return [
        key
        for key in STYLES
        if (key in ("totum shared", "totum window", "limit") or key in run["libraries"])
        and used(key)
    ]


def title(run):
    """What is compared, and where."""
    return "totum and its peers on " + ("several hosts" if run.get("hosts") else "one host")


def collective_picture(run, collective):
    """Latency and bandwidth, a row for each number of ranks."""
    points = [point for point in run["points"] if point["collective"] == collective]
    keys = used_keys(run, points)
    body, top = [], 66
    second = LEFT + WIDTH + GAP
    for where in dict.fromkeys(map(layout, points)):
        row = [point for point in points if layout(point) == where]
        small, large = list(latency(row, keys)), list(bandwidth(row, keys))
        if any(line.points for line in small):
            body += Panel(
                LEFT, top, f"{where}: time of a call, inputs reused", small, "microseconds"
            ).draw()
        if any(line.points for line in large):
            body += Panel(
                second, top, f"{where}: bytes / time, inputs fresh", large, "GB/s"
            ).draw()
        top += HEIGHT + 62
    body += legend(run, keys, second + WIDTH + 24, 80)
    for left in (LEFT, second):
        body.append(text(left + WIDTH / 2, top - 26, "total bytes M", "middle", "axis"))
    return page(
        run, second + WIDTH + 180, top + 24, f"{collective}: {title(run)}", body
    )


def barrier_picture(run):
    """Time over the number of ranks."""
    points = [point for point in run["points"] if point["collective"] == "barrier"]
    keys = [key for key in used_keys(run, points) if key in ("totum", *run["libraries"])]
    lines = []
    for key in keys:
        line = Line(key)
        for point in points:
            result = point["results"].get(key, {}).get("reused")
            if result:
                line.points.append(
                    (
                        point["ranks"],
                        *(result[name] / 1e3 for name in ("median_ns", "p10_ns", "p90_ns")),
                    )
                )
        lines.append(line)
    body = list(Panel(LEFT, 66, "time of a call, back to back", lines, "microseconds").draw())
    body += legend(run, keys, LEFT + WIDTH + 24, 80)
    body.append(text(LEFT + WIDTH / 2, 66 + HEIGHT + 36, "ranks", "middle", "axis"))
    return page(
        run, LEFT + WIDTH + 430, 66 + HEIGHT + 90, "barrier: " + title(run), body
    )


def ratio_panel(run, points, left, top, title):
    """Best peer / totum over bytes; losses are crossed."""
    lines, lost = [], []
    for key, mode in (("totum", "reused"), ("totum shared", "fresh")):
        line = Line(key)
        for verdict in filter(None, (judge(run, point, mode) for point in points)):
            line.points.append((verdict.point["bytes"], verdict.ratio(), None, None))
            if verdict.loses():
                lost.append((verdict.point["bytes"], verdict.ratio()))
        lines.append(line)
    if not any(line.points for line in lines):
        return
    panel = Panel(left, top, title, lines, "best peer / totum", (0.5, 2))
    yield box(left, panel.y(1), WIDTH, top + HEIGHT - panel.y(1), "lost")
    yield from panel.draw()
    yield f'<path d="M{left} {panel.y(1):.1f}h{WIDTH}" stroke="#111" stroke-width="1.6"/>'
    yield text(left + 5, top + HEIGHT - 6, "below 1: totum loses")
    for size, ratio in lost:
        yield mark("loss", panel.x(size), panel.y(ratio), "")


def ratio_picture(run):
    """Ratios of all collectives (rows) and numbers of ranks (columns)."""
    points = [point for point in run["points"] if point["collective"] != "barrier"]
    layouts = list(dict.fromkeys(map(layout, points)))
    body, top = [], 88
    for collective in dict.fromkeys(point["collective"] for point in points):
        for i, where in enumerate(layouts):
            cell = [
                point
                for point in points
                if (point["collective"], layout(point)) == (collective, where)
            ]
            body += ratio_panel(
                run, cell, LEFT + i * (WIDTH + GAP), top, f"{collective}, {where}"
            )
        top += HEIGHT + 56
    body.append(
        text(
            LEFT,
            52,
            "solid line, discs: inputs reused, back to back; dashed line, rings: inputs fresh; "
            "red crosses: totum loses.  Abscissa: total bytes M",
            kind="axis",
        )
    )
    return page(
        run,
        LEFT + len(layouts) * (WIDTH + GAP),
        top + 20,
        "The best peer's time divided by totum's",
        body,
    )


def pictures(run):
    """Names and texts of all pictures."""
    collectives = dict.fromkeys(point["collective"] for point in run["points"] if point["results"])
    drawn = [(name, collective_picture(run, name)) for name in collectives if name != "barrier"]
    if "barrier" in collectives:
        drawn.append(("barrier", barrier_picture(run)))
    if drawn and list(collectives) != ["barrier"]:
        drawn.append(("ratio", ratio_picture(run)))
    return [(name, "\n".join(lines) + "\n") for name, lines in drawn]
