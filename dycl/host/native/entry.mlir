// The functions of dycl.h for a host that LLVM compiles: what entry.h has, without the
// C library's headers. Names in capitals are numbers of the network's.
// Words of a handle: inputs, outputs, site, path, path_count, effect, poll, arguments,
// user, answer, arena, objects, weights, path_end, turns, next_poll.

llvm.func @calloc(i64, i64) -> !llvm.ptr
llvm.func @realloc(!llvm.ptr, i64) -> !llvm.ptr
llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @memcpy(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr

llvm.func internal @dycl_words(%count: i64) -> !llvm.ptr {
  %size = llvm.mlir.constant(8 : i64) : i64
  %made = llvm.call @calloc(%count, %size) : (i64, i64) -> !llvm.ptr
  llvm.return %made : !llvm.ptr
}

llvm.func internal @dycl_bytes(%size: i64) -> !llvm.ptr {
  %align = llvm.mlir.constant(64 : i64) : i64
  %most = llvm.mlir.constant(127 : i64) : i64
  %mask = llvm.mlir.constant(-64 : i64) : i64
  %more = llvm.add %size, %most : i64
  %whole = llvm.and %more, %mask : i64
  %made = llvm.call @aligned_alloc(%align, %whole) : (i64, i64) -> !llvm.ptr
  llvm.return %made : !llvm.ptr
}

// Weights are words: given ones, what is made of them, and the memory that was made here.

llvm.func @dycl_prepare(%given: !llvm.ptr, %made: !llvm.ptr) -> !llvm.ptr {
  %count = llvm.mlir.constant(WEIGHT_WORDS : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %all = llvm.call @dycl_words(%count) : (i64) -> !llvm.ptr
  %none = llvm.icmp "eq" %all, %null : !llvm.ptr
  llvm.cond_br %none, ^fail, ^fill
^fill:
  %size = llvm.mlir.constant(WEIGHT_BYTES : i64) : i64
  %0 = llvm.call @memcpy(%all, %given, %size) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  %nothing = llvm.icmp "eq" %made, %null : !llvm.ptr
  llvm.cond_br %nothing, ^make, ^take
^take:
  %first = llvm.mlir.constant(WEIGHTS : i64) : i64
  %to = llvm.getelementptr %all[%first] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %made_size = llvm.mlir.constant(MADE_BYTES : i64) : i64
  %1 = llvm.call @memcpy(%to, %made, %made_size) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  llvm.br ^make
^make:
  %failed = llvm.call @dycl_make_missing(%all) : (!llvm.ptr) -> i1
  llvm.cond_br %failed, ^release, ^done
^release:
  llvm.call @dycl_release(%all) : (!llvm.ptr) -> ()
  llvm.br ^fail
^done:
  llvm.return %all : !llvm.ptr
^fail:
  llvm.return %null : !llvm.ptr
}

// Memory for a buffer; null: there is none.
llvm.func internal @dycl_begin_made(%weights: !llvm.ptr, %place: i64, %size: i64) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %start = llvm.mlir.constant(OWN_START : i64) : i64
  %word = llvm.add %start, %place : i64
  %at = llvm.getelementptr %weights[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %own = llvm.load %at : !llvm.ptr -> !llvm.ptr
  %none = llvm.icmp "eq" %own, %null : !llvm.ptr
  llvm.cond_br %none, ^make, ^there
^make:
  %made = llvm.call @dycl_bytes(%size) : (i64) -> !llvm.ptr
  llvm.store %made, %at : !llvm.ptr, !llvm.ptr
  llvm.return %made : !llvm.ptr
^there:
  llvm.return %own : !llvm.ptr
}

// It is filled: it is taken, unless another one was given.
llvm.func internal @dycl_end_made(%weights: !llvm.ptr, %place: i64) {
  %null = llvm.mlir.zero : !llvm.ptr
  %start = llvm.mlir.constant(OWN_START : i64) : i64
  %first = llvm.mlir.constant(WEIGHTS : i64) : i64
  %own_word = llvm.add %start, %place : i64
  %word = llvm.add %first, %place : i64
  %own_at = llvm.getelementptr %weights[%own_word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %at = llvm.getelementptr %weights[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %own = llvm.load %own_at : !llvm.ptr -> !llvm.ptr
  %given = llvm.load %at : !llvm.ptr -> !llvm.ptr
  %none = llvm.icmp "eq" %given, %null : !llvm.ptr
  llvm.cond_br %none, ^take, ^ask
^take:
  llvm.store %own, %at : !llvm.ptr, !llvm.ptr
  llvm.return
^ask:
  %same = llvm.icmp "eq" %given, %own : !llvm.ptr
  llvm.cond_br %same, ^done, ^free
^free:
  llvm.call @free(%own) : (!llvm.ptr) -> ()
  llvm.store %null, %own_at : !llvm.ptr, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return
}

llvm.func @dycl_release(%weights: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %none = llvm.icmp "eq" %weights, %null : !llvm.ptr
  %first = llvm.mlir.constant(OWN_START : i64) : i64
  %end = llvm.mlir.constant(OWN_END : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.cond_br %none, ^done, ^each(%first : i64)
^each(%i: i64):
  %more = llvm.icmp "slt" %i, %end : i64
  llvm.cond_br %more, ^free, ^last
^free:
  %at = llvm.getelementptr %weights[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %made = llvm.load %at : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%made) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %one : i64
  llvm.br ^each(%next : i64)
^last:
  llvm.call @free(%weights) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return
}

llvm.func @dycl_create(%weights: !llvm.ptr) -> !llvm.ptr {
  %count = llvm.mlir.constant(16 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %h = llvm.call @dycl_words(%count) : (i64) -> !llvm.ptr
  %none = llvm.icmp "eq" %h, %null : !llvm.ptr
  llvm.cond_br %none, ^fail, ^fill
^fill:
  %inputs = llvm.mlir.constant(INPUT_WORDS : i64) : i64
  %in = llvm.call @dycl_words(%inputs) : (i64) -> !llvm.ptr
  llvm.store %in, %h : !llvm.ptr, !llvm.ptr
  %outputs = llvm.mlir.constant(OUTPUT_WORDS : i64) : i64
  %out = llvm.call @dycl_words(%outputs) : (i64) -> !llvm.ptr
  %out_at = llvm.getelementptr %h[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %out, %out_at : !llvm.ptr, !llvm.ptr
  %room = llvm.mlir.constant(PATH_ROOM : i64) : i64
  %path = llvm.call @dycl_words(%room) : (i64) -> !llvm.ptr
  %path_at = llvm.getelementptr %h[3] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %path, %path_at : !llvm.ptr, !llvm.ptr
  %end = llvm.getelementptr %path[%room] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %end_at = llvm.getelementptr %h[13] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %end, %end_at : !llvm.ptr, !llvm.ptr
  %arena_size = llvm.mlir.constant(ARENA : i64) : i64
  %arena = llvm.call @dycl_bytes(%arena_size) : (i64) -> !llvm.ptr
  %arena_at = llvm.getelementptr %h[10] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %arena, %arena_at : !llvm.ptr, !llvm.ptr
  %weights_at = llvm.getelementptr %h[12] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %weights, %weights_at : !llvm.ptr, !llvm.ptr
  %turn_words = llvm.mlir.constant(TURN_WORDS : i64) : i64
  %turns = llvm.call @dycl_words(%turn_words) : (i64) -> !llvm.ptr
  %turns_at = llvm.getelementptr %h[14] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %turns, %turns_at : !llvm.ptr, !llvm.ptr
  %no_in = llvm.icmp "eq" %in, %null : !llvm.ptr
  %no_out = llvm.icmp "eq" %out, %null : !llvm.ptr
  %no_path = llvm.icmp "eq" %path, %null : !llvm.ptr
  %no_arena = llvm.icmp "eq" %arena, %null : !llvm.ptr
  %no_turns = llvm.icmp "eq" %turns, %null : !llvm.ptr
  %1 = llvm.or %no_in, %no_out : i1
  %2 = llvm.or %no_path, %no_arena : i1
  %3 = llvm.or %1, %2 : i1
  %4 = llvm.or %3, %no_turns : i1
  llvm.cond_br %4, ^give_back, ^done
^give_back:
  llvm.call @dycl_destroy(%h) : (!llvm.ptr) -> ()
  llvm.br ^fail
^done:
  llvm.return %h : !llvm.ptr
^fail:
  llvm.return %null : !llvm.ptr
}

llvm.func @dycl_destroy(%h: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %none = llvm.icmp "eq" %h, %null : !llvm.ptr
  llvm.cond_br %none, ^done, ^free
^free:
  %in = llvm.load %h : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%in) : (!llvm.ptr) -> ()
  %out_at = llvm.getelementptr %h[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %out = llvm.load %out_at : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%out) : (!llvm.ptr) -> ()
  %path_at = llvm.getelementptr %h[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %path = llvm.load %path_at : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%path) : (!llvm.ptr) -> ()
  %arena_at = llvm.getelementptr %h[10] : (!llvm.ptr) -> !llvm.ptr, i64
  %arena = llvm.load %arena_at : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%arena) : (!llvm.ptr) -> ()
  %turns_at = llvm.getelementptr %h[14] : (!llvm.ptr) -> !llvm.ptr, i64
  %turns = llvm.load %turns_at : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%turns) : (!llvm.ptr) -> ()
  llvm.call @free(%h) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return
}

llvm.func @dycl_run(%h: !llvm.ptr) -> i32 {
  %how = llvm.call @dycl_forward(%h) : (!llvm.ptr) -> i32
  llvm.return %how : i32
}

llvm.func internal @dycl_end(%h: !llvm.ptr, %path: !llvm.ptr, %site: i64) {
  %start_at = llvm.getelementptr %h[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %start = llvm.load %start_at : !llvm.ptr -> i64
  %end = llvm.ptrtoint %path : !llvm.ptr to i64
  %bytes = llvm.sub %end, %start : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %count = llvm.lshr %bytes, %two : i64
  %count_at = llvm.getelementptr %h[4] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %count, %count_at : i64, !llvm.ptr
  %site_at = llvm.getelementptr %h[2] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %site, %site_at : i64, !llvm.ptr
  llvm.return
}

// Room for one more decision; null: there is no memory.
llvm.func internal @dycl_room(%h: !llvm.ptr, %path: !llvm.ptr) -> !llvm.ptr {
  %end_at = llvm.getelementptr %h[13] : (!llvm.ptr) -> !llvm.ptr, i64
  %end = llvm.load %end_at : !llvm.ptr -> !llvm.ptr
  %enough = llvm.icmp "ult" %path, %end : !llvm.ptr
  llvm.cond_br %enough, ^as_it_is, ^grow
^as_it_is:
  llvm.return %path : !llvm.ptr
^grow:
  %null = llvm.mlir.zero : !llvm.ptr
  %start_at = llvm.getelementptr %h[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %start = llvm.load %start_at : !llvm.ptr -> !llvm.ptr
  %from = llvm.ptrtoint %start : !llvm.ptr to i64
  %to = llvm.ptrtoint %path : !llvm.ptr to i64
  %used = llvm.sub %to, %from : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %more = llvm.mlir.constant(64 : i64) : i64
  %twice = llvm.mul %used, %two : i64
  %size = llvm.add %twice, %more : i64
  %grown = llvm.call @realloc(%start, %size) : (!llvm.ptr, i64) -> !llvm.ptr
  %none = llvm.icmp "eq" %grown, %null : !llvm.ptr
  llvm.cond_br %none, ^fail, ^done
^done:
  llvm.store %grown, %start_at : !llvm.ptr, !llvm.ptr
  %new_end = llvm.getelementptr %grown[%size] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.store %new_end, %end_at : !llvm.ptr, !llvm.ptr
  %here = llvm.getelementptr %grown[%used] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %here : !llvm.ptr
^fail:
  llvm.return %null : !llvm.ptr
}

// Whether the caller wants a long run to end; asked at each 4096th iteration.
llvm.func internal @dycl_poll(%h: !llvm.ptr) -> i1 {
  %no = llvm.mlir.constant(false) : i1
  %null = llvm.mlir.zero : !llvm.ptr
  %poll_at = llvm.getelementptr %h[6] : (!llvm.ptr) -> !llvm.ptr, i64
  %poll = llvm.load %poll_at : !llvm.ptr -> !llvm.ptr
  %count_at = llvm.getelementptr %h[15] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %count, %one : i64
  llvm.store %next, %count_at : i64, !llvm.ptr
  %mask = llvm.mlir.constant(4095 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %rest = llvm.and %next, %mask : i64
  %now = llvm.icmp "eq" %rest, %zero : i64
  %there = llvm.icmp "ne" %poll, %null : !llvm.ptr
  %both = llvm.and %now, %there : i1
  llvm.cond_br %both, ^ask, ^go_on
^ask:
  %answer = llvm.call %poll(%h) : !llvm.ptr, (!llvm.ptr) -> i32
  %nothing = llvm.mlir.constant(0 : i32) : i32
  %stop = llvm.icmp "ne" %answer, %nothing : i32
  llvm.return %stop : i1
^go_on:
  llvm.return %no : i1
}

// A copy of a tensor in one of two places, by turns.
llvm.func internal @dycl_keep(%h: !llvm.ptr, %number: i64, %first: !llvm.ptr, %second: !llvm.ptr, %source: !llvm.ptr, %size: i64) -> !llvm.ptr {
  %turns_at = llvm.getelementptr %h[14] : (!llvm.ptr) -> !llvm.ptr, i64
  %turns = llvm.load %turns_at : !llvm.ptr -> !llvm.ptr
  %turn_at = llvm.getelementptr %turns[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %turn = llvm.load %turn_at : !llvm.ptr -> i8
  %one = llvm.mlir.constant(1 : i8) : i8
  %other = llvm.xor %turn, %one : i8
  llvm.store %other, %turn_at : i8, !llvm.ptr
  %is_first = llvm.icmp "eq" %other, %one : i8
  %to = llvm.select %is_first, %first, %second : i1, !llvm.ptr
  %0 = llvm.call @memcpy(%to, %source, %size) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  llvm.return %to : !llvm.ptr
}
