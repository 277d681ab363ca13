"""transformers: architectures with small configs, made here, on small inputs.

Configs are made small (`tools.corpus.libraries.transformers_configs`). Weights are
random, attention is the plain one. Decoders keep no cache, but for the variants that
say so.
"""

from functools import partial
from importlib.util import find_spec

import torch

from tools.corpus.libraries.native_ops import import_torchvision
from tools.corpus.libraries.transformers_configs import ADAPTED, SMALL
from tools.corpus.programs import Program

_TEXT = """
BertModel DistilBertModel RobertaModel AlbertModel ElectraModel MobileBertModel
CamembertModel XLMRobertaModel DebertaV2Model MPNetModel RoFormerModel ErnieModel
NystromformerModel FNetModel ConvBertModel MegatronBertModel RemBertModel SplinterModel
BertGenerationEncoder ModernBertModel T5EncoderModel RobertaPreLayerNormModel
LayoutLMModel FunnelModel LongformerModel BigBirdModel CanineModel XLMModel XLNetModel
Data2VecTextModel YosoModel SqueezeBertModel IBertModel EsmModel CLIPTextModel
SiglipTextModel
"""
_DECODERS = """
GPT2Model LlamaModel MistralModel Qwen2Model Qwen3Model GemmaModel Gemma2Model PhiModel
GPTNeoXModel GPTNeoModel GPTJModel OPTModel BloomModel FalconModel CohereModel
StableLmModel OlmoModel BioGptModel Starcoder2Model GraniteModel SmolLM3Model
Olmo2Model GlmModel HeliumModel NemotronModel PersimmonModel CodeGenModel MptModel
XGLMModel CTRLModel MambaModel RwkvModel Glm4Model Exaone4Model Ernie4_5Model
ArceeModel DiffLlamaModel Gemma3TextModel Cohere2Model SeedOssModel GPTBigCodeModel
OpenAIGPTModel BitNetModel ApertusModel Lfm2Model
"""
_EXPERTS = """
MixtralModel Qwen2MoeModel Qwen3MoeModel OlmoeModel PhimoeModel GraniteMoeModel
JetMoeModel DeepseekV2Model DeepseekV3Model GptOssModel Glm4MoeModel Ernie4_5_MoeModel
FlexOlmoModel MiniMaxModel
"""
_IMAGES = """
ViTModel DeiTModel BeitModel Dinov2Model ViTMAEModel CLIPVisionModel SiglipVisionModel
IJepaModel ViTMSNModel Dinov2WithRegistersModel DINOv3ViTModel DPTModel SwinModel
Swinv2Model ConvNextModel ResNetModel RegNetModel MobileNetV1Model MobileNetV2Model
MobileViTModel SegformerModel PvtModel PoolFormerModel VideoMAEModel
"""
_AUDIO = """
Wav2Vec2Model HubertModel WavLMModel UniSpeechModel SEWModel Data2VecAudioModel ASTModel
WhisperModel Speech2TextModel
"""
_TOGETHER = """
T5Model BartModel MBartModel PegasusModel MarianModel MT5Model UMT5Model
SwitchTransformersModel LongT5Model BlenderbotModel M2M100Model PLBartModel MvpModel
ProphetNetModel LEDModel CLIPModel SiglipModel
"""
_VARIANTS = {
    "return_dict=False": {"return_dict": False},
    "use_cache=True": {"use_cache": True},
}
_VARIED = {
    "return_dict=False": ("BertModel", "ViTModel", "LlamaModel", "T5Model"),
    "use_cache=True": ("GPT2Model", "LlamaModel", "T5Model", "BartModel"),
}
_BOTH = ("CLIPModel", "SiglipModel")
"""They see an image and read a text."""
_HEARD = {
    "ASTModel": (32, 16),
    "WhisperModel": (8, 16),
    "Speech2TextModel": (16, 8),
}
"""They are given spectra of these shapes; others that hear, waves."""
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
    if find_spec("torchvision"):
        import_torchvision()  # transformers imports it where it is installed
    for names in (_TEXT, _IMAGES, _AUDIO, _DECODERS, _EXPERTS, _TOGETHER):
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
    small = {key: value for key, value in SMALL.items() if key in known}
    config = cls.config_class(**{**small, **ADAPTED.get(name, {})})
    config._attn_implementation = "eager"
    torch.manual_seed(0)
    model = cls(config).eval()
    first, others = _inputs(name, model, config)
    return model, (first,), {**others, **keywords}


def _inputs(name, model, config):
    """The first argument, and others by keyword."""
    ids = torch.randint(3, 50, (1, 7))
    others = {}
    if name in _TOGETHER.split():
        others = {"decoder_input_ids": torch.randint(3, 50, (1, 5))}
    if name in _BOTH:
        return ids, {"pixel_values": torch.randn(1, 3, 16, 16)}
    if name in _HEARD:
        others = {"decoder_input_ids": ids} if model.config.is_encoder_decoder else {}
        return torch.randn(1, *_HEARD[name]), others
    if model.main_input_name == "input_values":
        return torch.randn(1, 200), {}
    if model.main_input_name == "pixel_values":
        side = getattr(config, "image_size", 32)
        frames = (2,) if name == "VideoMAEModel" else ()
        return torch.randn(1, *frames, 3, side, side), {}
    return ids, others


def _make_greedy(name):
    decoder, inputs, _ = _make(name, {})
    return Greedy(decoder, steps=4, last=3).eval(), inputs, {}
