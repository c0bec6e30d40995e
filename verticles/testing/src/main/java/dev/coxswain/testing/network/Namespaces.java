// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.network;

import dev.coxswain.testing.process.Commands;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace for each replica, with two interfaces: one on a bridge with the other
 * replicas, one on a bridge with the control plane, which is this process. Cutting takes a port off
 * its bridge: the link stays up and packets vanish, as with a broken network. Two replicas alone
 * are cut by wrong hardware addresses in their tables of neighbours.
 *
 * <p>All of it is made inside the namespaces (network, mounts, processes) that the script has put
 * this process into, and is gone with them, however that ends.
 */
public final class Namespaces implements Network {
  private static final String DATA_BRIDGE = "data";
  private static final String CONTROL_BRIDGE = "control";

  /** The hardware address of no interface: frames to it are passed on to all and taken by none. */
  private static final String NO_INTERFACE = "02:00:00:00:00:01";

  /** Set by the script, so that nothing is made in the namespaces of the machine. */
  private static final String ISOLATED = "coxswain.bench.isolated";

  private final int replicas;

  /** Which replica does not find which other one, as {from, to}. */
  private final List<int[]> misled = new ArrayList<>();

  private Namespaces(int replicas) {
    this.replicas = replicas;
  }

  /** Makes the namespaces; only where the script has put this process into its own. */
  public static Namespaces create(int replicas) throws IOException {
    if (!Boolean.getBoolean(ISOLATED)) {
      throw new IllegalStateException("this process is not in namespaces of its own");
    }
    Namespaces made = new Namespaces(replicas);
    Commands.run("ip", "link", "set", "lo", "up");
    for (String bridge : List.of(DATA_BRIDGE, CONTROL_BRIDGE)) {
      Commands.run("ip", "link", "add", bridge, "type", "bridge");
      Commands.run("ip", "link", "set", bridge, "up");
    }
    Commands.run("ip", "addr", "add", made.controlPlane() + "/24", "dev", CONTROL_BRIDGE);
    for (int i = 0; i < replicas; i++) {
      Commands.run("ip", "netns", "add", name(i));
      Commands.run("ip", "-n", name(i), "link", "set", "lo", "up");
      made.connect(i, DATA_BRIDGE, made.address(i));
      made.connect(i, CONTROL_BRIDGE, made.controlAddress(i));
    }
    return made;
  }

  private void connect(int replica, String bridge, String address) throws IOException {
    String port = port(bridge, replica);
    Commands.run(
        "ip", "link", "add", port, "type", "veth", "peer", "name", bridge, "netns", name(replica));
    Commands.run("ip", "link", "set", port, "master", bridge, "up");
    Commands.run("ip", "-n", name(replica), "addr", "add", address + "/24", "dev", bridge);
    Commands.run("ip", "-n", name(replica), "link", "set", bridge, "up");
  }

  private static String name(int replica) {
    return "r" + replica;
  }

  private static String port(String bridge, int replica) {
    return bridge + replica;
  }

  @Override
  public String address(int replica) {
    return "10.77.0." + (replica + 10);
  }

  @Override
  public int memberPort(int replica) {
    return 5701;
  }

  @Override
  public String controlAddress(int replica) {
    return "10.78.0." + (replica + 10);
  }

  @Override
  public String adminAddress(int replica) {
    return "127.0.0.1";
  }

  @Override
  public String controlPlane() {
    return "10.78.0.1";
  }

  @Override
  public List<String> prefix(int replica) {
    return List.of("nsenter", "--net=/run/netns/" + name(replica));
  }

  @Override
  public boolean canCut() {
    return true;
  }

  @Override
  public void cut(int replica) throws IOException {
    Commands.run("ip", "link", "set", port(DATA_BRIDGE, replica), "nomaster");
  }

  @Override
  public void cutPair(int one, int other) throws IOException {
    for (int[] pair : List.of(new int[] {one, other}, new int[] {other, one})) {
      misled.add(pair);
      neighbour("replace", pair, "lladdr", NO_INTERFACE, "nud", "permanent");
    }
  }

  private void neighbour(String verb, int[] pair, String... rest) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "-n", name(pair[0]), "neighbour", verb));
    command.addAll(List.of(address(pair[1]), "dev", DATA_BRIDGE));
    command.addAll(List.of(rest));
    Commands.run(command.toArray(String[]::new));
  }

  @Override
  public void cutControl(int replica) throws IOException {
    Commands.run("ip", "link", "set", port(CONTROL_BRIDGE, replica), "nomaster");
  }

  @Override
  public void heal() throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      for (String bridge : List.of(DATA_BRIDGE, CONTROL_BRIDGE)) {
        try {
          Commands.run("ip", "link", "set", port(bridge, i), "master", bridge);
        } catch (IOException e) {
          failures.add(e);
        }
      }
    }
    for (int[] pair : misled) {
      try {
        neighbour("del", pair);
      } catch (IOException e) {
        failures.add(e);
      }
    }
    misled.clear();
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }
}
