"""Trains a tiny XLM-R cross-encoder that ranks by shared words, as a real model for the tests.

It is trained on random token ids, never on text: it learns to find a query's tokens in a passage,
so every sentence is new to it. Two layers are enough: the first lets equal tokens find each other,
the second counts them.
"""

from pathlib import Path
from pydoc_data.topics import topics

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers.trainers import UnigramTrainer
from torch.nn.functional import binary_cross_entropy_with_logits
from transformers import (
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

HIDDEN = 48
STEPS = 700
BATCH = 64
LEARNING_RATE = 3e-3
SHARES = torch.tensor([0.0, 0.0, 0.2, 0.5, 0.8, 1.0])
"""How much of a query is copied from its passage, drawn per example."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
START, PAD, END, UNKNOWN = range(4)


def train(folder: Path, seed: int = 7, steps: int = STEPS) -> Path:
    """Train the model, save it with its tokenizer in `folder`, and return the folder."""
    # So small a model gains nothing from threads, and on a busy machine they wait for each other.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    draw = torch.Generator().manual_seed(seed)
    tokenizer = tiny_tokenizer()
    model = _model(len(tokenizer))
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    for _ in range(steps):
        ids, types, shared = _examples(len(tokenizer), draw)
        logits = model(input_ids=ids, token_type_ids=types).logits.view(-1)
        loss = binary_cross_entropy_with_logits(logits, shared)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    model.eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _examples(
    vocabulary: int, draw: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return token ids and types, shape (BATCH, length), and the share of the query found."""
    query_size = int(torch.randint(3, 16, (1,), generator=draw))
    passage_size = int(torch.randint(8, 72, (1,), generator=draw))
    passage = torch.randint(len(SPECIAL), vocabulary, (BATCH, passage_size), generator=draw)
    query = torch.randint(len(SPECIAL), vocabulary, (BATCH, query_size), generator=draw)
    share = SHARES[torch.randint(0, len(SHARES), (BATCH, 1), generator=draw)]
    copied = torch.rand(BATCH, query_size, generator=draw) < share
    places = torch.randint(0, passage_size, (BATCH, query_size), generator=draw)
    query = torch.where(copied, passage.gather(1, places), query)
    shared = (query[:, :, None] == passage[:, None, :]).any(2).float().mean(1)
    start, end = torch.full((BATCH, 1), START), torch.full((BATCH, 1), END)
    ids = torch.cat([start, query, end, end, passage, end], 1)
    types = torch.zeros_like(ids)
    types[:, query_size + 2 :] = 1
    return ids, types, shared


def _model(vocabulary: int) -> XLMRobertaForSequenceClassification:
    """Return an untrained model whose first attention already matches equal tokens."""
    model = XLMRobertaForSequenceClassification(
        XLMRobertaConfig(
            vocab_size=vocabulary,
            hidden_size=HIDDEN,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=2 * HIDDEN,
            max_position_embeddings=514,
            type_vocab_size=2,
            num_labels=1,
            initializer_range=0.1,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            bos_token_id=START,
            pad_token_id=PAD,
            eos_token_id=END,
        )
    )
    with torch.no_grad():
        embeddings = model.roberta.embeddings
        embeddings.word_embeddings.weight.normal_(0, 1.0)
        embeddings.token_type_embeddings.weight.normal_(0, 0.5)
        embeddings.position_embeddings.weight.normal_(0, 0.02)
        attention = model.roberta.encoder.layer[0].attention.self
        attention.query.weight.copy_(1.2 * torch.eye(HIDDEN))
        attention.key.weight.copy_(attention.query.weight)
    return model


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Return an XLM-R tokenizer: single ideographs, learned English pieces, second text type 1."""
    learned = Tokenizer(models.Unigram())
    learned.normalizer = normalizers.Lowercase()
    learned.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = UnigramTrainer(vocab_size=1500, show_progress=False, unk_token=SPECIAL[UNKNOWN])
    learned.train_from_iterator(topics.values(), trainer)
    pieces = dict.fromkeys([*sorted(learned.get_vocab()), *_ideographs(), "▁"])
    # a piece costs the same whatever its length, so the fewest pieces win
    vocabulary = [(mark, 0.0) for mark in SPECIAL]
    vocabulary += [(piece, -10.0) for piece in pieces if piece not in SPECIAL]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s>:1 $B:1 </s>:1",
        special_tokens=[(SPECIAL[START], START), (SPECIAL[END], END)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=SPECIAL[START],
        cls_token=SPECIAL[START],
        pad_token=SPECIAL[PAD],
        eos_token=SPECIAL[END],
        sep_token=SPECIAL[END],
        unk_token=SPECIAL[UNKNOWN],
        model_max_length=512,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _ideographs() -> list[str]:
    """Return the 3755 common ideographs of GB 2312, level 1."""
    cells = (bytes((row, cell)) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF))
    return [text for code in cells if (text := code.decode("gb2312", errors="ignore"))]
