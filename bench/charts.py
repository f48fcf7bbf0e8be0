"""Charts as SVG, from the standard library alone: the same figures make the same bytes on every machine.

curves() is for one workload that grows: a line per series. dots() is for workloads that have nothing to do with each other:
a line of the page for each, a mark per series, and nothing that joins them. Marks, not bars, since an axis may be
logarithmic and has no zero then. bars() is for histograms: shares, from zero.
"""

import math
from html import escape

MOST_SERIES = 6
# Okabe and Ito's colors, distinguishable with color vision deficiency; the first is farpoint's. Marks differ in shape, too.
COLORS = ("#0b62a4", "#d55e00", "#007f5f", "#b0569a", "#7a5c00", "#555555")
WIDTH, LEFT, RIGHT = 760, 70, 24
FONT = 13


class TooManySeries(ValueError):
    """A chart with too many series to be readable."""


def number(value):
    """A label of an axis: 0.05, 20, 1,000, 10 M."""
    if value >= 1e6:
        return f"{value / 1e6:g} M"
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def width_of(text, size=FONT):
    """The approximate width of a text in pixels. The exact width depends on the viewer's font."""
    return 0.56 * size * len(text)


class Axis:
    """Values on a stretch of pixels, linear from zero or logarithmic around the values, in either direction."""

    def __init__(self, values, first, last, is_log, ticks=None):
        self.first, self.last, self.is_log = first, last, is_log
        if is_log:
            decades = math.log10(max(values) / min(values))
            # A factor of three at least, or a difference of a hundredth would look like a cliff.
            margin = 10 ** max(0.04 * decades + 0.03, (math.log10(3) - decades) / 2)
            low, high = min(values) / margin, max(values) * margin
            self.ticks = ticks or log_ticks(low, high)
        elif ticks:
            self.ticks, low, high = ticks, min(ticks) - 0.5, max(ticks) + 0.5
        else:
            self.ticks = linear_ticks(max(values))
            low, high = 0, self.ticks[-1]
        self.low, self.high = self.scaled(low), self.scaled(high)

    def scaled(self, value):
        return math.log10(value) if self.is_log else value

    def at(self, value):
        share = (self.scaled(value) - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.first + (self.last - self.first) * share


def log_ticks(low, high):
    """Ticks between two values: decades, or more of a decade until there are three ticks."""
    ticks = []
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8), range(10, 100)):
        powers = range(math.floor(math.log10(low)) - 2, math.ceil(math.log10(high)) + 1)
        some = [float(f"{digit * 10.0 ** power:.6g}") for power in powers for digit in steps]
        ticks = sorted({tick for tick in some if low <= tick <= high})
        if len(ticks) >= 3:
            break
    return ticks[::1 + len(ticks) // 13]


def linear_ticks(high):
    """Round ticks from zero to the first one that no value exceeds."""
    rough = high / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(digit * power for digit in (1, 2, 2.5, 5, 10) if digit * power >= rough * 0.999)
    return [float(f"{place * step:.6g}") for place in range(math.ceil(high / step - 1e-9) + 1)]


def mark(place, x, y):
    """The mark of a series, by its index."""
    color, r = COLORS[place], 5
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"',
        f'<rect x="{x - r + 0.5:.1f}" y="{y - r + 0.5:.1f}" width="{2 * r - 1}" height="{2 * r - 1}"',
        f'<path d="M{x:.1f} {y - r - 1:.1f}l{r + 1} {2 * r}h-{2 * r + 2}z"',
        f'<path d="M{x:.1f} {y - r - 1:.1f}l{r + 1} {r + 1}l-{r + 1} {r + 1}l-{r + 1} -{r + 1}z"',
        f'<path d="M{x:.1f} {y + r + 1:.1f}l{r + 1} -{2 * r}h-{2 * r + 2}z"',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r - 1}" fill="white" stroke="{color}" stroke-width="2.5"',
    )
    return shapes[place] + ("/>" if place == 5 else f' fill="{color}"/>')


def text(x, y, words, anchor="start", size=FONT, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{more}>{escape(str(words))}</text>'


def line(x1, y1, x2, y2, color="#dddddd"):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def heading(title, note):
    return [text(12, 24, title, size=16, more=' font-weight="bold"'), text(12, 43, note, size=11, more=' fill="#555555"')]


def legend(names, top):
    """The names of the series with their marks, broken into lines, and the lower end of the last line."""
    parts, x, y = [], 18.0, float(top)
    for place, name in enumerate(names):
        if x > 18 and x + 14 + width_of(name) > WIDTH - 12:
            x, y = 18.0, y + 20
        parts += [mark(place, x, y), text(x + 12, y + 4.5, name)]
        x += 34 + width_of(name)
    return parts, y + 10


def picture(height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
                      f'height="{height:.0f}" font-family="DejaVu Sans, Verdana, sans-serif" fill="#222222">',
                      f'<rect width="{WIDTH}" height="{height:.0f}" fill="white"/>', *parts, "</svg>"]) + "\n"


def checked(names):
    names = list(names)
    if len(names) > MOST_SERIES:
        raise TooManySeries(f"{len(names)} series, and a chart has {MOST_SERIES} at most: {', '.join(names)}")
    return names


def curves(title, note, x_label, y_label, series, log_x=True, log_y=True, x_ticks=None):
    """A line per series: {name: [(x, y)]}. `x_ticks`, if given, is [(x, label)] at unit distances."""
    names = checked(series)
    parts, top = legend(names, 66)
    top, bottom = top + 8, top + 8 + 300
    points = [point for name in names for point in series[name]]
    across = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT - 12, log_x, x_ticks and [x for x, _ in x_ticks])
    up = Axis([y for _, y in points], bottom, top, log_y)
    labels = x_ticks or [(tick, number(tick)) for tick in across.ticks]
    # Skips labels that would overlap; the last one stays.
    every = 1 + int(sum(width_of(label) + 16 for _, label in labels) / (WIDTH - LEFT - RIGHT))
    labels = labels[(len(labels) - 1) % every::every]
    for tick, label in labels:
        parts += [line(across.at(tick), top, across.at(tick), bottom), text(across.at(tick), bottom + 18, label, "middle")]
    for tick in up.ticks:
        parts += [line(LEFT, up.at(tick), WIDTH - RIGHT, up.at(tick)), text(LEFT - 8, up.at(tick) + 4.5, number(tick), "end")]
    parts += [text((LEFT + WIDTH - RIGHT) / 2, bottom + 40, x_label, "middle"),
              text(16, (top + bottom) / 2, y_label, "middle", more=f' transform="rotate(-90 16 {(top + bottom) / 2:.1f})"')]
    # The first series comes last, above the others.
    for place, name in reversed(list(enumerate(names))):
        drawn = [(across.at(x), up.at(y)) for x, y in sorted(series[name])]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)
        parts.append(f'<polyline fill="none" stroke="{COLORS[place]}" stroke-width="2" points="{path}"/>')
        parts += [mark(place, x, y) for x, y in drawn]
    return picture(bottom + 54, heading(title, note) + parts)


def dots(title, note, x_label, rows, log=True):
    """A line of marks for each of [(label, {series: value})], or [(label, {series: value}, {series: words})]: the words
    follow the mark of the series."""
    names = checked(dict.fromkeys(name for row in rows for name in row[1]))
    parts, top = legend(names, 66)
    top, high = top + 8, 24
    bottom = top + high * len(rows)
    longest = max(width_of(row[0]) for row in rows)
    left = min(longest + 22, 0.55 * WIDTH)
    values = [value for row in rows for value in row[1].values()]
    followed = [(row[1][name], width_of(words, 11) + 10) for row in rows if len(row) > 2 for name, words in row[2].items()]
    right = WIDTH - RIGHT
    unit = Axis(values, 0, 1, log)
    for value, wide in followed:
        right = min(right, left + (WIDTH - 12 - wide - left) / max(unit.at(value), 0.01))
    across = Axis(values, left, right, log)
    for tick in across.ticks:
        parts += [line(across.at(tick), top, across.at(tick), bottom), text(across.at(tick), bottom + 18, number(tick), "middle")]
    for at, row in enumerate(rows):
        y = top + high * (at + 0.5)
        parts += [line(left, y, right, y, "#eeeeee"), text(left - 12, y + 4.5, row[0], "end")]
        parts += [mark(place, across.at(row[1][name]), y) for place, name in reversed(list(enumerate(names))) if name in row[1]]
        for name, words in (row[2] if len(row) > 2 else {}).items():
            parts.append(text(across.at(row[1][name]) + 10, y + 4, words, size=11, more=' fill="#555555"'))
    parts.append(text((left + right) / 2, bottom + 40, x_label, "middle"))
    return picture(bottom + 54, heading(title, note) + parts)


def bars(title, note, x_label, y_label, columns, series):
    """A group of bars for each of `columns`, from zero: {series: [value]}, None where a series has no value."""
    names = checked(series)
    parts, top = legend(names, 66)
    top, bottom = top + 8, top + 8 + 240
    up = Axis([value for name in names for value in series[name] if value is not None], bottom, top, False)
    for tick in up.ticks:
        parts += [line(LEFT, up.at(tick), WIDTH - RIGHT, up.at(tick)), text(LEFT - 8, up.at(tick) + 4.5, number(tick), "end")]
    group = (WIDTH - LEFT - RIGHT) / len(columns)
    wide = 0.8 * group / len(names)
    for column, label in enumerate(columns):
        left = LEFT + group * column
        parts.append(text(left + group / 2, bottom + 18, label, "middle"))
        for place, name in enumerate(names):
            value = series[name][column]
            if value is not None:
                parts.append(f'<rect x="{left + 0.1 * group + wide * place:.1f}" y="{up.at(value):.1f}" width="{wide - 1:.1f}" '
                             f'height="{bottom - up.at(value):.1f}" fill="{COLORS[place]}"/>')
    parts += [text((LEFT + WIDTH - RIGHT) / 2, bottom + 40, x_label, "middle"),
              text(16, (top + bottom) / 2, y_label, "middle", more=f' transform="rotate(-90 16 {(top + bottom) / 2:.1f})"')]
    return picture(bottom + 54, heading(title, note) + parts)
