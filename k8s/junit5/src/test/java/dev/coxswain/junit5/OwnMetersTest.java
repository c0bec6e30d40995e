// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Meters that a controller makes itself, in a test of it. */
@ExtendWith(CoxswainExtension.class)
class OwnMetersTest {

  private static final String MAP =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {namespace: default, name: %s}
      """;

  private static final class Counting implements ControllerDefinition {
    @Override
    public String name() {
      return "counting";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Counter seen = environment.get(MeterRegistry.class).counter("maps.seen");
      return Controller.named(name())
          .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
          .reconciles((request, context) -> {
            seen.increment();
            return Result.done();
          });
    }
  }

  @Test
  void countersAreRead_andBeginAgainInAnotherProcess(CoxswainTest kit) {
    kit.apply(MAP.formatted("one"));
    kit.run(new Counting());
    kit.apply(MAP.formatted("two"));
    kit.settle();
    assertThat(kit.meters().counter("maps.seen").count()).isEqualTo(2);
    kit.crash();
    kit.apply(MAP.formatted("three"));
    kit.settle();
    assertThat(kit.meters().counter("maps.seen").count()).as("all three, once").isEqualTo(3);
  }

  @Test
  void aServiceThatIsNotThere_isNamed_withThoseThatAre(CoxswainTest kit) {
    ControllerDefinition other =
        new ControllerDefinition() {
          @Override
          public String name() {
            return "other";
          }

          @Override
          public Controller<?> create(ControllerEnvironment environment) {
            environment.get(Vertx.class);
            throw new AssertionError();
          }
        };
    assertThatThrownBy(() -> kit.run(other))
        .rootCause()
        .hasMessageContaining("no service io.vertx.core.Vertx in this test")
        .hasMessageContaining("MeterRegistry");
  }
}
