"""Perft of Deblockle beside python-chess's own, both bulk-counted, in one process on one core.

    python -m bench.perft [--rounds 5] [--json FILE]

The two are timed in turn; the figure is the median ratio of positions a second. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import chess
from blockwit import games

from bench.report import write_rows

POSITION = "c3XLT,e3XLT,c1SLX,e1LTX c7THX,e7XLT,c5XLT,e5CLS s"
DEPTH = 5
CHESS_DEPTH = 4


def chess_perft(board: chess.Board, depth: int) -> int:
    """Count legal move sequences; the last ply is counted, not made."""
    if depth == 1:
        leaves: int = board.legal_moves.count()
        return leaves
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += chess_perft(board, depth - 1)
        board.pop()
    return total


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    position = games.get("deblockle").parse(POSITION, {"repetition": "off"})
    rows = []
    for _ in range(arguments.rounds):
        began = time.perf_counter()
        chess_nodes = chess_perft(chess.Board(), CHESS_DEPTH)
        chess_rate = chess_nodes / (time.perf_counter() - began)
        began = time.perf_counter()
        nodes = position.perft(DEPTH)
        rate = nodes / (time.perf_counter() - began)
        rows.append((rate, chess_rate, rate / chess_rate))
    print(f"Deblockle, {POSITION}, depth {DEPTH}: {nodes:,}")
    print(f"python-chess {chess.__version__}, initial position, depth {CHESS_DEPTH}: {chess_nodes:,}")
    print(f"{'blockwit / s':>16} {'python-chess / s':>18} {'ratio':>8}")
    for rate, chess_rate, ratio in rows:
        print(f"{rate:16,.0f} {chess_rate:18,.0f} {ratio:8.0f}")
    ratio = statistics.median(row[2] for row in rows)
    print(f"median ratio {ratio:.0f}")
    rates, chess_rates, ratios = (list(column) for column in zip(*rows, strict=True))
    row = {"positions": "Deblockle", "depth": DEPTH, "nodes": nodes, "a second": rates, "times python-chess": ratios}
    theirs = {"positions": "python-chess", "depth": CHESS_DEPTH, "nodes": chess_nodes, "a second": chess_rates}
    write_rows(arguments.json, [row, theirs])


if __name__ == "__main__":
    main()
