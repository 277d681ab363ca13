"""Every pass of DyCL, one line each: name -> "module:Class". No pipeline: a table.

To add a pass `dycl-<verb>-<object>` (`python tools/new_pass.py <verb>-<object>` does
the first three steps):

1. write `dycl/passes/<verb>_<object>.py` with the class `<Verb><Object>Pass`;
2. add its line here, in alphabetical order;
3. write lit tests in `test/lit/passes/<verb>-<object>/`, one behaviour per file;
4. put it into a phase in `dycl/pipelines.py`, with the reason beside it.

`test/unit/test_tables.py` compares table, files, classes, docstrings and lit folders.
A pass is imported when it is first asked for, so `dycl-opt` starts fast.

Each pass is a file here. The folders hold what a large pass is made of, and each says
in its `__init__` what goes where:

    calls/       dycl-inline-calls, dycl-scalarize-records
    builtins/    dycl-expand-builtins
    selection/   dycl-select-elements
    aggregates/  dycl-scalarize-aggregates
    lists/       dycl-carry-lists, dycl-fold-sequences, dycl-split-sequences,
                 dycl-lower-ranges
    dicts/       dycl-pair-dicts
    joins/       dycl-specialize-joins
    objects/     dycl-promote-objects, dycl-enumerate-attributes
    nodes/       dycl-match-nodes
    state/       dycl-lift-state
    tries/       dycl-resolve-tries
    writes/      dycl-follow-writes
    expansion/   dycl-expand-modules, dycl-expand-number-tensors
    rows/        dycl-regroup-rows
    graph/       dycl-form-graph, dycl-mark-segments
    checks/      dycl-check-normal, dycl-check-typed
"""

from collections.abc import Callable
from importlib import import_module

from xdsl.passes import ModulePass

PASSES: dict[str, str] = {
    "dycl-annotate-backends": "annotate_backends:AnnotateBackendsPass",
    "dycl-assign-layouts": "assign_layouts:AssignLayoutsPass",
    "dycl-batch-launches": "batch_launches:BatchLaunchesPass",
    "dycl-carry-dicts": "carry_dicts:CarryDictsPass",
    "dycl-carry-lists": "carry_lists:CarryListsPass",
    "dycl-check-hcfg": "check_hcfg:CheckHcfgPass",
    "dycl-check-host": "check_host:CheckHostPass",
    "dycl-check-normal": "check_normal:CheckNormalPass",
    "dycl-check-shapes": "check_shapes:CheckShapesPass",
    "dycl-check-typed": "check_typed:CheckTypedPass",
    "dycl-eliminate-dead-code": "eliminate_dead_code:EliminateDeadCodePass",
    "dycl-embed-literals": "embed_literals:EmbedLiteralsPass",
    "dycl-enumerate-attributes": "enumerate_attributes:EnumerateAttributesPass",
    "dycl-expand-builtins": "expand_builtins:ExpandBuiltinsPass",
    "dycl-expand-modules": "expand_modules:ExpandModulesPass",
    "dycl-expand-number-tensors": "expand_number_tensors:ExpandNumberTensorsPass",
    "dycl-fold-batch-norm": "fold_batch_norm:FoldBatchNormPass",
    "dycl-fold-sequences": "fold_sequences:FoldSequencesPass",
    "dycl-follow-writes": "follow_writes:FollowWritesPass",
    "dycl-form-graph": "form_graph:FormGraphPass",
    "dycl-form-switches": "form_switches:FormSwitchesPass",
    "dycl-forward-lists": "forward_lists:ForwardListsPass",
    "dycl-guard-nodes": "guard_nodes:GuardNodesPass",
    "dycl-guess-lengths": "guess_lengths:GuessLengthsPass",
    "dycl-hoist-computation-free": "hoist_computation_free:HoistComputationFreePass",
    "dycl-import-calls": "import_calls:ImportCallsPass",
    "dycl-infer-shapes": "infer_shapes:InferShapesPass",
    "dycl-inline-calls": "inline_calls:InlineCallsPass",
    "dycl-keep-recursion": "keep_recursion:KeepRecursionPass",
    "dycl-lift-state": "lift_state:LiftStatePass",
    "dycl-lower-host": "lower_host:LowerHostPass",
    "dycl-lower-ranges": "lower_ranges:LowerRangesPass",
    "dycl-lower-slices": "lower_slices:LowerSlicesPass",
    "dycl-lower-switches": "lower_switches:LowerSwitchesPass",
    "dycl-make-tensor-ops": "make_tensor_ops:MakeTensorOpsPass",
    "dycl-mark-segments": "mark_segments:MarkSegmentsPass",
    "dycl-mark-weights": "mark_weights:MarkWeightsPass",
    "dycl-match-nodes": "match_nodes:MatchNodesPass",
    "dycl-merge-backend-regions": "merge_backend_regions:MergeBackendRegionsPass",
    "dycl-order-sets": "order_sets:OrderSetsPass",
    "dycl-outline-branches": "outline_branches:OutlineBranchesPass",
    "dycl-outline-products": "outline_products:OutlineProductsPass",
    "dycl-pair-dicts": "pair_dicts:PairDictsPass",
    "dycl-partition-backends": "partition_backends:PartitionBackendsPass",
    "dycl-peel-loops": "peel_loops:PeelLoopsPass",
    "dycl-place-copies": "place_copies:PlaceCopiesPass",
    "dycl-place-kernels": "place_kernels:PlaceKernelsPass",
    "dycl-plan-memory": "plan_memory:PlanMemoryPass",
    "dycl-promote-objects": "promote_objects:PromoteObjectsPass",
    "dycl-propagate-constants": "propagate_constants:PropagateConstantsPass",
    "dycl-raise-failures": "raise_failures:RaiseFailuresPass",
    "dycl-regroup-rows": "regroup_rows:RegroupRowsPass",
    "dycl-repeat": "repeat:RepeatPass",
    "dycl-resolve-tries": "resolve_tries:ResolveTriesPass",
    "dycl-return-inputs": "return_inputs:ReturnInputsPass",
    "dycl-return-lists": "return_lists:ReturnListsPass",
    "dycl-roll-loops": "roll_loops:RollLoopsPass",
    "dycl-scalarize-aggregates": "scalarize_aggregates:ScalarizeAggregatesPass",
    "dycl-scalarize-records": "scalarize_records:ScalarizeRecordsPass",
    "dycl-select-elements": "select_elements:SelectElementsPass",
    "dycl-settle-writes": "settle_writes:SettleWritesPass",
    "dycl-share-kernels": "share_kernels:ShareKernelsPass",
    "dycl-share-subexpressions": "share_subexpressions:ShareSubexpressionsPass",
    "dycl-simplify-control": "simplify_control:SimplifyControlPass",
    "dycl-specialize-joins": "specialize_joins:SpecializeJoinsPass",
    "dycl-specialize-sizes": "specialize_sizes:SpecializeSizesPass",
    "dycl-split-products": "split_products:SplitProductsPass",
    "dycl-split-sequences": "split_sequences:SplitSequencesPass",
    "dycl-split-tuples": "split_tuples:SplitTuplesPass",
    "dycl-structure-exits": "structure_exits:StructureExitsPass",
    "dycl-unroll-loops": "unroll_loops:UnrollLoopsPass",
    "dycl-widen-vectors": "widen_vectors:WidenVectorsPass",
    "dycl-word-tensors": "word_tensors:WordTensorsPass",
}


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Map each pass name to a loader; nothing is imported before a loader is called.

    A loader raises ModuleNotFoundError if the pass's file does not exist.
    """
    return {name: _loader(where) for name, where in PASSES.items()}


def _loader(where: str) -> Callable[[], type[ModulePass]]:
    module, cls = where.split(":")
    return lambda: getattr(import_module(f"dycl.passes.{module}"), cls)
