// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Conditions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The limit passes between two turns of an event loop that has much to take over. */
class SyncLimitTest {

  private final VirtualTime time = new VirtualTime();
  private final Promise<Void> listed = Promise.promise();
  private final Conditions conditions = new Conditions("fleet", time);
  private final SourceGroup<Request> sources =
      new SourceGroup<>(List.of(new Listing(listed.future())), ControllerTelemetry.NONE);
  private @Nullable Runnable ring;
  private final SyncLimit limit =
      new SyncLimit(Duration.ofMinutes(2), sources, conditions, time, this::alarm);

  private Alarm alarm(Runnable onAlarm) {
    ring = onAlarm;
    return new Alarm() {
      @Override
      public void set(long deadlineNanos) {}

      @Override
      public void clear() {}
    };
  }

  private static final class Listing extends SilentSource {
    private final Future<Void> listed;

    Listing(Future<Void> listed) {
      this.listed = listed;
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      return listed;
    }
  }

  @SuppressWarnings("NullAway") // nothing is delivered
  private List<String> reasons(boolean synced) {
    limit.begin();
    sources.start(null);
    if (synced) {
      listed.complete();
    }
    List<String> reasons = new ArrayList<>();
    limit.passed().onSuccess(reasons::add);
    Objects.requireNonNull(ring).run();
    return reasons;
  }

  @Test
  void sourcesThatHaveSynced_areNotReported_whileTheirRequestsAreTakenOver() {
    assertThat(reasons(true)).isEmpty();
    assertThat(limit.isPassed()).isFalse();
    assertThat(conditions.all()).isEmpty();
  }

  @Test
  void sourceThatHasNot_isReported() {
    assertThat(reasons(false)).singleElement().asString().startsWith("did not sync within 2m: ");
    assertThat(limit.isPassed()).isTrue();
    assertThat(conditions.all()).hasSize(1);
  }
}
