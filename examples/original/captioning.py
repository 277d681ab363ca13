"""Show, attend and tell as published: a caption by beam search.

`caption_image_beam_search` of the show-attend-and-tell tutorial whose network the DyCL
paper takes. Sentences that end leave the beam, so the first size of every tensor in the
loop shrinks as the data says. Reading and scaling the image file is not part of it.
Result: the words of the best caption, a list, and where it looked at each of them.
Xu et al., ICML 2015.
"""

import torch
from torch import nn
from torch.nn import functional as F

from examples import captioning


def caption_image_beam_search(encoder, decoder, image, word_map, beam_size=3):
    """Caption an image: encoder, decoder and word map as published, 3xSxS."""
    k = beam_size
    vocab_size = len(word_map)

    # Encode
    image = image.unsqueeze(0)  # (1, 3, 256, 256)
    encoder_out = encoder(image)  # (1, enc_image_size, enc_image_size, encoder_dim)
    enc_image_size = encoder_out.size(1)
    encoder_dim = encoder_out.size(3)

    # Flatten encoding
    encoder_out = encoder_out.view(1, -1, encoder_dim)  # (1, num_pixels, encoder_dim)
    num_pixels = encoder_out.size(1)

    # We'll treat the problem as having a batch size of k
    # (k, num_pixels, encoder_dim)
    encoder_out = encoder_out.expand(k, num_pixels, encoder_dim)

    # Tensor to store top k previous words at each step; now they're just <start>
    k_prev_words = torch.LongTensor([[word_map["<start>"]]] * k).to(image.device)

    # Tensor to store top k sequences; now they're just <start>
    seqs = k_prev_words  # (k, 1)

    # Tensor to store top k sequences' scores; now they're just 0
    top_k_scores = torch.zeros(k, 1).to(image.device)  # (k, 1)

    # Tensor to store top k sequences' alphas; now they're just 1s
    seqs_alpha = torch.ones(k, 1, enc_image_size, enc_image_size).to(image.device)

    # Lists to store completed sequences, their alphas and scores
    complete_seqs = list()
    complete_seqs_alpha = list()
    complete_seqs_scores = list()

    # Start decoding
    step = 1
    h, c = decoder.init_hidden_state(encoder_out)

    # s is a number less than or equal to k, because sequences are removed from this
    # process once they hit <end>
    while True:
        embeddings = decoder.embedding(k_prev_words).squeeze(1)  # (s, embed_dim)

        awe, alpha = decoder.attention(encoder_out, h)  # (s, encoder_dim), (s, pixels)

        alpha = alpha.view(-1, enc_image_size, enc_image_size)

        gate = decoder.sigmoid(decoder.f_beta(h))  # gating scalar, (s, encoder_dim)
        awe = gate * awe

        h, c = decoder.decode_step(torch.cat([embeddings, awe], dim=1), (h, c))

        scores = decoder.fc(h)  # (s, vocab_size)
        scores = F.log_softmax(scores, dim=1)

        # Add
        scores = top_k_scores.expand_as(scores) + scores  # (s, vocab_size)

        # For the first step, all k points will have the same scores (since same k
        # previous words, h, c)
        if step == 1:
            top_k_scores, top_k_words = scores[0].topk(k, 0, True, True)  # (s)
        else:
            # Unroll and find top scores, and their unrolled indices
            top_k_scores, top_k_words = scores.view(-1).topk(k, 0, True, True)  # (s)

        # Convert unrolled indices to actual indices of scores
        prev_word_inds = top_k_words // vocab_size  # (s); `/` in the torch of 2018
        next_word_inds = top_k_words % vocab_size  # (s)

        # Add new words to sequences, alphas
        seqs = torch.cat([seqs[prev_word_inds], next_word_inds.unsqueeze(1)], dim=1)
        seqs_alpha = torch.cat(
            [seqs_alpha[prev_word_inds], alpha[prev_word_inds].unsqueeze(1)], dim=1
        )

        # Which sequences are incomplete (didn't reach <end>)?
        incomplete_inds = [
            ind
            for ind, next_word in enumerate(next_word_inds)
            if next_word != word_map["<end>"]
        ]
        complete_inds = list(set(range(len(next_word_inds))) - set(incomplete_inds))

        # Set aside complete sequences
        if len(complete_inds) > 0:
            complete_seqs.extend(seqs[complete_inds].tolist())
            complete_seqs_alpha.extend(seqs_alpha[complete_inds].tolist())
            complete_seqs_scores.extend(top_k_scores[complete_inds])
        k -= len(complete_inds)  # reduce beam length accordingly

        # Proceed with incomplete sequences
        if k == 0:
            break
        seqs = seqs[incomplete_inds]
        seqs_alpha = seqs_alpha[incomplete_inds]
        h = h[prev_word_inds[incomplete_inds]]
        c = c[prev_word_inds[incomplete_inds]]
        encoder_out = encoder_out[prev_word_inds[incomplete_inds]]
        top_k_scores = top_k_scores[incomplete_inds].unsqueeze(1)
        k_prev_words = next_word_inds[incomplete_inds].unsqueeze(1)

        # Break if things have been going on too long
        if step > 50:
            break
        step += 1

    i = complete_seqs_scores.index(max(complete_seqs_scores))
    seq = complete_seqs[i]
    alphas = complete_seqs_alpha[i]

    return seq, alphas


class BeamSearch(nn.Module):
    """The published function over the parts of a network."""

    def __init__(self, network, beam_size=3):
        super().__init__()
        self.encoder, self.decoder = network.encoder, network.decoder
        self.word_map = network.word_map
        self.beam_size = beam_size

    def forward(self, image):
        return caption_image_beam_search(
            self.encoder, self.decoder, image, self.word_map, self.beam_size
        )


@torch.no_grad()
def say_words(network, inputs, end=1.0):
    """Make a network listen to the last word, and as sure of some words as a trained
    one: with seeded random weights, all words are alike.

    `end` is the bias of the word that ends a sentence. Batch norms take the statistics
    of the images, so that these differ to the decoder.
    """
    norms = [m for m in network.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # a plain average over all batches, here of one
        norm.train()
    network.encoder(torch.cat(inputs))
    for norm in norms:
        norm.eval()
    network.decoder.embedding.weight.mul_(10)
    network.decoder.fc.weight.mul_(12)
    network.decoder.fc.bias[-1] = end


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways.

    Of the captions of a small twin some end, soon or late, some are cut off, and some
    never end, for which the published code raises ValueError.
    """
    twin = captioning.build_twin(seed=1)
    images = [captioning.example_inputs(128, seed)[0] for seed in range(8)]
    say_words(twin, images)
    return [(BeamSearch(twin).eval(), [(image[0],) for image in images])]
