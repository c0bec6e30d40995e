// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static dev.coxswain.host.internal.plugins.PluginHost.await;
import static dev.coxswain.testing.PluginJars.definition;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.admin.spi.PluginDirectory.Result;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.testing.KindDefinitions;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Plug-ins that are broken in all kinds of ways beside one that works and the class path. */
@Order(1) // takes long
class PluginFailuresTest extends PluginFixture {

  private static final String SERVICE = "META-INF/services/" + ControllerDefinition.class.getName();

  PluginFailuresTest() {
    super(new Base());
  }

  @AfterEach
  void theOthersRun() {
    assertThat(host.running()).as("the others").contains("base");
  }

  @Override
  String failed(String name) {
    String error = super.failed(name);
    assertThat(host.running()).containsExactly("base", "good");
    return error;
  }

  private String failed(String name, Map<String, byte[]> entries) {
    jars.write(jar(name), entries);
    return failed(name);
  }

  @Test
  void aFileThatIsNoJar_andOneThatIsCutOff_failAlone() throws Exception {
    Files.writeString(jar("text"), "this is no jar");
    assertThat(failed("text")).contains("text.jar cannot be read as a jar", "no entries");
    byte[] whole = Files.readAllBytes(jar("good"));
    Files.write(jar("cut"), Arrays.copyOf(whole, 300));
    assertThat(failed("cut")).contains("cut.jar cannot be read as a jar");
    // A stream ends there as it does behind the last entry.
    Files.write(jar("between"), Arrays.copyOf(whole, secondEntry(whole)));
    assertThat(failed("between")).contains("between.jar cannot be read as a jar");
  }

  /** Returns where the second entry of a jar begins. */
  private static int secondEntry(byte[] jar) {
    for (int i = 4; i < jar.length; i++) {
      if (jar[i] == 'P' && jar[i + 1] == 'K' && jar[i + 2] == 3 && jar[i + 3] == 4) {
        return i;
      }
    }
    throw new IllegalArgumentException("the jar has one entry");
  }

  @Test
  void aJarWithoutAController_failsAlone() {
    assertThat(failed("empty", jars.compile("public class Nothing {}")))
        .contains("no controller found", SERVICE);
  }

  @Test
  void aDefinitionWhoseClassIsMissing_failsAlone() {
    Map<String, byte[]> unnamed = jars.plugin(List.of("NotThere"), "public class Other {}");
    assertThat(failed("unnamed", unnamed)).contains("NotThere", "not found");
    Map<String, byte[]> unlinked =
        jars.plugin(
            List.of("Child"),
            definition("Child", "child").replace("class Child", "class Child extends Parent"),
            "public class Parent {}");
    unlinked.remove("Parent.class");
    assertThat(failed("unlinked", unlinked)).contains("Parent");
    Map<String, byte[]> broken = new TreeMap<>(unnamed);
    broken.put("NotThere.class", new byte[] {1, 2, 3});
    assertThat(failed("garbage", broken)).contains("ClassFormatError");
  }

  @Test
  void aDefinitionThatThrows_failsAlone_whateverItThrows() {
    for (String thrown :
        List.of(
            "throw new IllegalStateException(\"on purpose\");",
            "throw new LinkageError(\"on purpose\");",
            "throw new StackOverflowError(\"on purpose\");",
            "throw new Bad();")) {
      String bad =
          "class Bad extends RuntimeException {"
              + " public String getMessage() { throw new IllegalStateException(); } }";
      String type = "Thrower";
      String name = "thrower" + Math.floorMod(thrown.hashCode(), 1_000_000);
      String plain = definition(type, name);
      String constructor =
          plain.replace(
              "public String name()",
              "public " + type + "() { if (true) " + thrown + "} public String name()");
      assertThat(failed(name, jars.plugin(List.of(type), constructor, bad)))
          .containsAnyOf("on purpose", "could not be instantiated");
      String naming = plain.replace("return \"" + name + "\";", thrown);
      assertThat(failed(name + "-naming", jars.plugin(List.of(type), naming, bad)))
          .containsAnyOf("on purpose", "Bad");
    }
  }

  @Test
  void aControllerNameThatIsNone_failsAlone() {
    assertThat(failed("names", jars.plugin(List.of("Odd"), definition("Odd", "Not a name"))))
        .contains("Not a name", "a-z");
    Map<String, byte[]> twice =
        jars.plugin(List.of("One", "Two"), definition("One", "same"), definition("Two", "same"));
    assertThat(failed("twice", twice)).contains("two of its controllers have the name \"same\"");
  }

  @Test
  void aNameOfTheClassPath_failsAlone() {
    assertThat(failed("clash", jars.plugin(List.of("Base"), definition("Base", "base"))))
        .contains("\"base\" is on the class path of the host");
  }

  @Test
  void aNameOfAnotherPlugin_fails_andIsDeployedWhenTheOtherHasGone() throws Exception {
    assertThat(failed("second", jars.plugin(List.of("Good"), definition("Good", "good"))))
        .contains("\"good\" is in plug-in \"good\", too");
    Files.delete(jar("good"));
    await(() -> host.plugin("second").phase() == Phase.RUNNING);
    assertThat(host.plugins().find("good")).isEmpty();
    await(() -> host.running().equals(List.of("base", "good")));
  }

  /** It is repeated by the controller manager, as for a controller of the class path. */
  @Test
  void aControllerThatCannotBeBuilt_isShownOnItsPlugin() {
    jars.write(
        jar("unbuilt"),
        jars.plugin(
            List.of("Unbuilt"),
            definition(
                "Unbuilt",
                "unbuilt",
                "if (true) throw new NoClassDefFoundError(\"on purpose\");")));
    await(() ->
        host.plugin("unbuilt")
            .error()
            .contains("controller unbuilt: NoClassDefFoundError: on purpose"));
    assertThat(host.running()).containsExactly("base", "good");
    host.act("unbuilt", Action.STOP).ended().await();
    assertThat(host.plugin("unbuilt").phase()).isEqualTo(Phase.STOPPED);
  }

  @Test
  void aMissingType_isShownOnItsPlugin_andTheControllerRunsWhenTheTypeIsThere() {
    String missing =
        "dev.coxswain.k8s.resource.ResourceType.unstructured("
            + "\"not.there\", \"v1\", \"gones\", \"Gone\", true)";
    jars.write(
        jar("typeless"),
        jars.plugin(
            List.of("Typeless"),
            definition("Typeless", "typeless")
                .replace("io.kubernetes.client.openapi.models.V1ConfigMap.class", missing)));
    await(() -> host.plugin("typeless").error().contains("gones.not.there"));
    assertThat(host.plugin("good").error()).isEmpty();
    server.apply(KindDefinitions.of("not.there", "Gone"));
    await(() -> host.plugin("typeless").error().isEmpty());
  }

  @Test
  void aBrokenReplacement_leavesWhatRuns_untilTheNextOne() throws Exception {
    Files.writeString(jar("good"), "this is no jar");
    await(() -> host.plugin("good").error().contains("the changed files are not in use"));
    assertThat(host.plugin("good").phase()).isEqualTo(Phase.RUNNING);
    assertThat(host.running()).containsExactly("base", "good");
    jars.write(
        jar("good"),
        jars.plugin(List.of("Good"), definition("Good", "good"), definition("Two", "two")));
    await(() -> host.plugin("good").deployments() == 2 && host.plugin("good").error().isEmpty());
  }

  @Test
  void aStoppedPlugin_staysStopped_untilItIsDeployedOrItsFileChanges() throws Exception {
    assertThat(host.act("good", Action.DEPLOY).result()).isEqualTo(Result.SKIPPED);
    host.act("good", Action.STOP).ended().await();
    assertThat(host.running()).containsExactly("base");
    assertThat(host.act("good", Action.STOP).result()).isEqualTo(Result.SKIPPED);
    host.act("good", Action.DEPLOY).ended().await();
    await(() -> host.running().equals(List.of("base", "good")));
    host.act("good", Action.STOP).ended().await();
    jars.write(
        jar("good"), jars.plugin(List.of("Good"), definition("Good", "good"), "class More {}"));
    await(() -> host.running().equals(List.of("base", "good")));
    assertThat(host.plugins().begin("none", Action.STOP)).isEmpty();
  }

  /** Two attempts of one request at once would be worse than a plug-in that waits for an operator. */
  @Test
  void anAttemptThatDoesNotEnd_keepsItsPluginFromBeingReplaced_untilAnOperatorDeploysIt() {
    PluginProbe probe = PluginProbe.reset("failures");
    String stuck =
        definition("Stuck", "stuck")
            .replace(
                "(request, context) -> dev.coxswain.reconcile.Result.done()",
                "(request, context) -> { dev.coxswain.host.internal.plugins.PluginProbe.of(\"failures\").hold(\"\" + request);"
                    + " return dev.coxswain.reconcile.Result.done(); }");
    jars.write(jar("stuck"), jars.plugin(List.of("Stuck"), stuck));
    server.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: default}}");
    await(() -> probe.attempts.get() > 0);
    assertThat(host.act("stuck", Action.REDEPLOY).result()).isEqualTo(Result.APPLIED);
    assertThat(host.begin("stuck", Action.REDEPLOY).result()).isEqualTo(Result.BUSY);
    await(() -> host.plugin("stuck").phase() == Phase.FAILED);
    assertThat(host.plugin("stuck").error()).contains("did not end when they were cancelled");
    assertThat(host.running()).containsExactly("base", "good");
    probe.release();
    host.act("stuck", Action.DEPLOY).ended().await();
    await(() -> host.running().contains("stuck"));
    assertThat(probe.overlaps).hasValue(0);
  }

  @Test
  void aFolderThatHasGone_stopsNothing() throws Exception {
    Path away = work.resolve("away");
    Files.move(folder, away);
    await(() -> host.plugins().problem().contains("no folder"));
    assertThat(host.running()).containsExactly("base", "good");
    Files.move(away, folder);
    await(() -> host.plugins().problem().isEmpty());
    assertThat(host.plugin("good").deployments()).isEqualTo(1);
  }

  private static final class Base implements ControllerDefinition {
    @Override
    public String name() {
      return "base";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named("base")
          .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
          .reconciles((request, context) -> dev.coxswain.reconcile.Result.done());
    }
  }
}
