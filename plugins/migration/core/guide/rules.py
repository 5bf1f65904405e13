"""The steps from one card to several, and the reasons for which the guide stops."""

from __future__ import annotations

from plugins.migration.core.model import Rule
from studio.model.findings import Severity


def _step(name: str, title: str, why: str) -> Rule:
    return Rule(f"guide-{name}", title, why, "distributed", "review", Severity.INFO, "minutes")


def _stop(name: str, title: str, why: str) -> Rule:
    return Rule(f"guide-{name}", title, why, "distributed", "manual", Severity.WARNING, "hours")


SETUP = _step(
    "setup",
    "Join the processes before anything is made",
    "torchrun starts one process for each card and tells it its number in LOCAL_RANK. From here on "
    "“npu” means the card of the process, and HCCL connects them. Nothing is read while the module "
    "is only imported.",
)
CARD = _step(
    "card",
    "{old} names one card; each process takes its own",
    "With a number in it every process would use the same card.",
)
SAMPLER = _step(
    "sampler",
    "Give each process its own part of the training data",
    "DistributedSampler shuffles where the loader did, which must not shuffle by itself then. The "
    "size of a batch is that of one card: all cards together take that times their number, so look "
    "at the learning rate. The loaders for evaluation stay as they are, so that every process sees "
    "all of their data.",
)
EPOCH = _step(
    "epoch",
    "Shuffle anew in each epoch",
    "Without set_epoch the sampler gives the same order in every epoch.",
)
WRAP = _step(
    "wrap",
    "Train {name} in all processes together",
    "DistributedDataParallel averages the gradients. It is put around the model right before the "
    "training, so that what prepares the model, its optimizer and a checkpoint sees it as it was. "
    "From here on each process has random numbers of its own, while all were the same before.",
)
INNER = _step(
    "inner-model",
    "Reach {name} inside its wrapper",
    "The wrapper runs the model; what else belongs to it is found in .module. Checkpoints keep the "
    "names they had.",
)
UNWRAP = _step(
    "data-parallel",
    "DataParallel gives way to DistributedDataParallel",
    "It drives all cards from one process, which NPUs do not support.",
)
FIRST = _step(
    "first-process",
    "Only the first process writes this",
    "Otherwise each process prints it, or all write to one file at once.",
)
WAIT = _step(
    "wait",
    "Wait for the first process before the file is read",
    "What the first process has written must be complete before the others read it.",
)
END = _step(
    "end",
    "Leave the group at the end",
    "It frees the links between the cards.",
)

NO_TRAINING = _stop(
    "no-training",
    "There is no training in this file",
    "The guide looks for a script that calls backward().",
)
NO_PYTHON = _stop(
    "no-python",
    "This file cannot be read as Python",
    "The guide needs a script in Python 3.",
)
ALREADY = _stop(
    "already",
    "The script deals with several processes already: {old}",
    "Single card to several is for scripts that know nothing of it; here the pieces would clash.",
)
ONE_CARD = _stop(
    "one-visible-card",
    "This line decides which cards the process sees",
    "Each process would see the same card. Remove it, then ask again.",
)
SEVERAL_CARDS = _stop(
    "several-cards",
    "The script spreads its work over several cards itself",
    "Moving whole processes to cards of their own would undo what it does by card numbers.",
)
IN_CLASS = _stop(
    "in-class",
    "The training stands in a method",
    "Who calls it, and which model it holds, is not certain here. Call the training from a plain "
    "function, or make the changes in the class by hand.",
)
NOT_CALLED = _stop(
    "not-called",
    "Nothing in this file calls {name}",
    "Where its model and its data come from is not visible here.",
)
CALLED_OFTEN = _stop(
    "called-often",
    "{name} is called from several places",
    "Which of them is the training is not certain.",
)
SEVERAL_LOOPS = _stop(
    "several-loops",
    "Several loops train",
    "The guide follows one loop over one loader.",
)
NO_LOADER = _stop(
    "no-loader",
    "No DataLoader made in this file drives this training",
    "The sampler that divides the data among the cards belongs to one. A DataLoader made elsewhere "
    "needs it there.",
)
SHARED_LOADER = _stop(
    "shared-loader",
    "The loader of the training is also gone through here",
    "With a sampler each card would see only its part here. Make a loader of its own for this.",
)
OWN_SAMPLER = _stop(
    "own-sampler",
    "The loader has a sampler of its own, or options that are not visible here",
    "DistributedSampler would replace it; divide the data in that sampler instead.",
)
STREAM = _stop(
    "stream",
    "The data set is a stream",
    "A sampler cannot divide an IterableDataset; it has to give each process its share itself.",
)
NO_MODEL = _stop(
    "no-model",
    "Which model is trained is not certain",
    "The guide looks for one variable whose parameters() an optimizer takes and which the training "
    "calls.",
)
SEVERAL_MODELS = _stop(
    "several-models",
    "Several models are trained together",
    "Each would need a wrapper, with care for the order of their passes.",
)
NOT_MOVED = _stop(
    "not-moved",
    "Where the model is moved to the card is not visible",
    "DistributedDataParallel takes a model that is on its card already.",
)
AROUND = _stop(
    "around",
    "The training calls {name}, which goes around the wrapper",
    "Only a call of the model itself averages gradients. Let forward() do this.",
)
MIXED = _stop(
    "mixed",
    "{name} is used here both with and without its wrapper",
    "What belongs to the model would be found in .module in one case only.",
)
AT_IMPORT = _stop(
    "at-import",
    "This runs when the module is imported, before the processes know each other",
    "Move it into the function that trains.",
)
SHARED_LINE = _stop(
    "shared-line",
    "This line holds several statements",
    "A line of its own has to go before it. Break it up first.",
)
EPOCH_BY_HAND = _stop(
    "epoch-by-hand",
    "Call sampler.set_epoch before each epoch",
    "Where an epoch begins, or its number, is not visible here. Without the call each epoch has "
    "the same order.",
)
SAVE_BY_HAND = _stop(
    "save-by-hand",
    "Let only the first process write this",
    "It was left alone, because other processes may have to take part in what it calls.",
)
SEED_BY_HAND = _stop(
    "seed-by-hand",
    "All processes must draw the same here",
    "This divides or shuffles data before the training, without a seed. Set one first, or the "
    "processes disagree on which data are for training.",
)

STEPS = (SETUP, CARD, SAMPLER, EPOCH, WRAP, INNER, UNWRAP, FIRST, WAIT, END)
REFUSALS = (
    NO_TRAINING, NO_PYTHON, ALREADY, ONE_CARD, SEVERAL_CARDS, IN_CLASS, NOT_CALLED, CALLED_OFTEN,
    SEVERAL_LOOPS, NO_LOADER, SHARED_LOADER, OWN_SAMPLER, STREAM, NO_MODEL, SEVERAL_MODELS,
    NOT_MOVED, AROUND, MIXED, AT_IMPORT, SHARED_LINE,
)  # fmt: skip
"""Each of these stops the guide: then nothing is proposed."""
BY_HAND = (EPOCH_BY_HAND, SAVE_BY_HAND, SEED_BY_HAND)
RULES = (*STEPS, *REFUSALS, *BY_HAND)
