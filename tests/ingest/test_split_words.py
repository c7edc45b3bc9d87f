"""The words for train, val and test are one list: that of `signals.yaml`, and that of folders, keys and lines."""

from __future__ import annotations

from curvedoc.ingest.naming.comparable_name import plain
from curvedoc.ingest.naming.signals import load_signals
from curvedoc.ingest.naming.split_words import PLAIN_SPLITS, SPLITS, has_scope, scope_of
from curvedoc.rulebook.location import signals_file

TABLE = load_signals(signals_file())
#: Splits that go by a name of their own beside the one that they are of.
OF = {"eval": "val", "train_inner": "train"}


def of_names(word: str) -> str | None:
    """The split that a word in the name of a metric stands for, itself or as the beginning of a phrase."""
    word = plain(word)
    return TABLE.splits.get(TABLE.phrases.get(word, word))


def test_every_word_of_folders_keys_and_lines_means_the_same_in_names() -> None:
    assert {w: s for w, s in SPLITS.items() if of_names(w) != OF.get(s, s)} == {}


def test_every_word_of_names_means_the_same_in_a_column_of_splits() -> None:
    of_columns = {plain(w): OF.get(s, s) for w, s in SPLITS.items()}
    assert {w: s for w, s in TABLE.splits.items() if of_columns.get(w) != s} == {}


def test_a_key_says_its_split_in_small_letters_or_capitals_and_as_a_word() -> None:
    for word in (w for w in PLAIN_SPLITS if w.isascii()):
        assert all(has_scope(f"{w}Loss") for w in (word, word.title(), word.upper())), word
    assert not has_scope("constrain") and not has_scope("retrains") and not has_scope("latest")


def test_a_scope_is_told_as_it_was_written_or_by_its_usual_name() -> None:
    assert [scope_of(w) for w in ("Validation loss", "valid", "Training", "validating", "loss")] == [
        "validation", "valid", "train", "val", "",
    ]  # fmt: skip
