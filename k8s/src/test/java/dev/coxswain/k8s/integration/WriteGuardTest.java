// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Pod;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteGuardTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final AtomicReference<Duration> left = new AtomicReference<>(WriteGuard.UNLIMITED);
  private final Kubernetes k8s =
      Kubernetes.at(
          server.url(), KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofMinutes(30)));
  private final Kubernetes guarded = KubernetesRuntime.of(k8s).guardedBy(left::get);
  private final Request key = Request.of("default", "x");

  WriteGuardTest() {
    server.apply(Widget.DEFINITION);
    k8s.resource(Widget.class).create(Widget.of("x", 1));
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static void resize(Widget widget) {
    widget.spec = new Widget.Spec(2, null);
  }

  private static void resizeTree(JsonObject widget) {
    widget.getAsJsonObject("spec").addProperty("size", 2);
  }

  private static void readyTree(JsonObject widget) {
    JsonObject status = new JsonObject();
    status.addProperty("phase", "Ready");
    widget.add("status", status);
  }

  @Test
  void ofTwoGuards_theOneWithTooLittleTime_givesTheReason() {
    WriteGuard late =
        new WriteGuard() {
          @Override
          public Duration timeLeft() {
            return LEAST.minusMillis(1);
          }

          @Override
          public String reason() {
            return "it is late";
          }
        };

    assertThat(late.and(WriteGuard.OPEN).reason()).isEqualTo("it is late");
    assertThat(WriteGuard.OPEN.and(late).reason()).isEqualTo("it is late");
  }

  /** Every public method of {@link Resource} that changes something, under its name. */
  private Map<String, Runnable> writes() {
    Resource<Widget> widgets = guarded.resource(Widget.class);
    Widget widget = k8s.resource(Widget.class).get(key).orElseThrow();
    widget.spec = new Widget.Spec(2, null);
    JsonObject patch = new JsonObject();
    patch.addProperty("spec", 2);
    Map<String, Runnable> writes = new HashMap<>();
    writes.put("create", () -> widgets.create(Widget.of("y", 1)));
    writes.put("update", () -> widgets.update(widget));
    writes.put("updateStatus", () -> widgets.updateStatus(widget));
    writes.put("patch", () -> widgets.patch(key, patch));
    writes.put("patchStatus", () -> widgets.patchStatus(key, patch));
    writes.put("strategicPatch", () -> widgets.strategicPatch(key, patch));
    writes.put("jsonPatch", () -> widgets.jsonPatch(key, new JsonArray()));
    writes.put("apply", () -> widgets.apply(widget));
    writes.put("applyStatus", () -> widgets.applyStatus(widget, "m", true));
    writes.put("delete", () -> widgets.delete(key, DeleteOptions.BACKGROUND));
    ListOptions all = ListOptions.ALL.inNamespace("default");
    writes.put("deleteAll", () -> widgets.deleteAll(all, DeleteOptions.BACKGROUND));
    Resource<V1Pod> pods = guarded.resource(V1Pod.class);
    writes.put("evict", () -> pods.evict(key, DeleteOptions.BACKGROUND));
    writes.put("scaleTo", () -> widgets.scaleTo(key, 2));
    writes.put(
        "createOrPatch", () -> widgets.createOrPatch(key, Widget::new, WriteGuardTest::resize));
    writes.put(
        "createOrPatchWithStatus",
        () -> widgets.createOrPatchWithStatus(key, Widget::new, WriteGuardTest::resize));
    writes.put(
        "createOrPatchJson", () -> widgets.createOrPatchJson(key, WriteGuardTest::resizeTree));
    writes.put("modify", () -> widgets.modify(key, WriteGuardTest::resize));
    writes.put("modifyJson", () -> widgets.modifyJson(key, WriteGuardTest::resizeTree));
    writes.put("modifyStatusJson", () -> widgets.modifyStatusJson(key, WriteGuardTest::readyTree));
    writes.put(
        "modifyStatus",
        () -> widgets.modifyStatus(key, w -> w.status = new Widget.Status("Ready")));
    writes.put("modifyWithStatus", () -> widgets.modifyWithStatus(key, WriteGuardTest::resize));
    return writes;
  }

  @Test
  void everyWayToWrite_isRefused_whenTimeIsUp() {
    String before = k8s.resource(Widget.class).get(key).orElseThrow().getMetadata().toString();
    Map<String, Runnable> writes = writes();
    left.set(Duration.ZERO);

    writes.put("Finalizers.add", () -> Finalizers.add(guarded.resource(Widget.class), key, "a/b"));
    writes.forEach((name, write) ->
        assertThatThrownBy(write::run)
            .as(name)
            .isInstanceOf(LostOwnershipException.class)
            .hasMessageContaining("was not sent"));

    assertThat(k8s.resource(Widget.class).get(key).orElseThrow().getMetadata().toString())
        .isEqualTo(before);
    assertThat(k8s.resource(Widget.class).list(ListOptions.ALL)).hasSize(1);
  }

  /** A new method of Resource must be added to the test above, or here. */
  @Test
  void everyMethodOfAResource_isKnownToReadOrToWrite() {
    Set<String> methods = new TreeSet<>();
    Arrays.stream(Resource.class.getMethods())
        .filter(method -> method.getDeclaringClass() != Object.class)
        .map(Method::getName)
        .forEach(methods::add);
    Set<String> known =
        new TreeSet<>(Set.of("type", "key", "get", "list", "page", "watch", "scale"));
    known.addAll(Set.of("with", "dryRun", "writeOptions"));
    known.addAll(writes().keySet());

    assertThat(methods).isEqualTo(known);
  }

  @Test
  void reading_needsNoPermission() {
    left.set(Duration.ZERO);

    assertThat(guarded.resource(Widget.class).get(key)).isPresent();
  }

  @Test
  void requestThatIsUnderWay_endsWithTheTime() {
    server.faults().addLatency(Duration.ofHours(1));
    left.set(Duration.ofMillis(600));

    assertThatThrownBy(() -> guarded.resource(Widget.class).delete(key))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue());
  }

  @Test
  void furtherGuard_doesNotOpenAClosedOne() {
    left.set(Duration.ZERO);

    Kubernetes twice = KubernetesRuntime.of(guarded).guardedBy(WriteGuard.OPEN);

    assertThatThrownBy(() -> twice.resource(Widget.class).delete(key))
        .isInstanceOf(LostOwnershipException.class);
  }
}
