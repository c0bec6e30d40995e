// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.errorbackoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.examples.Pages;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The tables of the page of this example, measured on the production engine in virtual time. */
class PublishedTablesTest {

  private static final Request KEY = Request.of("default", "trial");
  private static final int FAILURES = 20;

  /** A run of one object: when its attempts began, in nanoseconds. */
  private static final class Run {
    private final VirtualTime time = new VirtualTime();
    private final List<Long> starts = new ArrayList<>();
    private final Trial trial = new Trial();
    private final ControllerTestKit<Request> kit;

    Run(Trial.Spec spec, UnaryOperator<ControllerOptions> options) {
      trial.setMetadata(new V1ObjectMeta().namespace("default").name("trial"));
      trial.setSpec(spec);
      TrialReconciler reconciler = new TrialReconciler(key -> Optional.of(trial), ready -> {});
      kit =
          ControllerTestKit.of(
              Controller.named("error-backoff")
                  .options(options)
                  .reconciles((request, context) -> {
                    starts.add(time.nanos());
                    return reconciler.reconcile(request, context);
                  }),
              time);
      kit.add(KEY);
    }

    Run until(int attempts) {
      while (starts.size() < attempts) {
        assertThat(time.advanceToNext()).as("attempt %d comes", starts.size() + 1).isTrue();
      }
      return this;
    }

    List<Duration> gaps() {
      List<Duration> gaps = new ArrayList<>();
      for (int i = 1; i < starts.size(); i++) {
        gaps.add(Duration.ofNanos(starts.get(i) - starts.get(i - 1)));
      }
      return gaps;
    }
  }

  private static List<Duration> gaps(Duration cooldown) {
    Trial.Spec spec = new Trial.Spec(null, Trial.Outcome.Error);
    return new Run(spec, options -> options.withFailureCooldown(cooldown))
        .until(FAILURES + 1)
        .gaps();
  }

  private static String seconds(Duration duration) {
    return BigDecimal.valueOf(duration.toMillis(), 3).setScale(3, RoundingMode.UNNECESSARY) + " s";
  }

  @Test
  void delays_areThoseOfThePage() throws IOException {
    List<Duration> plain = gaps(Duration.ZERO);
    List<Duration> cooled = gaps(Duration.ofSeconds(1));

    List<String> rows = new ArrayList<>();
    for (int i = 0; i < FAILURES; i++) {
      rows.add("| %d | %s | %s |".formatted(i + 1, seconds(plain.get(i)), seconds(cooled.get(i))));
    }
    assertThat(Pages.table("error-backoff", "failures in a row")).isEqualTo(rows);
    assertThat(plain.getFirst()).hasMillis(5);
    assertThat(plain.get(17)).hasMillis(655_360);
    assertThat(plain.get(18)).hasSeconds(1000);
  }

  @Test
  void results_areThoseOfThePage() throws IOException {
    List<String> rows = new ArrayList<>();
    for (Trial.Outcome outcome : Trial.Outcome.values()) {
      rows.add(row(outcome));
    }
    assertThat(Pages.table("error-backoff", "`spec.outcome`")).isEqualTo(rows);
  }

  /** Three attempts of an object whose delay is 30 s, or as many as there are. */
  private static String row(Trial.Outcome outcome) {
    Run run = new Run(new Trial.Spec(null, outcome, 30), options -> options);
    while (run.starts.size() < 3 && run.time.advanceToNext()) {
      // each round is one alarm
    }
    long settled = run.starts.size();
    String again =
        settled == 1
            ? "never"
            : "after " + seconds(run.gaps().get(0)) + ", then " + seconds(run.gaps().get(1));
    return "| `%s` | %s | %d | %d |"
        .formatted(outcome, again, failures(run), run.kit.telemetry().tokens());
  }

  private static int failures(Run run) {
    return run.kit
        .await(run.kit.handle().item(new ItemId("default", "trial")))
        .map(item -> item.failures())
        .orElse(0);
  }

  @Test
  void eventDuringTheBackoff_startsAtOnce_andAnEditThatCuresResetsTheCount() {
    Run run = new Run(new Trial.Spec(null, Trial.Outcome.Error), options -> options).until(15);
    assertThat(failures(run)).isEqualTo(15);

    run.trial.setSpec(new Trial.Spec(null, Trial.Outcome.Done));
    long edited = run.time.nanos();
    run.kit.add(KEY);

    assertThat(run.starts.getLast()).isEqualTo(edited);
    assertThat(failures(run)).isZero();
    run.time.advance(Duration.ofSeconds(2000));
    assertThat(run.starts).as("nothing else was due").hasSize(16);
  }
}
