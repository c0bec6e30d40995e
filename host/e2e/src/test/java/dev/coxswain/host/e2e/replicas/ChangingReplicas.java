// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.host.e2e.process.AttemptLines.Attempt;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;

/**
 * Real replicas with {@link ChangingController}, whose objects change all the time, and a judge of all
 * their attempts.
 */
abstract class ChangingReplicas extends RealReplicas {

  private static final int OBJECTS = 30;
  private static final String LAST = "1000000";

  /** Between two changes of the same object; a replica takes some seconds to be replaced. */
  private static final long PAUSE_NANOS = TestLength.of(250, 50) * 1_000_000L;

  private static final String PREFIX = ChangingController.NAME + "-";

  private final AtomicBoolean ended = new AtomicBoolean();
  private Thread load = Thread.ofVirtual().unstarted(() -> {});

  ChangingReplicas() {
    super(List.of(ChangingController.class));
  }

  /** Has other controllers besides. */
  ChangingReplicas(List<Class<? extends ControllerDefinition>> others) {
    super(
        Stream.concat(
                Stream.<Class<? extends ControllerDefinition>>of(ChangingController.class),
                others.stream())
            .toList());
  }

  @AfterAll
  void endChanges() {
    ended.set(true);
  }

  /** Makes the objects, and changes them until the end. */
  void beginChanges() {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(new V1ObjectMeta().namespace("default").name(PREFIX + i))
                  .putDataItem(ChangingController.COUNT, "0"));
    }
    load =
        Thread.ofVirtual()
            .start(() -> {
              for (int count = 1; !ended.get(); count++) {
                change(Integer.toString(count));
                LockSupport.parkNanos(PAUSE_NANOS);
              }
            });
  }

  /** Replaces the replicas one by one: one ends as soon as another one is ready. Waits for their work. */
  void rollOut(Path script, Map<String, String> environment, String... flags) throws Exception {
    int first = all.size();
    for (int i = 0; i < REPLICAS; i++) {
      replace(script, environment, flags);
    }
    await(
        "attempts of the new replicas",
        () -> changes().stream().anyMatch(attempt -> attempt.process() >= first));
  }

  /** Ends the changes, waits until the last one has been reconciled, and judges all attempts. */
  void judge() throws Exception {
    settle();
    judgeAttempts();
  }

  /** Ends the changes and waits until the last one has been reconciled. */
  void settle() throws Exception {
    ended.set(true);
    load.join();
    change(LAST);
    await(
        "the last change",
        () ->
            changes().stream()
                    .filter(attempt -> attempt.count().equals(LAST))
                    .map(Attempt::key)
                    .distinct()
                    .count()
                == OBJECTS);
  }

  /** Judges all attempts until now. */
  void judgeAttempts() throws IOException {
    List<Attempt> attempts = changes();
    assertThat(AttemptLines.violations(attempts)).isEmpty();
    assertThat(attempts.stream().map(Attempt::process).distinct().count())
        .as("processes that worked")
        .isGreaterThanOrEqualTo(REPLICAS + 1L);
  }

  /** Returns the attempts of the objects that change. */
  private List<Attempt> changes() throws IOException {
    return attempts().stream().filter(attempt -> attempt.key().startsWith(PREFIX)).toList();
  }

  private void change(String count) {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .modify(
              Request.of("default", PREFIX + i),
              map -> map.putDataItem(ChangingController.COUNT, count));
    }
  }
}
