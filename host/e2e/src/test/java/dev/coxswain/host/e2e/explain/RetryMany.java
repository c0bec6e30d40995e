// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.host.e2e.process.CommandProcess;
import dev.coxswain.host.e2e.process.CommandProcess.Result;
import dev.coxswain.host.e2e.process.SlotShares;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Many objects that fail of one cause and wait for tokens of a small shared limiter. When the cause is repaired, one
 * retry of all of them needs no token, and is done within the time over which it spreads them.
 */
abstract class RetryMany extends ThreeReplicas {

  /** The name of the file that is there after the repair. */
  static final String REPAIRED = "repaired";

  private static final int PARTIAL = 2;
  private static final int OBJECTS = TestLength.of(300, 10_000);
  private static final Duration WAIT = Duration.ofSeconds(TestLength.of(180, 900));

  /** Those that fail of another cause. */
  private static final int OTHERS = OBJECTS / 10;

  /** 30 s for 1000 items of each replica, which may all be on one, and the change before it. */
  private static final Duration PROMISED = Duration.ofMillis(OBJECTS * 30L + OBJECTS * 5L);

  private static final Duration SLOW_MACHINE = Duration.ofSeconds(90);

  private final CommandProcess commands;

  RetryMany(Stage stage) throws IOException {
    super(stage);
    commands = CommandProcess.start(folder);
  }

  @AfterEach
  void endCommands() throws Exception {
    commands.close();
  }

  @Test
  void aRetryOfOneCause_afterItsRepair_isDoneWithinItsPace_andLeavesAnotherAlone()
      throws Exception {
    create();
    Await.until(
        "slots that no longer move",
        WAIT,
        () -> SlotShares.areEven(seen("get", "slots"), REPLICAS));
    Await.until("all of them to fail", WAIT, () -> count() == OBJECTS);

    JsonNode causes = seen("get", "causes", RepairableController.NAME).path("items");
    assertThat(causes.findValuesAsText("error"))
        .containsExactly(
            "IllegalStateException: what all need is broken",
            "IllegalArgumentException: no quota for <name>");
    assertThat(causes.findValues("items"))
        .extracting(JsonNode::asInt)
        .as("of all replicas")
        .containsExactly(OBJECTS - OTHERS, OTHERS);

    Files.createFile(folder.resolve(REPAIRED));
    long began = System.nanoTime();
    String operation =
        printed(
            "retry",
            RepairableController.NAME,
            "-A",
            "--cause=" + causes.at("/0/id").asText(),
            "--yes",
            "--reason=repaired");
    String expected = printed("get", "operations", "-o", "json");
    Await.until("only the others to fail", WAIT, () -> count() == OTHERS);
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    JsonNode shown = JSON.readTree(expected).at("/items/0");
    Duration promised = between(shown, "startedAt", "expectedEnd");
    System.out.printf(
        "%d items: retried in %s; the operation took %s and expected %s; at most %s%n",
        OBJECTS, took, between(shown, "startedAt", "endedAt"), promised, PROMISED);

    assertThat(operation).contains("Succeeded: ").doesNotContain("Succeeded: 0 of");
    // Those that were retried by themselves between the repair and this have succeeded already.
    int included = Integer.parseInt(operation.replaceFirst("(?s).* of (\\d+) items.*", "$1"));
    assertThat(included).isBetween((OBJECTS - OTHERS) / 4, OBJECTS - OTHERS);
    assertThat(took).isLessThan(PROMISED.plus(SLOW_MACHINE));
    assertThat(took)
        .as("with the expected end of %s", shown)
        .isLessThan(promised.plus(SLOW_MACHINE));
  }

  private static Duration between(JsonNode operation, String from, String to) {
    return operation.has(to)
        ? Duration.between(
            Instant.parse(operation.path(from).asText()),
            Instant.parse(operation.path(to).asText()))
        : Duration.ZERO;
  }

  private void create() {
    kubernetes
        .resource(V1Namespace.class)
        .create(
            new V1Namespace().metadata(new V1ObjectMeta().name(RepairableController.NAMESPACE)));
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(
                      new V1ObjectMeta()
                          .namespace(RepairableController.NAMESPACE)
                          .name("object-" + i)));
    }
  }

  /** Returns how many items fail, on all replicas. */
  private long count() throws Exception {
    return seen("get", "controllers", RepairableController.NAME).path("failing").asLong(-1);
  }

  /** Returns what a command prints; nothing when a replica has not answered in time. */
  private JsonNode seen(String... arguments) throws Exception {
    Result run =
        commands.run(
            WAIT,
            Stream.of(Stream.of("ctl"), Stream.of(arguments), Stream.of("-o", "json"))
                .flatMap(part -> part)
                .toArray(String[]::new));
    if (run.exitCode() == PARTIAL) {
      return JSON.createObjectNode();
    }
    assertThat(run.exitCode()).as(run.output() + run.errors()).isZero();
    return JSON.readTree(run.output());
  }

  private String printed(String... arguments) throws Exception {
    Result run =
        commands.run(
            WAIT, Stream.concat(Stream.of("ctl"), Stream.of(arguments)).toArray(String[]::new));
    assertThat(run.exitCode()).as(run.output() + run.errors()).isZero();
    return run.output();
  }
}
