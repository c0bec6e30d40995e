// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.subject.CoxswainControllers;
import dev.coxswain.bench.whole.subject.OfficialControllers;
import dev.coxswain.bench.whole.subject.PeerMain;
import dev.coxswain.bench.whole.subject.SubjectSettings;
import dev.coxswain.testing.host.Definitions;
import dev.coxswain.testing.host.DevCluster;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Starts the processes of the subjects: a host by its launcher, with its controllers on the class
 * path; the peers by {@link PeerMain}, with the collector, headers and heap limits of the host.
 */
final class SubjectStarter {
  static final String COXSWAIN = "coxswain";

  /** The host with a start cache. */
  static final String CACHED = "coxswainCached";

  static final String OFFICIAL = "officialJava";
  static final String JOSDK = "josdk";

  /** Set by {@code bench/run}: the class path of the peer that needs one of its own. */
  private static final String JOSDK_CLASS_PATH = System.getProperty("coxswain.bench.josdk", "");

  private static final String JOSDK_CONTROLLERS = "dev.coxswain.bench.josdk.JosdkControllers";

  /** The flags of {@code host/bin/jvm.options} that decide about memory. */
  private static final List<String> PEER_FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders",
          "-Xms32m",
          "-XX:MaxRAMPercentage=60",
          "-XX:MetaspaceSize=48m",
          "-XX:-UsePerfData",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dlogback.configurationFile=bench-logback.xml");

  /** What the probe needs of this build. */
  private static final List<String> OWN = List.of("coxswain-bench", "coxswain-testing");

  /** What the class path of this process has and the official client does not need. */
  private static final List<String> FOREIGN =
      List.of("coxswain-", "vertx-", "netty-", "hazelcast", "jmh-");

  private final Path app;
  private final Path out;
  private final String jvm;
  private final Map<String, Path> apps = new LinkedHashMap<>();
  private final String classPath;

  /**
   * Prepares.
   *
   * @param app an installed copy
   * @param jvm more flags of all processes; may be empty
   */
  SubjectStarter(Path app, Path out, String jvm) throws IOException {
    this.app = app;
    this.out = out;
    this.jvm = jvm;
    apps.put(COXSWAIN, app);
    classPath = Definitions.classPath(out, CoxswainControllers.class);
  }

  /** Returns the flags of all subjects, for people. */
  static String flags() {
    return "coxswain: host/bin/jvm.options; peers: " + String.join(" ", PEER_FLAGS);
  }

  /** Makes a copy with a start cache. */
  void prepareCache() throws IOException {
    Path cached = out.resolve("cached");
    Commands.run("cp", "-a", app.toString(), cached.toString());
    Commands.output(DevCluster.launcher(cached, "warm-up").redirectErrorStream(true));
    apps.put(CACHED, cached);
  }

  /** Removes that copy, if there is one. */
  void removeCache() throws IOException {
    Path cached = apps.remove(CACHED);
    if (cached != null) {
      Commands.run("rm", "-rf", cached.toString());
    }
  }

  /** Returns the subjects that can be started here. */
  static List<String> names() {
    return JOSDK_CLASS_PATH.isEmpty()
        ? List.of(COXSWAIN, OFFICIAL)
        : List.of(COXSWAIN, OFFICIAL, JOSDK);
  }

  /** Starts a process and returns when its probe has connected. */
  SubjectProcess start(String subject, Path kubeconfig, SubjectSettings settings)
      throws IOException {
    return SubjectProcess.start(
        port ->
            apps.containsKey(subject)
                ? host(apps.get(subject), kubeconfig, settings.at(port))
                : peer(subject, settings.at(port)),
        out.resolve("log-" + subject));
  }

  private ProcessBuilder host(Path app, Path kubeconfig, SubjectSettings settings)
      throws IOException {
    Path config =
        Files.writeString(
            out.resolve("config.yaml"),
            """
            apiVersion: config.coxswain.dev/v1alpha1
            kind: CoxswainConfiguration
            replicaName: whole
            admin: {port: %d, auth: {mode: none}}
            metrics: {port: %d}
            health: {port: %d}
            """
                .formatted(FreePorts.find(3).toArray()));
    ProcessBuilder builder =
        DevCluster.launcher(app, "run", "--config=" + config, "--kubeconfig=" + kubeconfig);
    builder.environment().put("COXSWAIN_CLASSPATH", classPath);
    builder
        .environment()
        .put("COXSWAIN_JAVA_OPTS", String.join(" ", settings.options()) + " " + jvm);
    return builder;
  }

  private ProcessBuilder peer(String subject, SubjectSettings settings) {
    List<String> flags = new ArrayList<>(PEER_FLAGS);
    flags.addAll(settings.options());
    if (!jvm.isBlank()) {
      flags.addAll(List.of(jvm.strip().split(" +")));
    }
    boolean official = subject.equals(OFFICIAL);
    return Commands.java(
        flags,
        official ? officialClassPath() : JOSDK_CLASS_PATH,
        PeerMain.class.getName(),
        official ? OfficialControllers.class.getName() : JOSDK_CONTROLLERS);
  }

  private static String officialClassPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> {
          String name = Path.of(entry).getFileName().toString();
          return OWN.stream().anyMatch(name::startsWith)
              || FOREIGN.stream().noneMatch(name::startsWith);
        })
        .collect(Collectors.joining(File.pathSeparator));
  }
}
