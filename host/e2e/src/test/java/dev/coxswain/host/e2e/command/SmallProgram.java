// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Distribution;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The program that has {@code ctl} alone, as it is downloaded: unpacked where no Java is on the PATH,
 * with the times that krew gives to files, and by links with the names of kubectl's plug-in.
 */
final class SmallProgram {

  private final Path folder;
  private final String kubeconfig;
  private final Path script;
  private final Path bin;

  /**
   * Unpacks it.
   *
   * @param kubeconfig that of a session
   */
  SmallProgram(Path shared, String kubeconfig) throws Exception {
    folder = Files.createDirectory(shared.resolve("small"));
    this.kubeconfig = kubeconfig;
    script = Distribution.ctl(folder).resolve("coxswain-ctl");
    Distribution.program(
        folder, "find", script.getParent().toString(), "-exec", "touch", "{}", "+");
    bin = Files.createDirectory(folder.resolve("bin"));
    for (String tool : List.of("readlink", "bash")) {
      Path wrapper = bin.resolve(tool);
      Files.writeString(wrapper, "#!/bin/sh\nexec /bin/" + tool + " \"$@\"\n");
      assertThat(wrapper.toFile().setExecutable(true)).isTrue();
    }
    for (String name : List.of("kubectl-coxswain", "kubectl_complete-coxswain")) {
      Files.createSymbolicLink(bin.resolve(name), Path.of("..").resolve(folder.relativize(script)));
    }
  }

  /** Verifies that it prints its help, versions, the controllers of the session and names for a shell. */
  void shows(String controller) throws Exception {
    assertThat(output(script, "--help")).startsWith("coxswain-ctl shows and steers");
    String versions =
        output(script, "version", "-o", "jsonpath={.clientVersion} {.replicas[*].version}");
    assertThat(versions).matches("([0-9]+[.]\\S+) \\1");
    assertThat(output(script, "get", "controllers")).contains(controller);
    assertThat(output(script, "ctl", "get", "controllers", "cron", "-o", "yaml"))
        .startsWith("kind: Controller\n");
    Path plugin = bin.resolve("kubectl-coxswain");
    assertThat(output(plugin, "--help")).startsWith("kubectl coxswain shows and steers");
    assertThat(output(plugin, "get", "controllers")).contains(controller);
    assertThat(output(bin.resolve("kubectl_complete-coxswain"), "get", "controllers", "cr"))
        .isEqualTo("cron\n:4\n");
  }

  /** Runs a command without this environment, but with flags for other JVMs; returns what it printed. */
  private String output(Path program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", bin.toString());
    environment.put("KUBECONFIG", kubeconfig);
    environment.put("JAVA_TOOL_OPTIONS", "-Dof.users=1");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
