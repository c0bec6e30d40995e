// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.failures;

import java.util.List;

/**
 * Everything on this machine's loopback interface. Each run has addresses of its own in 127/8, so
 * that two of them at once do not meet; fixed ports are therefore free.
 */
final class Loopback implements Network {
  private final String prefix;

  Loopback() {
    long pid = ProcessHandle.current().pid();
    // Not 127.0: others live there.
    prefix = "127." + (pid / 250 % 250 + 1) + "." + (pid % 250 + 1) + ".";
  }

  @Override
  public String address(int replica) {
    return prefix + (replica + 10);
  }

  @Override
  public String controlAddress(int replica) {
    return address(replica);
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
  public void cutControl(int replica) {
    throw new UnsupportedOperationException("loopback cannot be cut");
  }

  @Override
  public void heal() {}
}
