"""RANet as published: `forward` gives the logits of all classifiers.

Lists of lists of feature maps go from scale to scale. Yang et al., CVPR 2020. No
decision depends on the input: the published code leaves early outside of the network.
"""

# ruff: noqa: SIM113 - the counters are kept by hand, as in the published code.

from torch import nn

from examples import ranet


class RANet(nn.Module):
    """The published loop. Returns eight logits."""

    def __init__(self, network):
        super().__init__()
        self.nBlocks = network.n_blocks
        self.nScales = len(network.scale_flows)
        self.FirstLayer = network.first_layer
        self.scale_flows = network.scale_flows
        self.classifier = network.classifier

    def forward(self, x):
        inp = self.FirstLayer(x)
        res, low_ftrs = [], []
        classifier_idx = 0
        for ii in range(self.nScales):
            _x = inp[ii]
            _low_ftrs = []
            n_block_curr = 0
            for i in range(self.nBlocks[ii + 1]):
                if self.scale_flows[ii][i].block_type() == "norm":
                    _x, _low_ftr = self.scale_flows[ii][i](_x)
                    _low_ftrs.append(_low_ftr)
                else:
                    _x, _low_ftr = self.scale_flows[ii][i](_x, low_ftrs[i])
                    _low_ftrs.append(_low_ftr)
                n_block_curr += 1
                if n_block_curr > self.nBlocks[ii]:
                    res.append(self.classifier[classifier_idx](_x))
                    classifier_idx += 1
            low_ftrs = _low_ftrs
        return res


def cases():
    """Return [(model, list of inputs)] with the layers and inputs of the example."""
    return [(RANet(model).eval(), inputs) for model, inputs in ranet.cases()]
