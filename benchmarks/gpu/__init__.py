"""What a card does: rates of training and encoding beside their floor, and quality beside the CPU.

python -m benchmarks.gpu --prepare build/posts.npz     # where the data sets are
python -m benchmarks.gpu --counts build/posts.npz      # on a machine with a card
"""
