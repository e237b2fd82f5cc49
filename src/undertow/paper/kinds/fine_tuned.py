"""A cell that trains a Replicated Softmax whose words the labels weigh, and fine-tunes it:
supervised, and named so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from undertow.paper.cells import Cell
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.fine_tuning import FineTuning
from undertow.paper.kinds.model import ModelCell
from undertow.paper.recipe import Recipe, estimator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    from undertow.estimators import ReplicatedSoftmax
    from undertow.paper.fine_tuning import Classifier

HEAD_REGULARISATION = 0.1  # C of the regression that fine-tuning begins from


@dataclass(frozen=True)
class FineTunedCell(Cell):
    """Corpus of two labels, recipe, hidden units and seed of the model, and how it is
    fine-tuned.
    """

    kind: ClassVar[str] = "fine-tuned"
    corpus: Corpus
    recipe: Recipe
    hidden: int
    seed: int
    tuning: FineTuning

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        return (self.corpus,)

    @property
    def cost(self) -> float:
        return 1.5 * self._model.cost

    def labels(self) -> dict[str, Any]:
        return self._model.labels() | {
            "weighting": "by label",
            "learner": f"{self.recipe.learner}, fine-tuned",
        }

    def run(self, corpora: Corpora) -> dict[str, Any]:
        import numpy as np

        from undertow.counts import log_counts
        from undertow.paper import fine_tuning, judge

        counted = corpora.counted(self.corpus)
        second = counted.train_labels == np.unique(counted.train_labels)[-1]
        weights = fine_tuning.label_weights(counted.train, second)
        model = estimator(self.recipe, hidden=self.hidden, seed=self.seed).set_params(
            weighting=weights
        )
        model.fit(counted.learn)
        figures = {
            "accuracy_activation": judge.accuracy(
                lambda counts: model.encode(counts, "activation"), counted
            )
        }
        known, asked = (
            fine_tuning.shares(log_counts(part), weights) for part in (counted.train, counted.test)
        )
        classifier = begin(model, known, second)
        fine_tuning.fine_tune(classifier, known, second, self.tuning, seed=self.seed)
        wanted = counted.test_labels == np.unique(counted.train_labels)[-1]
        return figures | {
            "accuracy_fine_tuned": float(np.mean((classifier.margins(asked) > 0) == wanted))
        }

    @property
    def _model(self) -> ModelCell:
        return ModelCell(self.corpus, self.recipe, self.hidden, self.seed)


def begin(model: ReplicatedSoftmax, x: sparse.csr_array, second: NDArray[np.bool_]) -> Classifier:
    """The model's own features, with the rule that a regression finds on them."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from undertow.paper.fine_tuning import Classifier

    parameters = model.parameters_
    activations = x @ parameters.weights + parameters.hidden_bias
    centre = activations.mean(axis=0).astype(np.float32)
    scale = float(np.sqrt(np.mean((activations - centre) ** 2))) or 1.0
    head = LogisticRegression(C=HEAD_REGULARISATION, max_iter=300, tol=1e-3)
    head.fit((activations - centre) / scale, second)
    return Classifier(
        weights=parameters.weights.copy(),
        hidden_bias=parameters.hidden_bias.copy(),
        centre=centre,
        scale=scale,
        head=head.coef_[0].astype(np.float32),
        offset=float(head.intercept_[0]),
    )
