// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.Scenario;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exploration finds each of the well-known faults, and none where there is none. */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class ShopsTest {

  /** What may happen to any shop. At the end nothing is left that could show a fault. */
  private static Scenario life(ControllerDefinition controller) {
    return Scenario.of(controller)
        .install(Shop.DEFINITION)
        .apply("a shop opens", Shop.yaml(1, "hello"))
        .apply("its sign changes", Shop.yaml(1, "welcome"))
        .whenAtRest(
            "somebody writes on its shelf",
            k8s ->
                k8s.resource(V1ConfigMap.class)
                    .modify(
                        ShopController.shelf(1), shelf -> shelf.setData(Map.of("sign", "bye"))))
        .apply("its shelf goes", Shop.yaml(0, "welcome"))
        .apply("its shelf comes back", Shop.yaml(1, "welcome"))
        .whenAtRest(
            "an order is stored",
            k8s ->
                k8s.resource(V1ConfigMap.class)
                    .modify(
                        ShopController.shelf(1),
                        shelf -> shelf.setData(Map.of("sign", "welcome", "order", "1"))))
        .apply("the sign changes again", Shop.yaml(1, "hello"))
        .then("the shop closes", k8s -> k8s.resource(Shop.class).delete(Shop.KEY));
  }

  @ParameterizedTest
  @EnumSource
  void aFault_isFound(FaultyShops fault, CoxswainTest kit) {
    assertThatThrownBy(() -> kit.explore(life(fault.controller())).verify())
        .isInstanceOf(AssertionError.class)
        .satisfies(found -> System.out.println("== " + fault + ": " + found.getMessage()))
        .hasMessageMatching("(?s).*(leaked|missing|different|not stable|busy loop|stuck).*")
        .hasMessageNotContaining("is not deterministic");
  }

  @ParameterizedTest
  @EnumSource
  void aCorrectController_passes(CorrectShops correct, CoxswainTest kit) {
    var report = kit.explore(life(correct.controller()));

    System.out.println("== " + correct + ": " + report.text());
    report.verify();
    assertThat(report.total()).isGreaterThan(50);
  }
}
