"""Weights moved into the branches of an ONNX model that read them.

The exporter of torch leaves the weights of `torch.cond` branches in the outermost
graph, where ONNX Runtime's folding of batch norms and its choice of layouts, which look
at one graph at a time, do not see that they are constant.
"""

import onnx
from onnx import AttributeProto, GraphProto, ModelProto


def with_weights_inside(model: ModelProto) -> ModelProto:
    """The model, changed: each weight stands in every graph with a node that reads it.

    One that the outer graph reads as well stays there, too; what is read nowhere goes.
    """
    weights = {each.name: each for each in model.graph.initializer}
    made = {name for node in _nodes(model.graph) for name in node.output}
    _move(model.graph, {n: w for n, w in weights.items() if n not in made})
    return model


def _move(graph: GraphProto, weights) -> None:
    """Let the graph have of `weights` what its own nodes read, and so on inwards."""
    read = {name for node in graph.node for name in node.input}
    read |= {out.name for out in graph.output}
    own = {each.name for each in graph.initializer} & weights.keys()
    for each in [each for each in graph.initializer if each.name in own - read]:
        graph.initializer.remove(each)
    graph.initializer.extend(
        weights[name] for name in sorted((read & weights.keys()) - own)
    )
    for node in graph.node:
        for inner in _graphs(node):
            _move(inner, weights)


def _graphs(node):
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def _nodes(graph):
    for node in graph.node:
        yield node
        for inner in _graphs(node):
            yield from _nodes(inner)


def rewrite(source, target) -> None:
    """Read one file, write the other, with all weights in it.

    ValueError: the model would be larger than a file of ONNX may be.
    """
    model = onnx.load(source)
    onnx.save(with_weights_inside(model), target)
