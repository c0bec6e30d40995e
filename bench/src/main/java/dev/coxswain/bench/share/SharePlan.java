// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Setup;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a run is made.
 *
 * @param modes what is compared
 * @param replicas the numbers of replicas, each measured on its own
 * @param bytes the content of each object
 * @param changes changes of objects per second
 * @param kubeconfig of an API server that is there already, instead of an embedded one
 * @param serverPid its process when it is on this machine, or 0
 */
record SharePlan(
    Setup setup,
    List<ShareSubject> modes,
    List<Integer> replicas,
    int namespaces,
    int objects,
    int bytes,
    int changes,
    Duration time,
    Optional<Path> kubeconfig,
    long serverPid) {
  /** As many as the 64 slots are divided among with at least six each. */
  private static final int MAX_REPLICAS = 10;

  private static final String EMBEDDED = "embedded";

  static Map<String, String> options(boolean quick) {
    Map<String, String> values = new HashMap<>(Map.of("out", "", "app", "", "only", Arguments.ALL));
    values.putAll(Map.of("kubeconfig", EMBEDDED, "server-pid", "0", "bytes", "4096"));
    values.putAll(
        quick
            ? Map.of("replicas", "2", "namespaces", "40", "objects", "2000", "lease", "6s")
            : Map.of("replicas", "5", "namespaces", "200", "objects", "20000", "lease", "15s"));
    values.putAll(
        quick
            ? Map.of("changes", "100", "seconds", "5")
            : Map.of("changes", "500", "seconds", "20"));
    return values;
  }

  static SharePlan of(Arguments arguments, PrintStream out) throws IOException {
    List<Integer> replicas =
        Arrays.stream(arguments.text("replicas").split(",", -1)).map(SharePlan::number).toList();
    Optional<Path> kubeconfig =
        Optional.of(arguments.text("kubeconfig"))
            .filter(file -> !file.equals(EMBEDDED))
            .map(file -> Path.of(file).toAbsolutePath());
    if (kubeconfig.isPresent() && !Files.isReadable(kubeconfig.get())) {
      throw new IllegalArgumentException("--kubeconfig: cannot read " + kubeconfig.get());
    }
    return new SharePlan(
        arguments.setup(replicas.stream().max(Integer::compare).orElseThrow(), false, out),
        modes(arguments, kubeconfig.isPresent()),
        replicas,
        arguments.number("namespaces"),
        arguments.number("objects"),
        arguments.number("bytes"),
        arguments.number("changes"),
        Duration.ofSeconds(arguments.number("seconds")),
        kubeconfig,
        arguments.numberOrZero("server-pid"));
  }

  private static List<ShareSubject> modes(Arguments arguments, boolean given) {
    List<ShareSubject> modes = arguments.constants("only", ShareSubject.class);
    if (!given) {
      return modes;
    }
    // Whether a given server selects is not for this run to decide.
    if (arguments.text("only").contains(Arguments.key(ShareSubject.NAMESPACE))) {
      throw new IllegalArgumentException("--only=namespace needs the embedded API server");
    }
    return modes.stream().filter(mode -> mode != ShareSubject.NAMESPACE).toList();
  }

  private static int number(String text) {
    if (!text.matches("[1-9]\\d?") || Integer.parseInt(text) > MAX_REPLICAS) {
      throw new IllegalArgumentException(
          "--replicas: expected numbers from 1 to " + MAX_REPLICAS + ", found \"" + text + "\"");
    }
    return Integer.parseInt(text);
  }

  /** Returns how the replicas of a part of the run are made, with a folder of its own. */
  Setup setup(String part) throws IOException {
    return new Setup(
        setup.app(),
        Files.createDirectories(setup.folder().resolve(part)),
        setup.most(),
        setup.lease(),
        false,
        setup.progress());
  }

  /** Returns how many changes are measured. */
  int measured() {
    return Math.toIntExact(changes * time.toSeconds());
  }

  void tell(String what) {
    setup.progress().accept(what);
  }
}
