// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import static dev.coxswain.examples.fleet.HerdSimulation.BURST;
import static dev.coxswain.examples.fleet.HerdSimulation.MACHINES;
import static dev.coxswain.examples.fleet.HerdSimulation.RATE;
import static dev.coxswain.examples.fleet.HerdSimulation.REPLICAS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.Pages;
import dev.coxswain.examples.fleet.HerdSimulation.Report;
import dev.coxswain.examples.fleet.HerdSimulation.Starts;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The herd after an outage, by what limits it: the numbers and the plots of the page. With {@code
 * -Dcoxswain.plots=write} the plots are drawn again.
 */
class HerdTest {

  private static final boolean WRITE = "write".equals(System.getProperty("coxswain.plots"));

  private static final Map<String, Report> RUNS = new LinkedHashMap<>();
  private static final String ALONE = "per-item backoff alone";
  private static final String LOCAL = "a local bucket, one replica";
  private static final String LOCAL_THREE = "a local bucket in each of three replicas";
  private static final String SHARED = "the shared bucket over three replicas";
  private static final String EACH = "two controllers, a limiter each";
  private static final String COMMON = "two controllers, one limiter";

  @BeforeAll
  static void simulate() {
    HerdSimulation run = new HerdSimulation();
    RUNS.put(
        ALONE,
        run.run(
            run.controllers("fleet", MACHINES, Composition.BACKOFF_ONLY, run.local("default"))));
    run = new HerdSimulation();
    RUNS.put(
        LOCAL,
        run.run(run.controllers("fleet", MACHINES, Composition.ADMISSION, run.local("default"))));
    run = new HerdSimulation();
    RetryBudget[] three = new RetryBudget[REPLICAS];
    for (int i = 0; i < REPLICAS; i++) {
      three[i] = run.local("default");
    }
    RUNS.put(
        LOCAL_THREE, run.run(run.controllers("fleet", MACHINES, Composition.ADMISSION, three)));
    run = new HerdSimulation();
    RUNS.put(
        SHARED,
        run.run(run.controllers("fleet", MACHINES, Composition.ADMISSION, run.shared("default"))));
    RUNS.put(EACH, twoControllers(true));
    RUNS.put(COMMON, twoControllers(false));
  }

  /** The machines are those of two controllers, which call the same vendor. */
  private static Report twoControllers(boolean ownLimiters) {
    HerdSimulation run = new HerdSimulation();
    Starts starts = new Starts();
    RetryBudget vendor = run.local("vendor");
    RetryBudget other = ownLimiters ? run.local("images") : vendor;
    run.add(starts, "fleet", MACHINES / 2, Composition.ADMISSION, vendor);
    run.add(starts, "images", MACHINES / 2, Composition.ADMISSION, other);
    return run.run(starts);
  }

  private static Report report(String name) {
    return Objects.requireNonNull(RUNS.get(name), name);
  }

  private static Starts retries(String name) {
    return report(name).retries();
  }

  @Test
  void numbers_areThoseOfThePage() throws Exception {
    List<String> rows = new ArrayList<>();
    RUNS.forEach((name, report) -> {
      Starts retries = report.retries();
      rows.add(
          "| %s | %,d | %,d | %,d | %,d | %s |"
              .formatted(
                  name,
                  retries.most(),
                  retries.count(),
                  report.refused(),
                  report.limited(),
                  retries.servedAfter() < 0 ? "not yet" : retries.servedAfter() + " s"));
    });
    assertThat(Pages.table("fleet", "what limits")).isEqualTo(rows);
  }

  @Test
  void capHolds_inEveryWindow_whereOneBucketServesAll() {
    for (String name : List.of(LOCAL, SHARED, COMMON)) {
      assertThat(retries(name).excess(RATE, BURST)).as(name).isLessThanOrEqualTo(1e-6);
    }
  }

  @Test
  void withoutALimiter_thePeakIsFarAboveTheCap_andTheVendorRefusesTheHerd() {
    assertThat(retries(ALONE).most()).isGreaterThan(20 * (int) RATE);
    assertThat(retries(ALONE).excess(RATE, BURST)).isGreaterThan(100 * RATE);
    assertThat(report(ALONE).limited()).isGreaterThan(MACHINES / 2);
    assertThat(retries(ALONE).servedAfter()).isGreaterThan(10 * retries(SHARED).servedAfter());
    assertThat(report(SHARED).limited()).isZero();
  }

  @Test
  void separateBuckets_addUp() {
    assertThat(retries(LOCAL_THREE).excess(RATE, BURST)).isGreaterThan(RATE);
    assertThat(retries(LOCAL_THREE).excess(REPLICAS * RATE, REPLICAS * BURST))
        .isLessThanOrEqualTo(1e-6);
    assertThat(retries(EACH).excess(RATE, BURST)).isGreaterThan(RATE);
    assertThat(retries(EACH).excess(2 * RATE, 2 * BURST)).isLessThanOrEqualTo(1e-6);
  }

  @Test
  void plots_areDrawnFromTheseNumbers(@TempDir Path folder) throws Exception {
    HerdPlots plots = new HerdPlots(WRITE ? Pages.image("") : folder);
    plots.area(
        "herd-backoff", "No limiter: 10,000 machines, each with its own backoff", ALONE, RUNS);
    plots.lines(
        "herd-limiter",
        "Limiters of 50 retries per second, burst 100",
        List.of(LOCAL_THREE, LOCAL, SHARED),
        RUNS);
    plots.lines(
        "herd-controllers",
        "Two controllers that call one vendor, 5,000 machines each",
        List.of(EACH, COMMON),
        RUNS);
    for (String name : List.of("herd-backoff", "herd-limiter", "herd-controllers")) {
      assertThat(HerdPlots.data(Pages.image(name + ".svg")))
          .as("%s: to draw it again see the end of the page", name)
          .isEqualTo(HerdPlots.data(plots.file(name)));
      assertThat(Pages.page("fleet")).contains("../../images/" + name + ".svg");
    }
  }
}
