"""The loss, the schedules and one step of learning."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
import torch

from fofe.encode.encoded import Encoder
from fofe.encode.vocabulary import Vocabulary
from fofe.model.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.model.network import Network
from fofe.train.annotation import Annotation
from fofe.train.config import SamplingConfig, TrainingConfig
from fofe.train.examples import LabelledSentence, make_examples
from fofe.train.learner import Learner, set_loss
from fofe.train.producer import produced
from fofe.train.sampling import Sampler
from fofe.train.schedule import falling, rate_factor
from fofe.train.tables import WordTable

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


def _last_layer(network: Network) -> torch.nn.Linear:
    last = network.layers[-1]
    assert isinstance(last, torch.nn.Linear)
    return last


def _learner_and_sampler(*, in_doubt: bool) -> tuple[Learner, Sampler]:
    """A network that takes everything for a mention, and a corpus in which nothing is one."""
    vocabulary = Vocabulary(["a", "b"], cased=True, digits="none")
    text = Encoder({"cased": vocabulary}, None).encode([["a", "b", "a"]] * 8)
    sentences = [LabelledSentence(["a", "b", "a"], [])] * 8
    annotation = Annotation({"PER": frozenset(["PER"])}, frozenset(["PER"]), in_doubt=in_doubt)
    examples = make_examples(sentences, text.token_offsets, ["NONE", "PER"], 2, [(annotation, 8)])
    config = ModelConfig(
        max_words=2,
        views=(ViewConfig("cased", "cased", 2),),
        characters=CharacterConfig(fofe=False, cnn=False),
        hidden=(3,),
    )
    network = Network(config, alphabet_size=0, label_count=2)
    with torch.no_grad():
        _last_layer(network).bias.copy_(torch.tensor([-20.0, 20.0]))
    table = WordTable(np.ones((len(vocabulary), 2), dtype=np.float32), np.arange(len(vocabulary)), 0.9)
    training = TrainingConfig(epochs=20, optimiser="sgd", rate=0.1, average=0.0)
    device = torch.device("cpu")
    learner = Learner(
        training, network, {"cased": table}, examples.target_sets, device, in_doubt=examples.in_doubt
    )
    everything = SamplingConfig(overlapping=1, disjoint=1, replace_rare=0)
    return learner, Sampler(text, examples, {}, everything, batch_size=16, seed=1)


@pytest.mark.parametrize(
    ("in_doubt", "epoch", "learns"), [(False, 10, True), (True, 0, True), (True, 10, False)]
)
def test_negatives_in_doubt_teach_nothing_once_the_network_knows_better(
    in_doubt: bool, epoch: int, learns: bool
) -> None:
    learner, sampler = _learner_and_sampler(in_doubt=in_doubt)
    before = [parameter.detach().clone() for parameter in learner.network.parameters()]
    loss = learner.run_epoch(sampler, epoch, lambda _: None)
    changed = [
        not torch.equal(old, new) for old, new in zip(before, learner.network.parameters(), strict=True)
    ]
    assert any(changed) == learns
    assert (loss > 0) == learns


def test_a_likely_negative_teaches_even_in_doubt() -> None:
    learner, sampler = _learner_and_sampler(in_doubt=True)
    last = _last_layer(learner.network)
    with torch.no_grad():
        last.bias.copy_(torch.tensor([0.5, 0.0]))
        last.weight.zero_()
    assert learner.run_epoch(sampler, 10, lambda _: None) > 0


def test_produced_keeps_the_order_and_raises_errors_of_its_thread() -> None:
    assert list(produced(range(100), ahead=3)) == list(range(100))
    items = produced(6 // number for number in (3, 2, 0, 1))
    assert [next(items), next(items)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(items)


def test_produced_stops_its_thread_when_left_early() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for number in itertools.count():
            made.append(number)
            yield number

    with closing(produced(numbers(), ahead=2)) as items:  # type: ignore[type-var]
        assert next(items) == 0
    assert len(made) <= 5
    assert not any(thread.name == "fofe-producer" for thread in threading.enumerate())
