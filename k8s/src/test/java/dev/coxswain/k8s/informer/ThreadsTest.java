// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A watch has one platform thread, which no user code can hold up, however many listeners it has;
 * these hold no carrier of virtual threads while they wait.
 */
@Isolated
class ThreadsTest extends CacheTestSupport {

  private static final int WATCHES = 200;
  private static final int HOUSEKEEPERS = 4;

  private final AtomicInteger events = new AtomicInteger();

  @Test
  void twoHundredWatches_haveOnePlatformThreadEach_andPinNone() {
    caches.close();
    caches = caches(KubernetesOptions.DEFAULT);
    open(0);
    server.put("ns0", "x", "1");
    Await.until("the first event", () -> events.get() == 1);
    Set<Thread> withOne = platformThreads();
    List<String> pinned = Collections.synchronizedList(new ArrayList<>());

    try (RecordingStream recording = new RecordingStream()) {
      recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
      recording.onEvent("jdk.VirtualThreadPinned", event -> note(event, pinned));
      recording.startAsync();
      for (int i = 1; i < WATCHES; i++) {
        open(i);
      }
      Await.until("all watches", () -> server.openWatches() == WATCHES);
      for (int i = 0; i < WATCHES; i++) {
        server.put("ns" + i, "y", "1");
      }
      Await.until("all events", () -> events.get() == WATCHES + 1);
      recording.stop();
    }

    Set<Thread> added = platformThreads();
    added.removeAll(withOne);
    assertThat(added.stream().filter(thread -> thread.getName().startsWith("coxswain-reflect ")))
        .hasSize(WATCHES - 1);
    added.removeIf(thread -> thread.getName().startsWith("coxswain-reflect "));
    // The HTTP client has a few for housekeeping, however many connections there are.
    assertThat(added.stream().filter(thread -> !thread.getName().startsWith("OkHttp "))).isEmpty();
    assertThat(added).hasSizeLessThanOrEqualTo(HOUSEKEEPERS);
    assertThat(pinned).isEmpty();

    caches.close();
    Await.until(
        "the end of the threads",
        () ->
            platformThreads().stream()
                .noneMatch(thread -> thread.getName().startsWith("coxswain-reflect ")));
  }

  private void open(int number) {
    InformerHandle<V1ConfigMap> handle = caches.use(ALL.inNamespace("ns" + number));
    Await.get(handle.subscribe("t" + number, event -> events.incrementAndGet()).synced());
  }

  /** All but those that run virtual threads, of which there are as many as processors allow. */
  private static Set<Thread> platformThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread ->
            !thread.getName().startsWith("ForkJoinPool-") && !thread.getName().startsWith("JFR "))
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static void note(RecordedEvent event, List<String> pinned) {
    // Loading a class pins once per process.
    if (event.getStackTrace() != null
        && event.getStackTrace().getFrames().stream()
            .map(frame -> frame.getMethod().getType().getName())
            .anyMatch(name -> name.startsWith("dev.coxswain.k8s.informer."))
        && event.getStackTrace().getFrames().stream()
            .noneMatch(frame -> frame.getMethod().getName().equals("<clinit>"))) {
      pinned.add(event.toString());
    }
  }
}
