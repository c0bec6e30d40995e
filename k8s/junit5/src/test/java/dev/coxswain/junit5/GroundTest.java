// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.guide.WebsiteControllerTest;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same test runs in virtual time and in real time; what cannot run there is aborted. */
class GroundTest {

  static final Set<String> VIRTUAL_ONLY =
      Set.of(
          "aLongTime_passes",
          "anotherProcess_takesOver",
          "anExploration_findsNothing",
          "anExploration_thatMustFail",
          "anExploration_whoseResultIsLost");

  static void requireAborted(Map<String, String> results, Set<String> tests) {
    Map<String, String> aborted = new TreeMap<>(results);
    aborted.values().removeIf("passed"::equals);
    assertThat(aborted.values()).allMatch(text -> text.startsWith("aborted: "));
    assertThat(aborted.keySet()).isEqualTo(tests);
  }

  @Test
  void inVirtualTime_everythingRuns() {
    assertThat(GroundRun.of(SameOnEachGround.class, "").values())
        .isNotEmpty()
        .containsOnly("passed");
  }

  @Test
  void atAnEmbeddedServer_onlyVirtualTimeIsMissing() {
    Map<String, String> results = GroundRun.of(SameOnEachGround.class, "embedded");

    requireAborted(results, VIRTUAL_ONLY);
    assertThat(results.get("aLongTime_passes"))
        .contains("advance(PT2H) cannot run on the embedded server in real time")
        .contains("more than 10 s are not waited for");
    assertThat(results.get("anotherProcess_takesOver")).contains("handOver() cannot run on");
    assertThat(results.get("anExploration_thatMustFail")).contains("explore(...) cannot run on");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memcached.MemcachedControllerTest",
        "visitors.VisitorsAppControllerTest",
        "webpage.WebPageControllerTest",
        "propagation.PropagationControllerTest"
      })
  void theTestsOfSamples_runAtAnEmbeddedServer_butForTheirExplorations(String sample)
      throws ClassNotFoundException {
    Map<String, String> results =
        GroundRun.of(Class.forName("dev.coxswain.junit5.samples." + sample), "embedded");

    assertThat(results.values()).contains("passed");
    assertThat(results.values())
        .allMatch(text -> text.equals("passed") || text.contains("explore(...) cannot run on"));
  }

  @Test
  void aTestOfTheGuide_runsAtAnEmbeddedServer() {
    assertThat(GroundRun.of(WebsiteControllerTest.class, "embedded").values())
        .hasSize(3)
        .containsOnly("passed");
  }
}
