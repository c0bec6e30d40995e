// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.CommandProcess;
import dev.coxswain.host.e2e.process.CommandProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for authors, on the compiled examples; {@link FirstControllerIT} has them with the launcher. */
class AuthorCommandsIT {

  private static final Path EXAMPLES =
      Path.of("..", "..", "examples", "target", "classes").toAbsolutePath().normalize();
  private static final String CRON = "crontasks.cron.coxswain.dev";

  @TempDir private static Path folder;
  private static CommandProcess commands;

  @BeforeAll
  static void start() throws Exception {
    commands = CommandProcess.start(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    commands.close();
  }

  @Test
  void writtenDefinitions_areUpToDate_andAnEditIsNamed() throws Exception {
    String classes = EXAMPLES.toString();
    assertThat(ok("crd", "generate", "--classes", classes, "--output", "made"))
        .contains("made/crd-crontasks.yaml\n");
    Path file = folder.resolve("made/crd-crontasks.yaml");
    assertThat(ok("crd", "check", "--classes", classes, "made"))
        .contains(CRON + ": made/crd-crontasks.yaml is up to date");

    Files.writeString(file, Files.readString(file).replace("- ct\n", "- cronny\n"));
    assertThat(failure("crd", "check", "--classes", classes, "made"))
        .startsWith(
            "coxswain: made/crd-crontasks.yaml: "
                + CRON
                + ": spec.names.shortNames: class [\"ct\"], file [\"cronny\"]\n")
        .hasLineCount(2);

    Files.delete(file);
    assertThat(failure("crd", "check", "--classes", classes, "made"))
        .startsWith("coxswain: " + CRON + ": is in none of the files made\n");
  }

  @Test
  void writtenClasses_areUpToDate_andAnEditIsNamed() throws Exception {
    ok("crd", "generate", "--classes", EXAMPLES.toString(), "--output", "kept");
    String[] command = {
      "crd", "classes", "kept/crd-crontasks.yaml", "--package", "made.up", "--output", "src"
    };
    assertThat(ok(command)).isEqualTo("src/made/up/CronTask.java\n");
    Path source = folder.resolve("src/made/up/CronTask.java");
    assertThat(source).content().contains("package made.up;", "public record Spec(");
    String[] check = Arrays.copyOf(command, command.length + 1);
    check[command.length] = "--check";
    assertThat(ok(check)).isEqualTo("src/made/up/CronTask.java is up to date\n");
    Files.writeString(source, "changed");
    assertThat(failure(check)).startsWith("coxswain: src/made/up/CronTask.java is not what kept/");
  }

  @Test
  void oneKindInTwoGroups_hasTwoClasses_andNoneIsOverwritten() throws Exception {
    String form =
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: boats.%1$s}
        spec:
          group: %1$s
          scope: Namespaced
          names: {kind: Boat, plural: boats}
          versions:
          - name: v1
            served: true
            storage: true
            schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string}}}}
        """;
    Files.writeString(folder.resolve("sea.yaml"), form.formatted("sea.example.com"));
    Files.writeString(folder.resolve("lake.yaml"), form.formatted("lake.example.com"));

    assertThat(ok("crd", "classes", "sea.yaml", "lake.yaml", "--package", "two", "--output", "src"))
        .isEqualTo("src/two/SeaBoat.java\nsrc/two/LakeBoat.java\n");
    ok("crd", "classes", "sea.yaml", "--package", "one", "--output", "src");
    assertThat(failure("crd", "classes", "lake.yaml", "--package", "one", "--output", "src"))
        .startsWith(
            "coxswain: src/one/Boat.java is the class of a kind of group sea.example.com, and lake.example.com has"
                + " one of that name: give both files in one command, or another --package");
    assertThat(failure("crd", "classes", "sea.yaml", "--package", "com.new", "--output", "src"))
        .startsWith("coxswain: not a package that Java accepts: \"com.new\"");
  }

  @Test
  void rights_areThoseThatEachControllerNeeds() throws Exception {
    String roles = ok("rbac", "generate", "--classes", EXAMPLES.toString());
    String cron = roles.substring(roles.indexOf("coxswain-controller-cron}"));
    assertThat(cron.substring(0, cron.indexOf("---")))
        .contains(
            "- {apiGroups: [\"\"], resources: [pods], verbs: [get, list, watch, create, delete]}\n",
            "- {apiGroups: [cron.coxswain.dev], resources: [crontasks/status], verbs: [patch]}\n");
    assertThat(ok("rbac", "generate", "--values", "--classes", EXAMPLES.toString()))
        .startsWith("controllerRules:\n- {apiGroups: [");
  }

  @Test
  void withoutClasses_theCommandsSayWhatIsMissing() throws Exception {
    for (String[] command : new String[][] {{"crd", "generate"}, {"rbac", "generate"}}) {
      Result run = commands.run(command);
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.errors())
          .startsWith(
              "coxswain: there is no target/classes, or build/classes/java/main of Gradle: compile first")
          .hasLineCount(1);
    }
  }

  @Test
  void aProject_isNotWrittenOverAnother_norWithANameThatNoControllerCanHave() throws Exception {
    Files.writeString(Files.createDirectory(folder.resolve("used")).resolve("file"), "");
    assertThat(failure("new", "used")).endsWith("used exists and is not empty\n");
    Map<String, String> problems =
        Map.of(
            "Greeter", "cannot be the name of a controller",
            "a_b", "cannot be the name of a controller",
            "class", "is no name of a package",
            "resource", "would be Resource");
    for (String name : problems.keySet()) {
      Result run = commands.run("new", name);
      assertThat(run.exitCode()).as(name).isEqualTo(2);
      assertThat(run.errors()).contains(problems.get(name)).hasLineCount(1);
      assertThat(folder.resolve(name)).doesNotExist();
    }
  }

  @Test
  void aProject_hasItsOwnNames() throws Exception {
    ok("new", "order-sync", "--package", "com.example.orders", "--repository", "file:///r/");
    Path project = folder.resolve("order-sync");
    assertThat(project.resolve("src/main/java/com/example/orders/OrderSync.java"))
        .content()
        .contains("package com.example.orders;", "class OrderSync ", "return \"order-sync\";");
    assertThat(
            project.resolve(
                "src/main/resources/META-INF/services/dev.coxswain.controller.ControllerDefinition"))
        .hasContent("com.example.orders.OrderSync");
    assertThat(project.resolve("pom.xml"))
        .content()
        .contains("<groupId>com.example.orders</groupId>", "<finalName>order-sync</finalName>")
        .doesNotContainIgnoringCase("greeter");
    assertThat(project.resolve(".mvn/maven.config")).hasContent("-Dcoxswain.repository=file:///r/");
  }

  /** That Gradle builds it is tested by .ci/walk, which has Debian's. */
  @Test
  void aProjectOfGradle_hasItsFiles_itsRepository_andItsCommands() throws Exception {
    assertThat(ok("new", "night-watch", "--gradle", "--repository", "file:///r/"))
        .endsWith("  gradle -q build\n  coxswain dev --plugin build/classes/java/main\n");
    Path project = folder.resolve("night-watch");
    assertThat(project.resolve("pom.xml")).doesNotExist();
    assertThat(project.resolve("build.gradle")).content().contains("group = 'nightwatch'\n");
    assertThat(project.resolve("settings.gradle")).content().contains("'night-watch'");
    assertThat(project.resolve("gradle.properties"))
        .hasContent(
            "coxswain.repository=file:///r/\norg.gradle.java.installations.paths=%s\n"
                .formatted(System.getProperty("java.home")));
    assertThat(commands.run("new", "dusk", "--gradle", "--kotlin").errors())
        .isEqualTo("coxswain: a project in Kotlin is built by Maven; leave out --gradle\n");
  }

  private String ok(String... command) throws Exception {
    Result run = commands.run(command);
    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(run.errors()).isEmpty();
    return run.output();
  }

  private String failure(String... command) throws Exception {
    Result run = commands.run(command);
    assertThat(run.exitCode()).isEqualTo(1);
    return run.errors();
  }
}
