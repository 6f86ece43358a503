"""The words by which an abstract tells what its authors did, and those where a sentence or a line may end."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _forms(verbs: str) -> frozenset[str]:
    """Each verb as it stands after "we" and after "this paper", and in the past."""
    forms = set()
    for verb in verbs.split():
        stem = verb[:-1] if verb[-1] in "ey" else verb
        third = f"{stem}ies" if verb[-1] == "y" else f"{verb}es" if verb[-2:] in ("sh", "ch") else f"{verb}s"
        past = f"{stem}ied" if verb[-1] == "y" else f"{stem}ed"
        forms |= {verb, third, past}
    return frozenset(forms)


PROPOSING = _forms("propose introduce unveil pioneer") | {"put forward", "puts forward"}
MAKING = _forms("present develop design devise release create construct curate contribute build") | {"built"}
BY_MAKING = _words(
    "introducing proposing presenting developing designing devising constructing releasing establishing"
)
CLAIMING = _forms("show demonstrate prove find reveal argue conjecture observe discover") | {"found", "shown"}
SOLVING = _forms(
    "establish derive characterize characterise provide formulate solve give offer address tackle bridge "
    "define describe identify obtain unify generalize"
) | {"gave"}
STUDYING = _forms(
    "implement adopt leverage train improve extend study investigate consider analyze analyse explore "
    "examine use revisit re-examine rethink evaluate compare conduct perform collect aim focus "
    "advance initiate seek benchmark survey review apply employ assess quantify measure report formalize "
    "formalise understand ask question challenge"
)
USING = _forms(
    "use extend adopt leverage train apply employ implement perform conduct collect evaluate compare ask "
    "measure aim seek quantify report focus re-examine rethink revisit challenge"
)
"""Verbs that say little without "we": "We use the discrepancy between …"."""

POSITION_VERBS = _forms("argue contend advocate call claim posit propose")

STRONG = PROPOSING | MAKING | BY_MAKING
WEAK = _forms(
    "study explore investigate reveal define derive establish provide offer train leverage identify adopt "
    "describe implement formulate"
)

KINDS = _words(
    "agent algorithm analysis approach architecture attack attention benchmark categorization challenge "
    "codebase corpus criterion dataset decoder defense detector environment estimator evaluation family "
    "formulation foundation framework function generator initialization kernel language layer library "
    "loss measure mechanism memory method methodology metric model module network objective operator "
    "optimization optimizer paradigm parameterization pipeline platform policy principle procedure "
    "protocol quantization recipe regularization regularizer representation routine sampler sampling "
    "scheme score search simulator solution solver strategy suite system task taxonomy technique test "
    "theory tokenizer tool toolkit toolbox training transformer variant watermark world"
)
DULL_WORDS = KINDS | _words(
    "general principled unified efficient effective lightweight theoretical practical powerful scalable "
    "robust flexible comprehensive one two both own better further important key"
)
"""What could be said of any work: "a unified framework" is no news."""

PARTS = _words(
    "loss module objective layer token tokens regularizer regularization head embedding score term "
    "theorem encoder decoder neuron dataset"
)
"""What usually is a part of the work: a name in front of one of these is less often the work's own."""

FIELD_NAMES = _words(
    "LLaMA LLaMA-2 LLaMA-3 Llama-3 LLaMA-2-7B GPT-2 GPT-3 GPT-4 GPT-4o GPT-5 Qwen2.5 Qwen3 ImageNet "
    "CIFAR-10 CIFAR-100 MNIST LoRA GRPO PPO DPO SGD AdamW RMSProp AdaGrad CLIP BERT LLM LLMs RLHF RLVR "
    "SFT RL NLP MDP MDPs POMDP KL PDE PDEs ODE SDE GNN GNNs CNN CNNs RNN MLP VLM MLLM SNN ViT ReLU SSL "
    "MSE MMD OOD FL DP ML AI CoT RAG MoE NTK GAN VAE SAE SAEs SCM DAG DAGs SEM BBO CLT MCMC PCA"
)
"""Models, data and fields many abstracts speak of; a whole token only."""

FUNCTION_WORDS = _words(
    "a an the this that these those its their our his her such any each every some no all both either "
    "neither and or but nor so yet than rather while whereas although though if unless except because "
    "since when where which who whose whom what why how whether not only also even just more most very of "
    "in on at to for from by with without within into onto upon over under across through via per as "
    "between among amongst toward towards against during before after about around along beyond despite "
    "like unlike regardless using is are was were be been being has have had do does did can could may "
    "might must shall should will would it they them we us i you he she there here then thus hence "
    "thereby therefore e.g i.e vs novel new first simple"
)
"""A line cut behind one of these reads broken."""

ABBREVIATIONS = _words(
    "e.g i.e eg ie al vs cf resp fig figs eq eqs sec ref refs thm approx w.r.t wrt a.k.a aka s.t i.i.d dr "
    "prof mr ms st no viz ca incl dept univ jr inc"
)
"""No sentence ends with the dot behind one of these."""

OPENERS = _words(
    "we the this these those in our it its to a an for however moreover furthermore while as when on by "
    "with experiments existing recent finally using based additionally specifically here there such"
)
"""Words that begin a sentence even behind a single capital letter: "the number of classes R. We show"."""
