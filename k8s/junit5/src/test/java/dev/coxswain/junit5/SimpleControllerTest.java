// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.SimpleController;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A controller in one method. */
@ExtendWith(CoxswainExtension.class)
class SimpleControllerTest {

  private static final Request WORLD = Request.of("default", "world");

  private static void create(CoxswainTest kit, String name, String labels) {
    kit.apply(
        "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: %s, labels: {%s}}}"
            .formatted(name, labels));
  }

  private static Map<String, String> data(CoxswainTest kit, Request key) {
    V1ConfigMap map = kit.client().resource(V1ConfigMap.class).get(key).orElseThrow();
    return Objects.requireNonNullElse(map.getData(), Map.of());
  }

  @Test
  void whatTheMethodChanges_isSent_ofSelectedObjectsAlone_andNothingWithoutADifference(
      CoxswainTest kit) {
    AtomicInteger attempts = new AtomicInteger();
    kit.run(
        new Greeter() {
          @Override
          protected Result reconcile(V1ConfigMap map) throws Exception {
            attempts.incrementAndGet();
            return super.reconcile(map);
          }
        });
    create(kit, "world", "greet: 'yes'");
    create(kit, "other", "greet: 'no'");
    kit.settle();
    assertThat(data(kit, WORLD)).containsEntry("hello", "Hello world");
    assertThat(data(kit, Request.of("default", "other"))).isEmpty();
    assertThat(attempts).as("the event of the own write changes nothing").hasValue(2);

    kit.advance(Duration.ofHours(1));
    assertThat(attempts).as("again in an hour").hasValue(3);
  }

  @Test
  void aFailure_isRetried_andNothingIsSent(CoxswainTest kit) {
    AtomicInteger attempts = new AtomicInteger();
    kit.run(
        new Greeter() {
          @Override
          protected Result reconcile(V1ConfigMap map) throws Exception {
            map.putDataItem("half", "done");
            if (attempts.incrementAndGet() < 3) {
              throw new IOException("not yet");
            }
            throw new TerminalException("never");
          }
        });
    create(kit, "world", "greet: 'yes'");
    kit.advance(Duration.ofMinutes(1));
    assertThat(attempts).hasValue(3);
    assertThat(kit.queue("greeter").terminal()).isEqualTo(1);
    assertThat(data(kit, WORLD)).isEmpty();
  }

  @Test
  void anObjectThatIsBeingDeleted_isLeftAlone(CoxswainTest kit) {
    kit.apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {namespace: default, name: world, labels: {greet: 'yes'}, finalizers: [example.com/wait]}
        """);
    Resource<V1ConfigMap> maps = kit.client().resource(V1ConfigMap.class);
    maps.delete(WORLD, DeleteOptions.BACKGROUND);
    kit.run(new Greeter());
    kit.settle();
    assertThat(data(kit, WORLD)).isEmpty();
  }

  @Test
  void theName_isThatOfTheClass() {
    assertThat(new OrderMailer2().name()).isEqualTo("order-mailer2");
  }

  private static class Greeter extends SimpleController<V1ConfigMap> {
    Greeter() {
      super(V1ConfigMap.class, "greet=yes");
    }

    @Override
    public String name() {
      return "greeter";
    }

    @Override
    protected Result reconcile(V1ConfigMap map) throws Exception {
      String name = Objects.requireNonNull(map.getMetadata()).getName();
      map.putDataItem("hello", "Hello " + name);
      return Result.requeueAfter(Duration.ofHours(1));
    }
  }

  private static final class OrderMailer2 extends SimpleController<V1ConfigMap> {
    OrderMailer2() {
      super(V1ConfigMap.class, "");
    }

    @Override
    protected Result reconcile(V1ConfigMap map) {
      return Result.done();
    }
  }
}
