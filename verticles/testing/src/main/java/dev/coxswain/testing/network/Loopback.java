// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.network;

import dev.coxswain.testing.process.FreePorts;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Everything on this machine's loopback interface. Each run has addresses of its own in 127/8, so
 * that two of them at once do not meet; fixed ports are therefore free. Hazelcast listens only on
 * addresses that an interface has, so its members share the usual one and have a port each.
 */
public final class Loopback implements Network {
  private final String prefix;
  private final List<Integer> memberPorts;

  private static final int CLUSTERS = 8;
  private static final AtomicInteger CREATED = new AtomicInteger();

  private Loopback(List<Integer> memberPorts) {
    this.memberPorts = memberPorts;
    // Of each cluster of this process, too.
    long number = ProcessHandle.current().pid() * CLUSTERS + CREATED.getAndIncrement() % CLUSTERS;
    // Not 127.0: others live there.
    prefix = "127." + (number / 250 % 250 + 1) + "." + (number % 250 + 1) + ".";
  }

  /** Finds a free port for each replica. */
  public static Loopback create(int replicas) throws IOException {
    return new Loopback(FreePorts.find(replicas));
  }

  @Override
  public String address(int replica) {
    return "127.0.0.1";
  }

  @Override
  public int memberPort(int replica) {
    return memberPorts.get(replica);
  }

  @Override
  public String controlAddress(int replica) {
    return prefix + (replica + 10);
  }

  @Override
  public String adminAddress(int replica) {
    return controlAddress(replica);
  }

  @Override
  public String controlPlane() {
    return prefix + 1;
  }

  @Override
  public List<String> prefix(int replica) {
    return List.of();
  }

  @Override
  public boolean canCut() {
    return false;
  }

  @Override
  public void cut(int replica) {
    throw new UnsupportedOperationException("loopback cannot be cut");
  }

  @Override
  public void cutPair(int one, int other) {
    throw new UnsupportedOperationException("loopback cannot be cut");
  }

  @Override
  public void cutControl(int replica) {
    throw new UnsupportedOperationException("loopback cannot be cut");
  }

  @Override
  public void heal() {}
}
