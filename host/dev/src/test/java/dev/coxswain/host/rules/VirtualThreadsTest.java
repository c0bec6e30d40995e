// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * User code can hold all carriers of virtual threads. What a replica lives by has none of these
 * threads: only the classes that are listed here start them.
 */
class VirtualThreadsTest {

  private static final List<String> MODULES =
      List.of("verticles", "k8s", "shared-limiter", "admin-api", "host");

  private static final Set<String> ALLOWED =
      Set.of(
          "ControllerVerticle", // attempts
          "UserThreads", // sources, webhooks
          "CarrierWatchdog", // one that measures the wait for a carrier
          "KindSource", // a timer of resyncs, which users see the result of only
          "EventRecorder", // Events of controllers
          "ApiTransport"); // connections that are opened before controllers run

  @Test
  void onlyUserCode_runsOnVirtualThreads() throws IOException {
    Path root = Path.of("..", "..").toAbsolutePath().normalize();
    Set<String> found = new TreeSet<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          String text = Files.readString(file);
          if (text.contains("ofVirtual()")
              || text.contains("startVirtualThread(")
              || text.contains("newVirtualThreadPerTaskExecutor(")
              || text.contains("ThreadingModel.VIRTUAL_THREAD")) {
            found.add(file.getFileName().toString().replace(".java", ""));
          }
        }
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(ALLOWED);
  }
}
