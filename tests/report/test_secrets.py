"""200 credentials planted where logs have them, and 200 texts that only look like some."""

from __future__ import annotations

import json
import random
import string
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import curvedoc
from curvedoc.cli.app import app
from curvedoc.report.redact import MASK, redact, redact_setting

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import credentials

DRAW = random.Random(7)


def drawn(count: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(DRAW.choice(letters) for _ in range(count - 2)) + "7Q"


HEX = "0123456789abcdef"
KEYS = (
    "api_key",
    "apiKey",
    "API_KEY",
    "api-key",
    "x-api-key",
    "WANDB_API_KEY",
    "wandb.api_key",
    "openaiApiKey",
    "HF_TOKEN",
    "hf_token",
    "hub_token",
    "hubToken",
    "huggingface_token",
    "access_token",
    "accessToken",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "awsSessionToken",
    "AWS_ACCESS_KEY_ID",
    "aws.secretAccessKey",
    "password",
    "PASSWORD",
    "db_password",
    "dbPassword",
    "passwd",
    "smtp.pwd",
    "mysql_pass",
    "passphrase",
    "secret",
    "client_secret",
    "clientSecret",
    "SECRET_KEY",
    "jwt_secret",
    "app.secrets.main",
    "credentials",
    "private_key",
    "privateKey",
    "ssh_key",
    "slack_webhook",
    "webhook_url",
    "webhookUrl",
    "auth_token",
    "authToken",
    "oauth_token",
    "refresh_token",
    "bearer_token",
    "bot_token",
    "github_token",
    "gitlabToken",
    "COMET_API_KEY",
    "neptune_api_token",
    "AZURE_STORAGE_KEY",
    "accountKey",
    "storage_account_key",
    "kaggle_key",
    "license_key",
    "session_token",
    "cookie_secret",
    "sentry_dsn",
    "token",
)
SHAPES: tuple[Callable[[], str], ...] = (
    lambda: "hf_" + drawn(34),
    lambda: "sk-" + drawn(40),
    lambda: "sk-proj-" + drawn(40),
    lambda: "sk-ant-api03-" + drawn(60),
    lambda: "ghp_" + drawn(36),
    lambda: "github_pat_" + drawn(40),
    lambda: "glpat-" + drawn(20),
    lambda: "AKIA" + drawn(16, string.ascii_uppercase),
    lambda: "xoxb-" + drawn(30),
    lambda: "AIza" + drawn(35),
    lambda: f"eyJ{drawn(20)}.eyJ{drawn(30)}.{drawn(40)}",
    lambda: "gsk_" + drawn(40),
    lambda: "npm_" + drawn(36),
    lambda: "pypi-" + drawn(40),
    lambda: "SG." + drawn(22) + "." + drawn(40),
    lambda: "dapi" + drawn(34, HEX)[:30] + "0a",
    lambda: "nvapi-" + drawn(50),
    lambda: "sk_live_" + drawn(24),
    lambda: "ya29." + drawn(60),
    lambda: "r8_" + drawn(37),
)


def planted() -> list[tuple[str, str, str]]:
    """(how it is told, the text or "key\\0value" of a setting, the secret)."""
    out = []
    for key in KEYS:
        value = drawn(24)
        out.append(("setting", f"{key}\0{value}", value))
        if key not in ("ssh_key",):
            out.append(("text", f"INFO config: {key}={value} lr=0.1", value))
    for shape in SHAPES:
        value = shape()
        out.append(("setting", f"note\0{value}", value))
        out.append(("text", f"2026-01-01 logged in with {value}, starting", value))
    for i, value in enumerate(drawn(18) for _ in range(10)):
        forms = (
            f"python train.py --password {value} --lr 3e-4",
            f"python train.py --hub-token={value}",
            f"export WANDB_API_KEY={value}; torchrun train.py",
            f"GET https://host/v1/log?api_key={value}&run=3",
            f"postgresql://trainer:{value}@db.host:5432/runs",
            f"https://{value + value}@github.host/me/repo.git",
            f"Authorization: Bearer {value}",
            f"headers={{'Authorization': 'Basic {value}'}}",
            f'{{"model": "x", "clientSecret": "{value}"}}',
            f"Namespace(lr=0.1, hf_token='{value}', seed=1)",
        )
        out.append(("text", forms[i], value))
    webhook = "T" + drawn(8, string.ascii_uppercase) + "/B" + drawn(8, string.ascii_uppercase) + "/" + drawn(24)
    out += [
        ("text", f"posting to https://hooks.slack.com/services/{webhook}", webhook),
        ("setting", f"notify\0https://hooks.slack.com/services/{webhook}", webhook),
        ("setting", "password\x001234", "1234"),
        ("setting", "db.password\x0098765432", "98765432"),
        ("text", "password: 31337007", "31337007"),
        (
            "text",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
            "b3BlbnNz",
        ),
    ]
    while len(out) < 200:
        value = drawn(20)
        key = KEYS[len(out) % 50]
        out.append(("text", f'wandb: using config {{"{key}": "{value}", "epochs": 3}}', value))
    return out[:200]


def lookalikes() -> list[tuple[str, str]]:
    out = []
    numbers = (
        "num_tokens",
        "tokens_per_second",
        "max_tokens",
        "total_tokens",
        "train/tokens",
        "token_count",
        "tokens",
        "max_new_tokens",
        "tokens_seen",
        "n_tokens",
        "tokens_per_batch",
        "key_dim",
        "num_key_value_heads",
        "attn.key.norm",
        "token_accuracy",
        "token_loss",
        "per_token_loss",
        "secret_santa_score",
        "pass_rate",
        "pass@1",
        "forward_pass_ms",
        "passes",
        "n_passes",
        "auth_loss_weight",
        "token_dropout",
        "password_length",
        "max_password_length",
        "author_count",
    )
    out += [
        ("setting", f"{k}\x00{DRAW.randint(1, 10**6)}") for k in numbers if "password" not in k and "secret" not in k
    ]
    out += [("text", f"step 10 | {k}: {DRAW.random() * 100:.3f} | loss: 2.3") for k in numbers if "secret" not in k]
    texts = (
        "pad_token",
        "eos_token",
        "bos_token",
        "unk_token",
        "mask_token",
        "sep_token",
        "cls_token",
        "image_token",
        "tokenizer",
        "tokenizer_name",
        "tokenizer.path",
        "monitor_key",
        "primary_key",
        "metric_key",
        "cache_key",
        "sort_key",
        "label_key",
        "input_keys",
        "output_keys",
        "key_mapping",
        "token_type",
        "token_level",
        "password_file",
        "credentials_path",
        "api_key_env",
        "secret_name",
        "author",
        "authors",
        "authority",
        "keyboard",
        "passthrough",
    )
    values = ("<pad>", "</s>", "val_loss", "bert-base-uncased", "mean", "image", "WANDB_API_KEY")
    out += [("setting", f"{k}\0{values[i % 7]}") for i, k in enumerate(texts)]
    out += [("text", f"INFO {k}={values[i % 7]} epoch=3") for i, k in enumerate(texts)]
    sha, run, uid = (drawn(42, HEX)[:40], drawn(10, string.ascii_lowercase)[:8], "3f2504e0-4f89-11d3-9a0c-0305e82c3301")
    out += [
        ("text", f"git revision {sha}"),
        ("setting", f"git_sha\0{sha}"),
        ("setting", f"run_id\0{run}"),
        ("setting", f"wandb_version\0{sha[:12]}"),
        ("text", f"run {run} at https://wandb.ai/me/project/runs/{run}"),
        ("setting", f"uuid\0{uid}"),
        ("text", f"checksum sha256:{sha}{sha[:24]}"),
        ("setting", f"cache_key\0{sha}"),
        ("setting", "use_auth_token\0True"),
        ("setting", "token\0None"),
        ("setting", "api_key\0${WANDB_API_KEY}"),
        ("setting", "password\0***"),
        ("setting", "hub_token\0<HUB_TOKEN>"),
        ("setting", "hub_token\0None"),
        ("text", "loss: 2.31 token/s: 12034.5"),
        ("text", "Missing key(s) in state_dict: layer1.weight"),
        ("text", "KeyError: 'learning_rate_schedule_name_v2'"),
        ("text", "size mismatch for key model.layer4.1.conv2.weight"),
        ("text", "forward pass: 12 ms, backward pass: 24 ms"),
        ("text", "passed: 14 of 15 checks"),
        ("text", "the author: Jane Example"),
        ("text", "RuntimeError: Token indices sequence length is longer than 512"),
        ("text", "10:31:07 INFO authentication was skipped: offline mode"),
        ("text", "sk-learn-0.24.1 and scikit-image"),
        ("text", "http://localhost:6006/#scalars"),
        ("text", "tcp://10.0.0.3:29500"),
        ("text", "https://host:8080/path@v2"),
        ("text", "key: train/loss"),
        ("text", "basic block of 64 channels"),
        ("text", "signature: (x: Tensor) -> Tensor"),
    ]
    names = ("blocks.3.attn.key.weight", "encoder.token_embedding", "decoder.key_proj.bias", "auth_head.weight")
    while len(out) < 200:
        out.append(("text", f"grad norm of {names[len(out) % 4]}: {DRAW.random():.5f} at step {len(out)}"))
    return out[:200]


def hidden(how: str, text: str) -> str:
    if how == "text":
        return redact(text)
    key, value = text.split("\0")
    number = int(value) if value.isdigit() else None
    return redact_setting(key, value if number is None else number)


def test_at_least_195_of_200_credentials_are_hidden() -> None:
    cases = planted()
    assert len(cases) == 200
    missed = [text for how, text, secret in cases if secret in hidden(how, text)]
    assert len(missed) <= 5, missed


def test_at_most_5_of_200_lookalikes_are_touched() -> None:
    cases = lookalikes()
    assert len(cases) == 200
    touched = [text for how, text in cases if MASK in hidden(how, text)]
    assert len(touched) <= 5, touched


@pytest.mark.parametrize("seed", range(3))
def test_of_what_trackers_clouds_and_launchers_print_next_to_nothing_is_seen(seed: int) -> None:
    missed = credentials.missed(seed)
    assert len(missed) <= (1 - credentials.LEAST_HIDDEN) * 360 + 6, missed  # draws of few digits look like words


def test_hashes_keys_of_weights_and_code_are_left_alone() -> None:
    touched = credentials.touched()
    assert len(touched) <= 3, touched


def test_a_name_that_a_pair_took_for_a_value_is_looked_at_as_well() -> None:
    value = drawn(40)
    assert redact(f"InvalidTokenError: token {value} is malformed") == f"InvalidTokenError: token {MASK} is malformed"


def test_credentials_that_commands_and_headers_name_in_their_own_way_are_hidden() -> None:
    for before, secret, after in (
        ('curl -H "Authorization: Token ', drawn(30), '" https://host'),
        ("Authorization: ApiKey ", drawn(24), ""),
        ("os.environ['KAGGLE_KEY'] = '", drawn(32, HEX), "'"),
        ("docker login -u me -p ", "Pr1vate99", " registry.io"),
        ("sshpass -p ", "Sesame42", " ssh node7"),
        ("mysql -uroot -p", "Xy7kPq22", " runs"),
        ("machine api.wandb.ai login user password ", drawn(40, HEX), ""),
    ):
        assert redact(before + secret + after) == before.split("Token ")[0].split("ApiKey ")[0] + MASK + after
    for text in (
        "docker run -p 8080:80 image",
        "mysql -uroot -P 3306 runs",
        "sshpass -h",
        "authorization: none",
        "keys['lr'] = 0.1",
        "machine 3 of 8 login node",
    ):
        assert redact(text) == text
    assert redact_setting("password_policy_epochs", 3) == "3"


def test_what_several_runs_are_told_by_holds_no_secret_either(tmp_path: Path) -> None:
    keys = ["Zx81kQpW0rmN2vTq", "b7Rk20QmZtYw4Lx9"]
    numbers = [918273645, 546372819]
    for i in range(10):
        folder, bad = tmp_path / "tree" / f"run{i}", i < 5
        folder.mkdir(parents=True)
        config = {"lr": 0.1, "db": {"password": numbers[bad]}, "awsSessionToken": keys[bad], "seed": i}
        (folder / "config.json").write_text(json.dumps(config))
        rows = [f"step {k} loss {2.3 * 0.9**k + 0.01 * (k * 7 % 5):.4f}" for k in range(60)]
        end = ["Traceback (most recent call last):", '  File "train.py", line 3, in <module>']
        end += [f"RuntimeError: cannot reach https://host/?api_key={keys[1]} password={numbers[1]}"]
        (folder / "train.log").write_text("\n".join([*rows, *(end if bad else [])]) + "\n")
    tree, said = str(tmp_path / "tree"), {}
    for command in (
        ["triage", tree, "--no-cache", "--all"], ["triage", tree, "--no-cache", "--format", "jsonl"],
        ["diff", f"{tree}/run0", f"{tree}/run9"], ["diff", f"{tree}/run0", f"{tree}/run9", "--format", "json"],
        ["analyze", tree, "--format", "brief"], ["doctor", f"{tree}/run0"], ["analyze", f"{tree}/run0", "--verbose"],
        ["explain", "crash-traceback", "--run", f"{tree}/run0"], ["analyze", tree, "--format", "github"],
    ):  # fmt: skip
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, (command, done.output)
        said[" ".join(command)] = done.output
    asked = [a for n in ("csv", "parquet", "json", "html", "markdown") for a in (f"--{n}", str(tmp_path / f"o.{n}"))]
    assert CliRunner().invoke(app, ["triage", tree, "--no-cache", *asked]).exit_code == 0
    assert CliRunner().invoke(app, ["analyze", tree, "--assets", str(tmp_path / "figures"), "-q"]).exit_code == 0
    for path in (*tmp_path.glob("o.*"), *(tmp_path / "figures").iterdir()):
        read = str(pl.read_parquet(path).rows()) if path.suffix == ".parquet" else path.read_bytes().decode("latin-1")
        said[path.name] = read
    said["to_polars"] = str(curvedoc.analyze(tree).to_polars().rows())
    leaks = [(view, s) for view, text in said.items() for s in (*keys, *map(str, numbers)) if s in text]
    assert leaks == []


def test_no_view_cuts_a_credential_in_two(tmp_path: Path) -> None:
    token = "ghp_Zx81kQpW0rmN2vTqLs93mdKfYtB6Rc4Hn7Ua"
    rows = "".join(f"step {k} loss {2.3 * 0.9**k:.3f}\n" for k in range(60))
    for pad in range(80, 220, 7):
        error = f"RuntimeError: {('no luck ' * 40)[:pad]} {token} and more words that follow here"
        trace = f'Traceback (most recent call last):\n  File "x.py", line 3, in f\n{error}\n'
        (tmp_path / "train.log").write_text(rows + trace)
        found = curvedoc.analyze(tmp_path)
        views = found.to_json() + found.to_markdown().replace("\\", "") + found.to_html()
        assert token[:12] not in views, pad


def test_a_planted_secret_reaches_no_view_unless_it_is_asked_for(tmp_path: Path) -> None:
    secrets = ["Zx81kQpW0rmN2vTq", "hunter2hunter2", "Kq9TzR3mXw7LpB5nVc2H"]
    config = {"lr": 0.1, "awsSessionToken": secrets[0], "db": {"password": secrets[1]}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    lines = [f"2026-01-01 00:00:00 INFO launch: python train.py --hub-token {secrets[2]}"]
    lines += [f"2026-01-01 00:00:{i:02d} INFO step {i} loss {2.3 + i * i:.3f}" for i in range(40)]
    lines += ["Traceback (most recent call last):", '  File "train.py", line 3, in <module>']
    lines += [f"RuntimeError: cannot reach https://me:{secrets[1]}@host/?api_key={secrets[2]}"]
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    names = ("html", "json", "markdown", "sarif", "junit", "embed")
    asked = [a for n in names for a in (f"--{n}", str(tmp_path / f"out.{n}"))]
    done = CliRunner().invoke(app, ["analyze", str(tmp_path), *asked])
    assert done.exit_code == 0, done.output
    views = {n: (tmp_path / f"out.{n}").read_text() for n in names} | {"text": done.output}
    leaks = [(view, s) for view, text in views.items() for s in secrets if s in text]
    assert leaks == []
    shown = CliRunner().invoke(app, ["analyze", str(tmp_path), "--json", str(tmp_path / "out.json"), "--show-secrets"])
    assert shown.exit_code == 0, shown.output
    assert secrets[0] in (tmp_path / "out.json").read_text()


def test_where_a_run_was_taken_up_from_tells_no_secret(tmp_path: Path) -> None:
    run, secret = tmp_path / "run", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    run.mkdir()
    (run / "config.json").write_text(json.dumps({"resume_from_checkpoint": f"https://bob:{secret}@host.example/ck.pt"}))
    (run / "log.jsonl").write_text("\n".join(json.dumps({"step": 1000 + i, "loss": 2.3 * 0.99**i}) for i in range(50)))
    made = tmp_path / "out.json"
    for call in (["analyze", str(run), "--json", str(made), "--no-html"], ["doctor", str(run)]):
        said = CliRunner().invoke(app, call)
        assert said.exit_code == 0 and secret not in said.stdout
    assert "host.example/ck.pt" in made.read_text() and secret not in made.read_text()
