"""What is asked of positions and games: puzzles, solutions, reviews, benchmarks, learning, endgame tables."""
