// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import java.io.IOError;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A controller that receives nothing any more used to be shown as running, and nothing else. */
class SourceFailureTest {

  private final Failing source = new Failing();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("view")
              .watches(new SilentSource())
              .watches(source)
              .reconciles((request, context) -> Result.done()),
          new VirtualTime());

  private static final class Failing extends SilentSource {
    @Nullable String failure;

    @Override
    public Optional<String> failure() {
      if ("throws".equals(failure)) {
        throw new IOError(new IOException("on purpose"));
      }
      return Optional.ofNullable(failure);
    }
  }

  private List<Condition> conditions() {
    return kit.handle().status().conditions();
  }

  @Test
  void sourceThatHasFailed_isACondition_untilItHasRecovered() {
    assertThat(conditions()).isEmpty();

    source.failure = "its thread ended";

    assertThat(conditions())
        .singleElement()
        .satisfies(one -> assertThat(one.type()).isEqualTo(ConditionType.SOURCE_FAILED))
        .satisfies(
            one -> assertThat(one.message()).isEqualTo("source \"things\": its thread ended"));
    source.failure = null;
    assertThat(conditions()).isEmpty();
  }

  @Test
  void sourceThatCannotTell_hasNotFailed() {
    source.failure = "throws";

    assertThat(conditions()).isEmpty();
  }
}
