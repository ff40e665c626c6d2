"""The loss, the schedules and one step of learning."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
import torch

from fofe.features.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.model.network import Network
from fofe.training.batches import prefetched
from fofe.training.config import TrainingConfig
from fofe.training.learner import Learner, set_loss
from fofe.training.optimisation import falling, rate_factor

SCORES = torch.tensor([[2.0, -1.0, 0.5], [0.0, 0.0, 0.0], [-30.0, 10.0, 30.0]])


def test_loss_of_one_admissible_label_is_cross_entropy() -> None:
    for targets in itertools.product(range(3), repeat=3):
        admissible = torch.nn.functional.one_hot(torch.tensor(targets), 3).bool()
        expected = torch.nn.functional.cross_entropy(SCORES, torch.tensor(targets), reduction="none")
        assert torch.allclose(set_loss(SCORES, admissible), expected, atol=1e-6)


def test_loss_is_minus_the_log_of_the_admissible_mass() -> None:
    admissible = torch.tensor([[True, False, True], [True, True, False], [False, True, True]])
    mass = (torch.softmax(SCORES, 1) * admissible).sum(1)
    assert torch.allclose(set_loss(SCORES, admissible), -torch.log(mass), atol=1e-6)


def test_loss_and_gradient_are_zero_where_every_label_is_admissible() -> None:
    scores = SCORES.clone().requires_grad_()
    loss = set_loss(scores, torch.ones(3, 3, dtype=torch.bool))
    assert loss.tolist() == [0, 0, 0]
    loss.sum().backward()  # type: ignore[no-untyped-call]
    assert scores.grad is not None
    assert scores.grad.abs().max() < 1e-6


def test_geometric_schedule_reaches_its_end_in_the_last_epoch() -> None:
    config = TrainingConfig(epochs=5, optimiser="sgd", schedule="geometric", final_rate=1 / 16)
    factors = [rate_factor(config, epoch, epoch / 5) for epoch in range(5)]
    assert factors == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8, 1 / 16])


def test_linear_and_constant_schedules() -> None:
    linear = TrainingConfig(epochs=4, schedule="linear", final_rate=0.2)
    assert [rate_factor(linear, 0, progress) for progress in (0, 0.5, 1)] == pytest.approx([1, 0.6, 0.2])
    constant = TrainingConfig(schedule="constant")
    assert rate_factor(constant, 7, 0.9) == 1


def test_dropout_falls_evenly() -> None:
    assert [falling(0.4, 0.1, epoch, 4) for epoch in range(4)] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert falling(0.4, None, 3, 4) == falling(0.4, 0.1, 0, 1) == 0.4
    by_factor = [falling(0.8, 0.1, epoch, 4, geometric=True) for epoch in range(4)]
    assert by_factor == pytest.approx([0.8, 0.4, 0.2, 0.1])
    assert falling(0.4, 0.0, 3, 4, geometric=True) == 0.0


def test_sgd_gives_momentum_to_layers_and_plain_steps_to_characters() -> None:
    config = ModelConfig(
        views=(ViewConfig("cased", "cased", 2), ViewConfig("spelling", "spelling", 2)),
        characters=CharacterConfig(dimension=2, heights=(2,), kernels=2),
        hidden=(3,),
    )
    training = TrainingConfig(optimiser="sgd", rate=0.128, character_rate=0.064, momentum=0.9)
    network = Network(config, alphabet_size=5, label_count=2)
    learner = Learner(training, network, {}, np.eye(2, dtype=bool), torch.device("cpu"))
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    groups = {
        names[id(parameter)]: (group["lr"], group["momentum"])
        for group in learner.optimiser.param_groups
        for parameter in group["params"]
    }
    assert set(groups) == set(names.values()), "every parameter is learned"
    assert groups["layers.0.weight"] == (0.128, 0.9)
    assert groups["character_cnn.embedding.weight"] == (0.064, 0)
    assert groups["spelling.spelling.weights.0"] == (0.064, 0)


def test_prefetched_keeps_the_order_and_raises_errors_of_its_thread() -> None:
    assert list(prefetched(iter(range(100)), ahead=3)) == list(range(100))
    items = prefetched(6 // number for number in (3, 2, 0, 1))
    assert [next(items), next(items)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(items)


def test_prefetched_stops_its_thread_when_left_early() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for number in itertools.count():
            made.append(number)
            yield number

    with closing(prefetched(numbers(), ahead=2)) as items:  # type: ignore[type-var]
        assert next(items) == 0
    assert len(made) <= 5
    assert not any(thread.name == "fofe-prefetch" for thread in threading.enumerate())
