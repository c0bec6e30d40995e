// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.DebianPackages;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.NetworkNamespace;
import dev.coxswain.host.e2e.process.PortForward;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Where a person types the commands of a guide, with a network of its own, so that the ports in
 * them are free. The embedded API server reaches no pods: {@code kubectl port-forward} and {@code
 * kubectl exec} lead to those of a {@link Kubelet}; all else is the real kubectl.
 *
 * <p>Thread rule: one thread.
 */
final class Workstation implements AutoCloseable {

  private static final int ADMIN_PORT = 8090;
  private static final int LIMIT_SECONDS = 300;

  /** A port-forward ends with the shell that started it. */
  private static final String KUBECTL =
      """
      #!/bin/bash
      here=$(dirname "$0")
      verb=$1
      case $1 in
      port-forward)
        for word; do
          case $word in pod/* | service/* | coxswain-*) target=$word ;; esac
        done
        case $target in service/*) target= ;; esac
        printf '%s' "${target#pod/}" >"$here/target"
        touch "$here/forwarded"
        echo 'Forwarding from 127.0.0.1:8090 -> 8090'
        exec sleep 600
        ;;
      exec)
        shift
        [ "$1" != -i ] || shift
        pid=$(cat "$here/$1.pid")
        shift 2
        exec env -i "PATH=@PATH@" @NSENTER@ --target "$pid" --mount --net --pid --root --wd \\
          --setgid 65532 --setuid 65532 "$@"
        ;;
      esac
      exec @KUBECTL@ "$@"
      """;

  private final Path folder;
  private final Path programs;
  private final NetworkNamespace network = NetworkNamespace.create();
  private final List<PortForward> forwards = new ArrayList<>();
  private final List<String> exports = new ArrayList<>();

  /** What a script has printed, both outputs in one, and its exit code. */
  record Printed(int code, String text) {}

  /**
   * A person with rights to everything.
   *
   * @param kubectl the real one
   * @param path where programs are in the image
   */
  Workstation(
      Path folder,
      Path kubectl,
      String path,
      int serverPort,
      PortForward.Key key,
      String token,
      Kubelet kubelet)
      throws Exception {
    this.folder = folder;
    this.programs = Files.createDirectory(folder.resolve("programs"));
    Path shim =
        Files.writeString(
            programs.resolve("kubectl"),
            KUBECTL
                .replace("@KUBECTL@", kubectl.toString())
                .replace("@PATH@", path)
                .replace("@NSENTER@", DebianPackages.onPath("nsenter").orElseThrow().toString()));
    Files.setPosixFilePermissions(shim, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(programs.resolve("target"), "");
    PortForward server =
        PortForward.start(
            network, 0, () -> new Socket(InetAddress.getLoopbackAddress(), serverPort), key);
    forwards.add(server);
    forwards.add(
        PortForward.start(
            network,
            ADMIN_PORT,
            () -> kubelet.forward(Files.readString(programs.resolve("target")), ADMIN_PORT),
            null));
    kubeconfig(folder.resolve("kubeconfig"), server.port(), key, token);
  }

  /** Writes a kubeconfig with a token. */
  static Path kubeconfig(Path file, int port, PortForward.Key key, String token)
      throws IOException {
    Path authority = Files.writeString(file.resolveSibling(file.getFileName() + ".crt"), key.pem());
    return Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "https://127.0.0.1:%d", certificate-authority: "%s"}}]
        users: [{name: user, user: {token: "%s"}}]
        contexts: [{name: test, context: {cluster: test, user: user}}]
        """
            .formatted(port, authority, token));
  }

  /** Has {@code kubectl exec} find a pod. */
  void add(Kubelet.Pod pod) throws IOException {
    Files.writeString(programs.resolve(pod.name() + ".pid"), String.valueOf(pod.container().pid()));
  }

  /** Runs a script; what it exports is there for the next one as well. */
  Printed run(String script) throws Exception {
    Path output = Files.createTempFile(folder, "typed", ".txt");
    List<String> command = new ArrayList<>(network.enter());
    String all = String.join("\n", exports) + "\ntrap 'kill $(jobs -p) 2>/dev/null || :' EXIT\n";
    Files.deleteIfExists(programs.resolve("forwarded"));
    // A person goes on when the port-forward has printed its line.
    String waiting = " &\nuntil [ -e " + programs.resolve("forwarded") + " ]; do sleep 0.1; done\n";
    command.addAll(List.of("bash", "-e", "-c", all + script.replace(" &\n", waiting)));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COXSWAIN_"));
    builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
    builder.environment().put("HOME", folder.toString());
    builder
        .environment()
        .put("PATH", programs + ":" + Launcher.SCRIPT.getParent() + ":" + System.getenv("PATH"));
    builder.environment().put("COXSWAIN_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("COXSWAIN_SKIP_BUILD", "1");
    Process process = builder.start();
    boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly();
    String printed = Files.readString(output);
    assertThat(ended).as("%s%n%s", script, printed).isTrue();
    script.lines().filter(line -> line.startsWith("export ")).forEach(exports::add);
    return new Printed(process.exitValue(), printed);
  }

  @Override
  public void close() throws IOException {
    for (PortForward forward : forwards) {
      forward.close();
    }
    network.close();
  }
}
