"""Trains a two-layer network to read handwritten digits. Every dim has a name, no dim is a number,
and digits.c gets the same numbers from the same seed.

usage: digits.py [SEED]
"""

import math
import os
import sys
import traceback
from pathlib import Path

import nomen
from picture import Picture

HERE = Path(__file__).resolve().parent
HELD_OUT, PIXELS, HIDDEN, DIGITS = 360, 64, 64, 10
EPOCHS, BATCH, RATE, MOMENTUM = 30, 16, 0.1, 0.9


# ---- the data ------------------------------------------------------------------------------------


def read_rows(path):
    """Lists of the pixels, 0 to 16, and behind them the digit."""
    with open(path) as file:
        return [[int(cell) for cell in line.split(",")] for line in file]


def shuffle(rows):
    """Each row, from the last, changes places with one before it or itself, as the dice fall."""
    draw = nomen.rand(len(rows), names=("row",), dtype=nomen.float64).tolist()
    for i in range(len(rows) - 1, 0, -1):
        j = int(draw[i] * (i + 1))
        rows[i], rows[j] = rows[j], rows[i]


def one_hot(label):
    """3 becomes 0001000000: a row of digits for each of the batch."""
    return (label.align_to("batch", "digit") == nomen.arange(DIGITS, names=("digit",))).float()


# ---- the network ---------------------------------------------------------------------------------


class Parameter:
    def __init__(self, value):
        self.value = value.requires_grad_()
        self.velocity = nomen.zeros_like(value)

    def step(self):
        """Gradient descent with momentum."""
        self.velocity.mul_(MOMENTUM).add_(self.value.grad)
        self.value.sub_(self.velocity, alpha=RATE)
        self.value.grad = None


def weight(inputs, outputs, names):
    return Parameter(nomen.randn(inputs, outputs, names=names).mul_(math.sqrt(2 / inputs)))


class Network:
    def __init__(self):
        self.hidden_weight = weight(PIXELS, HIDDEN, ("pixel", "hidden"))
        self.hidden_bias = Parameter(nomen.zeros(HIDDEN, names=("hidden",)))
        self.digit_weight = weight(HIDDEN, DIGITS, ("hidden", "digit"))
        self.digit_bias = Parameter(nomen.zeros(DIGITS, names=("digit",)))

    def scores(self, image):
        hidden = (image @ self.hidden_weight.value + self.hidden_bias.value).relu()
        return hidden @ self.digit_weight.value + self.digit_bias.value

    def loss(self, image, truth):
        """The negative log likelihood of the truth, on average over the batch."""
        likelihood = self.scores(image).log_softmax("digit")
        return -(likelihood * truth).sum("digit").mean("batch")

    def train(self, images, truths):
        """One pass over all batches; returns the mean loss."""
        total = 0
        for image, truth in zip(images, truths):
            loss = self.loss(image, truth)
            loss.backward()
            total += loss.item()
            with nomen.no_grad():
                for parameter in vars(self).values():
                    parameter.step()
        return total / len(images)


# ---- what the reader sees ------------------------------------------------------------------------


def show_progress(epoch, loss):
    """A line that updates in place on a terminal, a line for each epoch in a log."""
    terminal = sys.stdout.isatty()
    start, end = "\r" if terminal else "", "" if terminal and epoch < EPOCHS else "\n"
    print(f"{start}epoch {epoch:2} of {EPOCHS}: loss {loss:.9f}", end=end, flush=True)


def show_mistake(net, image):
    """Takes the mean image from the hidden layer: 64 pixels from 64 hidden numbers: sizes fit."""
    try:
        image @ net.hidden_weight.value - image.mean("batch")
    except RuntimeError as error:
        print("a wrong program, image @ weight - mean of the images, gets this error:")
        print("  " + "  ".join(traceback.format_exception_only(error)), end="")


def show_confusion(truth, guess):
    """How often a digit (a row of the table) was taken for which (a column)."""
    table = truth.align_to("digit", "batch") @ one_hot(guess).rename(digit="guess")
    print("what it is (rows), what the network says (columns):")
    print("    " + "".join(f"{guess:5}" for guess in range(DIGITS)))
    for digit, row in enumerate(table.tolist()):
        print(f"  {digit} " + "".join(f"{round(count) or '.':>5}" for count in row))


def draw_wrong(path, images, labels, guesses):
    """The digits it got wrong; above each what it is (green) and what it was taken for (red)."""
    wrong = [case for case in zip(images, labels, guesses) if case[1] != case[2]]
    across, scale, margin, head = 6, 8, 12, 24
    tile = 8 * scale + margin
    lines = math.ceil(len(wrong) / across)
    picture = Picture(across * tile + margin, lines * (tile + head) + margin)
    for i, (image, label, guess) in enumerate(wrong):
        x, y = margin + i % across * tile, margin + i // across * (tile + head)
        picture.glyph(str(label), x, y, 3, (0, 130, 60))
        picture.glyph(">", x + 15, y, 3, (150, 150, 150))
        picture.glyph(str(guess), x + 30, y, 3, (200, 30, 30))
        for j, ink in enumerate(image):
            grey = round(255 * (1 - ink))
            place = x + j % 8 * scale, y + head + j // 8 * scale
            picture.rectangle(*place, scale, scale, (grey, grey, grey))
    path.parent.mkdir(exist_ok=True)
    picture.save(path)
    print(f"the {len(wrong)} it got wrong, as pictures: {os.path.relpath(path)}")


def main(seed):
    rows = read_rows(HERE / "data" / "digits.csv")
    nomen.manual_seed(seed)
    shuffle(rows)
    cells = nomen.tensor(rows, dtype=nomen.uint8, names=("batch", "column"))
    image = cells.narrow("column", 0, PIXELS).rename("batch", "pixel") / 16
    truth = one_hot(cells.select("column", PIXELS))
    learn = len(rows) - HELD_OUT
    images = image.narrow("batch", 0, learn).split(BATCH, "batch")
    truths = truth.narrow("batch", 0, learn).split(BATCH, "batch")
    new_image = image.narrow("batch", learn, HELD_OUT)
    new_truth = truth.narrow("batch", learn, HELD_OUT)

    net = Network()
    for epoch in range(1, EPOCHS + 1):
        show_progress(epoch, net.train(images, truths))

    with nomen.no_grad():
        guess = net.scores(new_image).argmax("digit")
    label = new_truth.argmax("digit")
    accuracy = (guess == label).mean("batch", dtype=nomen.float64).item()
    show_mistake(net, new_image)
    show_confusion(new_truth, guess)
    path = HERE.parent / "build" / "digits_wrong.png"
    draw_wrong(path, new_image.tolist(), label.tolist(), guess.tolist())
    print(f"held-out accuracy: {100 * accuracy:.1f} %")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
