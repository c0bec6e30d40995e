// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.author;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.Scenario;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Exploration finds each of the well-known faults, and none where there is none. In a build only by the kind of perturbations that
 * shows the fault, and with a sample where there is none.
 */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class ShopsTest {

  /** Not {@code TestLength}: ExploringProjectIT compiles this outside of the tree, where that is not to be had. */
  private static final boolean LONG = Boolean.getBoolean("coxswain.long");

  /** Not that the scenario is not deterministic, for instance. */
  private static final Pattern LAWS =
      Pattern.compile("(leaked|missing|different|not stable.*|busy loop|stuck): ");

  /** What may happen to any shop. At the end nothing is left that could show a fault. */
  private static Scenario life(ControllerDefinition controller) {
    return Scenario.of(controller)
        .inParallel()
        .install(Shop.DEFINITION)
        .apply("a shop opens", Shop.yaml(1, "hello"))
        .apply("its sign changes", Shop.yaml(1, "welcome"))
        .whenAtRest(
            "another client changes a shelf",
            k8s ->
                k8s.resource(V1ConfigMap.class)
                    .modify(ShopController.shelf(1), shelf -> shelf.setData(Map.of("sign", "bye"))))
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
    Scenario life = life(fault.controller());
    if (!LONG) {
      life.only(fault.shownBy());
    }

    AssertionError found = assertThrows(AssertionError.class, () -> kit.explore(life).verify());

    String text = String.valueOf(found.getMessage());
    System.out.println("== " + fault + ": " + text);
    assertTrue(LAWS.matcher(text).find(), text);
  }

  @ParameterizedTest
  @EnumSource
  void aCorrectController_passes(CorrectShops correct, CoxswainTest kit) {
    var report = kit.explore(life(correct.controller()).atMost(LONG ? 1_000 : 52));

    System.out.println("== " + correct + ": " + report.text());
    report.verify();
    assertTrue(report.total() > 50, report.text());
  }
}
