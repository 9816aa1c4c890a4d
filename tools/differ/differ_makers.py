"""Operands that have to fit each other: for some rows, the arguments of a call."""

import math

from differ_data import ALL, COMPLEX, INTS, REALS

POOL = ["N", "C", "H", "W", "T", "D"]

# ---- operations whose operands have to fit each other -------------------------------------------


def product(*patterns):
    """Operands by letters: "nk,km" of mm. In place, the first pattern's first operand is whole."""

    def make(self):
        pattern = patterns[0] if self.form == "inplace" else self.pick(patterns)
        size = {c: self.pick([1, 2, 3, 4, 5, 8, 17]) for c in sorted(set(pattern)) if c.isalpha()}
        if self.chance(0.05):
            size[self.pick(sorted(size))] = 0
        if self.chance(0.003) and self.mode == "":
            size = {c: self.pick([40, 64, 97]) for c in size}
        letters = dict(zip("bnmka", self.template))
        names = [a["name"] for a in self.row["args"] if a["kind"] == "tensor"]
        args, kw = [], {}
        for name, word in zip(names, pattern.split(",")):
            shape = [size[c] if c.isalpha() else 1 for c in word]
            if shape and self.wrong("size", 0.3):
                shape[self.r.randrange(len(shape))] += 1
            elif self.wrong("size", 0.2):
                shape = shape[1:]
            if not self.tensors:
                self.shape = shape
            own = None
            if self.named and self.chance(0.8):
                own = [None if self.chance(0.15) else letters.get(c) for c in word]
                if self.wrong("names"):
                    self.r.shuffle(own)
                own = own[len(own) - len(shape) :]
                own = own if any(own) else None
            args.append(self.tensor(name, shape, names=own))
        for arg in self.row["args"]:
            if arg["name"] in ("alpha", "beta") and self.chance(0.5):
                whole = self.dtype in INTS and not self.wrong("number")
                kw[arg["name"]] = self.pick([0, 1, 2, -1, 3] if whole else [0, 1, 2, 0.5, -1, 0.0])
            elif arg["kind"] == "number" and self.chance(0.5):
                kw[arg["name"]] = self.number(arg["name"])
        return args, kw

    return make


def spread(self, values):
    """May they stand as arguments of their own? In methods only."""
    return values and self.form != "function" and self.chance(0.35)


def make_cat(self):
    if not self.shape:
        self.shape = [3] if self.chance(0.9) else []
    rank = len(self.shape)
    insert = self.op == "stack"
    at = self.r.randrange(rank + insert) if rank + insert else 0
    tensors = []
    for _ in range(self.pick([1, 2, 2, 3, 4])):
        shape = self.shape[:]
        if not insert and rank:
            shape[at] = self.pick([0, 1, 2, 3, 4])
        if self.wrong("size", 0.3):
            shape = self.pick([[0], shape + [1], [2] * rank])
        dtype = self.pick(ALL) if self.chance(0.1) and not self.mode else None
        tensors.append(self.tensor("tensors", shape, dtype))
    dim = at if self.chance(0.5) else at - rank - insert
    names = self.tensors[0]["names"]
    if names and not insert and at < len(names) and names[at] and self.chance(0.5):
        dim = names[at]
    if self.mistake == "dim":
        dim = self.dim()
    args = [tensors if self.chance(0.7) else {"tuple": tensors}]
    kw = {}
    if dim != 0 or self.chance(0.5):
        if self.chance(0.6):
            args.append(dim)
        else:
            kw["dim"] = dim
    return args, kw


def make_reshape(self):
    x = self.tensor("self")
    total = math.prod(self.shape)
    sizes, left = [], total
    for _ in range(self.pick([0, 1, 2, 2, 3])):
        divisors = [d for d in (1, 2, 3, 4, 5, 7, 8) if left and left % d == 0] or [0, 1]
        sizes.append(self.pick(divisors))
        left = left // sizes[-1] if sizes[-1] else 0
    sizes.append(left)
    if self.chance(0.3):
        sizes[self.r.randrange(len(sizes))] = -1
    if self.wrong("size"):
        sizes.append(self.pick([2, -1, -2, 0]))
    self.r.shuffle(sizes)
    return ([x, *sizes] if spread(self, sizes) else [x, {"tuple": sizes}]), {}


def make_expand(self):
    target = self.shape
    shape = [1 if self.chance(0.3) else n for n in target]
    lead = self.r.randrange(min(2, len(shape)) + 1)
    self.shape = shape[lead:]
    x = self.tensor("self", self.shape)
    sizes = [-1 if k >= lead and self.chance(0.3) else n for k, n in enumerate(target)]
    if sizes and self.wrong("size"):
        sizes[self.r.randrange(len(sizes))] = self.pick([-1, -2, 7, 0])
    return ([x, *sizes] if spread(self, sizes) else [x, {"tuple": sizes}]), {}


def make_permute(self):
    x = self.tensor("self")
    rank = len(self.shape)
    order = list(range(rank))
    self.r.shuffle(order)
    names = self.tensors[0]["names"]
    by_name = names and None not in names and self.chance(0.5)
    dims = [names[k] if by_name else k - rank if self.chance(0.3) else k for k in order]
    if self.wrong("dim"):
        dims = dims[1:] + [self.pick([0, rank, -rank - 1])]
    return ([x, *dims] if spread(self, dims) else [x, {"tuple": dims}]), {}


def make_flatten(self):
    x = self.tensor("self")
    rank, names = len(self.shape), self.tensors[0]["names"]
    first, last = sorted(self.r.randrange(max(rank, 1)) for _ in range(2))
    p = self.r.random()
    if names and None not in names and p < 0.6:
        out = self.pick(POOL + ["F", "F", "F"])
        if p < 0.3:
            return [x, names[first : last + 1], out], {}
        return [x, names[first], names[last], out], {}
    if self.wrong("dim"):
        first, last = last + 1, first
    if self.chance(0.3):
        first -= rank
    if self.chance(0.3):
        last -= rank
    if p < 0.2 and rank:
        return [x, first, last, self.pick(POOL + [None])], {}
    return [x, first, last][: self.pick([1, 2, 3, 3])], {}


def make_unflatten(self):
    if not self.shape:
        self.shape = [self.pick([1, 4, 6])]
    at = self.r.randrange(len(self.shape))
    parts = [self.pick([1, 2, 3]) for _ in range(self.pick([1, 2, 2, 3]))]
    self.shape[at] = math.prod(parts)
    while math.prod(self.shape) > 1500:
        self.shape = [n if k == at else min(n, 2) for k, n in enumerate(self.shape)]
    x = self.tensor("self")
    names = self.tensors[0]["names"]
    if self.chance(0.3):
        parts[self.r.randrange(len(parts))] = -1
    if self.wrong("size"):
        parts.append(self.pick([2, -1, 0]))
    if names and names[at] and self.chance(0.8):
        news = self.name_list(len(parts))
        pairs = [{"tuple": [n, size]} for n, size in zip(news, parts)]
        return [x, names[at], pairs], {}
    at = at - len(self.shape) if self.chance(0.4) else at
    return [x, at, {"tuple": parts}], {}


def make_align(self):
    self.named = True
    rank = len(self.shape)
    whole = self.template[:rank] if rank and not self.wrong("names") else 0
    x = self.tensor("self", names=whole)
    own = [n for n in self.tensors[0]["names"] or [None] * len(self.shape)]
    order = [n for n in own if n]
    order += [self.pick(["A", "B", "Z", None])] if self.chance(0.4) else []
    self.r.shuffle(order)
    if self.chance(0.35):
        order = order[: self.r.randrange(len(order) + 1)]
        order.insert(self.r.randrange(len(order) + 1), {"ellipsis": 0})
    if order and self.wrong("names"):
        order.append(order[0])
    return [x, *order], {}


def make_rename(self):
    x = self.tensor("self")
    own = [n for n in self.tensors[0]["names"] or [None] * len(self.shape)]
    if self.op == "rename" and self.chance(0.25):
        keys = [n for n in own if n and self.chance(0.6)]
        return [x], {key: self.pick(POOL + ["A", "B", None]) for key in keys}
    if self.chance(0.08):
        return [x, None], {}
    names = self.name_list(len(own))
    if self.op == "refine_names":
        names = [
            new if old is None or self.wrong("names", 0.3) else old for new, old in zip(names, own)
        ]
    if self.chance(0.3):
        a, b = sorted(self.r.randrange(len(names) + 1) for _ in range(2))
        names[a:b] = [{"ellipsis": 0} if self.chance(0.7) else "..."]
    return [x, *names], {}


def make_narrow(self):
    if not self.shape and self.mistake != "size":
        self.shape = [self.pick([2, 3, 5])]
    x = self.tensor("self")
    dim = self.dim()
    at = place(self, dim)
    size = self.shape[at] if at is not None and self.shape else 3
    start = self.r.randrange(size + 1)
    length = self.r.randrange(size - start + 1)
    if self.wrong("number"):
        start, length = self.pick([-size - 1, size + 1, start]), self.pick([size + 1, -1, length])
    elif size and self.chance(0.2) and start < size:
        start -= size
    return [x, dim, start, length], {}


def make_split(self):
    """split, tensor_split, chunk: one number of them or several sizes or places."""
    if not self.shape and self.mistake != "size":
        self.shape = [self.pick([2, 3, 5])]
    x = self.tensor("self")
    dim = self.dim()
    at = place(self, dim)
    size = self.shape[at] if at is not None and self.shape else 3
    how = self.pick([1, 2, 3, 4, size + 1])
    if self.wrong("number"):
        how = self.pick([0, -1, [size, 1, 1]])
    elif self.op == "split" and self.chance(0.4):
        first = self.r.randrange(size + 1)
        how = [first, size - first]
    elif self.op == "tensor_split" and self.chance(0.5):
        how = {"tuple": sorted(self.r.randrange(-1, size + 2) for _ in range(self.pick([0, 1, 2])))}
    args = [x, how]
    if self.chance(0.5):
        return args + [dim], {}
    return args, {"dim": dim} if self.chance(0.8) else {}


def make_hsplit(self):
    low = {"hsplit": 1, "vsplit": 2, "dsplit": 3}[self.op]
    while len(self.shape) < low and self.mistake != "size":
        self.shape = self.shape + [self.pick([2, 3, 4])]
    at = {"hsplit": min(len(self.shape) - 1, 1), "vsplit": 0, "dsplit": 2}[self.op]
    parts = self.pick([1, 2, 3])
    if 0 <= at < len(self.shape) and not self.wrong("number"):
        self.shape[at] = parts * self.pick([1, 2, 3])
    x = self.tensor("self")
    if self.chance(0.5):
        return [x, parts], {}
    places = sorted(self.pick([0, 1, 2, 3, 4]) for _ in range(self.pick([0, 1, 2])))
    return [x, places if self.chance(0.5) else {"tuple": places}], {}


def place(self, dim):
    rank, names = len(self.shape), self.tensors[0]["names"] or []
    if isinstance(dim, str) and dim in names:
        return names.index(dim)
    if isinstance(dim, int) and -rank <= dim < rank:
        return dim % rank
    return None


def make_arange(self):
    kw = {"dtype": {"dtype": self.pick(ALL[1:10])}} if self.chance(0.4) else {}
    numbers = [0, 1, 2, 5, 10, -3, 0.5, 2.5, -1.5]
    count = self.pick([1, 2, 2, 3])
    if self.wrong("number"):
        return [self.pick(numbers) for _ in range(count)], kw
    if count == 1:
        return [self.pick([0, 1, 5, 10, 2.5, 33])], kw
    start, length = self.pick(numbers), self.pick([0, 1, 2, 5, 7.5, 10])
    if count == 2:
        return [start, start + length], kw
    step = self.pick([1, 2, 3, 0.5, -1, -2, -0.5, 1.5])
    return [start, start + (length if step > 0 else -length), step], kw


def factory_keywords(self, rank):
    kw = {}
    if self.chance(0.4):
        kw["names"] = {"tuple": self.name_list(rank)} if self.chance(0.95) else None
    if self.chance(0.5):
        kw["dtype"] = {"dtype": self.pick(self.dtypes() if self.mistake != "dtype" else ALL)}
    return kw


def make_factory(self):
    self.shape = shape = self.draw_shape()
    flat = self.op != "full" and shape and self.chance(0.5)
    args = list(shape) if flat else [{"tuple": shape}]
    if self.wrong("size"):
        args = [{"tuple": shape + [self.pick([-1, 1.5, "x"])]}]
    if self.op == "full":
        args.append(self.number("fill_value"))
    return args, factory_keywords(self, len(shape))


def make_randint(self):
    low, high = bounds(self)
    if self.op == "randint_like":
        args = [self.tensor("self"), high] if low == 0 else [self.tensor("self"), low, high]
        return args, {"dtype": {"dtype": self.pick(self.dtypes())}} if self.chance(0.4) else {}
    self.shape = shape = self.draw_shape()
    args = [high] if low == 0 and self.chance(0.7) else [low, high]
    return [*args, {"tuple": shape}], factory_keywords(self, len(shape))


def bounds(self):
    low = self.pick([0, 0, 0, 1, 3] + ([-5] if self.dtype != "uint8" else []))
    high = low + self.pick([1, 2, 10, 50])
    return (high, low) if self.wrong("number") else (low, high)


def make_randperm(self):
    kw = {"dtype": {"dtype": self.pick(self.dtypes())}} if self.chance(0.4) else {}
    return [-1 if self.wrong("number") else self.pick([0, 1, 2, 5, 10, 33])], kw


def make_normal(self):
    """mean and std: tensors or numbers; two numbers bring sizes."""
    self.dtype = self.pick(["float32", "float32", "float64", "float16"])
    kind = self.pick(["tt", "tn", "nt", "t", "nn"])
    spread = self.pick([0.0, 0.5, 1, 2.0]) if not self.wrong("number") else -1.0
    mean = self.tensor("mean") if kind[0] == "t" else self.pick([0.0, 1.5, -2.0])
    if kind == "t":
        return [mean], {}
    std = self.tensor("std", None, None, "positive") if kind[1] == "t" else spread
    if kind != "nn":
        return [mean, std], {}
    return [float(mean), float(std), {"tuple": self.draw_shape()}], {}


def make_multinomial(self):
    rank = self.pick([1, 2]) if self.mistake != "size" else self.pick([0, 3])
    self.shape = [self.pick([1, 2, 3, 5, 8]) for _ in range(rank)]
    x = self.tensor("self", None, None, self.pick(["zero_one", "positive", "positive"]))
    last = self.shape[-1] if rank else 1
    again = self.chance(0.5)
    count = self.pick([1, 2, 10]) if again else 1 + self.r.randrange(last)
    count = self.pick([0, last + 1]) if self.wrong("number") else count
    return [x, count] + ([again] if again or self.chance(0.5) else []), {}


def make_draw(self):
    """Draws in place, with parameters that make sense."""
    x = self.tensor("self")
    table = {
        "uniform": [[0, 1], [-2.0, 3.0], [0.5, 0.5], [-1, 0]],
        "cauchy": [[0, 1], [1.5, 0.5], [-2.0, 3]],
        "exponential": [[1], [0.5], [3.0]],
        "log_normal": [[1, 2], [0.0, 0.5], [-1.0, 1]],
        "normal_": [[0, 1], [1.5, 0.5], [-2.0, 3], [0, 0]],
        "geometric": [[0.5], [0.1], [0.9]],
        "random": [[], [0, 2], [3], [5, 100]],
        "dropout": [[0.5], [0.0], [1.0], [0.25]],
    }
    junk = [[-1, 1, 1], [2.0, 1.0], [-0.5], [0, 0]]
    numbers = self.pick(junk if self.wrong("number") else table[self.op])
    if self.op == "dropout":
        return [x, *numbers, self.chance(0.8)], {}
    whole = self.op == "geometric" or self.chance(0.6)
    return [x, *numbers[: len(numbers) if whole else self.pick([0, 1])]], {}


def make_bernoulli(self):
    """Probabilities in self; or, in place, in another operand."""
    if self.form != "inplace":
        kind = None if self.wrong("number") else "zero_one"
        return [self.tensor("self", None, None, kind)], {}
    x = self.tensor("self")
    if self.chance(0.5):
        return [x, self.pick([0.0, 0.5, 1, 0.25]) if not self.wrong("number") else 2], {}
    return [x, self.tensor("p", self.broadcast_of(self.shape), None, "zero_one")], {}


def make_sort(self):
    x = self.tensor("self")
    kw = {}
    if self.chance(0.5):
        kw["stable"] = True
    if self.chance(0.7):
        kw["dim"] = self.dim()
    if self.chance(0.5):
        kw["descending"] = self.chance(0.5)
    if "stable" not in kw and "descending" not in kw and "dim" in kw and self.chance(0.5):
        return [x, kw.pop("dim")], kw
    return [x], kw


def make_argsort(self):
    x = self.tensor("self")
    if self.chance(0.5):
        return [x, *([self.dim()] if self.chance(0.8) else [])], {}
    kw = {"dim": self.dim(), "descending": self.chance(0.5), "stable": True}
    return [x], {k: v for k, v in kw.items() if k == "stable" or self.chance(0.6)}


def make_movedim(self):
    x = self.tensor("self")
    rank, names = len(self.shape), self.tensors[0]["names"]
    count = self.r.randrange(rank + 1)
    lists = []
    for side in range(2):
        order = list(range(rank))
        self.r.shuffle(order)
        own = names and side == 0 and self.chance(0.6)
        lists.append(
            [
                names[k] if own and names[k] else k - rank if self.chance(0.3) else k
                for k in order[:count]
            ]
        )
    if self.wrong("dim"):
        lists[0] = lists[0] + [self.pick([0, rank, -rank - 1])]
    if count == 1 and self.chance(0.6):
        return [x, lists[0][0], lists[1][0]], {}
    return [x, *({"tuple": one} if self.chance(0.5) else one for one in lists)], {}


def make_diagonal(self):
    """diagonal and diag_embed: two different dims, none or both given."""
    low = 2 if self.op == "diagonal" else 1
    while len(self.shape) < low and self.mistake != "size":
        self.shape = self.shape + [self.pick([2, 3, 4])]
    x = self.tensor("self")
    rank = len(self.shape) + (self.op == "diag_embed")
    names = self.tensors[0]["names"] if self.op == "diagonal" else None
    order = list(range(rank))
    self.r.shuffle(order)
    dims = (order + [0, 1])[:2]
    if self.wrong("dim"):
        dims[1] = self.pick([dims[0], rank, -rank - 1])
    else:
        dims = [
            names[d] if names and names[d] and self.chance(0.5) else d - rank * self.chance(0.3)
            for d in dims
        ]
        if any(isinstance(d, str) for d in dims) and names and all(names[d] for d in order[:2]):
            dims = [names[d] for d in order[:2]] if self.chance(0.8) else dims
    offset = self.pick([0, 0, 1, -1, 2, 40])
    p = self.r.random()
    if p < 0.2:
        return [x], {}
    if p < 0.4:
        return [x, offset], {}
    if p < 0.7:
        return [x, offset, *dims], {}
    return [x], {"offset": offset, "dim1": dims[0], "dim2": dims[1]}


def make_unfold(self):
    x = self.tensor("self")
    dim = self.dim()
    at = place(self, dim)
    size = self.shape[at] if at is not None and self.shape else 1
    length, step = self.r.randrange(size + 1), self.pick([1, 1, 2, 3])
    if self.wrong("number"):
        length, step = self.pick([(size + 1, 1), (-1, 1), (1, 0), (1, -1)])
    elif math.prod(self.shape) * length > 2**20:  # all of it is sent and compared
        length %= 16
    return [x, dim, length, step], {}


def make_roll(self):
    x = self.tensor("self")
    rank = len(self.shape)
    if not rank or self.chance(0.2):
        return [x, self.pick([0, 1, -2, 100])], {}
    dims = self.dims()
    count = len(list_of(dims)) if isinstance(dims, (list, dict)) else 0
    if not count:
        return [x, self.pick([0, 1, -2, 100]), dims if not isinstance(dims, dict) else 0], {}
    shifts = [self.pick([0, 1, -1, 5, -30]) for _ in range(count + self.wrong("number"))]
    return [x, shifts if self.chance(0.5) else {"tuple": shifts}, dims], {}


def list_of(dims):
    return dims["tuple"] if isinstance(dims, dict) else dims


def make_ranked(self):
    """A row along a dim, and a rank in it."""
    x = self.tensor("self")
    dim = self.dim()
    at = place(self, dim)
    size = self.shape[at] if at is not None and self.shape else 1
    low = 0 if self.op == "topk" else min(1, size)
    k = self.r.randrange(low, size + 1)
    if self.wrong("number"):
        k = self.pick([-1, size + 1, 0])
    args, kw = [x, k], {}
    if self.chance(0.7):
        args.append(dim)
    elif self.shape and self.shape[-1] < k and self.mistake is None:
        args.append(dim)
    if self.op == "topk" and len(args) == 3 and self.chance(0.5):
        args += [self.chance(0.5)] + ([True] if self.chance(0.5) else [])
    if self.op == "kthvalue" and self.chance(0.3):
        kw["keepdim"] = self.chance(0.5)
    return args, kw


def make_diff(self):
    if not self.shape and self.mistake != "size":
        self.shape = [self.pick([2, 3, 5])]
    x = self.tensor("self")
    rank = len(self.shape)
    kw = {}
    if self.chance(0.5):
        kw["n"] = self.pick([0, 1, 2, 3]) if not self.wrong("number") else -1
    dim = self.dim()
    if self.chance(0.6):
        kw["dim"] = dim
    at = place(self, kw.get("dim", -1))
    for side in ("prepend", "append"):
        if self.chance(0.3) and at is not None and rank:
            shape = self.shape[:]
            shape[at] = self.pick([0, 1, 2, 3])
            if self.wrong("size"):
                shape = self.pick([shape[1:], [n + 1 for n in shape]])
            kw[side] = self.tensor(side, shape, names=self.tensors[0]["names"])
    return [x], kw


def make_repeat(self):
    x = self.tensor("self")
    count = len(self.shape) + self.pick([0, 0, 1])
    if self.op == "tile":
        count = self.r.randrange(count + 1)
    elif self.wrong("size"):
        count = max(0, count - 2)
    times = [self.pick([1, 1, 2, 3, 0] if self.chance(0.2) else [1, 2, 3]) for _ in range(count)]
    while math.prod(times) > 12:
        times[self.r.randrange(count)] = 1
    if times and self.wrong("number"):
        times[0] = -1
    return ([x, *times] if spread(self, times) else [x, {"tuple": times}]), {}


def make_repeat_interleave(self):
    x = self.tensor("self")
    dim = self.dim() if self.shape and self.chance(0.7) else None
    at = place(self, dim)
    total = math.prod(self.shape) if dim is None else self.shape[at] if at is not None else 3
    args = [x]
    if self.chance(0.5) or not self.shape:
        args.append(self.pick([0, 1, 2, 3]) if not self.wrong("number") else -1)
    else:
        count = total + 1 if self.wrong("size") else self.pick([total, total, 1])
        kind = ["index", 0, 4]
        dtype = self.pick(["int64", "int64", "int32"])
        args.append(self.tensor("repeats", [count], dtype, kind, names=None))
    if dim is not None:
        args.append(dim)
    return args, {}


def make_resize(self):
    x = self.tensor("self", None, None, None, True)
    shape = self.shape if self.named else self.smaller_shape()
    if math.prod(shape) > math.prod(self.shape):
        shape = self.shape  # what more memory holds is nobody's business
    if self.op == "resize_as":
        return [x, self.tensor("other", shape)], {}
    return ([x, *shape] if spread(self, shape) else [x, {"tuple": shape}]), {}


def make_fill(self):
    x = self.tensor("self")
    return [x, self.number("value") if self.chance(0.6) else self.tensor("value", [])], {}


def make_complex(self):
    dtype = self.pick(["float32", "float64"]) if not self.wrong("dtype") else self.pick(ALL)
    self.dtype = dtype
    x = self.tensor("real")
    other = self.pick(ALL) if self.wrong("dtype") else dtype
    return [x, self.tensor("imag", self.broadcast_of(self.shape), other)], {}


def make_view_as_complex(self):
    self.shape = self.shape + [2 if not self.wrong("size") else 3]
    return [self.tensor("self", None, None, None, True)], {}


def make_align_tensors(self):
    tensors = []
    for _ in range(self.pick([1, 2, 3])):
        shape = self.shape[self.r.randrange(len(self.shape) + 1) :]
        tensors.append(self.tensor("tensors", shape))
    return tensors, {}


def make_align_as(self):
    """self has some of the names of other, in another order."""
    rank, self.named = len(self.shape), True
    if not rank or rank > len(self.template) or self.wrong("names"):
        return [self.tensor("self"), self.tensor("other", self.broadcast_of(self.shape))], {}
    order = list(range(rank))
    self.r.shuffle(order)
    order = order[: self.r.randrange(rank + 1)]
    whole, names = self.shape, self.template[:rank]
    self.shape = [whole[k] for k in order]
    x = self.tensor("self", names=[names[k] for k in order] or None)
    return [x, self.tensor("other", whole, names=names or None)], {}


def make_softmax(self):
    x = self.tensor("self")
    kw = {}
    if self.chance(0.3):
        fit = [self.dtype, "float32", "float64"] if self.mistake != "dtype" else ALL
        kw["dtype"] = {"dtype": self.pick(fit)}
    return [x, self.dim()], kw


def make_extreme(self):
    """max and min: of everything, along a dim, or of two tensors."""
    x = self.tensor("self")
    p = self.r.random()
    if p < 0.2:
        return [x], {}
    if p < 0.4:
        return [x, self.tensor("other", self.broadcast_of(self.shape))], {}
    keep = [self.chance(0.5)] if self.chance(0.5) else []
    return [x, self.dim(), *keep], {}


def make_polygamma(self):
    n = self.pick([-1, 5]) if self.wrong("number") else self.pick([0, 1, 2, 3])
    x = self.tensor("self")
    return ([n, x] if self.form in ("function", "out") else [x, n]), {}


def make_where(self):
    condition = self.tensor(
        "condition", self.broadcast_of(self.shape), self.other_dtype("condition")
    )
    values = []
    for name in ("self", "other"):
        values.append(
            self.number(name)
            if self.chance(0.2)
            else self.tensor(
                name, self.broadcast_of(self.shape), self.dtype if self.chance(0.75) else None
            )
        )
    return [condition, *values], {}


def make_clamp(self):
    x = self.tensor("self")
    if self.chance(0.6):
        bounds = [self.number("min"), self.number("max")]
    else:
        bounds = [self.tensor("min", self.broadcast_of(self.shape)) for _ in range(2)]
    p = self.r.random()
    if p < 0.5:
        return [x, *bounds], {}
    if p < 0.65:
        return [x], {"min": bounds[0]}
    if p < 0.8:
        return [x], {"max": bounds[1]}
    return [x], {"max": bounds[1], "min": bounds[0]}


def make_to(self):
    x = self.tensor("self")
    return [x, {"dtype": self.pick(ALL)}], {"copy": True} if self.chance(0.2) else {}


def make_index(self):
    """x[...] with everything basic that may stand in brackets."""
    x = self.tensor("self")
    items, rank = [], len(self.shape)
    for size in self.shape[: self.r.randrange(rank + 1)]:
        p = self.r.random()
        if p < 0.4:
            items.append(
                (size if self.wrong("number") else self.r.randrange(-size, size)) if size else 0
            )
        elif p < 0.9:
            bounds = [
                None if self.chance(0.4) else self.r.randrange(-size - 2, size + 3)
                for _ in range(2)
            ]
            items.append({"slice": [*bounds, self.pick([None, 1, 2, 3])]})
        else:
            items.append(None)
    if self.chance(0.25):
        items.insert(self.r.randrange(len(items) + 1), {"ellipsis": 0})
    if self.wrong("junk"):
        items.append(self.pick([0, None, {"ellipsis": 0}, 1.5]))
    return [x, items[0] if len(items) == 1 and self.chance(0.7) else {"tuple": items}], {}


def make_indexing(self):
    """Positions along a dim: index has one dim for index_*, the sizes of self for the others."""
    if not self.shape and (self.op == "take_along_dim" or self.chance(0.9)):
        self.shape = [self.pick([2, 3, 5])]
    rank = len(self.shape)
    at = self.r.randrange(rank) if rank else 0
    if rank and not self.shape[at] and self.chance(0.8):
        self.shape[at] = 3
    x = self.tensor("self")
    size = self.shape[at] if rank else 1
    names = self.tensors[0]["names"]
    dim = names[at] if names and names[at] and self.chance(0.5) else at - self.chance(0.4) * rank
    if self.mistake == "dim":
        dim = self.dim()
    negative = self.op == "take_along_dim" or self.op in ("index_fill",) and self.chance(0.3)
    low = -size if negative and self.op == "index_fill" else 0
    if self.wrong("number"):
        low, size = self.pick([(-size - 1, size), (0, size + 2), (-size, size)])
    kind = ["index", low, size]
    if self.op.startswith("index_"):
        shape = [self.pick([1, 2, 3, 4]) if rank else 1] if self.chance(0.95) else []
        part = self.shape[:at] + (shape or [1]) + self.shape[at + 1 :] if rank else shape
        own = [names[at]] if names and self.chance(0.3) and shape else None
    else:
        shape = [max(1, n - self.chance(0.3)) if n else 0 for n in self.shape]
        shape[at : at + 1] = [self.pick([1, 2, 3])] if rank else []
        part = [n + self.chance(0.2) * (self.mode == "") for n in shape]
        own = names if self.chance(0.5) else None
    if self.wrong("size"):
        part = [n + 1 for n in part] if self.chance(0.5) else part[1:]
    elif self.wrong("size"):
        shape = shape + [1]
    dtype = self.pick(["int32", "float32"]) if self.wrong("dtype") else "int64"
    index = self.tensor("index", shape, dtype, kind, names=own)
    if self.op == "take_along_dim":
        if self.chance(0.5):
            self.tensors[-1]["shape"], self.tensors[-1]["steps"] = shape, []
        return [x, index, dim], {}
    args, kw = [x, dim, index], {}
    if self.op == "index_fill":
        args.append(self.number("value") if self.chance(0.6) else self.tensor("value", []))
    elif self.op in ("scatter", "scatter_add", "index_add", "index_copy"):
        number = self.op == "scatter" and self.chance(0.3)
        args.append(
            self.number("value")
            if number
            else self.tensor("source", part, self.other_dtype("source"), names=None)
        )
        if self.op == "scatter" and self.chance(0.3) and self.mode == "":
            kw["reduce"] = self.pick(["add", "multiply"])
        if self.op == "index_add" and self.chance(0.3):
            kw["alpha"] = self.pick([2, 0.5, -1] if self.dtype not in INTS else [2, -1, 3])
    return args, kw


def make_take(self):
    if 0 in self.shape and self.chance(0.9):
        self.shape = [n or 2 for n in self.shape]
    x = self.tensor("self")
    total = math.prod(self.shape)
    kind = ["index", -total, total + (1 if self.wrong("number") else 0)]
    shape = [self.pick([0, 1, 2, 3, 4]) for _ in range(self.pick([0, 1, 1, 2]))]
    dtype = self.pick(["int32", "float32"]) if self.wrong("dtype") else "int64"
    index = self.tensor("index", shape, dtype, kind)
    if self.op == "take":
        return [x, index], {}
    add = self.chance(0.5)
    if add is False:  # which of several stays is not said
        if math.prod(self.tensors[-1]["shape"]) > total:
            add = True
        elif total and kind[2] == total:
            self.tensors[-1]["fill"][0] = ["places", total]
    return [x, index, self.tensor("source", shape, self.dtype)], {"accumulate": add}


def make_masked(self):
    x = self.tensor("self")
    shape = self.shape
    if self.chance(0.4):
        shape = self.broadcast_of(self.shape)
    mask = self.tensor("mask", shape, self.other_dtype("mask"))
    if self.op == "masked_select":
        return [x, mask], {}
    if self.op == "masked_fill":
        return [x, mask, self.number("value") if self.chance(0.7) else self.tensor("value", [])], {}
    room = math.prod(self.shape) * 4 + 3 if not self.wrong("size") else 0
    return [x, mask, self.tensor("source", [room], self.dtype, names=None)], {}


def make_search(self):
    """Rows in order, or one for all values; now and then a sorter."""
    values = self.shape if self.op == "searchsorted" else self.draw_shape()
    length = self.pick([1, 2, 3, 5, 8, 17])
    many = self.op == "searchsorted" and values and self.chance(0.4)
    rows = values[:-1] + [length] if many else [length]
    if self.wrong("size"):
        rows = [2] + rows
    kind = ["rows", length, self.pick(["normal", "small", "large", "wide"])]
    self.shape = values
    kw = {}
    sorter = self.op == "searchsorted" and self.chance(0.15)
    order = int(self.r.random() * 2**30)
    if sorter:
        kind = ["shuffled", *kind[1:], order]
    if self.op == "bucketize":
        args = [self.tensor("self"), self.tensor("boundaries", rows, None, kind, True)]
    else:
        args = [self.tensor("sorted_sequence", rows, None, kind, True)]
        args.append(self.tensor("self", values))
        if self.chance(0.3):
            kw["side"] = self.pick(["left", "right", "right", "up"])
        if sorter:
            wrong = self.wrong("number")
            order = ["index", length, length + 2] if wrong else ["orders", length, order]
            dtype = self.pick(ALL) if self.wrong("dtype") else "int64"
            kw["sorter"] = self.tensor("sorter", rows, dtype, order, True, names=None)
    if kw.get("side") != "left" and self.chance(0.4):
        kw["right"] = self.chance(0.6)
    if self.chance(0.3):
        kw["out_int32"] = self.chance(0.6)
    return args, kw


def make_bincount(self):
    self.shape = [self.pick([0, 1, 2, 5, 17, 33])]
    if self.wrong("size"):
        self.shape = self.pick([[], [2, 3]])
    low = -1 if self.wrong("number") else 0
    x = self.tensor("self", None, None, ["index", low, 12])
    kw = {}
    if self.chance(0.5):
        shape = [2] if self.wrong("size") else self.shape
        kw["weights"] = self.tensor("weights", shape, self.pick(ALL[1:]), "normal")
    if self.chance(0.4):
        kw["minlength"] = -1 if self.wrong("number") else self.pick([0, 1, 5, 40])
    return [x], kw


def make_histc(self):
    x = self.tensor("self")
    kw = {}
    if self.chance(0.8):
        kw["bins"] = 0 if self.wrong("number") else self.pick([1, 2, 5, 10, 100])
    if self.chance(0.6):
        low, high = self.pick([(-2, 2), (0, 0), (0.5, 3.5), (-10, 1), (0, 8)])
        low, high = (high, low) if self.wrong("number") else (low, high)
        kw |= {"min": low, "max": high}
    return [x], kw


def make_pdist(self):
    """Rows that are not so many: there are distances for all pairs."""
    self.shape = [self.pick([0, 1, 2, 3, 5, 17, 70]), self.pick([0, 1, 2, 3, 8, 33])]
    if self.wrong("size"):
        self.shape = self.pick([[], [4], [2, 3, 2]])
    x, kw = self.tensor("self"), {}
    if self.chance(0.6):
        kw["p"] = -1 if self.wrong("number") else self.pick([0, 1, 2, 2.0, 0.5, 3, float("inf")])
    return [x], kw


def make_nuclear_norm(self):
    """Small matrices: the other libraries' decompositions take minutes, or for ever."""
    self.shape = [self.pick([0, 1, 2, 3, 5]) for _ in range(self.pick([2, 2, 2, 3, 4, 1]))]
    x, kw = self.tensor("self", None, None, self.pick(["normal", "small", "large"])), {}
    if len(self.shape) > 2 or self.chance(0.3):
        dims = self.r.sample(range(len(self.shape)), min(2, len(self.shape)))
        kw["dim"] = {"tuple": dims}
    if self.chance(0.3):
        kw["keepdim"] = self.chance(0.7)
    return [x], kw


def make_quantile(self):
    x = self.tensor("self")
    if self.chance(0.4):
        q = self.pick([2.5, -0.1]) if self.wrong("number") else self.pick([0.0, 0.25, 0.5, 0.9, 1])
    else:
        kind = "normal" if self.wrong("number") else "zero_one"
        shape = [2, 2] if self.wrong("size") else self.pick([[], [1], [2], [3], [5]])
        q = self.tensor("q", shape, None, kind, names=None)
    kw = {}
    if self.chance(0.7):
        kw["dim"] = self.dim()
        if self.chance(0.5):
            kw["keepdim"] = self.chance(0.7)
    if self.chance(0.6):
        words = ["linear", "lower", "higher", "midpoint", "nearest"]
        kw["interpolation"] = "no" if self.wrong("number") else self.pick(words)
    return [x, q], kw


EQUATIONS = [
    "i,i", "i,j", "ij->ji", "ij", "ii", "ii->i", "ij,jk", "ij,jk->ik", "ij,kj->ik", "bij,bjk->bik",
    "i,ij,j", "...i,i", "...ij->...ji", "...ij,...jk->...ik", "bn,anm,bm->ba", "ij->", "a,ab,abc",
    "i...->...", "ij,ij->j", " i j , j k -> i k ",
]  # fmt: skip


def make_einsum(self):
    equation = self.pick(EQUATIONS)
    size = {letter: self.pick([1, 2, 3, 4, 5]) for letter in "abcijkmn"}
    dots = [self.pick([1, 2, 3]) for _ in range(self.pick([0, 1, 2]))]
    tensors = []
    for term in equation.split("->")[0].replace(" ", "").split(","):
        shape = []
        for letter in term.replace("...", "."):
            shape += dots if letter == "." else [size[letter]]
        if self.wrong("size", 0.4):
            shape = shape[1:]
        elif shape and self.wrong("size"):
            shape[0] += 1
        tensors.append(self.tensor("operands", shape, self.dtype, names=None))
    if self.wrong("number"):
        equation = self.pick([equation + ",", equation + "?", "->".join([equation, "z"]), "."])
    return [equation, *tensors] if self.chance(0.6) else [equation, tensors], {}


def make_as_strided(self):
    """Sizes and steps within the memory of a tensor without gaps."""
    x = self.tensor("self", plain=True)
    left = math.prod(self.shape)
    start = self.r.randrange(left) if left > 1 and self.chance(0.4) else 0
    left -= start
    size, stride = [], []
    for _ in range(self.pick([0, 1, 2, 3])):
        step = self.pick([0, 1, 2, 3, 5])
        n = min(self.pick([1, 2, 3, 4]), (left - 1) // step + 1 if step else 4)
        n = max(n, 0)
        left -= max(n - 1, 0) * step
        size.append(n)
        stride.append(step)
    if not math.prod(self.shape) and 0 not in size:
        size, stride = [0, *size], [1, *stride]
    if self.wrong("size"):
        stride = stride + [1]
    args = [x, {"tuple": size}, {"tuple": stride}]
    return args + ([start] if start or self.chance(0.3) else []), {}


SPECIAL = {
    "searchsorted": make_search,
    "bucketize": make_search,
    "bincount": make_bincount,
    "histc": make_histc,
    "nuclear_norm": make_nuclear_norm,
    "pdist": make_pdist,
    "quantile": make_quantile,
    "nanquantile": make_quantile,
    "einsum": make_einsum,
    "as_strided": make_as_strided,
    "gather": make_indexing,
    "scatter": make_indexing,
    "scatter_add": make_indexing,
    "index_add": make_indexing,
    "index_copy": make_indexing,
    "index_fill": make_indexing,
    "index_select": make_indexing,
    "take_along_dim": make_indexing,
    "take": make_take,
    "put": make_take,
    "masked_fill": make_masked,
    "masked_select": make_masked,
    "masked_scatter": make_masked,
    "mm": product("nk,km"),
    "bmm": product("bnk,bkm"),
    "mv": product("nk,k"),
    "dot": product("k,k"),
    "matmul": product(
        "nk,km",
        "k,k",
        "k,km",
        "nk,k",
        "bnk,bkm",
        "abnk,bkm",
        "nk,bkm",
        "bnk,k",
        "k,bkm",
        "1nk,bkm",
        "abnk,1bkm",
    ),
    "addmm": product("nm,nk,km", "m,nk,km", "1,nk,km", ",nk,km", "n1,nk,km"),
    "addmv": product("n,nk,k", ",nk,k", "1,nk,k"),
    "baddbmm": product("bnm,bnk,bkm", "m,bnk,bkm", "nm,bnk,bkm"),
    "addbmm": product("nm,bnk,bkm", "m,bnk,bkm"),
    "addr": product("nm,n,m", "m,n,m"),
    "outer": product("n,m"),
    "vdot": product("k,k"),
    "inner": product("k,k", "nk,k", "nk,mk"),
    "cdist": product("nk,mk", "bnk,bmk"),
    "cat": make_cat,
    "stack": make_cat,
    "concat": make_cat,
    "reshape": make_reshape,
    "expand": make_expand,
    "permute": make_permute,
    "flatten": make_flatten,
    "unflatten": make_unflatten,
    "align_to": make_align,
    "rename": make_rename,
    "refine_names": make_rename,
    "narrow": make_narrow,
    "split": make_split,
    "chunk": make_split,
    "tensor_split": make_split,
    "hsplit": make_hsplit,
    "vsplit": make_hsplit,
    "dsplit": make_hsplit,
    "narrow_copy": make_narrow,
    "randint": make_randint,
    "randint_like": make_randint,
    "randperm": make_randperm,
    "normal": make_normal,
    "multinomial": make_multinomial,
    "uniform": make_draw,
    "cauchy": make_draw,
    "exponential": make_draw,
    "log_normal": make_draw,
    "normal_": make_draw,
    "geometric": make_draw,
    "random": make_draw,
    "dropout": make_draw,
    "movedim": make_movedim,
    "diagonal": make_diagonal,
    "diag_embed": make_diagonal,
    "unfold": make_unfold,
    "roll": make_roll,
    "kthvalue": make_ranked,
    "topk": make_ranked,
    "diff": make_diff,
    "repeat": make_repeat,
    "tile": make_repeat,
    "repeat_interleave": make_repeat_interleave,
    "resize": make_resize,
    "resize_as": make_resize,
    "fill": make_fill,
    "complex": make_complex,
    "polar": make_complex,
    "view_as_complex": make_view_as_complex,
    "align_tensors": make_align_tensors,
    "align_as": make_align_as,
    "softmax": make_softmax,
    "log_softmax": make_softmax,
    "argsort": make_argsort,
    "sort": make_sort,
    "bernoulli": make_bernoulli,
    "max": make_extreme,
    "min": make_extreme,
    "polygamma": make_polygamma,
    "arange": make_arange,
    "zeros": make_factory,
    "ones": make_factory,
    "empty": make_factory,
    "full": make_factory,
    "rand": make_factory,
    "randn": make_factory,
    "where": make_where,
    "clamp": make_clamp,
    "to": make_to,
    "getitem": make_index,
}
