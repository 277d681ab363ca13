"""transformers: architectures with small configs, made here, on small inputs.

What a config has of the names in `_SMALL` is made small, whichever class it is of.
Weights are random, attention is the plain one. Decoders keep no cache, but for the
variants that say so.
"""

from functools import partial

import torch

from tools.corpus.programs import Program

_SMALL = {
    "vocab_size": 50,
    "hidden_size": 16,
    "d_model": 16,
    "n_embd": 16,
    "dim": 16,
    "embedding_size": 16,
    "word_embed_proj_dim": 16,
    "num_hidden_layers": 2,
    "num_layers": 2,
    "n_layer": 2,
    "n_layers": 2,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "num_attention_heads": 2,
    "num_heads": 2,
    "n_head": 2,
    "n_heads": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 8,
    "d_kv": 8,
    "d_ff": 32,
    "hidden_dim": 32,
    "intermediate_size": 32,
    "moe_intermediate_size": 16,
    "ffn_dim": 32,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 32,
    "n_positions": 32,
    "image_size": 16,
    "patch_size": 8,
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "use_cache": False,
    "rotary_dim": 4,
    "attention_types": [[["global", "local"], 1]],
}

_TEXT = """
BertModel DistilBertModel RobertaModel AlbertModel ElectraModel MobileBertModel
CamembertModel XLMRobertaModel DebertaV2Model MPNetModel RoFormerModel ErnieModel
NystromformerModel FNetModel ConvBertModel MegatronBertModel RemBertModel SplinterModel
BertGenerationEncoder ModernBertModel T5EncoderModel RobertaPreLayerNormModel
LayoutLMModel
"""
_DECODERS = """
GPT2Model LlamaModel MistralModel Qwen2Model Qwen3Model GemmaModel Gemma2Model PhiModel
GPTNeoXModel GPTNeoModel GPTJModel OPTModel BloomModel FalconModel CohereModel
StableLmModel OlmoModel BioGptModel Starcoder2Model GraniteModel SmolLM3Model
Olmo2Model GlmModel HeliumModel NemotronModel PersimmonModel
"""
_EXPERTS = """
MixtralModel Qwen2MoeModel Qwen3MoeModel OlmoeModel PhimoeModel GraniteMoeModel
JetMoeModel
"""
_IMAGES = """
ViTModel DeiTModel BeitModel Dinov2Model ViTMAEModel CLIPVisionModel SiglipVisionModel
IJepaModel ViTMSNModel
"""
_TOGETHER = """
T5Model BartModel MBartModel PegasusModel MarianModel
"""
_VARIANTS = {
    "return_dict=False": {"return_dict": False},
    "use_cache=True": {"use_cache": True},
}
_VARIED = {
    "return_dict=False": ("BertModel", "ViTModel", "LlamaModel", "T5Model"),
    "use_cache=True": ("GPT2Model", "LlamaModel", "T5Model"),
}
_GENERATED = ("GPT2Model", "LlamaModel", "OPTModel")


class Greedy(torch.nn.Module):
    """The most likely token, again and again, until one says that it is the last."""

    def __init__(self, decoder, steps, last):
        super().__init__()
        self.decoder = decoder
        self.head = torch.nn.Linear(decoder.config.hidden_size, 9, bias=False)
        self.steps = steps
        self.last = last

    def forward(self, ids):
        for _ in range(self.steps):
            states = self.decoder(input_ids=ids).last_hidden_state
            token = self.head(states[:, -1]).argmax(-1)
            if token == self.last:
                break
            ids = torch.cat([ids, token[:, None]], dim=1)
        return ids


def programs(folder):
    """One program per architecture, some with other keywords, and loops around some."""
    del folder
    for names in (_TEXT, _IMAGES, _DECODERS, _EXPERTS, _TOGETHER):
        for name in names.split():
            yield Program("transformers", name, partial(_make, name, {}))
    for variant, keywords in _VARIANTS.items():
        for name in _VARIED[variant]:
            make = partial(_make, name, keywords)
            yield Program("transformers", f"{name} {variant}", make)
    for name in _GENERATED:
        yield Program("transformers", f"{name} greedy", partial(_make_greedy, name))


def _make(name, keywords):
    import transformers

    transformers.logging.set_verbosity_error()
    cls = getattr(transformers, name)
    known = cls.config_class().to_dict()
    config = cls.config_class(**{k: v for k, v in _SMALL.items() if k in known})
    config._attn_implementation = "eager"
    torch.manual_seed(0)
    model = cls(config).eval()
    ids = torch.randint(3, 50, (1, 7))
    if model.main_input_name == "pixel_values":
        return model, (torch.randn(1, 3, 16, 16),), keywords
    if name in _TOGETHER.split():
        keywords = {**keywords, "decoder_input_ids": torch.randint(3, 50, (1, 5))}
    return model, (ids,), keywords


def _make_greedy(name):
    decoder, inputs, _ = _make(name, {})
    return Greedy(decoder, steps=4, last=3).eval(), inputs, {}
