"""Multi-head attention, forward and backward, with a name for every dim. A plain loop over lists
computes the same without nomen, and both must agree; attention.c gets the same numbers.
"""

import math
import sys
import traceback

import nomen

BATCH, TIME, FEATURES, HEADS, DEPTH = 2, 4, 6, 4, 3
CHANNELS = HEADS * DEPTH


def project(x, weight, time):
    """The channels of each head, at the times of a query or of a key."""
    channels = (x @ weight).unflatten("channel", [("head", HEADS), ("depth", DEPTH)])
    return channels.rename(time=time)


def attend(x, query_weight, key_weight, value_weight, out_weight):
    """Each time asks (query) all times up to its own (key) for their values."""
    query = project(x, query_weight, "query").align_to("batch", "head", "query", "depth")
    key = project(x, key_weight, "key").align_to("batch", "head", "depth", "key")
    value = project(x, value_weight, "key").align_to("batch", "head", "key", "depth")

    time = nomen.arange(TIME)
    past = time.rename("key") <= time.rename("query").align_to("query", "key")
    score = nomen.where(past, query @ key / math.sqrt(DEPTH), -math.inf)
    mixed = score.softmax("key") @ value  # batch, head, query, depth
    mixed = mixed.align_to("batch", "query", "head", "depth").flatten(["head", "depth"], "channel")
    return (mixed @ out_weight).rename(query="time")


def loss_of(x, weights, target):
    return (attend(x, *weights) - target).square().mean()


# ---- the same as a plain loop --------------------------------------------------------------------


def plain_product(a, b):
    return [[sum(u * v for u, v in zip(row, column)) for column in zip(*b)] for row in a]


def plain_head(query, key, value):
    """Lists of TIME rows of one head of one example; the rows that its queries get."""
    mixed = []
    for t, row in enumerate(query):
        score = [sum(u * v for u, v in zip(row, key[s])) / math.sqrt(DEPTH) for s in range(t + 1)]
        share = [math.exp(s - max(score)) for s in score]
        total = sum(share)
        mixed.append([sum(share[s] * value[s][d] for s in range(t + 1)) / total
                      for d in range(DEPTH)])  # fmt: skip
    return mixed


def plain_loss(x, weights, target):
    total = 0
    for example, wanted in zip(x, target):
        channels = [plain_product(example, weight) for weight in weights[:3]]
        mixed = [[] for _ in range(TIME)]
        for head in range(HEADS):
            part = slice(head * DEPTH, (head + 1) * DEPTH)
            rows = plain_head(*([row[part] for row in which] for which in channels))
            for t in range(TIME):
                mixed[t] += rows[t]
        for row, want in zip(plain_product(mixed, weights[3]), wanted):
            total += sum((a - b) ** 2 for a, b in zip(row, want))
    return total / (BATCH * TIME * FEATURES)


def plain_slope(x, weights, target, which, i, j):
    """How the loss of the plain loop changes with one number of one weight."""
    row, step = weights[which][i], 1e-5
    middle = row[j]
    row[j] = middle + step
    above = plain_loss(x, weights, target)
    row[j] = middle - step
    below = plain_loss(x, weights, target)
    row[j] = middle
    return (above - below) / (2 * step)


# ---- what the reader sees ------------------------------------------------------------------------


def show_mistake(x, query_weight, key_weight):
    """The heads stay behind the time. There are as many as times, so the sizes fit."""
    query = project(x, query_weight, "query")
    key = project(x, key_weight, "key").align_to("batch", "head", "depth", "key")
    try:
        query @ key
    except RuntimeError as error:
        print("a wrong program, with the heads behind the time, gets this error:")
        print("  " + "  ".join(traceback.format_exception_only(error)), end="")


def main():
    nomen.manual_seed(1)

    def randn(names, *size):
        return nomen.randn(size, names=names.split(), dtype=nomen.float64)

    x = randn("batch time features", BATCH, TIME, FEATURES)
    target = randn("batch time features", BATCH, TIME, FEATURES)
    weights = [randn("features channel", FEATURES, CHANNELS) for _ in range(3)]
    weights.append(randn("channel features", CHANNELS, FEATURES))
    for weight in weights:
        weight.mul_(0.5).requires_grad_()

    loss = loss_of(x, weights, target)
    loss.backward()
    print(f"loss: {loss.item():.12f}")
    print("gradient of the query's weight:", *weights[0].grad.names)

    plain = x.tolist(), [weight.tolist() for weight in weights], target.tolist()
    loss_error = abs(loss.item() - plain_loss(*plain))
    slope_error = max(
        abs(slope - plain_slope(*plain, which, i, j))
        for which, weight in enumerate(weights)
        for i, row in enumerate(weight.grad.tolist())
        for j, slope in enumerate(row)
    )
    within = f"loss within {loss_error:.0e}, gradients within {slope_error:.0e}"
    print("the plain loop agrees:", within)
    show_mistake(x, *weights[:2])
    return 0 if loss_error < 1e-12 and slope_error < 1e-7 else 1


if __name__ == "__main__":
    sys.exit(main())
