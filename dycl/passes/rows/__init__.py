"""Parts of `dycl-regroup-rows`: a program of one row becomes one of many.

batches            the types of values of many rows
varying            which values differ from row to row
shares             which way rows go at each decision
convolutions       what a convolution takes for a row alone, and in a group
gains              whether many rows gain by being computed together
row_numbers        how many of them have to come for that
emission           new ops at the end of a block
row_sets           which rows a block works on
program            where ops are put, and what is carried from place to place
operands           the operands of an operation of torch, as its batch takes them
elementwise        operations that have a result for each element
tensor_rules       what operations of torch are for a batch
dimension_rules    those along dimensions that they name
number_rules       those of a tensor and a number that differs from row to row
product_rules      sums of products, and copies and parts of matrices
index_rules        those at places that tensors say
scalar_rules       numbers of the host that differ from row to row
bounds             how large an int can be
int_rules          arithmetic on ints
float_rules        arithmetic on floats
function_rules     Python's functions on numbers
meeting            where rows that went different ways meet again
results            what rows return, and which decisions they took
blocks             the ops of a block
control            decisions and scopes
loops              loops
"""
