"""The kernels of operators on boxes, as MLIR: `boxes` says what they are for.

They compute in the order and the dtype of torchvision's code for CPUs, so that a ratio
on the threshold is on the same side of it.
"""

import struct

from dycl.lowerings import TensorSpec


def suppress_boxes(boxes: TensorSpec, threshold: float) -> str:
    """The kernel of `dycl::suppress_boxes`: of the boxes from i on, those stay that
    overlap i by no more than the threshold, or that nothing is larger than."""
    ratio, widen = "%ratio", ""
    if boxes.element == "f32":
        ratio, widen = "%wide", "%wide = arith.extf %ratio : f32 to f64"
    return _SUPPRESS.format(
        x=boxes, f=boxes.element, ratio=ratio, widen=widen,
        threshold=_literal(threshold, "f64"), zero=_literal(0.0, boxes.element),
        stays=TensorSpec(boxes.shape[:1], "bool", "i1"),
        sizes=_dynamic(boxes.shape[:1], "%n"),
    )  # fmt: skip


def align_boxes(
    x: TensorSpec,
    boxes: TensorSpec,
    height: int,
    width: int,
    sampling_ratio: int,
    aligned: bool,
) -> str | None:
    """The kernel of `dycl::align_boxes`; None: of an image of dynamic size."""
    images, channels, *sizes = x.shape
    if images is None or channels is None or None in sizes:
        return None
    f, grid = x.element, _GIVEN if sampling_ratio > 0 else _ADAPTIVE
    size = [_literal(float(size or 0), f) for size in sizes]
    last = [_literal(float((size or 0) - 1), f) for size in sizes]
    return _ALIGN.format(
        x=x, b=boxes, f=f, i={"f32": "i32", "f64": "i64"}[f],
        y=TensorSpec((boxes.shape[0], channels, height, width), x.dtype, f),
        sizes=_dynamic(boxes.shape[:1], "%boxes"),
        images=images - 1, channels=channels, height=height, width=width,
        grid=grid.format(f=f, ratio=sampling_ratio),
        offset=_literal(0.5 if aligned else 0.0, f),
        least=_literal(float("-inf") if aligned else 1.0, f),
        rows=size[0], columns=size[1], last_row=last[0], last_column=last[1],
        zero=_literal(0.0, f), half=_literal(0.5, f), one=_literal(1.0, f),
        minus=_literal(-1.0, f), far=_literal(2.0**24, f),
        bins_h=_literal(float(height), f), bins_w=_literal(float(width), f),
    )  # fmt: skip


def _literal(value: float, element: str) -> str:
    """A float by its bits, which no rounding of decimals changes."""
    double = element == "f64"
    data = struct.pack(">d" if double else ">f", value)
    return f"0x{data.hex().upper()} : {element}"


def _dynamic(shape: tuple[int | None, ...], size: str) -> str:
    return size if shape[0] is None else ""


_SUPPRESS = """
func.func @suppress_boxes(%x: {x}) -> {stays} {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %true = arith.constant true
  %zero = arith.constant {zero}
  %threshold = arith.constant {threshold}
  %n = tensor.dim %x, %0 : {x}
  %empty = tensor.empty({sizes}) : {stays}
  %all = linalg.fill ins(%true : i1) outs(%empty : {stays}) -> {stays}
  %found = scf.for %i = %0 to %n step %1 iter_args(%s = %all) -> {stays} {{
    %is = tensor.extract %s[%i] : {stays}
    %next = arith.addi %i, %1 : index
    %from = arith.select %is, %next, %n : index
    %l = tensor.extract %x[%i, %0] : {x}
    %t = tensor.extract %x[%i, %1] : {x}
    %r = tensor.extract %x[%i, %2] : {x}
    %b = tensor.extract %x[%i, %3] : {x}
    %w = arith.subf %r, %l : {f}
    %h = arith.subf %b, %t : {f}
    %area = arith.mulf %w, %h : {f}
    %rest = scf.for %j = %from to %n step %1 iter_args(%u = %s) -> {stays} {{
      %l1 = tensor.extract %x[%j, %0] : {x}
      %t1 = tensor.extract %x[%j, %1] : {x}
      %r1 = tensor.extract %x[%j, %2] : {x}
      %b1 = tensor.extract %x[%j, %3] : {x}
      %w1 = arith.subf %r1, %l1 : {f}
      %h1 = arith.subf %b1, %t1 : {f}
      %area1 = arith.mulf %w1, %h1 : {f}
      %cl = arith.cmpf olt, %l, %l1 : {f}
      %ct = arith.cmpf olt, %t, %t1 : {f}
      %cr = arith.cmpf olt, %r1, %r : {f}
      %cb = arith.cmpf olt, %b1, %b : {f}
      %ml = arith.select %cl, %l1, %l : {f}
      %mt = arith.select %ct, %t1, %t : {f}
      %mr = arith.select %cr, %r1, %r : {f}
      %mb = arith.select %cb, %b1, %b : {f}
      %dw = arith.subf %mr, %ml : {f}
      %dh = arith.subf %mb, %mt : {f}
      %cw = arith.cmpf olt, %zero, %dw : {f}
      %ch = arith.cmpf olt, %zero, %dh : {f}
      %sw = arith.select %cw, %dw, %zero : {f}
      %sh = arith.select %ch, %dh, %zero : {f}
      %shared = arith.mulf %sw, %sh : {f}
      %both = arith.addf %area, %area1 : {f}
      %union = arith.subf %both, %shared : {f}
      %ratio = arith.divf %shared, %union : {f}
      {widen}
      %over = arith.cmpf ogt, {ratio}, %threshold : f64
      %kept = arith.xori %over, %true : i1
      %was = tensor.extract %u[%j] : {stays}
      %now = arith.andi %was, %kept : i1
      %v = tensor.insert %now into %u[%j] : {stays}
      scf.yield %v : {stays}
    }}
    scf.yield %rest : {stays}
  }}
  return %found : {stays}
}}"""

_GIVEN = """
    %grid_h = arith.constant {ratio} : index
    %grid_w = arith.constant {ratio} : index
"""
_ADAPTIVE = """
    %up_h = math.ceil %step_h : {f}
    %up_w = math.ceil %step_w : {f}
    %above_h = arith.cmpf ogt, %up_h, %zero : {f}
    %above_w = arith.cmpf ogt, %up_w, %zero : {f}
    %some_h = arith.select %above_h, %up_h, %zero : {f}
    %some_w = arith.select %above_w, %up_w, %zero : {f}
    %less_h = arith.minimumf %some_h, %far : {f}
    %less_w = arith.minimumf %some_w, %far : {f}
    %int_h = arith.fptosi %less_h : {f} to i64
    %int_w = arith.fptosi %less_w : {f} to i64
    %grid_h = arith.index_cast %int_h : i64 to index
    %grid_w = arith.index_cast %int_w : i64 to index
"""

_ALIGN = """
func.func @align_boxes(%x: {x}, %rois: {b}) -> {y} {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %last_image = arith.constant {images} : index
  %channels = arith.constant {channels} : index
  %height = arith.constant {height} : index
  %width = arith.constant {width} : index
  %zero = arith.constant {zero}
  %half = arith.constant {half}
  %one = arith.constant {one}
  %minus = arith.constant {minus}
  %far = arith.constant {far}
  %offset = arith.constant {offset}
  %least = arith.constant {least}
  %bins_h = arith.constant {bins_h}
  %bins_w = arith.constant {bins_w}
  %rows = arith.constant {rows}
  %columns = arith.constant {columns}
  %last_row = arith.constant {last_row}
  %last_column = arith.constant {last_column}
  %boxes = tensor.dim %rois, %0 : {b}
  %empty = tensor.empty({sizes}) : {y}
  %zeros = linalg.fill ins(%zero : {f}) outs(%empty : {y}) -> {y}
  %all = scf.for %n = %0 to %boxes step %1 iter_args(%y0 = %zeros) -> {y} {{
    %r0 = tensor.extract %rois[%n, %0] : {b}
    %r1 = tensor.extract %rois[%n, %1] : {b}
    %r2 = tensor.extract %rois[%n, %2] : {b}
    %r3 = tensor.extract %rois[%n, %3] : {b}
    %r4 = tensor.extract %rois[%n, %4] : {b}
    %number = arith.fptosi %r0 : {f} to i64
    %any_image = arith.index_cast %number : i64 to index
    %low_image = arith.maxsi %any_image, %0 : index
    %image = arith.minsi %low_image, %last_image : index
    %start_w = arith.subf %r1, %offset : {f}
    %start_h = arith.subf %r2, %offset : {f}
    %end_w = arith.subf %r3, %offset : {f}
    %end_h = arith.subf %r4, %offset : {f}
    %given_w = arith.subf %end_w, %start_w : {f}
    %given_h = arith.subf %end_h, %start_h : {f}
    %thin = arith.cmpf olt, %given_w, %least : {f}
    %flat = arith.cmpf olt, %given_h, %least : {f}
    %length_w = arith.select %thin, %least, %given_w : {f}
    %length_h = arith.select %flat, %least, %given_h : {f}
    %step_h = arith.divf %length_h, %bins_h : {f}
    %step_w = arith.divf %length_w, %bins_w : {f}
    {grid}
    %fine_h = arith.index_cast %grid_h : index to {i}
    %fine_w = arith.index_cast %grid_w : index to {i}
    %parts_h = arith.sitofp %fine_h : {i} to {f}
    %parts_w = arith.sitofp %fine_w : {i} to {f}
    %samples = arith.muli %grid_h, %grid_w : index
    %some = arith.maxsi %samples, %1 : index
    %counted = arith.index_cast %some : index to i64
    %count = arith.sitofp %counted : i64 to {f}
    %of_box = scf.for %ph = %0 to %height step %1 iter_args(%y1 = %y0) -> {y} {{
      %ph_i = arith.index_cast %ph : index to {i}
      %ph_f = arith.sitofp %ph_i : {i} to {f}
      %down = arith.mulf %ph_f, %step_h : {f}
      %top = arith.addf %start_h, %down : {f}
      %of_row = scf.for %pw = %0 to %width step %1 iter_args(%y2 = %y1) -> {y} {{
        %pw_i = arith.index_cast %pw : index to {i}
        %pw_f = arith.sitofp %pw_i : {i} to {f}
        %across = arith.mulf %pw_f, %step_w : {f}
        %left = arith.addf %start_w, %across : {f}
        %of_bin = scf.for %iy = %0 to %grid_h step %1 iter_args(%y3 = %y2) -> {y} {{
          %iy_i = arith.index_cast %iy : index to {i}
          %iy_f = arith.sitofp %iy_i : {i} to {f}
          %iy_h = arith.addf %iy_f, %half : {f}
          %iy_s = arith.mulf %iy_h, %step_h : {f}
          %iy_p = arith.divf %iy_s, %parts_h : {f}
          %py = arith.addf %top, %iy_p : {f}
          %of_line = scf.for %ix = %0 to %grid_w step %1
              iter_args(%y4 = %y3) -> {y} {{
            %ix_i = arith.index_cast %ix : index to {i}
            %ix_f = arith.sitofp %ix_i : {i} to {f}
            %ix_h = arith.addf %ix_f, %half : {f}
            %ix_s = arith.mulf %ix_h, %step_w : {f}
            %ix_p = arith.divf %ix_s, %parts_w : {f}
            %px = arith.addf %left, %ix_p : {f}
            %y_from = arith.cmpf oge, %py, %minus : {f}
            %y_to = arith.cmpf ole, %py, %rows : {f}
            %x_from = arith.cmpf oge, %px, %minus : {f}
            %x_to = arith.cmpf ole, %px, %columns : {f}
            %in_y = arith.andi %y_from, %y_to : i1
            %in_x = arith.andi %x_from, %x_to : i1
            %in = arith.andi %in_y, %in_x : i1
            %y_above = arith.cmpf ogt, %py, %zero : {f}
            %x_above = arith.cmpf ogt, %px, %zero : {f}
            %y_moves = arith.andi %in, %y_above : i1
            %x_moves = arith.andi %in, %x_above : i1
            %y_at = arith.select %y_moves, %py, %zero : {f}
            %x_at = arith.select %x_moves, %px, %zero : {f}
            %y_floor = math.floor %y_at : {f}
            %x_floor = math.floor %x_at : {f}
            %y_ends = arith.cmpf oge, %y_floor, %last_row : {f}
            %x_ends = arith.cmpf oge, %x_floor, %last_column : {f}
            %y_low = arith.select %y_ends, %last_row, %y_floor : {f}
            %x_low = arith.select %x_ends, %last_column, %x_floor : {f}
            %y_here = arith.select %y_ends, %last_row, %y_at : {f}
            %x_here = arith.select %x_ends, %last_column, %x_at : {f}
            %y_step = arith.addf %y_low, %one : {f}
            %x_step = arith.addf %x_low, %one : {f}
            %y_next = arith.select %y_ends, %last_row, %y_step : {f}
            %x_next = arith.select %x_ends, %last_column, %x_step : {f}
            %y_high = arith.select %in, %y_next, %zero : {f}
            %x_high = arith.select %in, %x_next, %zero : {f}
            %ly = arith.subf %y_here, %y_low : {f}
            %lx = arith.subf %x_here, %x_low : {f}
            %hy = arith.subf %one, %ly : {f}
            %hx = arith.subf %one, %lx : {f}
            %w1 = arith.mulf %hy, %hx : {f}
            %w2 = arith.mulf %hy, %lx : {f}
            %w3 = arith.mulf %ly, %hx : {f}
            %w4 = arith.mulf %ly, %lx : {f}
            %v1 = arith.select %in, %w1, %zero : {f}
            %v2 = arith.select %in, %w2, %zero : {f}
            %v3 = arith.select %in, %w3, %zero : {f}
            %v4 = arith.select %in, %w4, %zero : {f}
            %y_low_i = arith.fptosi %y_low : {f} to i64
            %x_low_i = arith.fptosi %x_low : {f} to i64
            %y_high_i = arith.fptosi %y_high : {f} to i64
            %x_high_i = arith.fptosi %x_high : {f} to i64
            %ya = arith.index_cast %y_low_i : i64 to index
            %xa = arith.index_cast %x_low_i : i64 to index
            %yb = arith.index_cast %y_high_i : i64 to index
            %xb = arith.index_cast %x_high_i : i64 to index
            %of_sample = scf.for %c = %0 to %channels step %1
                iter_args(%y5 = %y4) -> {y} {{
              %a1 = tensor.extract %x[%image, %c, %ya, %xa] : {x}
              %a2 = tensor.extract %x[%image, %c, %ya, %xb] : {x}
              %a3 = tensor.extract %x[%image, %c, %yb, %xa] : {x}
              %a4 = tensor.extract %x[%image, %c, %yb, %xb] : {x}
              %m1 = arith.mulf %v1, %a1 : {f}
              %m2 = arith.mulf %v2, %a2 : {f}
              %m3 = arith.mulf %v3, %a3 : {f}
              %m4 = arith.mulf %v4, %a4 : {f}
              %p1 = arith.addf %m1, %m2 : {f}
              %p2 = arith.addf %p1, %m3 : {f}
              %p3 = arith.addf %p2, %m4 : {f}
              %old = tensor.extract %y5[%n, %c, %ph, %pw] : {y}
              %sum = arith.addf %old, %p3 : {f}
              %y6 = tensor.insert %sum into %y5[%n, %c, %ph, %pw] : {y}
              scf.yield %y6 : {y}
            }}
            scf.yield %of_sample : {y}
          }}
          scf.yield %of_line : {y}
        }}
        %mean = scf.for %c = %0 to %channels step %1 iter_args(%y7 = %of_bin) -> {y} {{
          %total = tensor.extract %y7[%n, %c, %ph, %pw] : {y}
          %average = arith.divf %total, %count : {f}
          %y8 = tensor.insert %average into %y7[%n, %c, %ph, %pw] : {y}
          scf.yield %y8 : {y}
        }}
        scf.yield %mean : {y}
      }}
      scf.yield %of_row : {y}
    }}
    scf.yield %of_box : {y}
  }}
  return %all : {y}
}}"""
