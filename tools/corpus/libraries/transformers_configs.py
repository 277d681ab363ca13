"""transformers: what makes a config small, and what some architectures need besides.

What a config has of the names in `SMALL` is set, whichever class it is of.
"""

SMALL = {
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

_PARTS = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2}
_TEXT_PART = {**_PARTS, "num_attention_heads": 2, "vocab_size": 50, "eos_token_id": 49}
_IMAGE_PART = {**_PARTS, "num_attention_heads": 2, "image_size": 16, "patch_size": 8}
_WAVES = {
    "conv_dim": (16, 16),
    "conv_kernel": (10, 3),
    "conv_stride": (5, 2),
    "num_conv_pos_embeddings": 4,
    "num_conv_pos_embedding_groups": 2,
}
_LATENT = {
    "q_lora_rank": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "n_routed_experts": 4,
    "n_group": 1,
    "topk_group": 1,
}
_STAGES = {"depths": [1, 1], "hidden_sizes": [8, 16], "num_stages": 2}
_WINDOWS = {
    "image_size": 32,
    "patch_size": 4,
    "embed_dim": 8,
    "depths": [2, 2],
    "num_heads": [1, 2],
    "window_size": 4,
}

ADAPTED = {
    "Wav2Vec2Model": _WAVES,
    "HubertModel": _WAVES,
    "WavLMModel": _WAVES,
    "UniSpeechModel": _WAVES,
    "SEWModel": {**_WAVES, "squeeze_factor": 2},
    "Data2VecAudioModel": {**_WAVES, "conv_pos_kernel_size": 3},
    "ASTModel": {"max_length": 32, "num_mel_bins": 16},
    "WhisperModel": {"max_source_positions": 8, "num_mel_bins": 8},
    "Speech2TextModel": {"input_feat_per_channel": 8, "conv_channels": 16},
    "XLMModel": {"n_words": 50, "emb_dim": 16},
    "CodeGenModel": {"n_head": 4, "n_embd": 32},
    "DiffLlamaModel": {"num_key_value_heads": 2},
    "DeepseekV2Model": {**_LATENT, "num_key_value_heads": 2, "topk_method": "greedy"},
    "DeepseekV3Model": {
        **_LATENT,
        "num_key_value_heads": 2,
        "first_k_dense_replace": 1,
    },
    "SwinModel": _WINDOWS,
    "Swinv2Model": _WINDOWS,
    "ConvNextModel": _STAGES,
    "ResNetModel": {**_STAGES, "embedding_size": 8},
    "RegNetModel": {**_STAGES, "embedding_size": 8, "groups_width": 8},
    "SegformerModel": {"image_size": 32, "num_attention_heads": [1, 1, 2, 2]},
    "PvtModel": {"image_size": 32, "num_attention_heads": [1, 1, 2, 2]},
    "MobileViTModel": {"image_size": 32},
    "PoolFormerModel": {"depths": [1, 1, 1, 1], "hidden_sizes": [8, 8, 16, 16]},
    "VideoMAEModel": {"num_frames": 2},
    "CLIPModel": {"text_config": _TEXT_PART, "vision_config": _IMAGE_PART},
    "SiglipModel": {"text_config": _TEXT_PART, "vision_config": _IMAGE_PART},
}
"""By the name of the model: what is set besides."""
