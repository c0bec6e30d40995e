// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.controller.MissingKindController;
import dev.coxswain.host.e2e.process.CommandProcess;
import dev.coxswain.host.e2e.process.CommandProcess.Result;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Mistakes of users are reported in one line, without a stack trace. Where neither the launcher nor the process
 * matters, the commands share a JVM.
 */
@Order(2) // the next longest
class LauncherIT {

  private static final String HEADER =
      "apiVersion: config.coxswain.dev/v1alpha1\nkind: CoxswainConfiguration\n";

  @TempDir private static Path shared;
  private static CommandProcess commands;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws Exception {
    commands = CommandProcess.start(shared);
  }

  @AfterAll
  static void stop() throws Exception {
    commands.close();
  }

  @Test
  void theVersion_isPrinted_fromAnyFolder_throughLinks_alsoWithSpaces() throws Exception {
    Path spaced = Files.createDirectory(folder.resolve("with space"));
    Path link = spaced.resolve("cox");
    Files.createSymbolicLink(link, Launcher.SCRIPT);
    try (Launcher run = Launcher.start(link, spaced, Map.of(), "version")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      assertThat(run.output()).startsWith("coxswain ").contains("(Java ");
    }
  }

  @Test
  void everyCommand_hasHelp() throws Exception {
    for (String command :
        new String[] {"dev", "run", "config", "new", "crd", "rbac", "warm-up", "dist", "version"}) {
      Result run = commands.run(command, "--help");
      assertThat(run.exitCode()).isZero();
      assertThat(run.output()).startsWith("coxswain " + command);
    }
    try (Launcher run = Launcher.start(folder, Map.of(), "dev", "--help")) {
      assertThat(run.exitCode()).isZero();
      assertThat(run.output()).startsWith("coxswain dev");
    }
  }

  @Test
  void aJdkThatIsNone_isOneLine() throws Exception {
    complains(
        Map.of("COXSWAIN_JAVA_HOME", folder.toString()),
        1,
        "COXSWAIN_JAVA_HOME is " + folder + ", which is not a JDK 25 or later",
        "version");
  }

  @Test
  void aPortInUse_isOneLineThatNamesPortAndKey() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      try (Launcher run =
          Launcher.start(
              folder, Map.of(), "dev", "--ports=auto", "--set", "metrics.port=" + port)) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errors())
            .contains("coxswain: port " + port + " on 127.0.0.1 is in use", "metrics.port")
            .doesNotContain("\tat ");
        assertThat(run.output()).isEmpty();
      }
    }
  }

  @Test
  void aBrokenConfiguration_isOneLine_forEveryCommandThatReadsIt() throws Exception {
    Path file = Files.writeString(folder.resolve("config.yaml"), HEADER + "admin: {prot: 1}\n");
    String line =
        file
            + ":3: admin.prot: unknown key, did you mean \"port\"?"
            + " (known: access, auth, host, links, port, tls)";
    complains(Map.of(), 2, line, "run", "--config", file.toString());
    complains(2, line, "dev", "--config", file.toString());
    complains(2, line, "config", "validate", file.toString());
  }

  @Test
  void settingsForAControllerThatIsNotThere_areRefused() throws Exception {
    Path file =
        Files.writeString(folder.resolve("config.yaml"), HEADER + "controllers: {dmo: {}}\n");
    String line =
        file
            + ":3: controllers.dmo: unknown controller, there are none on the class path;"
            + " COXSWAIN_CLASSPATH adds jars with controllers";
    complains(Map.of(), 2, line, "config", "validate", file.toString());
    complains(Map.of(), 2, line, "run", "--config", file.toString());
  }

  @Test
  void tooFewOpenFiles_isOneLine_forEveryCommandThatServes() throws Exception {
    for (String command : List.of("run", "dev", "warm-up")) {
      try (Launcher run =
          Launcher.start(
              Path.of("/bin/sh"),
              folder,
              Map.of(),
              "-c",
              "ulimit -n 64; exec \"$0\" \"$@\"",
              Launcher.SCRIPT.toString(),
              command)) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errors())
            .isEqualTo(
                "coxswain: the limit of open files is 64 (ulimit -n), at least 512 are needed;"
                    + " raise it, for a container at its runtime\n");
        assertThat(run.output()).isEmpty();
      }
    }
  }

  @Test
  void withoutKubernetes_isOneLine() throws Exception {
    complains(
        Map.of("KUBECONFIG", ""),
        1,
        "no Kubernetes API server is configured and this is not a pod: give --kubeconfig FILE,"
            + " or set kubernetes.kubeconfig in the configuration, or use \"coxswain dev\"",
        "run");
    complains(
        1,
        "the API server cannot be used: kubeconfig /nowhere: no such file",
        "run",
        "--kubeconfig",
        "/nowhere");
    Path broken = Files.writeString(folder.resolve("kubeconfig"), "- what is this\n");
    complains(
        1,
        "the API server cannot be used: kubeconfig " + broken + ": ",
        "run",
        "--kubeconfig",
        broken.toString());
  }

  /** Casts and null pointers of the client's loader were shown to users. */
  @Test
  void aFileThatIsNoKubeconfig_isCalledThat() throws Exception {
    for (byte[] content : List.of("- a\n".getBytes(UTF_8), new byte[] {-1, -2})) {
      Path file = Files.write(folder.resolve("kubeconfig"), content);
      complains(
          1,
          "the API server cannot be used: kubeconfig " + file + ": not a kubeconfig file in YAML",
          "run",
          "--kubeconfig",
          file.toString());
    }
    Path empty = Files.write(folder.resolve("kubeconfig"), new byte[0]);
    complains(
        1,
        "the API server cannot be used: kubeconfig " + empty + ": it has no current-context",
        "run",
        "--kubeconfig",
        empty.toString());
  }

  /** It acted with the full rights of the credential, or without one. */
  @Test
  void aKubeconfigThatIsNotSupported_isOneLineThatNamesUserAndField() throws Exception {
    Path kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            current-context: c
            contexts: [{name: c, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]
            users: [{name: u, user: {token: hidden, auth-provider: {name: gcp}}}]
            """);
    Result run = commands.run("run", "--kubeconfig", kubeconfig.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors())
        .startsWith("coxswain: the API server cannot be used: kubeconfig " + kubeconfig)
        .contains("user \"u\": auth-provider is not supported")
        .doesNotContain("hidden")
        .hasLineCount(1);
  }

  @Test
  void wrongFlagsAndCommands_areOneLine() throws Exception {
    complains(Map.of(), 2, "unknown flag --jsn, did you mean \"--json\"?", "dev", "--jsn");
    complains(2, "unknown command \"rum\", did you mean \"run\"?", "rum");
    complains(2, "flag --ports takes only \"auto\"", "dev", "--ports", "1");
    complains(2, "flag --replicas: expected a number from 1", "dev", "--replicas=0");
    complains(2, "flag --slots-by: expected key or namespace, found", "dev", "--slots-by=team");
    complains(2, "flag --config needs a value", "run", "--config");
  }

  /** They were 30, 90 and 300 s, which a busy machine needs for three replicas. */
  @Test
  void aLimitThatIsExceeded_isOneLineThatNamesLimitAndOption() throws Exception {
    String line =
        " made no progress for 0.001s; --stall-limit or COXSWAIN_STALL_LIMIT sets another limit";
    complains(
        Map.of(),
        1,
        "the start of the API server" + line,
        "dev",
        "--ports=auto",
        "--stall-limit=1ms");
    complains(
        Map.of("COXSWAIN_STALL_LIMIT", "1ms"),
        1,
        "the start of the API server" + line,
        "dev",
        "--ports=auto");
    String wrong = "expected a duration such as 30s or 10m, found \"soon\"";
    for (String command : List.of("dev", "dist", "warm-up")) {
      complains(2, "flag --stall-limit: " + wrong, command, "--stall-limit=soon");
      complains(
          Map.of("COXSWAIN_STALL_LIMIT", "soon"),
          2,
          "variable COXSWAIN_STALL_LIMIT: " + wrong,
          command);
    }
  }

  /** The kind that it watches is not there, so it is never ready. */
  @Test
  void aReplicaWithoutProgress_isOneLineAfterItsLog() throws Exception {
    Path classes =
        Plugins.folder(
            folder, MissingKindController.class, List.of(MissingKindController.class.getName()));
    try (Launcher run =
        Launcher.start(
            folder,
            Map.of(),
            "dev",
            "--ports=auto",
            "--plugin=" + classes,
            "--stall-limit=8s",
            "--set=logging.level=error")) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors().lines().toList().getLast())
          .startsWith("coxswain: the start of ")
          .endsWith(
              " made no progress for 8s; --stall-limit or COXSWAIN_STALL_LIMIT sets another limit");
    }
  }

  @Test
  void theDefaults_thatArePrinted_areValid() throws Exception {
    Result run = commands.run("config", "print-defaults");
    assertThat(run.exitCode()).isZero();
    Path file = Files.writeString(shared.resolve("printed.yaml"), run.output());
    Result check = commands.run("config", "validate", "printed.yaml");
    assertThat(check.exitCode()).as(check.errors()).isZero();
    assertThat(check.output()).isEqualTo(file.getFileName() + ": valid\n");
  }

  private static void complains(int exitCode, String message, String... arguments)
      throws Exception {
    Result run = commands.run(arguments);
    assertThat(run.exitCode()).as(run.errors()).isEqualTo(exitCode);
    assertThat(run.errors()).startsWith("coxswain: " + message).hasLineCount(1);
    assertThat(run.output()).isEmpty();
  }

  private void complains(
      Map<String, String> environment, int exitCode, String message, String... arguments)
      throws Exception {
    try (Launcher run = Launcher.start(folder, environment, arguments)) {
      assertThat(run.exitCode()).as(run.errors()).isEqualTo(exitCode);
      assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
      assertThat(run.errors()).startsWith("coxswain: " + message);
      assertThat(run.output()).isEmpty();
    }
  }
}
