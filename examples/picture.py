"""A picture made of pixels and digits, written as PNG. Nothing of nomen is needed here."""

import struct
import zlib

# Five rows of three pixels, each row as the bits of a number: 5 is "x x".
GLYPHS = {
    "0": (7, 5, 5, 5, 7), "1": (2, 6, 2, 2, 7), "2": (7, 1, 7, 4, 7), "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1), "5": (7, 4, 7, 1, 7), "6": (7, 4, 7, 5, 7), "7": (7, 1, 1, 2, 2),
    "8": (7, 5, 7, 5, 7), "9": (7, 5, 7, 1, 7), ">": (4, 2, 1, 2, 4),
}  # fmt: skip


class Picture:
    def __init__(self, width, height, background=(225, 228, 235)):
        self.rows = [bytearray(bytes(background) * width) for _ in range(height)]

    def rectangle(self, x, y, width, height, colour):
        for row in self.rows[y : y + height]:
            row[3 * x : 3 * (x + width)] = bytes(colour) * width

    def glyph(self, character, x, y, scale, colour):
        for i, bits in enumerate(GLYPHS[character]):
            for j in range(3):
                if bits & (4 >> j):
                    self.rectangle(x + j * scale, y + i * scale, scale, scale, colour)

    def save(self, path):
        def chunk(kind, data):
            length, check = len(data), zlib.crc32(kind + data)
            return struct.pack(">I", length) + kind + data + struct.pack(">I", check)

        # 8 bits for each of red, green and blue; the 0 before each row says: not filtered.
        header = struct.pack(">IIBBBBB", len(self.rows[0]) // 3, len(self.rows), 8, 2, 0, 0, 0)
        data = zlib.compress(b"".join(b"\0" + row for row in self.rows), 9)
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
            file.write(chunk(b"IDAT", data) + chunk(b"IEND", b""))
