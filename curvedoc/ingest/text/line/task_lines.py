"""Lines that tell how right a model is on each of several tasks, with a name for each, or how each of several clients
trains it."""

from __future__ import annotations

_TASK = "(?i:task|experience|split|domain)"
_VALUE = r"[-+]?[0-9.]+|nan"
#: Who trains a model beside others, and lines that count as well: with the name ahead of it all.
_CLIENT = r"\b((?i:client|party|silo|hospital))[ _-]?(?i:id)?[ #:=]{0,3}"
_COUNT, _TOLD = r"(?i:round|epoch|iter|step)[a-z_]*[ #:=]{1,3}[0-9]+", "(?i:loss|acc)"
#: FACIL's test of each task, and "accuracy on task 3: 0.5", as `spelling` wants them.
TASKS: tuple[tuple[str, ...], ...] = (
    (
        rf"^>>> Test on task +([0-9]+) : loss=({_VALUE}) \| TAw.* TAg acc= *({_VALUE})%, forg= *({_VALUE})%.*$",
        "test task${1}/loss=${2} | test task${1}/acc=${3}% | task${1} forgetting=${4}%",
        "Test on task",
    ),
    (
        rf"^(.{{0,60}}?)[\[(|]? ?{_CLIENT}([0-9]{{1,6}})\b[\])]?[ :,|-]*(.*{_COUNT}.*{_TOLD}.*)$",
        "${2}_${3}: ${1}| ${4}",
    ),
    (
        rf"^(.{{0,40}}{_COUNT}.{{0,20}}?)[\[(|]? ?{_CLIENT}([0-9]{{1,6}})\b[\])]?[ :,|-]*(.*{_TOLD}.*)$",
        "${2}_${3}: ${1}| ${4}",
    ),
    (rf"((?i:acc|accuracy|loss) (?:on|of|for) {_TASK}) ([0-9]+)( ?[:=] ?(?:{_VALUE}))", "${1}_${2}${3}"),
)
#: "task 1: 93.5%, task 2: 71.0%"
EACH_TASK = rf"\b({_TASK}) ([0-9]{{1,3}}): ?([0-9.]+%)", "${1}_${2} test acc: ${3}"
#: What the templates of such lines have in them.
OF_TASKS = rf"Test on task|{_CLIENT}\x01|(?i:acc|accuracy|loss) (?:on|of|for) {_TASK} \x01|{_TASK} \x01: ?\x01%"
