"""See the package."""

from __future__ import annotations

import argparse

from benchmarks import machine


def main() -> None:
    """Measures what is asked for, and prints tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--quality", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--traffic", action="store_true")
    parser.add_argument("--workers", type=int, nargs="+", help="instead of the usual numbers")
    parser.add_argument("--seeds", type=int, default=3, help="of --quality")
    parser.add_argument("--documents", type=int, help="of --speed (100,000), or some of --quality")
    parser.add_argument("--epochs", type=int, help="of --speed (3) and --quality")
    parser.add_argument("--interval", type=int, default=16, help="steps, of --traffic")
    parser.add_argument(
        "--words", type=int, nargs="+", default=[2_000, 20_000, 200_000, 1_000_000], help="same"
    )
    asked = parser.parse_args()
    print(machine.describe())
    if asked.traffic:
        from benchmarks.cluster import traffic

        traffic.measure(asked.words, asked.workers or (2, 8, 64), asked.interval)
    if asked.quality:
        from benchmarks.cluster import quality

        quality.measure(asked.workers or (1, 2, 4, 8), asked.seeds, asked.documents, asked.epochs)
    if asked.speed:
        from benchmarks.cluster import speed

        speed.measure(asked.workers or (1, 2), asked.documents or 100_000, asked.epochs or 3)


if __name__ == "__main__":
    main()
