"""The errors a user sees: what is wrong, where, and what to do next."""

from __future__ import annotations


class CurvedocError(Exception):
    """An error for the user: one sentence that says what is wrong, its place, and a hint.

    what:  "unknown name 'rise_mim'"
    where: "rules/x.yaml:31" or "run.jsonl, byte 120", "" when there is no place
    hint:  "did you mean 'rise_min'?", "" when there is none
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.hint}" if self.hint else text


class LogError(CurvedocError):
    """Nothing at all could be read from a log (damage that leaves a good part is a note, not an error)."""


class RuleError(CurvedocError):
    """A rule or cause file is wrong."""


class RuleErrors(CurvedocError):
    """Every error of every rule file, told at once."""

    def __init__(self, errors: list[RuleError]) -> None:
        noun = "error" if len(errors) == 1 else "errors"
        super().__init__(f"{len(errors)} {noun} in rule files")
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join([self.what, *(f"  {e}" for e in self.errors)])


class UsageError(CurvedocError):
    """The command line or a configuration file asks for something that does not exist."""


class TooMuch(CurvedocError):
    """A call took more time or memory than it may."""


class NothingToAnalyse(CurvedocError):
    """No readable run was found where the user pointed."""


def not_installed(package: str, what: str) -> UsageError:
    """The error where a package that few need was left out of an installation."""
    return UsageError(f"{what} needs {package}, which is not installed", "", f"pip install {package}")
