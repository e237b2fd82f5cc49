"""An index that is open: its model, its versions, and what it says of itself."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from undertow._errors import IndexFileError
from undertow.search import _arguments
from undertow.search._versions import Versions
from undertow.search.database.store import Store
from undertow.search.encoding.encoder import Encoder
from undertow.search.filters.expression import names_of
from undertow.search.folder import layout
from undertow.search.folder.derived_files import DerivedFiles, word_rule
from undertow.search.folder.remote import Remote
from undertow.search.ranking.reasons import SharedTopics

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.topics.outline import Outline


class OpenIndex:
    """The folder, the version that is read, and the model."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        token: str,
        remote: Remote | None = None,
        damaged: frozenset[str] = frozenset(),
    ) -> None:
        self._folder, self._token, self._remote = folder, token, remote
        self._writer = threading.Lock()
        self._encoder = Encoder.load(folder / layout.MODEL, lambda: self.model)
        _arguments.check_widths(folder, store, self._encoder)
        self._rule = word_rule(self._encoder.stored.training["vectorizer"])
        self._versions = Versions(
            store, lambda seen: DerivedFiles(seen, folder / layout.WORDS, self._rule, damaged)
        )
        self._model: TopicModel | None = None
        self._loading = threading.Lock()
        self._topics: SharedTopics | None = None
        # of `create`: columns that could not be kept, and how dates were read
        self.remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self._versions.current.store.count()

    @property
    def path(self) -> Path:
        """Where it is; of one that was opened at an address, a private folder that holds what was
        copied of it.
        """
        return self._folder

    @property
    def address(self) -> str:
        """Where it is, as people write it: a folder, or s3://bucket/prefix."""
        return str(self._folder) if self._remote is None else self._remote.address

    @property
    def is_remote(self) -> bool:
        """Whether it was opened at an address, and so can be read but not changed."""
        return self._remote is not None

    def fetch_overview(self) -> None:
        """Of an index at an address, copies the overview that `undertow.insight` keeps with it,
        where there is one.

        Examples
        --------
        >>> index.fetch_overview()  # nothing to do for a folder on this machine
        """
        if self._remote is not None:
            self._remote.fetch_overview()

    @property
    def model(self) -> TopicModel:
        """The model that encodes documents; loaded when it is first asked for, since questions need
        less.
        """
        with self._loading:
            if self._model is None:
                from undertow.estimators import TopicModel

                self._model = TopicModel.from_stored(
                    self._encoder.stored, self._folder / layout.MODEL
                )
            return self._model

    @property
    def outline(self) -> Outline | None:
        """The tree of topics, with their names, as it is now; None for a model of an earlier
        version.
        """
        return (
            self._encoder.outline if self._model is None else getattr(self._model, "atlas_", None)
        )

    @property
    def vectors_width(self) -> int:
        """How many numbers of another encoder each document's vector has beside the model's; 0
        without.
        """
        own, width = self._versions.current.store.widths
        return width - own

    @property
    def version(self) -> int:
        """The number of the last commit."""
        return self._versions.current.version

    @property
    def state(self) -> str:
        """Names the index and its version: what was computed from one state holds for no other."""
        return f"{self._token}-{self.version}"

    @property
    def columns(self) -> dict[str, str]:
        """What filters may name, with the kind of each column."""
        return names_of(self._versions.current.store.schema).columns

    @property
    def corpus_columns(self) -> dict[str, str]:
        """What the corpus called the columns that have a role here, such as {"label": "category"};
        filters know both.

        It is what `open_corpus` takes as `remembered`.
        """
        return self.model.columns_ | names_of(self._versions.current.store.schema).roles

    def _check_still_there(self) -> None:
        facts = layout.read_facts(self._folder) if self._remote is None else self._remote.facts()
        if facts.token != self._token:
            raise IndexFileError(
                f"{self.address} must be the index that was opened, got another in its place: open "
                f"it"
            )
