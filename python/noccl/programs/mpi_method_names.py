# SPDX-License-Identifier: Apache-2.0
"""Methods and attributes of mpi4py's classes: class, group, key of the refusal if any, names.

Inherited names stand with the class that has them. Part of the table of `mpi_names`.
"""

from __future__ import annotations

_HANDLE = "f2py free fromhandle fromint handle py2f toint"
_OTHER = "other languages"

METHODS: tuple[tuple[str, str, str, str], ...] = (
    ("Comm", "messages of objects", "",
     "send recv sendrecv isend irecv ssend issend bsend ibsend"),
    ("Comm", "messages of buffers", "",
     "Send Recv Sendrecv Sendrecv_replace Isend Irecv Isendrecv Isendrecv_replace Ssend Issend "
     "Rsend Irsend Bsend Ibsend Attach_buffer Detach_buffer Flush_buffer Iflush_buffer"),
    ("Comm", "persistent messages", "",
     "Send_init Recv_init Ssend_init Bsend_init Rsend_init"),
    ("Comm", "partitioned messages", "", "Psend_init Precv_init"),
    ("Comm", "probes", "", "probe iprobe mprobe improbe Probe Iprobe Mprobe Improbe"),
    ("Comm", "collectives of objects", "",
     "bcast scatter gather allgather alltoall reduce allreduce barrier"),
    ("Comm", "collectives of buffers", "",
     "Bcast Scatter Gather Allgather Alltoall Reduce Allreduce Reduce_scatter_block Barrier"),
    ("Comm", "collectives with lengths per rank", "",
     "Scatterv Gatherv Allgatherv Alltoallv Alltoallw Reduce_scatter"),
    ("Comm", "non-blocking collectives", "",
     "Ibarrier Ibcast Iscatter Igather Iallgather Ialltoall Ireduce Iallreduce "
     "Ireduce_scatter_block Iscatterv Igatherv Iallgatherv Ialltoallv Ialltoallw Ireduce_scatter"),
    ("Comm", "persistent collectives", "",
     "Barrier_init Bcast_init Scatter_init Gather_init Allgather_init Alltoall_init Reduce_init "
     "Allreduce_init Reduce_scatter_block_init Scatterv_init Gatherv_init Allgatherv_init "
     "Alltoallv_init Alltoallw_init Reduce_scatter_init"),
    ("Comm", "communicators", "",
     "Clone Compare Create Disconnect Dup Dup_with_info Free Get_group Get_name Get_rank Get_size "
     "Get_topology Idup Idup_with_info Is_inter Is_intra Set_name Split Split_type Get_parent "
     "group is_inter is_intra is_topo name rank size topology Abort"),
    ("Comm", "attributes", "",
     "Create_keyval Delete_attr Free_keyval Get_attr Set_attr"),
    ("Comm", "errors and info", "",
     "Call_errhandler Create_errhandler Get_errhandler Set_errhandler Get_info Set_info info"),
    ("Comm", "faults of processes", "",
     "Ack_failed Agree Get_failed Iagree Is_revoked Ishrink Shrink"),
    ("Comm", "faults of processes", "faults", "Revoke"),
    ("Comm", "intercommunicators", "processes", "Join"),
    ("Comm", _OTHER, "", _HANDLE),
    ("Intracomm", "collectives of objects", "", "scan exscan"),
    ("Intracomm", "collectives of buffers", "", "Scan Exscan"),
    ("Intracomm", "non-blocking collectives", "", "Iscan Iexscan"),
    ("Intracomm", "persistent collectives", "", "Scan_init Exscan_init"),
    ("Intracomm", "communicators", "", "Create_group Create_from_group"),
    ("Intracomm", "grids and graphs", "",
     "Cart_map Create_cart Create_dist_graph Create_dist_graph_adjacent Create_graph Graph_map"),
    ("Intracomm", "intercommunicators", "processes",
     "Accept Connect Spawn Spawn_multiple"),
    ("Intracomm", "intercommunicators", "", "Create_intercomm"),
    ("Topocomm", "collectives of neighbours", "",
     "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv "
     "Neighbor_alltoallw Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall "
     "Ineighbor_alltoallv Ineighbor_alltoallw Neighbor_allgather_init Neighbor_allgatherv_init "
     "Neighbor_alltoall_init Neighbor_alltoallv_init Neighbor_alltoallw_init neighbor_allgather "
     "neighbor_alltoall"),
    ("Topocomm", "grids and graphs", "",
     "degrees indegree inedges inoutedges outdegree outedges"),
    ("Cartcomm", "grids and graphs", "",
     "Get_cart_rank Get_coords Get_dim Get_topo Shift Sub coords dim dims ndim periods topo"),
    ("Graphcomm", "grids and graphs", "",
     "Get_dims Get_neighbors Get_neighbors_count Get_topo dims edges index nedges neighbors "
     "nneighbors nnodes topo"),
    ("Distgraphcomm", "grids and graphs", "", "Get_dist_neighbors Get_dist_neighbors_count"),
    ("Intercomm", "intercommunicators", "",
     "Create_from_groups Get_remote_group Get_remote_size Merge remote_group remote_size"),
    ("Datatype", "datatypes", "",
     "Commit Create_contiguous Create_darray Create_dup Create_hindexed Create_hindexed_block "
     "Create_hvector Create_indexed Create_indexed_block Create_resized Create_struct "
     "Create_subarray Create_vector Dup Free Get_contents Get_envelope Get_extent Get_name "
     "Get_size Get_true_extent Get_value_index Match_size Resized Set_name combiner contents "
     "decode envelope extent fromcode is_named is_predefined lb name size tocode true_extent "
     "true_lb true_ub typechar typestr ub"),
    ("Datatype", "packing", "",
     "Pack Pack_external Pack_external_size Pack_size Unpack Unpack_external"),
    ("Datatype", "attributes", "",
     "Create_keyval Delete_attr Free_keyval Get_attr Set_attr"),
    ("Datatype", "datatypes", "",
     "Create_f90_complex Create_f90_integer Create_f90_real"),
    ("Datatype", _OTHER, "", _HANDLE),
    ("Errhandler", "errors and info", "", f"Free {_HANDLE}"),
    ("Exception", "errors and info", "",
     "Get_error_class Get_error_code Get_error_string error_class error_code error_string"),
    ("Group", "groups", "",
     "Compare Difference Dup Excl Free Get_rank Get_size Incl Intersect Intersection Range_excl "
     "Range_incl Translate_ranks Union rank size"),
    ("Group", "sessions", "", "Create_from_session_pset"),
    ("Group", _OTHER, "", _HANDLE),
    ("Info", "errors and info", "",
     "Create Create_env Delete Dup Free Get Get_nkeys Get_nthkey Set clear copy get items keys pop "
     "popitem update values"),
    ("Info", _OTHER, "", _HANDLE),
    ("Message", "probes", "", "Iprobe Irecv Probe Recv iprobe irecv probe recv"),
    ("Message", _OTHER, "", _HANDLE),
    ("Op", "operators", "",
     "Create Free Is_commutative Reduce_local is_commutative is_predefined"),
    ("Op", _OTHER, "", _HANDLE),
    ("Pickle", "pickle", "", "PROTOCOL THRESHOLD dumps dumps_oob loads loads_oob"),
    ("Request", "requests", "",
     "Cancel Free Get_status Get_status_all Get_status_any Get_status_some Test Testall Testany "
     "Testsome Wait Waitall Waitany Waitsome cancel get_status get_status_all get_status_any "
     "get_status_some test testall testany testsome wait waitall waitany waitsome"),
    ("Request", _OTHER, "", _HANDLE),
    ("Prequest", "requests", "", "Start Startall"),
    ("Prequest", "partitioned messages", "",
     "Parrived Pready Pready_list Pready_range"),
    ("Grequest", "generalized requests", "", "Complete Start complete"),
    ("Session", "sessions", "",
     "Attach_buffer Call_errhandler Create_errhandler Create_group Detach_buffer Finalize "
     "Flush_buffer Get_errhandler Get_info Get_nth_pset Get_num_psets Get_pset_info Iflush_buffer "
     f"Init Set_errhandler {_HANDLE}"),
    ("Status", "status", "",
     "Get_count Get_elements Get_error Get_source Get_tag Is_cancelled Set_cancelled Set_elements "
     "Set_error Set_source Set_tag cancelled count error source tag"),
    ("Status", _OTHER, "", "f2py py2f tomemory"),
    ("buffer", "memory of MPI.buffer", "",
     "allocate cast format frombuffer itemsize nbytes obj readonly release tobytes toreadonly "
     "address fromaddress"),
    ("memory", "memory of MPI.buffer", "",
     "allocate cast format frombuffer itemsize nbytes obj readonly release tobytes toreadonly "
     "address fromaddress"),
    ("Win", "one-sided access", "",
     "Accumulate Allocate Allocate_shared Call_errhandler Compare_and_swap Complete Create "
     "Create_errhandler Create_keyval Delete_attr Fence Fetch_and_op Flush Flush_all Flush_local "
     "Flush_local_all Free Free_keyval Get Get_accumulate Get_attr Get_errhandler Get_group "
     "Get_info Get_name Lock Lock_all Post Put Raccumulate Rget Rget_accumulate Rput Set_attr "
     "Set_errhandler Set_info Set_name Shared_query Start Sync Test Unlock Unlock_all Wait attrs "
     "flavor group group_rank group_size info model name tomemory"),
    ("Win", "one-sided access", "dynamic", "Attach Create_dynamic Detach"),
    ("Win", _OTHER, "", _HANDLE),
    ("File", "files", "files",
     "Call_errhandler Close Create_errhandler Delete Get_amode Get_atomicity Get_byte_offset "
     "Get_errhandler Get_group Get_info Get_position Get_position_shared Get_size Get_type_extent "
     "Get_view Iread Iread_all Iread_at Iread_at_all Iread_shared Iwrite Iwrite_all Iwrite_at "
     "Iwrite_at_all Iwrite_shared Open Preallocate Read Read_all Read_all_begin Read_all_end "
     "Read_at Read_at_all Read_at_all_begin Read_at_all_end Read_ordered Read_ordered_begin "
     "Read_ordered_end Read_shared Seek Seek_shared Set_atomicity Set_errhandler Set_info Set_size "
     "Set_view Sync Write Write_all Write_all_begin Write_all_end Write_at Write_at_all "
     "Write_at_all_begin Write_at_all_end Write_ordered Write_ordered_begin Write_ordered_end "
     "Write_shared amode atomicity group group_rank group_size info size"),
    ("File", _OTHER, "", _HANDLE),
)  # fmt: skip
