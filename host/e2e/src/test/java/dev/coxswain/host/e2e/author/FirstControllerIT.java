// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.DebianPackages;
import dev.coxswain.host.e2e.process.GuidePage;
import dev.coxswain.host.e2e.process.PersonalMaven;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows docs/guides/first-controller.md: all of its commands, in a shell, in their order. Free ports are
 * taken, and Maven has no network.
 */
@Order(1) // takes long
class FirstControllerIT {

  private static final long LIMIT_MINUTES = 8;
  private static final String DEV = "coxswain dev --plugin target/classes\n";

  /** What a person does between two terminals. */
  private static final String SECOND_TERMINAL =
      """
      coxswain dev --plugin target/classes >"$OUT/dev.out" 2>"$OUT/dev.err" &
      dev=$!
      trap 'kill $dev; wait $dev || true' EXIT
      until grep -q '^export KUBECONFIG' "$OUT/dev.out"; do
        kill -0 $dev
        sleep 0.2
      done
      eval "$(grep '^export KUBECONFIG' "$OUT/dev.out")"
      """;

  @TempDir private Path folder;

  @Test
  void thePage_isFollowedToTheLetter() throws Exception {
    DebianPackages.install("kubectl", "kubernetes-client");
    GuidePage page = GuidePage.read("first-controller.md");
    List<String> blocks = page.blocks("sh");
    assertThat(blocks).contains(DEV);
    Path programs = folder.resolve("bin");
    PersonalMaven.install(folder, programs);
    Path launcher = Path.of("..", "bin", "coxswain").toAbsolutePath().normalize();
    PersonalMaven.script(
        programs.resolve("coxswain"),
        """
        #!/bin/sh
        case $1 in
        dev) shift; exec '%1$s' dev --ports auto "$@" ;;
        esac
        exec '%1$s' "$@"
        """
            .formatted(launcher));
    String script =
        "set -eux\n" + String.join("", blocks).replace(DEV, SECOND_TERMINAL) + "echo followed\n";
    Path output = folder.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", script)
            .directory(Files.createDirectory(folder.resolve("home")).toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COXSWAIN_"));
    builder.environment().put("COXSWAIN_SKIP_BUILD", "1");
    builder.environment().put("COXSWAIN_JAVA_OPTS", "-Djava.io.tmpdir=" + folder);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("OUT", folder.toString());
    builder.environment().put("MAVEN_OPTS", PersonalMaven.OPTIONS);
    builder.environment().merge("PATH", programs + ":", (path, own) -> own + path);
    int code = PersonalMaven.run(builder, output, LIMIT_MINUTES);
    String printed = Files.readString(output);
    assertThat(code).as("%s%n%s", printed, read("dev.err")).isZero();
    assertThat(printed)
        .contains(
            page.block("text", "condition met"),
            page.block("text", "src/main/java/greeter/Website.java"))
        .containsPattern(page.block("text", "READY").replaceAll(" +", " +").replace("1s", "\\d+s"))
        .contains("created-by cannot be changed, it is ", "\nrefused\n")
        .contains("resources: [websites/status]", "up to date", "followed\n");
    assertThat(read("dev.err"))
        .as("nothing is loaded that a compiler has not completed")
        .contains("plug-in greeter has changed")
        .doesNotContain("plug-in not deployed");
    Path source = folder.resolve("home/greeter/src/main/java/greeter/Greeter.java");
    String shown = page.block("java", "Controller<?> create");
    assertThat(Files.readString(source)).as("the page shows the controller").contains(shown);
    Path resource = source.resolveSibling("Website.java");
    assertThat(
            Files.readString(resource).replace("@Schema(maxLength = 63) String title,\n      ", ""))
        .as("the page shows the resource")
        .contains(page.block("java", "record Spec("));
  }

  private String read(String name) throws Exception {
    Path file = folder.resolve(name);
    return Files.exists(file) ? Files.readString(file) : "";
  }
}
