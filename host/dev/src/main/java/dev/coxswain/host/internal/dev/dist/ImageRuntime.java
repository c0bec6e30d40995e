// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The folder {@code /app} of the image in the build tree: a Java run-time image by {@code jlink},
 * the jars, and the start cache that was trained with exactly these.
 *
 * <p>A training run does not write the same bytes twice. So the cache is kept as long as the jars,
 * the flags and the JDK are the same, and so is the image.
 *
 * <p>Thread rule: one thread, which is blocked for up to minutes.
 */
final class ImageRuntime {

  /** Its path in the image. */
  static final String APP = "/app";

  /** More than the host needs: users' controllers have no other. */
  static final List<String> MODULES =
      List.of(
          "java.compiler",
          "java.instrument",
          "java.logging",
          "java.management",
          "java.management.rmi",
          "java.naming",
          "java.net.http",
          "java.prefs",
          "java.scripting",
          "java.security.jgss",
          "java.security.sasl",
          "java.sql",
          "java.sql.rowset",
          "java.transaction.xa",
          "java.xml",
          "java.xml.crypto",
          "jdk.charsets",
          "jdk.crypto.cryptoki",
          "jdk.dynalink",
          "jdk.httpserver",
          "jdk.jcmd",
          "jdk.jfr",
          "jdk.management",
          "jdk.management.agent",
          "jdk.management.jfr",
          "jdk.naming.dns",
          "jdk.net",
          "jdk.nio.mapmode",
          "jdk.security.auth",
          "jdk.security.jgss",
          "jdk.unsupported",
          "jdk.xml.dom",
          "jdk.zipfs");

  private static final String MAIN = "dev.coxswain.host.internal.cli.Main";

  /**
   * A link to the folder of controllers. The JVM compares class paths behind the longest path that
   * all entries begin with, so all must be in the folder of those of the training run.
   */
  static final String CONTROLLERS = "/lib/controllers";

  private final SourceTree tree;
  private final Path app;
  private final List<Path> jars;
  private final boolean startCache;

  ImageRuntime(SourceTree tree, boolean startCache) throws IOException {
    this.startCache = startCache;
    this.tree = tree;
    this.app = Files.createDirectories(tree.image().resolve("app"));
    this.jars = tree.jars();
  }

  /** Makes what is missing or was made from something else. */
  void make() throws IOException, HostException {
    String key =
        KeptFiles.sha256(out -> {
          out.write(String.join(",", MODULES).getBytes(StandardCharsets.UTF_8));
          out.write(Files.readAllBytes(java("release")));
        });
    if (!key.equals(KeptFiles.keyOf(jre()))) {
      KeptFiles.delete(jre());
      System.err.println("coxswain: linking a run-time image of Java");
      Program.output(
          tree.limit(),
          java("bin/jlink").toString(),
          "--add-modules=" + String.join(",", MODULES),
          "--no-header-files",
          "--no-man-pages",
          "--output=" + jre());
      KeptFiles.setKey(jre(), key);
    }
    String jarsKey = jarsKey(key);
    Path lib = app.resolve("lib");
    if (!jarsKey.equals(KeptFiles.keyOf(lib))) {
      KeptFiles.delete(lib);
      Files.deleteIfExists(cache());
      Files.createDirectories(lib);
      for (Path jar : jars) {
        Path copy = Files.copy(jar, lib.resolve(jar.getFileName()));
        // The JVM compares the times of jars with those of the training run, to the second.
        Files.setLastModifiedTime(copy, FileTime.from(SourceTree.FIXED_TIME));
      }
      KeptFiles.setKey(lib, jarsKey);
    }
    if (startCache && !jarsKey.equals(KeptFiles.keyOf(cache()))) {
      train();
      KeptFiles.setKey(cache(), jarsKey);
    }
  }

  Path jre() {
    return app.resolve("jre");
  }

  boolean hasCache() {
    return startCache;
  }

  Path cache() {
    return app.resolve("start.aot");
  }

  /** Returns the jars in the order of the class path. */
  List<Path> jars() {
    return jars.stream().map(jar -> app.resolve("lib").resolve(jar.getFileName())).toList();
  }

  /** Returns the file of arguments for a JVM in the image that runs the host. */
  String options() throws IOException {
    return Files.readString(tree.bin().resolve("jvm.options"))
        + String.join(
            "\n",
            "# Made by coxswain dist.",
            startCache
                ? "-XX:AOTCache=" + APP + "/start.aot\n-Dcoxswain.start.cache=" + APP + "/start.aot"
                : "# Without a start cache.",
            "-cp",
            classPath(APP) + ":" + APP + CONTROLLERS + "/*",
            MAIN,
            "");
  }

  /** Returns the same for {@code ctl}. */
  String ctlOptions() throws IOException {
    return Files.readString(tree.bin().resolve("ctl.options"))
        + String.join("\n", "-cp", classPath(APP), MAIN, "ctl", "");
  }

  private String classPath(String folder) {
    return jars.stream()
        .map(jar -> folder + "/lib/" + jar.getFileName())
        .collect(Collectors.joining(":"));
  }

  private void train() throws IOException, HostException {
    System.err.println(
        "coxswain: training the start cache: two replicas and an API server run for some seconds");
    Path dev = tree.app().resolve("dev");
    List<String> development = new ArrayList<>();
    development.add(dev.resolve("coxswain-host-dev-launcher.jar").toString());
    for (String jar : Files.readString(dev.resolve("classpath")).strip().split(":", -1)) {
      development.add(tree.app().resolve(jar).toString());
    }
    Path options = tree.bin().resolve("jvm.options");
    List<String> command = new ArrayList<>();
    command.add(jre().resolve("bin/java").toString());
    command.addAll(
        List.of(
            "@" + options,
            "-Dcoxswain.jvm.options=" + options,
            "-Dcoxswain.start.cache=" + cache(),
            "-Dcoxswain.development.jars=" + String.join(":", development),
            "-cp",
            classPath(app.toString()),
            MAIN,
            "warm-up"));
    command.addAll(tree.limit().arguments());
    try {
      Program.output(tree.limit(), command);
    } catch (HostException e) {
      throw new HostException(
          e.getMessage() + "; --no-start-cache makes an image without the cache", e);
    }
  }

  private String jarsKey(String runtime) throws IOException {
    return KeptFiles.sha256(out -> {
      out.write((runtime + app).getBytes(StandardCharsets.UTF_8));
      out.write(Files.readAllBytes(tree.bin().resolve("jvm.options")));
      for (Path jar : jars) {
        out.write(jar.getFileName().toString().getBytes(StandardCharsets.UTF_8));
        Files.copy(jar, out);
      }
    });
  }

  static Path java(String file) {
    return Path.of(System.getProperty("java.home")).resolve(file);
  }
}
