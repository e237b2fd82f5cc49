"""The Replicated Softmax model: its parameters, energies, conditionals, sampling and exact normaliser. Nothing learns here."""
