// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.rbac.AccessRule;
import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a bundle, and the settings of a replica that is made of it. */
class ProjectBundleTest {

  private static final Path RENDERED = Path.of("..", "kustomize", "project");
  private static final ProjectJars PROJECT =
      new ProjectJars(List.of(), "registry.example.com/shop/on", "1.0");
  private static final List<ControllerRights> RIGHTS =
      List.of(
          new ControllerRights(
              "orders", List.of(new AccessRule("", "configmaps", true, List.of("get")))));
  private static final AuthorRights PLAIN =
      new AuthorRights(RIGHTS, List.of(), List.of(), Map.of());

  @TempDir private Path folder;

  private static ProjectManifests manifests(AuthorRights rights) throws IOException {
    return ProjectManifests.of(RENDERED, PROJECT, "123", rights, ProjectManifests.rules(rights));
  }

  private static Map<String, String> files(AuthorRights rights, JsonObject... definitions)
      throws IOException {
    return BundleCommand.files(PROJECT, "123", List.of(definitions), manifests(rights));
  }

  @Test
  void noPlaceIsLeft_andTextsThatLookLikeOtherValuesAreQuoted() throws Exception {
    Map<String, String> files = files(PLAIN);
    assertThat(String.join("", files.values())).doesNotContain("bundle-");
    assertThat(files.get("operator/config.yaml")).contains("name: 'on'");
    assertThat(files.get("operator/rights.yaml"))
        .contains("namespace: '123'", "name: 123-on-controllers", "- configmaps");
    assertThat(files.get("operator/deployment.yaml"))
        .contains("image: registry.example.com/shop/on:1.0");
    assertThat(files.get("operator/kustomization.yaml"))
        .contains("name: on-config", "namespace: \"123\"", "version: \"1.0\"");
    assertThat(files).isEqualTo(files(PLAIN));
  }

  @Test
  void withoutWebhooksAndDefinitions_thereAreNoFilesForThem() throws Exception {
    assertThat(files(PLAIN))
        .containsOnlyKeys(
            "kustomization.yaml",
            "operator/config.yaml",
            "operator/deployment.yaml",
            "operator/kustomization.yaml",
            "operator/network.yaml",
            "operator/rights.yaml",
            "operator/state.yaml");
  }

  @Test
  void webhooks_areNamedInTheirRights_andConversionsAreServedBeforeThePodsAreReady()
      throws Exception {
    String admission =
        String.valueOf(
            files(new AuthorRights(RIGHTS, List.of("orders", "carts"), List.of(), Map.of()))
                .get("operator/webhooks.yaml"));
    assertThat(admission)
        .contains(
            "- orders.coxswain.dev", "- carts.coxswain.dev", "publishNotReadyAddresses: false")
        .doesNotContain("customresourcedefinitions");
    String conversion =
        String.valueOf(
            files(new AuthorRights(RIGHTS, List.of(), List.of("orders.shop.example.com"), Map.of()))
                .get("operator/webhooks.yaml"));
    assertThat(conversion)
        .contains("- orders.shop.example.com", "publishNotReadyAddresses: true")
        .doesNotContain("deletecollection", ".coxswain.dev\n");
  }

  @Test
  void theConfigurationThatIsGiven_isThatOfTheBundle_forItsControllersAlone() throws Exception {
    JsonObject config = new JsonObject();
    BundleCommand.configure(
        config,
        PLAIN,
        ConfigurationLoader.load(
            null,
            Map.of(),
            List.of("controllers.orders.config.ovens=9", "controllers.carts.config.ovens=7")));
    assertThat(config.toString())
        .isEqualTo("{\"controllers\":{\"orders\":{\"config\":{\"ovens\":9}}}}");
  }

  @Test
  void rulesOfResourcesWithoutNamespaces_areInTheBundle_asInTheChart() {
    AccessRule nodes = new AccessRule("", "nodes", false, List.of("list", "watch"));
    List<ControllerRights> both = List.of(new ControllerRights("orders", List.of(nodes)));
    AuthorRights rights = new AuthorRights(both, List.of(), List.of(), Map.of());
    assertThat(ProjectManifests.rules(rights).toString()).contains("nodes");
  }

  @Test
  void withoutRules_thereIsNoRoleForTheControllers() throws Exception {
    ProjectManifests manifests =
        ProjectManifests.of(RENDERED, PROJECT, "shop", PLAIN, new JsonArray());
    assertThat(manifests.objects())
        .extracting(ProjectManifests::name)
        .contains("on-membership")
        .doesNotContain("shop-on-controllers");
  }

  @Test
  void definitionsOfOnePlural_inTwoGroups_areTwoFiles() throws Exception {
    assertThat(files(PLAIN, definition("a.example.com"), definition("b.example.com")))
        .containsKeys(
            "definitions/orders.a.example.com.yaml", "definitions/orders.b.example.com.yaml")
        .hasEntrySatisfying(
            "definitions/kustomization.yaml",
            text ->
                assertThat(text)
                    .contains("- orders.a.example.com.yaml\n- orders.b.example.com.yaml"));
  }

  private static JsonObject definition(String group) {
    return CrdYaml.read(
            "{kind: CustomResourceDefinition, metadata: {name: orders.%s}, spec: {names: {plural: orders}}}"
                .formatted(group))
        .getFirst();
  }

  @Test
  void aSecondBundle_leavesNothingOfTheFirst_andAFolderOfSomethingElseIsKept() throws Exception {
    Path bundle = folder.resolve("bundle");
    BundleCommand.write(bundle, files(PLAIN, definition("a.example.com")));
    BundleCommand.write(bundle, files(PLAIN));
    assertThat(bundle.resolve("definitions")).doesNotExist();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(bundle);
    }
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.writeString(other.resolve("kustomization.yaml"), "kind: Kustomization\n");
    assertThatThrownBy(() -> BundleCommand.write(other, files(PLAIN)))
        .isInstanceOf(HostException.class)
        .hasMessageContaining("was not made by this command");
    assertThat(other.resolve("kustomization.yaml")).hasContent("kind: Kustomization");
  }

  @Test
  void aNameThatAChartWouldCutOff_isRefused() {
    ProjectJars project = new ProjectJars(List.of(), "a".repeat(41), "1.0.0");
    assertThatThrownBy(() -> BundleCommand.requireBundle(project))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("at most 40");
  }

  @Test
  void aReplica_hasTheConfigurationOfTheChart_butForWhatNeedsAPod() throws Exception {
    AuthorRights rights = new AuthorRights(RIGHTS, List.of("orders"), List.of(), Map.of());
    VerifyPlan plan =
        new VerifyPlan(
            PROJECT, "123", List.of(), rights, null, new ExampleFiles("", List.of()), List.of());
    assertThat(plan.settings(manifests(rights).config(), 9443))
        .contains(
            "membership.name=on",
            "membership.maxReplicas=10",
            "membership.namespace=123",
            "changes.pauses.name=on-pauses",
            "changes.events.deployment=on",
            "webhooks.secret=on-webhooks",
            "webhooks.url=https://127.0.0.1:9443")
        .noneMatch(setting -> setting.startsWith("sharedLimiter") || setting.contains("0.0.0.0"));
  }
}
