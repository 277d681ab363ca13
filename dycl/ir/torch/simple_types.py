"""The types of the torch dialect that have no parameters."""

from xdsl.irdl import irdl_attr_definition

from dycl.ir.torch.base import TorchType


@irdl_attr_definition
class IntType(TorchType):
    """A Python int (64 bits)."""

    name = "torch.int"


@irdl_attr_definition
class FloatType(TorchType):
    """A Python float."""

    name = "torch.float"


@irdl_attr_definition
class BoolType(TorchType):
    """A Python bool."""

    name = "torch.bool"


@irdl_attr_definition
class NoneType(TorchType):
    """The type of None."""

    name = "torch.none"


@irdl_attr_definition
class StrType(TorchType):
    """A Python str."""

    name = "torch.str"


@irdl_attr_definition
class NumberType(TorchType):
    """An int or a float, torch's `Scalar`."""

    name = "torch.number"


@irdl_attr_definition
class DeviceType(TorchType):
    """A `torch.device`."""

    name = "torch.Device"


@irdl_attr_definition
class GeneratorType(TorchType):
    """A `torch.Generator`."""

    name = "torch.Generator"


@irdl_attr_definition
class AnyType(TorchType):
    """Any Python value."""

    name = "torch.any"


@irdl_attr_definition
class LinearParamsType(TorchType):
    """Packed weights of a quantized linear layer."""

    name = "torch.LinearParams"


@irdl_attr_definition
class QInt8Type(TorchType):
    """A quantized 8-bit element."""

    name = "torch.qint8"


@irdl_attr_definition
class QUInt8Type(TorchType):
    """A quantized unsigned 8-bit element."""

    name = "torch.quint8"


@irdl_attr_definition
class QInt16Type(TorchType):
    """A quantized 16-bit element."""

    name = "torch.qint16"


@irdl_attr_definition
class QInt32Type(TorchType):
    """A quantized 32-bit element."""

    name = "torch.qint32"


IntT = IntType()
FloatT = FloatType()
BoolT = BoolType()
NoneT = NoneType()
StrT = StrType()
