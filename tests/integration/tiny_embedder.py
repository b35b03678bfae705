"""Builds a tiny XLM-R encoder whose first token averages the others, as a real model for the tests.

Nothing is trained: attention is the same everywhere, values are passed on, and so the vector of a
text is the mean of its tokens' random vectors. Texts that share words are near each other.
"""

from pathlib import Path

import torch
from tiny_cross_encoder import END, PAD, START, tiny_tokenizer
from transformers import XLMRobertaConfig, XLMRobertaModel

HIDDEN = 64


def build(folder: Path, seed: int = 7) -> Path:
    """Save the model with its tokenizer in `folder` and return the folder."""
    torch.manual_seed(seed)
    tokenizer = tiny_tokenizer()
    model = XLMRobertaModel(
        XLMRobertaConfig(
            vocab_size=len(tokenizer),
            hidden_size=HIDDEN,
            num_hidden_layers=1,
            num_attention_heads=1,
            intermediate_size=HIDDEN,
            max_position_embeddings=514,
            bos_token_id=START,
            pad_token_id=PAD,
            eos_token_id=END,
        ),
        add_pooling_layer=False,
    )
    layer, same = model.encoder.layer[0], torch.eye(HIDDEN)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.attention.self.value.weight.copy_(same)
        layer.attention.output.dense.weight.copy_(same)
        for norm in (layer.attention.output.LayerNorm, layer.output.LayerNorm):
            norm.weight.fill_(1.0)
        embeddings = model.embeddings
        embeddings.word_embeddings.weight.normal_(0, 1.0)
        embeddings.word_embeddings.weight[[START, PAD, END]] = 0.0
        embeddings.position_embeddings.weight.zero_()
        embeddings.token_type_embeddings.weight.zero_()
    model.eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
