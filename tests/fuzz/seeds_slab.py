"""Seeds for fuzz_slab: seeds_slab.py FOLDER. Headers as engine/library/slab.h has them, and records."""
import os
import struct
import sys

FINGERPRINT = b"thirty-two bytes of fingerprint".ljust(32, b"\0")
for number, (magic, dtype, size) in enumerate(((b"drt lmk\n", 0, 32), (b"drt mem\n", 1, 8 * 16 + 8 * 4))):
    header = magic + struct.pack("<IIIIQ", 1, dtype, 8, 16, 0) + FINGERPRINT
    for name, records in ("whole", 9), ("longer", 11), ("short", 5):
        with open(os.path.join(sys.argv[1], "%s%d" % (name, number)), "wb") as f:
            f.write(bytes([number]) + header + bytes(range(64)) * (records * size // 64))
