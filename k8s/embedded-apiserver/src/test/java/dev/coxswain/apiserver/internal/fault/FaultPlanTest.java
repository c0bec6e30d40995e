// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.fault.Fault;
import io.vertx.core.Vertx;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** What a plan does when the server itself fails. */
class FaultPlanTest {

  /** A fault is ended by its id, which is not returned then: it would go on for ever. */
  @Test
  void aFaultThatCannotBegin_isNotActive() {
    Vertx vertx = Vertx.vertx();
    try {
      FaultPlan plan = new FaultPlan(vertx);
      plan.attach(
          (FaultTarget)
              Proxy.newProxyInstance(
                  FaultTarget.class.getClassLoader(),
                  new Class<?>[] {FaultTarget.class},
                  (_, _, _) -> {
                    throw new IllegalStateException("on purpose");
                  }));
      assertThatThrownBy(() -> plan.add(Fault.starting())).hasMessage("on purpose");
      assertThat(plan.active()).isEmpty();
    } finally {
      vertx.close().await();
    }
  }
}
