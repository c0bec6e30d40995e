// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import dev.coxswain.apiserver.EmbeddedApiServer.AccessDecision;
import dev.coxswain.authoring.rbac.AccessRule;
import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.host.internal.dev.project.AccessLog.Request;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is missing in the rules of an author, and what is too much. */
class RightsCheckTest {

  private static final List<ControllerRights> DECLARED =
      List.of(
          new ControllerRights(
              "orders",
              List.of(
                  new AccessRule("shop.example.com", "orders", true, List.of("list", "watch")))));

  private static List<String> toRemove(String rules, Request... used) {
    return RightsCheck.toRemove(
        RightsCheck.rules("values.yaml", "controllerRules:\n" + rules), DECLARED, List.of(used));
  }

  @Test
  void whatIsForbidden_isOneRuleForEachResource() {
    assertThat(
            RightsCheck.toAdd(
                List.of(
                    new Request("get", "", "secrets", "shop"),
                    new Request("patch", "shop.example.com", "orders/status", "shop"),
                    new Request("create", "", "secrets", "mall"),
                    new Request("get", "", "secrets", "mall"),
                    new Request("get", "", "/metrics", ""))))
        .containsExactly(
            "- {apiGroups: [\"\"], resources: [secrets], verbs: [get, create]}",
            "- {apiGroups: [shop.example.com], resources: [orders/status], verbs: [patch]}",
            "- {nonResourceURLs: [\"/metrics\"], verbs: [get]}");
    assertThat(new Request("get", "", "secrets", "shop").describe())
        .isEqualTo("get secrets in the namespace shop");
    assertThat(new Request("list", "shop.example.com", "orders", "").describe())
        .isEqualTo("list orders.shop.example.com in the whole cluster");
  }

  @Test
  void aRuleThatIsDeclaredOrUsed_stays() {
    assertThat(
            toRemove(
                """
                - {apiGroups: [shop.example.com], resources: [orders], verbs: [list, watch]}
                - {apiGroups: [""], resources: [secrets], verbs: [get]}
                - {nonResourceURLs: [/metrics*], verbs: [get]}
                """,
                new Request("get", "", "secrets", "shop"),
                new Request("get", "", "/metrics/slis", "")))
        .isEmpty();
  }

  @Test
  void aVerbOrAResourceThatIsNeither_isNamed() {
    assertThat(
            toRemove(
                """
                - {apiGroups: [shop.example.com], resources: [orders, carts], verbs: [list, delete]}
                - {apiGroups: ["", apps], resources: [secrets], verbs: [get]}
                """,
                new Request("get", "", "secrets", "shop")))
        .containsExactly(
            "remove: - {apiGroups: [shop.example.com], resources: [orders], verbs: [delete]}",
            "remove: - {apiGroups: [shop.example.com], resources: [carts], verbs: [list, delete]}",
            "remove: - {apiGroups: [apps], resources: [secrets], verbs: [get]}");
  }

  @Test
  void aStar_isTooWide_alsoWhenSomethingThatItAllowsIsNeeded() {
    assertThat(
            toRemove(
                """
                - {apiGroups: ["*"], resources: [orders], verbs: ["*"]}
                - {apiGroups: [shop.example.com], resources: ["*/status"], verbs: [patch]}
                - {apiGroups: [batch], resources: ["*"], verbs: ["*"]}
                """,
                new Request("patch", "shop.example.com", "orders/status", "shop")))
        .containsExactly(
            "remove: - {apiGroups: [\"*\"], resources: [orders], verbs: [\"*\"]}",
            "in its place: - {apiGroups: [shop.example.com], resources: [orders], verbs: [list, watch]}",
            "remove: - {apiGroups: [shop.example.com], resources: [\"*/status\"], verbs: [patch]}",
            "in its place: - {apiGroups: [shop.example.com], resources: [orders/status], verbs: [patch]}",
            "remove: - {apiGroups: [batch], resources: [\"*\"], verbs: [\"*\"]}");
  }

  @Test
  void aCacheNeedsListAndWatch_alsoWhenARunDoesNotShowIt() {
    assertThat(
            RightsCheck.missingForCaches(
                RightsCheck.rules(
                    "values.yaml",
                    "controllerRules: [{apiGroups: [shop.example.com], resources: [orders], verbs: [watch]}]"),
                DECLARED))
        .containsExactly("- {apiGroups: [shop.example.com], resources: [orders], verbs: [list]}");
  }

  @Test
  void aDeclaredRightThatWasNotUsed_isNamed_butThoseOfCaches() {
    List<ControllerRights> declared =
        List.of(
            new ControllerRights(
                "orders",
                List.of(new AccessRule("", "jobs", true, List.of("list", "create", "delete")))));
    assertThat(RightsCheck.unused(declared, List.of(new Request("create", "", "jobs", "shop"))))
        .containsExactly("- {apiGroups: [\"\"], resources: [jobs], verbs: [delete]}");
  }

  @Test
  void rules_areThoseOfValuesOrOfRoles_andAFileWithoutAnyIsRefused() {
    JsonArray rules =
        RightsCheck.rules(
            "roles.yaml",
            """
            kind: ClusterRole
            rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
            ---
            kind: ClusterRole
            rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
            """);
    assertThat(rules).hasSize(2);
    assertThat(RightsCheck.rules("values.yaml", "controllerRules: []")).isEmpty();
    assertThatThrownBy(() -> RightsCheck.rules("values.yaml", "replicas: 2"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("values.yaml has neither controllerRules");
  }

  @Test
  void onlyWhatNoRoleOfTheHostAllows_isUsedByTheControllers() {
    AccessLog log = new AccessLog("account", "controllers");
    log.add(decision("account", "leases", "membership"));
    log.add(decision("account", "configmaps", "controllers", "membership"));
    log.add(decision("other", "secrets", "controllers"));
    log.add(decision("account", "pods", "controllers"));
    log.add(decision("account", "pods", "controllers"));
    assertThat(log.used()).extracting(Request::resource).containsExactly("pods");
    assertThat(log.complete(Duration.ZERO)).isFalse();
    log.add(decision("other", "secrets"));
    assertThat(log.forbidden()).isEmpty();
    log.add(decision("account", "secrets"));
    assertThat(log.forbidden()).extracting(Request::resource).containsExactly("secrets");
    assertThat(log.complete(Duration.ZERO)).isTrue();
    assertThat(log.complete(Duration.ofHours(1))).isFalse();
  }

  private static AccessDecision decision(String user, String resource, String... roles) {
    return new AccessDecision(user, "get", "", resource, "shop", "name", List.of(roles));
  }
}
