// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.explore.Scenario;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is different in every run is not compared, and everything else is. */
class ClusterStateTest {

  private static final ControllerDefinition NONE =
      new ControllerDefinition() {
        @Override
        public String name() {
          return "none";
        }

        @Override
        public Controller<?> create(ControllerEnvironment environment) {
          throw new UnsupportedOperationException();
        }
      };

  private static List<String> differences(List<String> reference, List<String> other) {
    return differences(reference, other, Scenario.of(NONE));
  }

  private static List<String> differences(
      List<String> reference, List<String> other, Scenario scenario) {
    return ClusterState.of(Map.of("", reference), scenario)
        .differences(ClusterState.of(Map.of("", other), scenario));
  }

  private static String map(String name, String uid, String rest) {
    return """
    {"kind":"ConfigMap","apiVersion":"v1","metadata":{"namespace":"a","name":"%s","uid":"%s",
     "resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:0%dZ"}%s}
    """
        .formatted(name, uid, uid.length(), uid.length() % 10, rest);
  }

  @Test
  void uidsVersionsAndTimes_areNotCompared() {
    assertThat(
            differences(
                List.of(map("x", "1", ",\"data\":{\"at\":\"since 2026-01-01T00:00:00Z\"}")),
                List.of(map("x", "22", ",\"data\":{\"at\":\"since 2027-01-01T00:00:00.5Z\"}"))))
        .isEmpty();
  }

  @Test
  void aReference_isComparedByWhatItRefersTo() {
    String toFirst = ",\"data\":{\"owner\":\"111\"}";
    List<String> reference = List.of(map("x", "111", ""), map("y", "2", toFirst));

    assertThat(
            differences(
                reference,
                List.of(map("x", "4444", ""), map("y", "2", ",\"data\":{\"owner\":\"4444\"}"))))
        .isEmpty();
    assertThat(differences(reference, List.of(map("x", "4444", ""), map("y", "2", toFirst))))
        .containsExactly(
            "different: ConfigMap a/y data.owner is \"111\", in the reference \"uid of ConfigMap"
                + " a/x\"");
  }

  private static String service(String address) {
    return """
    {"kind":"Service","apiVersion":"v1","metadata":{"namespace":"a","name":"s","uid":"1"},
     "spec":{"clusterIP":"%s","clusterIPs":["%s"]}}
    """
        .formatted(address, address);
  }

  @Test
  void addressesOfServices_areNotCompared_butWhetherTheyHaveOne() {
    String reference = service("10.96.0.7");

    assertThat(differences(List.of(reference), List.of(service("10.96.3.4")))).isEmpty();
    assertThat(differences(List.of(reference), List.of(service("None")))).hasSize(2);
    assertThat(differences(List.of(service("None")), List.of(service("None")))).isEmpty();
  }

  @Test
  void namesThatMayDiffer_areEqual_andTheirNumberCounts() {
    Scenario scenario = Scenario.of(NONE).mayDiffer("ConfigMap", "metadata.name");
    String one = map("x-1", "1", "");
    String two = map("x-2", "22", "");

    assertThat(differences(List.of(one), List.of(two), scenario)).isEmpty();
    assertThat(differences(List.of(one), List.of(one, two), scenario))
        .containsExactly("leaked: ConfigMap a/* #2 exists, not in the reference");
    assertThat(differences(List.of(one), List.of(two))).isNotEmpty();
  }

  @Test
  void generatedNames_areEqual_andTheirNumberCounts() {
    String one = map("x-abc", "1", "").replace("\"name\"", "\"generateName\":\"x-\",\"name\"");
    String two = map("x-def", "22", "").replace("\"name\"", "\"generateName\":\"x-\",\"name\"");

    assertThat(differences(List.of(one), List.of(two))).isEmpty();
    assertThat(differences(List.of(one), List.of(one, two)))
        .containsExactly("leaked: ConfigMap a/x-* #2 exists, not in the reference");
  }

  @Test
  void anObjectThatIsMissing_andAFieldThatDiffers_areReported() {
    assertThat(differences(List.of(map("x", "1", "")), List.of()))
        .containsExactly("missing: ConfigMap a/x does not exist, but in the reference");
    assertThat(
            differences(
                List.of(map("x", "111", ",\"data\":{\"k\":\"1\"}")),
                List.of(map("x", "111", ",\"data\":{\"k\":\"2\"}"))))
        .containsExactly("different: ConfigMap a/x data.k is \"2\", in the reference \"1\"");
  }

  @Test
  void listsOfOneLength_areComparedByItem() {
    assertThat(
            differences(
                List.of(map("x", "111", ",\"data\":[{\"k\":\"1\",\"l\":\"2\"},\"3\"]")),
                List.of(map("x", "111", ",\"data\":[{\"k\":\"1\",\"l\":\"0\"},\"3\"]"))))
        .containsExactly("different: ConfigMap a/x data.0.l is \"0\", in the reference \"2\"");
  }

  @Test
  void aDeclaredField_isNotCompared_alsoInLists() {
    Scenario scenario = Scenario.of(NONE).mayDiffer("ConfigMap", "items.value");

    assertThat(
            differences(
                List.of(map("x", "1", ",\"items\":[{\"name\":\"a\",\"value\":1}]")),
                List.of(map("x", "1", ",\"items\":[{\"name\":\"a\",\"value\":2}]")),
                scenario))
        .isEmpty();
  }

  @Test
  void anObservedGeneration_isCurrentOrBehind() {
    String form = ",\"status\":{\"observedGeneration\":%d}";
    String first = map("x", "1", form.formatted(2)).replace("\"uid\"", "\"generation\":2,\"uid\"");
    String more = map("x", "1", form.formatted(3)).replace("\"uid\"", "\"generation\":3,\"uid\"");
    String behind = map("x", "1", form.formatted(1)).replace("\"uid\"", "\"generation\":2,\"uid\"");

    assertThat(differences(List.of(first), List.of(more))).isEmpty();
    assertThat(differences(List.of(first), List.of(behind)))
        .containsExactly(
            "different: ConfigMap a/x status.observedGeneration is \"behind\", in the reference"
                + " \"current\"");
  }
}
