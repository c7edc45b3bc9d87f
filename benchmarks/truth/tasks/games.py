"""Two networks against each other, and agents that learn from rewards."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import torch
from torch import Generator, Tensor, nn
from torch.func import functional_call

from benchmarks.truth.nets import mlp
from benchmarks.truth.problem import Problem, Result, Task, traits
from benchmarks.truth.setup import Setup

F = nn.functional


def rivals(kind: str):
    """A generator of points on a ring and a judge of them, trained at once."""

    def build(s: Setup, g: Generator) -> Problem:
        plain = replace(s, norm=False, dropout=0.0)
        net = nn.ModuleDict({"generator": mlp(plain, 4, (32, 32), 2), "judge": mlp(plain, 2, (32, 32), 1)})
        angle = 6.2832 * torch.randint(0, 8, (2000,), generator=g) / 8
        real = torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(2000, 2, generator=g)

        def play(net: nn.Module, step: int) -> Result:
            made = net["generator"](torch.randn(s.batch, 4))
            seen = real[torch.randint(0, 2000, (s.batch,))]
            judge = net["judge"]
            fixed = {k: p.detach() for k, p in judge.named_parameters()}
            true, false, fooled = judge(seen), judge(made.detach()), functional_call(judge, fixed, (made,))
            if kind == "hinge":
                against = F.relu(1 - true).mean() + F.relu(1 + false).mean()
                maker = -fooled.mean()
            else:
                against = F.softplus(-true).mean() + F.softplus(false).mean()
                maker = F.softplus(-fooled).mean()
            return Result(against + maker, {"d_loss": against, "g_loss": maker})

        return Problem(net, None, play=play)

    return build


class Policy:
    """A choice by logits. It still chooses where they are not finite, as simulators do; its loss is not finite then."""

    def __init__(self, logits: Tensor) -> None:
        self.log = F.log_softmax(logits, -1)

    def sample(self) -> Tensor:
        """One action a row."""
        return torch.multinomial(self.log.detach().exp().nan_to_num(1.0).clamp(min=1e-12), 1)[:, 0]

    def log_prob(self, action: Tensor) -> Tensor:
        """The log-probability of what was done."""
        return self.log.gather(1, action[:, None])[:, 0]

    def entropy(self) -> Tensor:
        """How undecided the policy is, a row."""
        return -(self.log.exp() * self.log).sum(1)


def bandit(s: Setup, g: Generator) -> Problem:
    """One choice of six by what is seen; the policy gradient with a running baseline."""
    best = torch.randn(8, 6, generator=g)
    state = {"base": 0.0}

    def play(net: nn.Module, step: int) -> Result:
        x = torch.randn(s.batch, 8)
        policy = Policy(net(x))
        action = policy.sample()
        reward = ((x @ best).argmax(1) == action).float()
        state["base"] = 0.95 * state["base"] + 0.05 * float(reward.mean())
        gain = reward - state["base"]
        loss = -(policy.log_prob(action) * gain).mean()
        return Result(loss, {}, {"reward": reward.mean(), "entropy": policy.entropy().mean()})

    return Problem(mlp(replace(s, norm=False, dropout=0.0), 8, (32,), 6), None, play=play)


class Field:
    """Walkers on a 5 by 5 field; a step costs, the goal pays."""

    def __init__(self, n: int):
        self.n = n
        self.moves = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])
        self.goal = torch.tensor([4, 4])
        self.at = torch.zeros(n, 2, dtype=torch.long)
        self.age = torch.zeros(n)

    def see(self) -> Tensor:
        """What the walkers see: their place, one of 25."""
        return F.one_hot(self.at[:, 0] * 5 + self.at[:, 1], 25).float()

    def act(self, action: Tensor) -> tuple[Tensor, Tensor]:
        """Reward and end of each walker's step; who is done begins anew."""
        self.at = (self.at + self.moves[action]).clamp(0, 4)
        self.age += 1
        home = (self.at == self.goal).all(1)
        done = home | (self.age >= 20)
        self.at[done] = torch.randint(0, 4, (int(done.sum()), 2))
        self.age[done] = 0
        return home.float() - 0.05, done.float()


def walker(s: Setup, g: Generator) -> Problem:
    """Advantage actor-critic on the field."""
    field, length = Field(24), 8
    body = replace(s, norm=False, dropout=0.0)
    net = nn.ModuleDict({"policy": mlp(body, 25, (32,), 4), "value": mlp(body, 25, (32,), 1)})

    def play(net: nn.Module, step: int) -> Result:
        seen, chosen, paid, ended = [], [], [], []
        with torch.no_grad():
            for _ in range(length):
                x = field.see()
                a = Policy(net["policy"](x)).sample()
                r, d = field.act(a)
                seen.append(x), chosen.append(a), paid.append(r), ended.append(d)
            worth = net["value"](field.see())[:, 0]
            returns = []
            for r, d in zip(reversed(paid), reversed(ended), strict=True):
                worth = r + 0.95 * worth * (1 - d)
                returns.insert(0, worth)
        x, a, ret = torch.cat(seen), torch.cat(chosen), torch.cat(returns)
        policy = Policy(net["policy"](x))
        value = net["value"](x)[:, 0]
        gain = (ret - value).detach()
        actor = -(policy.log_prob(a) * gain).mean()
        critic = 0.5 * ((ret - value) ** 2).mean()
        entropy = policy.entropy().mean()
        parts = {"policy_loss": actor, "value_loss": critic}
        mean = torch.stack(paid).mean() * 20
        return Result(actor + critic - 0.01 * entropy, parts, {"reward": mean, "entropy": entropy})

    return Problem(net, None, play=play)


def quality(s: Setup, g: Generator) -> Problem:
    """Deep Q-learning on the field, with a memory and a target network."""
    field = Field(8)
    body = replace(s, norm=False, dropout=0.0)
    net = mlp(body, 25, (32,), 4)
    old = deepcopy(net)
    memory: list[tuple[Tensor, ...]] = []
    recent: list[float] = []

    def play(net: nn.Module, step: int) -> Result:
        with torch.no_grad():
            x = field.see()
            greedy = net(x).argmax(1)
            random = torch.rand(8) < max(0.1, 1 - step / (0.4 * s.steps))
            a = torch.where(random, torch.randint(0, 4, (8,)), greedy)
            r, d = field.act(a)
            memory.append((x, a, r, field.see(), d))
            recent.append(float(r.mean()) * 20)
            del recent[:-40], memory[:-400]
            if step % 40 == 0:
                old.load_state_dict(net.state_dict())
        rows = torch.randint(0, len(memory), (s.batch // 8,)).tolist()
        x, a, r, then, d = (torch.cat(c) for c in zip(*(memory[i] for i in rows), strict=True))
        with torch.no_grad():
            target = r + 0.95 * old(then).max(1).values * (1 - d)
        value = net(x).gather(1, a[:, None])[:, 0]
        loss = F.smooth_l1_loss(value, target)
        return Result(loss, {}, {"reward": torch.tensor(sum(recent) / len(recent)), "q_value": value.mean()})

    return Problem(net, None, play=play)


TASKS = (
    Task("rivals", "gan", rivals("softplus"), Setup(steps=600, lr=1e-3, batch=64), traits("relu deep"), 0.0, "none"),
    Task("rivals-hinge", "gan", rivals("hinge"), Setup(steps=600, lr=1e-3, batch=64), traits("relu deep"), 0.0, "none"),
    Task("bandit", "policy gradient", bandit, Setup(steps=700, lr=8e-3, batch=64), traits("relu deep"), 0.3, "reward"),
    Task("walker", "actor-critic", walker, Setup(steps=260, lr=1e-2, batch=192), traits("relu"), 0.0, "reward"),
    Task("q-learning", "value learning", quality, Setup(steps=500, lr=6e-3, batch=64), traits("relu"), 0.0, "reward"),
)
