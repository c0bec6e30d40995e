// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A network of its own, in which this machine has several addresses and reaches nothing else.
 *
 * <p>It lives as long as a process that sleeps in it; nothing is left behind when that ends.
 */
final class NetworkNamespace implements AutoCloseable {
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  private final Process holder;

  private NetworkNamespace(Process holder) {
    this.holder = holder;
  }

  /** Makes one with these addresses; the test is skipped where that is not allowed. */
  static NetworkNamespace with(List<String> addresses) throws IOException {
    List<String> command = new ArrayList<>(List.of("unshare", "--net"));
    if (!ROOT) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    StringBuilder script = new StringBuilder("ip link set lo up");
    addresses.forEach(
        address -> script.append(" && ip address add ").append(address).append("/32 dev lo"));
    script.append(" && echo ready && exec sleep 900");
    command.addAll(List.of("sh", "-c", script.toString()));
    Process holder = null;
    String said;
    try {
      holder = new ProcessBuilder(command).redirectErrorStream(true).start();
      BufferedReader lines = holder.inputReader(StandardCharsets.UTF_8);
      said = String.valueOf(lines.readLine());
    } catch (IOException e) {
      said = String.valueOf(e.getMessage());
    }
    if (holder == null || !said.equals("ready")) {
      Assumptions.abort("network namespaces are not allowed here: " + said);
    }
    return new NetworkNamespace(holder);
  }

  /** What is put before a command to run it in here. */
  List<String> prefix() {
    String space = "/proc/" + holder.pid() + "/ns/";
    List<String> prefix = new ArrayList<>(List.of("nsenter", "--net=" + space + "net"));
    if (!ROOT) {
      prefix.addAll(List.of("--user=" + space + "user", "--preserve-credentials"));
    }
    return prefix;
  }

  @Override
  public void close() {
    holder.destroyForcibly();
    try {
      holder.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
