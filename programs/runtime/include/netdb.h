// SPDX-License-Identifier: Apache-2.0
// There are no sockets and no names of hosts; programs include this without need.
#ifndef NOCCL_NETDB_H
#define NOCCL_NETDB_H
#endif
