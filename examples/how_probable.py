"""How probable documents are.

A model learned by PCD gives documents probabilities, and says how sure it is of its perplexity.
Here the documents have one of two subjects, and eight words.
"""

import numpy as np
from plotly.graph_objects import Figure

from undertow import Adam, ContrastiveDivergence, ReplicatedSoftmax

rates = np.repeat([[2, 2, 2, 2, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1, 2, 2, 2, 2]], 300, axis=0)
counts = np.random.default_rng(0).poisson(rates)
odd = np.random.default_rng(1).poisson(np.ones((300, 8)))  # of both subjects at once

model = ReplicatedSoftmax(
    4,
    learner=ContrastiveDivergence(5, persistent=True),
    weighting=None,
    sparsity_cost=0.0,
    optimizer=Adam(learning_rate=0.002, annealing=2.0, hidden_bias_rate=1.0, l2=1e-3),
    max_epochs=40,
    random_state=0,
).fit(counts)
print(model.perplexity(counts))
print(model.perplexity(odd))

figure = Figure()
for name, some in (("like those it learned", counts), ("of both subjects", odd)):
    lengths = np.maximum(some.sum(axis=1), 1)
    figure.add_histogram(x=model.log_likelihood(some) / lengths, name=name, opacity=0.6)
figure.update_layout(barmode="overlay", xaxis_title="log-probability of a word")
