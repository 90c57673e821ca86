#!/usr/bin/env python3
"""The 3 x 3 box filter of RGB pictures by OpenCV and Halide, beside a copy of the picture.

    pip install numpy opencv-python-headless halide
    python3 benches/competitors.py [--threads N]

Everything works on the same two buffers by turns, and before each pass another picture is copied, which is not measured, as
the benches of `cargo bench --bench cpu` do; compare the times relative to the copy. OpenCV centres the window and rounds a ninth; Halide leaves out the last columns and rows.
"""

import argparse
import os
import sys
import time

SIZES = [(1920, 1080), (3840, 2160), (7680, 4320)]
PASSES = 15


def halide_filter(hl, source, target):
    """Sums of three pixels of three rows, times 0.111: 64 bytes of 6 rows at a time, sums across in registers."""
    height, width = target.shape
    pixels, out = hl.Buffer(source), hl.Buffer(target)
    x, y = hl.Var("x"), hl.Var("y")
    xi, yi = hl.Var("xi"), hl.Var("yi")
    across, filtered = hl.Func("across"), hl.Func("filtered")
    across[x, y] = (
        hl.cast(hl.UInt(16), pixels[x, y])
        + hl.cast(hl.UInt(16), pixels[x + 3, y])
        + hl.cast(hl.UInt(16), pixels[x + 6, y])
    )
    total = across[x, y] + across[x, y + 1] + across[x, y + 2]
    filtered[x, y] = hl.cast(hl.UInt(8), hl.cast(hl.Float(32), total) * hl.f32(0.111))
    filtered.tile(x, y, xi, yi, 64, 6).vectorize(xi).unroll(yi).parallel(y)
    across.compute_at(filtered, x).vectorize(x).unroll(y)
    # The output is a part of the target, so that all reads are inside of the source.
    part = out.cropped(0, 0, width - 6).cropped(1, 0, height - 2)
    filtered.compile_jit()
    return lambda: filtered.realize(part)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--threads", type=int, default=1, help="threads of OpenCV and Halide (1)")
    threads = arguments.parse_args().threads
    if threads < 1:
        sys.exit("--threads: at least 1")
    # Halide reads it when it starts.
    os.environ["HL_NUM_THREADS"] = str(threads)
    try:
        import numpy
    except ImportError:
        sys.exit("numpy is missing: pip install numpy opencv-python-headless halide")
    try:
        import cv2

        cv2.setNumThreads(threads)
    except ImportError:
        cv2 = None
        print("OpenCV is missing: pip install opencv-python-headless")
    try:
        import halide
    except ImportError:
        halide = None
        print("Halide is missing: pip install halide")

    for width, height in SIZES:
        source = numpy.random.default_rng(1).integers(0, 256, (height, width * 3), dtype=numpy.uint8)
        target = numpy.zeros_like(source)
        other, other_target = source.copy(), numpy.zeros_like(source)
        works = {"copy": lambda: numpy.copyto(target, source)}
        if cv2:
            pixels, result = source.reshape(height, width, 3), target.reshape(height, width, 3)
            works["cv2.blur"] = lambda: cv2.blur(pixels, (3, 3), dst=result)
            works["cv2.boxFilter"] = lambda: cv2.boxFilter(pixels, -1, (3, 3), dst=result)
        if halide:
            works["halide"] = halide_filter(halide, source, target)
        fastest = dict.fromkeys(works, float("inf"))
        for _ in range(PASSES):
            for name, work in works.items():
                numpy.copyto(other_target, other)
                start = time.perf_counter()
                work()
                fastest[name] = min(fastest[name], time.perf_counter() - start)
        print(f"{width} x {height}, threads: {threads}")
        for name, seconds in fastest.items():
            nanoseconds = seconds * 1e9 / source.size
            print(f"  {name:14} {nanoseconds:.3f} ns/byte  {seconds / fastest['copy']:.2f} x copy")


if __name__ == "__main__":
    main()
