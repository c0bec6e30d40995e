// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.AttemptLines.Attempt;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three real replicas whose objects all fail, and wait for their next attempt or for a token, are
 * replaced one by one. No key loses its failures, and no attempt after a failure is anything but a
 * retry, which takes a token.
 */
@Timeout(1800)
class MovedRetriesIT extends RealReplicas {

  private static final int OBJECTS = 80;
  private static final int RESTARTS = TestLength.of(1, 10);

  MovedRetriesIT() {
    super(RetryingController.class);
  }

  @Test
  void gracefulRestarts_keepTheFailuresOfEveryKey_andThatItIsARetry() throws Exception {
    create();
    for (int i = 0; i < REPLICAS; i++) {
      start();
    }
    awaitRetries();
    for (int i = 0; i < RESTARTS; i++) {
      start();
      awaitRetries();
    }
    stopAll();
    List<Attempt> attempts = attempts();
    assertThat(lost(attempts)).isEmpty();
    assertThat(AttemptLines.violations(attempts)).isEmpty();
    assertThat(moved(attempts)).as("keys that were retried at several replicas").isPositive();
  }

  /** Starts a replica in place of the oldest one, once there are enough. */
  private void start() throws Exception {
    replace(
        Launcher.SCRIPT,
        Map.of(),
        "--set=logging.level=info",
        "--set=limiters.default={rate: 20, burst: 5}");
  }

  private void create() {
    kubernetes
        .resource(V1Namespace.class)
        .create(new V1Namespace().metadata(new V1ObjectMeta().name(RetryingController.NAMESPACE)));
    for (int i = 0; i < OBJECTS; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(
                      new V1ObjectMeta()
                          .namespace(RetryingController.NAMESPACE)
                          .name("failing-" + i)));
    }
  }

  /** Waits until every key has had two more attempts: its state has moved, and was used. */
  private void awaitRetries() throws Exception {
    Map<String, Integer> before = counts();
    await(
        "two more attempts of each key",
        () -> {
          Map<String, Integer> now = counts();
          return now.size() == OBJECTS
              && now.entrySet().stream()
                  .allMatch(key -> key.getValue() >= before.getOrDefault(key.getKey(), 0) + 2);
        });
  }

  private Map<String, Integer> counts() throws IOException {
    Map<String, Integer> counts = new HashMap<>();
    attempts().forEach(attempt -> counts.merge(attempt.key(), 1, Integer::sum));
    return counts;
  }

  /** Returns where a key has not one failure more than before, or is no retry after a failure. */
  private static List<String> lost(List<Attempt> attempts) {
    Map<String, Attempt> last = new HashMap<>();
    List<String> lost = new ArrayList<>();
    attempts.stream()
        .sorted(Comparator.comparingLong(Attempt::begin))
        .forEach(attempt -> {
          Attempt before = last.put(attempt.key(), attempt);
          int expected = before == null ? 0 : failures(before) + 1;
          boolean retry = attempt.count().endsWith("/" + Trigger.RETRY);
          if (failures(attempt) != expected || (before != null && !retry)) {
            lost.add(before + ", then " + attempt);
          }
        });
    return lost;
  }

  private static int failures(Attempt attempt) {
    return Integer.parseInt(attempt.count().substring(0, attempt.count().indexOf('/')));
  }

  private static long moved(List<Attempt> attempts) {
    Map<String, Integer> first = new HashMap<>();
    return attempts.stream()
        .filter(attempt -> {
          Integer at = first.putIfAbsent(attempt.key(), attempt.process());
          return at != null && at != attempt.process();
        })
        .map(Attempt::key)
        .distinct()
        .count();
  }
}
