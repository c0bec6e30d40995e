// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.AdminTelemetry;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No change without its audit record. */
class AuditSinkTest {

  private volatile Future<Void> outcome = Future.failedFuture("disk full, secret internals");
  private final AtomicInteger failures = new AtomicInteger();
  private final Api api =
      new Api(
          "coxswain-0",
          AccessControl.open(),
          Clock.system(),
          options -> options,
          new AdminPorts(
              line -> outcome,
              new AdminTelemetry() {
                @Override
                public void auditFailed() {
                  failures.incrementAndGet();
                }
              }),
          Intervals.DEFAULT);

  @AfterEach
  void close() {
    api.close();
  }

  private void assertEveryChangeIsRefused() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    String reason = "{\"reason\":\"x\"}";
    api.post(Api.DEMO + "/pause", reason).problem(503, "audit-unavailable");
    assertThat(api.demo.pause).isNull();
    api.post(Api.item(id) + "/retry", reason).problem(503, "audit-unavailable");
    api.change("DELETE", Api.item(id), reason).problem(503, "audit-unavailable");
    api.post(
            Api.DEMO + "/operations",
            "{\"action\":\"flush\",\"selector\":{\"namespace\":\"a\"},\"reason\":\"x\"}")
        .problem(503, "audit-unavailable");
    assertThat(api.get(Api.item(id)).ok(200).path("phase").asText()).isEqualTo("delayed");
    assertThat(failures).hasPositiveValue();
  }

  @Test
  void aSinkThatFails_refusesEveryChange_andReadsGoOn() {
    assertEveryChangeIsRefused();
    outcome = Future.succeededFuture();
    api.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}").ok(200);
  }

  @Test
  void aSinkThatNeverAnswers_refusesEveryChange_withinItsLimit() {
    outcome = Promise.<Void>promise().future();
    assertEveryChangeIsRefused();
  }
}
