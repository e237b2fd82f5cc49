"""What a card does: rates of training and encoding beside their floor, and quality beside the CPU.

On a machine with a card, from a machine with the data sets and back:

    python -m benchmarks.gpu --prepare build/posts.npz
    python -m benchmarks.gpu --counts build/posts.npz --models build/models  # with the card
    python -m benchmarks.gpu --counts build/posts.npz --models build/models --on-cpu
    python -m benchmarks.gpu --counts build/posts.npz --models build/models --judge
"""
