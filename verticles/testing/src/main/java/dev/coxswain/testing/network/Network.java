// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.network;

import java.io.IOException;
import java.util.List;

/**
 * The network between the replicas and to the control plane.
 *
 * <p>Thread rule: one thread.
 */
public interface Network {
  /** Makes the named one, {@code namespaces} or {@code loopback}. */
  static Network of(String name, int replicas) throws IOException {
    return switch (name) {
      case "namespaces" -> Namespaces.create(replicas);
      case "loopback" -> Loopback.create(replicas);
      default ->
          throw new IllegalArgumentException(
              "--network: expected namespaces or loopback, found " + name);
    };
  }

  /** Returns the address at which the other replicas find a replica. */
  String address(int replica);

  /** Returns the port at that address on which the replica's Hazelcast member listens. */
  int memberPort(int replica);

  /** Returns the address of a replica towards the control plane, for its probes and metrics. */
  String controlAddress(int replica);

  /** Returns an address of the loopback interface for the admin API of a replica. */
  String adminAddress(int replica);

  /** Returns the address of the control plane. */
  String controlPlane();

  /** Returns what a replica's command line must begin with. */
  List<String> prefix(int replica);

  /** Returns whether {@link #cut} is possible. */
  boolean canCut();

  /** Drops packets between a replica and all others. */
  void cut(int replica) throws IOException;

  /** Drops packets between two replicas, which both still reach all others. */
  void cutPair(int one, int other) throws IOException;

  /** Drops packets between a replica and the control plane. */
  void cutControl(int replica) throws IOException;

  /** Undoes all cuts. */
  void heal() throws IOException;
}
