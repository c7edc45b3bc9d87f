"""Lines that single programs print, of several tasks and of several clients (pattern, spelling, mark; Rust syntax)."""

from __future__ import annotations

from curvedoc.ingest.naming.split_words import UNSEEN_SPLIT
from curvedoc.ingest.text.line.glued import NUM

_TASK = "(?i:task|experience|split|domain)"
_VALUE = r"[-+]?[0-9.]+|nan"
#: Who trains a model beside others, and lines that count as well: with the name ahead of it all.
_CLIENT = r"\b((?i:client|party|silo|hospital|worker|site))[ _-]?(?i:id)?[ #:=]{0,3}"
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
    # and lines that count nothing, below those of a round: it is no step of theirs
    (
        rf"^(.{{0,20}}?)[\[(|]? ?{_CLIENT}([0-9]{{1,6}})\b[\])]?[ :,|-]{{1,4}}"
        rf"((?:[A-Za-z_][A-Za-z_ ]{{0,24}}(?: ?[:=] ?| )(?:{NUM})%?[ ,;|()]*)*"
        rf"(?:[A-Za-z_ ]{{0,20}}{_TOLD}[a-z]{{0,6}}(?: ?[:=] ?| )(?:{NUM})%?[ ,;|()]*)"
        rf"(?:[A-Za-z_][A-Za-z_ ]{{0,24}}(?: ?[:=] ?| )(?:{NUM})%?[ ,;|()]*)*)$",
        "${2}_${3}: ${1}| ${4}",
    ),
    (rf"((?i:acc|accuracy|loss) (?:on|of|for) {_TASK}) ([0-9]+)( ?[:=] ?(?:{_VALUE}))", "${1}_${2}${3}"),
)
#: "task 1: 93.5%, task 2: 71.0%"
EACH_TASK = rf"\b({_TASK}) ([0-9]{{1,3}}): ?([0-9.]+%)", "${1}_${2} test acc: ${3}"
#: What the templates of such lines have in them.
OF_TASKS = rf"Test on task|{_CLIENT}\x01|(?i:acc|accuracy|loss) (?:on|of|for) {_TASK} \x01|{_TASK} \x01: ?\x01%"

_LEVEL = "DEBUG|INFO|WARNING"
_SHARE = r"[0-9]{1,12} ?/ ?[0-9]{1,12}"
#: What frameworks and benchmarks print, one after the other.
PROGRAMS: tuple[tuple[str, ...], ...] = (
    # MLPerf's records: a name, its value and where it belongs
    (
        rf"^:::MLLOG .*\"key\": ?\"([\w.-]+)\", ?\"value\": ?({NUM}), .*\"(step|epoch)_num\": ?([0-9]{{1,12}}).*",
        "${3} ${4} ${1}: ${2}",
        ":::MLLOG",
    ),
    (
        rf"^:::MLPv[0-9.]+ .*\) ([\w.-]+): \{{\"value\": ?({NUM}), ?\"(step|epoch)[a-z_]*\": ?([0-9]{{1,12}}).*",
        "${3} ${4} ${1}: ${2}",
        ":::MLPv",
    ),
    (
        rf"^:::MLL [0-9.]+ ([\w.-]+): \{{\"value\": ?({NUM}), .*\"(step|epoch)_num\": ?([0-9]{{1,12}}).*",
        "${3} ${4} ${1}: ${2}",
        ":::MLL ",
    ),
    # what goes to InfluxDB: "train,run=r17 step=10i,loss=0.5 1709626327000000000"
    (
        r"^([A-Za-z_]\w*)((?:,\w+=[^ ,=]+)*) ((?:[\w/.-]+=[^ ,=]+,)*[\w/.-]+=[^ ,=]+) [0-9]{10,19}$",
        "[${1}] ${2} ${3}",
    ),
    # logging's "LEVEL:logger:message" where the logger is called by the split
    (rf"^((?:{_LEVEL}):)({UNSEEN_SPLIT}):([A-Za-z])", "${1}${2}: ${3}"),
    # ESPnet
    (
        r"(^|[: ])([0-9]{1,6})epoch:(train|valid|eval|test):[0-9]+-([0-9]{1,9})batch: ",
        "${1}epoch ${2} ${3} batch ${4}: ",
        "epoch:",
    ),
    # without what it averages over the epoch's training: those were points of another kind in the same curves
    (
        r"(^|[: ])([0-9]{1,6})epoch results: \[train\] .*, \[(valid|eval|test)\] (.*?), time=.*$",
        "${1}epoch ${2} ${3}: ${4}",
        "epoch results",
    ),
    # llm.c's main.log
    (r"^s:([0-9]{1,9}) tel:", "step ${1} val loss:", " tel:"),
    (r"^s:([0-9]{1,9}) trl:", "step ${1} loss:", " trl:"),
    # Transformer-XL's validation, Tacotron 2
    (r"\| Eval +[0-9]{1,9} at step +([0-9]{1,12}) ", "| eval step ${1} ", "| Eval"),
    (
        rf"^Train loss ([0-9]{{1,9}}) ({NUM}) Grad Norm ({NUM}) .*",
        "step ${1} loss: ${2}, grad_norm: ${3}",
        "Grad Norm",
    ),
    (rf"^Validation loss ([0-9]{{1,9}}): +({NUM})$", "step ${1} validation loss: ${2}", "Validation loss"),
    # Catalyst, Poutyne, Trax, nnet of R, the policies of ikostrikov
    (r"\b([0-9]{1,6}/[0-9]{1,6}) \* Epoch \((train|valid|test)\): ", "epoch ${1} ${2}: ", "* Epoch ("),
    (r"^(train|valid|test) \(([0-9]{1,6}/[0-9]{1,6})\) ", "epoch ${2} ${1}: ", "(\x03) "),
    (
        r"^(Epoch: *[0-9]{1,6}/[0-9]{1,6}) (?:Train s|S)teps: [0-9]+ (?:Val steps: [0-9]+ )?[0-9.hms]+s ",
        "${1} ",
        "teps:",
    ),
    (
        rf"^Step +([0-9]{{1,12}}): (train|eval) +(\w+Entropy|\w*Loss|\w*Accuracy) \| +({NUM})$",
        "step ${1} ${2} ${3}: ${4}",
        "Step",
    ),
    (rf"^iter +([0-9]{{1,9}}) value ({NUM})$", "step ${1} objective: ${2}", " value "),
    (
        rf"\bmean/median reward ({NUM})/({NUM}), min/max reward ({NUM})/({NUM})",
        "mean reward ${1}, median reward ${2}, min reward ${3}, max reward ${4}",
        "mean/median reward",
    ),
    # Marian
    (
        rf"Ep\. ([0-9]{{1,6}}) : Up\. ([0-9]{{1,12}}) : Sen\. [0-9,]+ : Cost ({NUM})(?: \* [^:]*)?",
        "epoch ${1} step ${2} loss=${3}",
        "Up. ",
    ),
    (rf"(?: words/s)? : gNorm ({NUM})", ", grad_norm=${1}", "gNorm"),
    (rf" : L\.r\. ({NUM})", ", lr=${1}", "L.r."),
    (
        rf"\[valid\] Ep\. ([0-9]{{1,6}}) : Up\. ([0-9]{{1,12}}) : ([\w-]+) : ({NUM}) : .*$",
        "epoch ${1} step ${2} valid ${3}=${4}",
        "[valid] Ep.",
    ),
    # CatBoost
    (rf"^([0-9]{{1,9}}):\s+learn: ({NUM})\s+test: ({NUM})\s.*$", "step ${1} learn: ${2} val: ${3}", "learn:"),
    # PaddlePaddle's validation, after which it tells the best so far
    (r"( INFO: )cur metric, ", "${1}eval: ", "cur metric,"),
    # what PyTorch's tutorials print of the test, behind "Test Error:" or a row of its batches
    (rf"^ Accuracy: ({NUM})%, Avg loss: ({NUM})", "test Accuracy: ${1}%, test loss: ${2}", "Avg loss"),
    (rf"^ ?\* +((?:Acc|Prec)@1) ({NUM}) +((?:Acc|Prec)@5) ({NUM})", "test ${1} ${2} test ${3} ${4}", "@"),
    # MXNet's ranges of batches, TensorFlow's estimators, Caffe, Darknet
    (r"(Epoch\[[0-9]{1,6}\] Batch ?\[)[0-9]{1,9}-([0-9]{1,9}\])", "${1}${2}", "Batch"),
    (r"Saving dict for global step ([0-9]{1,12}): ", "eval step ${1}: ", "Saving dict for global step"),
    (r"(Iteration [0-9]{1,12}), Testing net \(#[0-9]{1,3}\)$", "${1}", "Testing net"),
    (rf"(Train|Test) net output #[0-9]{{1,3}}: ([\w/]+) = ({NUM}).*", "${1} ${2} = ${3}", "net output #"),
    (
        rf"^ *([0-9]{{1,9}}): ({NUM}), ({NUM}) avg(?: loss)?, ({NUM}) rate, .*",
        "step ${1}: batch_loss: ${2}, loss: ${3}, lr: ${4}",
        " rate, ",
    ),
)
#: What is rarer, after all other spellings.
RARE: tuple[tuple[str, ...], ...] = (
    # PaddleOCR says behind each evaluation which one was best
    (r"\bbest metric, .*$", "", "best metric,"),
    # MatConvNet's speed, ahead of the first name
    (r"( [0-9.]+ \([0-9.]+\)) Hz ", "${1} | ", ") Hz "),
    # how long it runs, of which the first number alone would be a time that goes in leaps
    (r"\btime[ :=]+(?:[0-9]{1,3}[dhm] [0-9]{2}[hms](?: [0-9]{2}[ms])?\b|[0-9]{1,2}s +(sec/tick))", "${1}", "time"),
    # of so many, so many are right: "# correct: 50/80 = 62.5%", "50/80 correct (62.5%)"
    (
        rf"(?:# ?|\b(?i:(?:num(?:ber)?|n)[ _](?:of )?))?\b(?i:correct)"
        rf"(?i:ly classified| predictions| answers| samples)?(\s*[:=]\s*|\s+)({_SHARE}|[0-9.]+ ?%|[01]?\.[0-9]+)",
        "accuracy${1}${2}",
        "orrect",
    ),
    (rf"\b({_SHARE}) (?i:correct)\b", "accuracy: ${1}", " correct"),
    # llm.c: "HellaSwag: 2561/10042 = 0.2550"
    (rf"^(\w*[A-Za-z]): {_SHARE} = ([01]?\.[0-9]+)$", "${1} acc: ${2}", ": \x03 = "),
    # JoeyNMT: "Evaluation result (greedy) loss: 0.5"
    (r"((?i:evaluation|validation|test) results?) \([A-Za-z_ ,]{1,30}\):? ", "${1}: ", " result"),
    # pytorch-cifar: a bar that is drawn around its position, with means since its beginning
    (r"^ ?\[[=>.]+ ([0-9]{1,9}/[0-9]{1,9}) [=>.]+\] +Step: (\S+) \| Tot: \S+ \|", "${1} \u2592 ${2}/step |", "Tot:"),
    # Kaldi; its objective is a log-likelihood, which rises, so it must not be called one of the names of a loss
    (
        rf"^LOG \([^()]*\(\):[^()]*\) Average objective function for '([\w-]+)' for minibatches"
        rf" [0-9]+-([0-9]{{1,9}}) is ({NUM})(?: \+ (?:{NUM}) = (?:{NUM}))? over .*$",
        "batch ${2}: objf/${1}=${3}",
        "Average objective function",
    ),
    (
        rf"^V?LOG(?:\[[0-9]\])? \([^()]*\(\):[^()]*\) After ([0-9]{{1,12}}) sequences \([0-9.]+Hr\): "
        rf"Obj\(log\[Pzx\]\) = ({NUM}) +TokenAcc = ({NUM}%)",
        "step ${1}: objf=${2} TokenAcc: ${3}",
        "Obj(log[Pzx])",
    ),
    (
        rf"\b(?i:overall )?(?:average objective function|log-likelihood) for '([\w-]+)' is ({NUM})"
        r"(?: per frame)?,? over .*$",
        "objf/${1}=${2}",
        " for '",
    ),
    (r"\b((?i:train|valid|validation)) objective( [-\x01])", "${1} objf${2}", "objective function for '"),
    (r"^(LOG \(.*)\bobjective function(?: per frame)?", "${1}objf", "objective function"),
    # WeNet's evaluation
    (r"^((?:.* )?DEBUG )CV \| ", "${1}valid | ", " CV | "),
    # a rate that a schedule sets, in PyTorch's words and those of the Informer
    (
        rf"^(?:Epoch [0-9]+: )?(?:[Aa]djusting|[Rr]educing|Updating) learning rate (?:of group 0 )?to ({NUM})\.?$",
        "learning rate: ${1}",
        " learning rate ",
    ),
    # DL4J's score is the loss
    (r"(ScoreIterationListener.*)\bScore( at iteration [0-9]+ is)", "${1}score loss${2}", "ScoreIterationListener"),
    # VITS: the losses in the order of its training, then the step and the rate
    (
        rf"(^|[ \t])\[({NUM}), ({NUM}), ({NUM}), ({NUM}), ({NUM}), ({NUM}), ([0-9]{{1,9}}), ({NUM})\]$",
        "${1}step ${8} loss_disc: ${2}, loss_gen: ${3}, loss_fm: ${4}, loss_mel: ${5}, loss_dur: ${6}, loss_kl: ${7},"
        " lr: ${9}",
        "\x01, \x01, \x01, \x01",
    ),
    # so-vits-svc, which tells the sum behind them
    (
        rf"[ \t]Losses: \[({NUM}), ({NUM}), ({NUM}), ({NUM}), ({NUM})\], step: ([0-9]{{1,9}}), ",
        " step ${6} loss_disc: ${1}, loss_gen: ${2}, loss_fm: ${3}, loss_mel: ${4}, loss_kl: ${5}, ",
        " Losses: [",
    ),
    # StyleGAN
    (
        rf"^network-snapshot-([0-9]{{1,9}}) .* ((?:fid|kid|is|ppl|pr)[0-9]+k?\w*) +({NUM})$",
        "step ${1} ${2}: ${3}",
        "network-snapshot-",
    ),
    # PyMARL: steps of the environment, above rows of four pairs
    (r"^.* Recent Stats \| t_env: +([0-9]{1,12}) \| Episode: +([0-9]{1,12})$", "step ${1} | episode ${2}", " Stats |"),
    # NGCF and KGAT: a sum and its terms
    (
        rf" (train|test)==\[({NUM})=({NUM}) \+ ({NUM})(?: \+ {NUM})?\]",
        " ${1} loss=${2}, ${1} mf_loss=${3}, ${1} reg_loss=${4}",
        "==[",
    ),
)
