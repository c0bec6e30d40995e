// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.AttemptLines.Attempt;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;

/**
 * Real replicas with {@link ChangingController}, whose objects change all the time, and a judge of all
 * their attempts.
 */
abstract class ChangingReplicas extends RealReplicas {

  private static final int OBJECTS = 30;
  private static final String LAST = "1000000";

  private final AtomicBoolean ended = new AtomicBoolean();
  private Thread load = Thread.ofVirtual().unstarted(() -> {});

  ChangingReplicas() {
    super(ChangingController.class);
  }

  @AfterEach
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
                  .metadata(new V1ObjectMeta().namespace("default").name("changing-" + i))
                  .putDataItem(ChangingController.COUNT, "0"));
    }
    load =
        Thread.ofVirtual()
            .start(() -> {
              for (int count = 1; !ended.get(); count++) {
                change(Integer.toString(count));
                LockSupport.parkNanos(50_000_000);
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
        () -> attempts().stream().anyMatch(attempt -> attempt.process() >= first));
  }

  /** Ends the changes, waits until the last one has been reconciled, and judges all attempts. */
  void judge() throws Exception {
    ended.set(true);
    load.join();
    change(LAST);
    await(
        "the last change",
        () ->
            attempts().stream()
                    .filter(attempt -> attempt.count().equals(LAST))
                    .map(Attempt::key)
                    .distinct()
                    .count()
                == OBJECTS);
    judge(attempts());
  }

  private void judge(List<Attempt> attempts) {
    assertThat(AttemptLines.violations(attempts)).isEmpty();
    assertThat(attempts.stream().map(Attempt::process).distinct().count())
        .as("processes that worked")
        .isGreaterThanOrEqualTo(REPLICAS + 1L);
  }

  private void change(String count) {
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .modify(
              Request.of("default", "changing-" + i),
              map -> map.putDataItem(ChangingController.COUNT, count));
    }
  }
}
