"""What an error of names advises beside its message, as the model of the rules expects it."""

COUNT = 'one name per dim is wanted; a dim without a name is None, in C "*"'
DUPLICATE = "each name may stand once: give one of them another name, or None"
EACH_ONCE = (
    "the position, the negative position and the name of a dim all mean the same dim: give each "
    "once"
)
BATCH = (
    "batch dims match by position from the right: bring them into one order with align_to, or give "
    "them one name with rename"
)
SAME_NAME = "give both one name with rename, if they mean the same"
KEEP = "to keep a name repeat it or use '...'; rename(None) drops names"
REFINE = "refine_names only names dims that have no name; rename changes names"
NAME_IT = "name it with refine_names, or use '...' for the dims that stay as they are"
NAME_ALL = "name every dim of the tensor, or put '...' where the others shall stand"
SIDE_BY_SIDE = "bring them side by side with align_to first"
NO_NAMES = (
    "the tensor has no names: give it some with rename or refine_names, or use the position of the "
    "dim"
)
ANOTHER = (
    "give dims that mean the same one name with rename; rename(None) drops the names, so that dims "
    "match by position alone"
)


def dims(own, shown):
    return f"the tensor has {len(own)} dim{'s' * (len(own) != 1)}: {shown}"


def elsewhere(name):
    return f"move '{name}' with align_to, or name the unnamed dim with refine_names"


def missing(own, asked, shown):
    named = [name for name in own if name is not None]
    if not named:
        return NO_NAMES
    near = min(named, key=lambda name: slips(asked, name))
    allowed = 0 if len(asked) <= 2 else 1 if len(asked) <= 5 else 2
    fits = max(len(asked), len(near)) < 32 and slips(asked, near) <= allowed
    return f"did you mean '{near}'?" if fits else f"the dims are {shown}"


def slips(a, b):
    """Letters to insert, drop, replace or swap with their neighbour, whatever their case."""
    a, b = a.lower(), b.lower()
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        rows.append([i])
        for k in range(1, len(b) + 1):
            ways = [
                rows[i][k - 1] + 1,
                rows[i - 1][k] + 1,
                rows[i - 1][k - 1] + (a[i - 1] != b[k - 1]),
            ]
            if i > 1 and k > 1 and a[i - 1] == b[k - 2] and a[i - 2] == b[k - 1]:
                ways.append(rows[i - 2][k - 2] + 1)
            rows[i].append(min(ways))
    return rows[-1][-1]


def disagree(a, b):
    """Two lists that do not match from the right."""
    if fits_in(a, b) or fits_in(b, a):
        more = "" if len(a) == len(b) else " and adds those that are missing, with size 1"
        return f"align_as brings the dims of one into the order of the other{more}"
    for i, name in enumerate(a):
        if name is not None and name in b and len(b) - b.index(name) != len(a) - i:
            return (
                "dims of one name must stand at one place, counted from the right: move "
                f"'{name}' with align_to or permute"
            )
    return ANOTHER


def fits_in(a, b):
    """align_as works: all are named, and b has the names of a."""
    return None not in a + b and set(a) <= set(b)
