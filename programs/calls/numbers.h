// SPDX-License-Identifier: Apache-2.0
// Numbers of calls. Made from crates/noccl-execute/src/number.rs and function.rs; a test of that crate compares them.
#ifndef NOCCL_CALLS_NUMBERS_H
#define NOCCL_CALLS_NUMBERS_H

#define CALL_SEND 4096
#define CALL_RECEIVE 4097
#define CALL_WAIT 4098
#define CALL_PROBE 4099
#define CALL_COLLECTIVE 4100
#define CALL_SPLIT 4101
#define CALL_MEMBERS 4102
#define CALL_ALONE 4103
#define CALL_CLOCK 4104
#define CALL_FAIL 4105
#define CALL_MEMBER 4106
#define CALL_JOIN 4107
#define CALL_EXPOSE 4108
#define CALL_ACCESS 4109
#define CALL_ENDED 4110
#define CALL_CANCEL 4111

// Bits of CALL_WAIT.
#define WAIT_ONE 1
#define WAIT_LOOK 2
#define WAIT_KEEP 4

// Bit of a function of CALL_COLLECTIVE: it is non-blocking.
#define COLLECTIVE_BEGINS 16777216

// Collective functions.
#define FUNCTION_BARRIER 0
#define FUNCTION_BCAST 1
#define FUNCTION_REDUCE 2
#define FUNCTION_ALLREDUCE 3
#define FUNCTION_ALLGATHER 4
#define FUNCTION_ALLTOALL 5
#define FUNCTION_REDUCE_SCATTER_BLOCK 6
#define FUNCTION_GATHER 7
#define FUNCTION_SCATTER 8
#define FUNCTION_GATHERV 9
#define FUNCTION_SCATTERV 10
#define FUNCTION_ALLGATHERV 11
#define FUNCTION_ALLTOALLV 12
#define FUNCTION_REDUCE_SCATTER 13
#define FUNCTION_SCAN 14
#define FUNCTION_EXSCAN 15
#define FUNCTION_COMM_SPLIT 16

// Operators, in bits 8 to 15 of a function.
#define FOLD_SUM 0
#define FOLD_MIN 1
#define FOLD_MAX 2
#define FOLD_BAND 3
#define FOLD_BOR 4
#define FOLD_OTHER 5

// Types, in bits 16 to 23 of a function.
#define ELEMENT_INT8 0
#define ELEMENT_INT16 1
#define ELEMENT_INT32 2
#define ELEMENT_INT64 3
#define ELEMENT_UINT8 4
#define ELEMENT_UINT16 5
#define ELEMENT_UINT32 6
#define ELEMENT_UINT64 7
#define ELEMENT_FP32 8
#define ELEMENT_FP64 9
#define ELEMENT_OTHER 10
#define ELEMENT_BOOL 11
#define ELEMENT_COMPLEX32 12
#define ELEMENT_COMPLEX64 13
#define ELEMENT_INDEXED_FP32 14
#define ELEMENT_INDEXED_FP64 15
#define ELEMENT_INDEXED_INT16 16
#define ELEMENT_INDEXED_INT32 17
#define ELEMENT_INDEXED_INT64 18

// Accesses to windows.
#define ACCESS_PUT 0
#define ACCESS_GET 1
#define ACCESS_ACCUMULATE 2
#define ACCESS_GET_ACCUMULATE 3
#define ACCESS_SWAP 4
#define ACCESS_FLUSH 5
#define ACCESS_LOCK 6
#define ACCESS_UNLOCK 7
#define ACCESS_COMPLETE 8

#endif
