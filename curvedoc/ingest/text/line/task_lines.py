"""Lines that tell how right a model is on each of several tasks, with a name for each."""

from __future__ import annotations

_TASK = "(?i:task|experience|split|domain)"
_VALUE = r"[-+]?[0-9.]+|nan"
#: FACIL's test of each task, and "accuracy on task 3: 0.5", as `spelling` wants them.
TASKS: tuple[tuple[str, ...], ...] = (
    (
        rf"^>>> Test on task +([0-9]+) : loss=({_VALUE}) \| TAw.* TAg acc= *({_VALUE})%, forg= *({_VALUE})%.*$",
        "test task${1}/loss=${2} | test task${1}/acc=${3}% | task${1} forgetting=${4}%",
    ),
    (rf"((?i:acc|accuracy|loss) (?:on|of|for) {_TASK}) ([0-9]+)( ?[:=] ?(?:{_VALUE}))", "${1}_${2}${3}"),
)
#: "task 1: 93.5%, task 2: 71.0%"
EACH_TASK = rf"\b({_TASK}) ([0-9]{{1,3}}): ?([0-9.]+%)", "${1}_${2} test acc: ${3}"
#: What the templates of such lines have in them.
OF_TASKS = rf"Test on task|(?i:acc|accuracy|loss) (?:on|of|for) {_TASK} \x01|{_TASK} \x01: ?\x01%"
