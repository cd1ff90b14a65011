"""Parts of the charts in docs/pictures/, for the scripts that draw them."""
import math
import pathlib

WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 200, 60, 50, 80
STYLE = ("text { font: 12px sans-serif } .head { font-weight: bold } .mark { text-anchor: middle } "
         ".side { text-anchor: end } .frame { fill: none; stroke: #888 } .goal { fill: #dfd } "
         ".line { fill: none; stroke-width: 2 } svg { background: #fff }")
# Style and place of the words at a point.
SIDES = {"right": ("right", 8, -6), "left": ("side", -8, -6), "above": ("mark", 0, -9), "below": ("mark", 0, 18)}


class Axis:
    """Range of values, the values with a mark, and their unit."""

    def __init__(self, low, high, marks, unit):
        self.low, self.high, self.marks, self.unit = low, high, marks, unit

    def part(self, value):
        return (min(value, self.high) - self.low) / (self.high - self.low)


class LogAxis(Axis):
    """The same with equal steps for equal factors."""

    def part(self, value):
        return math.log(value / self.low) / math.log(self.high / self.low)


class Chart:
    """Panels in two columns below a line of words."""

    def __init__(self, words):
        self.words, self.out, self.panels = words, [], 0

    def panel(self, head, x, y):
        return Panel(self, head, x, y)

    def legend(self, names):
        """Names colours at the right of the head line."""
        for number, (name, colour) in enumerate(reversed(names.items())):
            left = LEFT + 2 * WIDTH + GAP - 80 * number
            self.out.append(f'<text class="side head" x="{left}" y="20" fill="{colour}">{name}</text>')

    def write(self, name):
        size = (LEFT + 2 * (WIDTH + GAP), TOP + (self.panels + 1) // 2 * (HEIGHT + 70))
        root = pathlib.Path(__file__).resolve().parent.parent
        (root / "docs/pictures" / name).write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}"><style>{STYLE}</style>'
            f'<text x="{LEFT}" y="20">{self.words}</text>' + "".join(self.out) + "</svg>\n")


class Panel:
    """A frame with two axes."""

    def __init__(self, chart, head, x, y):
        self.out, self.x, self.y = chart.out, x, y
        self.left = LEFT + chart.panels % 2 * (WIDTH + GAP)
        self.top = TOP + chart.panels // 2 * (HEIGHT + 70)
        chart.panels += 1
        self.text("head", self.left, self.top - 12, head)
        self.out.append(f'<rect class="frame" x="{self.left}" y="{self.top}" width="{WIDTH}" height="{HEIGHT}"/>')
        for value in x.marks:
            self.text("mark", self.place(value, y.low)[0], self.top + HEIGHT + 16, f"{value} {x.unit}")
        for value in y.marks:
            self.text("side", self.left - 6, self.place(x.low, value)[1] + 4, f"{value} {y.unit}")

    def place(self, x, y):
        return self.left + WIDTH * self.x.part(x), self.top + HEIGHT * (1 - self.y.part(y))

    def text(self, kind, x, y, words, fill=""):
        self.out.append(f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}"{fill}>{words}</text>')

    def goal(self, x, y):
        """Colours the part with at least this x and at most this y."""
        left, top = self.place(x, y)
        self.out.append(f'<rect class="goal" x="{left:.0f}" y="{top:.0f}" width="{self.left + WIDTH - left:.0f}" '
                        f'height="{self.top + HEIGHT - top:.0f}"/>')

    def point(self, x, y, colour, words, side):
        """Draws a point with words on this side of it."""
        x, y = self.place(x, y)
        kind, across, down = SIDES[side]
        self.out.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="{colour}"/>')
        self.text(kind, x + across, y + down, words, f' fill="{colour}"')

    def line(self, points, colour):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.place(*point) for point in points))
        self.out.append(f'<polyline class="line" points="{places}" stroke="{colour}"/>')
