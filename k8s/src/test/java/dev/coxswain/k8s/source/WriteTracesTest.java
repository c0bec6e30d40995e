// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ownwrites.RecentWrites;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.change.RecentWriters;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testkit.TestAttempt;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** An event of a write that a traced attempt made has that attempt as its cause. */
class WriteTracesTest {

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final Request KEY = Request.of("a", "x");

  private final RecentWriters writers = new RecentWriters();
  private final RecentWrites writes = new RecentWrites(writers);
  private final RecordingSink sink = new RecordingSink();

  private void write(String version, String trace) {
    var stored = JsonParser.parseString("{\"metadata\":{\"resourceVersion\":\"" + version + "\"}}");
    CurrentAttempt.run(
        TestAttempt.of("demo").withTraceParent(trace),
        () -> writes.written(ResourceType.of(V1ConfigMap.class), KEY, stored.getAsJsonObject()));
  }

  private void deliver(ObjectEvent<V1ConfigMap> event) {
    new SinkListener<V1ConfigMap>(
            sink,
            _ -> true,
            (one, requests) -> requests.accept(one.key()),
            new UserCode("test", this),
            () -> {},
            new AtomicLong(),
            new AtomicLong(),
            writers,
            "ConfigMap")
        .onEvent(event);
  }

  private static V1ConfigMap map(String version) {
    return new V1ConfigMap()
        .metadata(new V1ObjectMeta().namespace("a").name("x").uid("u").resourceVersion(version));
  }

  @Test
  void theEventOfAWrite_hasItsAttemptAsCause_andOtherEventsHaveNone() {
    write("7", TRACE);
    write("9", "");
    deliver(ObjectEvent.updated(map("1"), map("7")));
    deliver(ObjectEvent.updated(map("7"), map("8")));
    deliver(ObjectEvent.updated(map("8"), map("9")));
    deliver(ObjectEvent.resynced(map("7")));
    assertThat(sink.added()).hasSize(4);
    assertThat(sink.causes()).containsExactly("a/x " + TRACE);
  }

  @Test
  void oldWrites_areForgotten() {
    write("first", TRACE);
    for (int i = 0; i < 4096; i++) {
      write(Integer.toString(i), TRACE);
    }
    deliver(ObjectEvent.updated(map("1"), map("first")));
    deliver(ObjectEvent.updated(map("1"), map("2")));
    assertThat(sink.causes()).hasSize(1);
  }
}
