// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import com.sun.net.httpserver.HttpServer;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The run-time image of Java with {@code ctl} in it: {@code jlink} makes it, and a class archive
 * that is the default of this image halves the processor time of a start.
 *
 * <p>The archive is dumped from a sorted list of the classes that some commands load, so the same
 * classes make the same bytes. A cache of a training run (JEP 483) would start a tenth faster, but
 * no two of them are equal. Neither depends on the path or on the time of a file, since there are no jars.
 *
 * <p>Thread rule: one thread, which is blocked for some seconds.
 */
final class CtlRuntime {

  /** Not the whole of what the server sends: what the printers need to print a line. */
  private static final String RESPONSE =
      """
      {"kind": "Table", "name": "training",
       "columnDefinitions": [
         {"name": "NAME", "type": "string", "format": "name", "priority": 0},
         {"name": "READY", "type": "integer", "format": "", "priority": 0}],
       "rows": [{"name": "training", "cells": ["training", 1]}],
       "items": [{"name": "training", "replica": "training-0", "state": "ok", "version": "1.0.0", "load": 0.5}]}
      """;

  private static final List<List<String>> TRAINING =
      List.of(
          List.of("get", "controllers"),
          List.of("get", "controllers", "-o", "yaml"),
          List.of("version", "-o", "jsonpath={.clientVersion}"),
          List.of("get", "--help"));

  private static final String SHARED = "-Xshare:";

  private final SourceTree tree;
  private final List<Path> jars;
  private final String version;
  private final Path folder;

  CtlRuntime(SourceTree tree, List<Path> jars, String version) throws IOException {
    this.tree = tree;
    this.jars = jars;
    this.version = version;
    this.folder = Files.createDirectories(tree.work().resolve("ctl"));
  }

  /** Makes it when it is missing or was made from something else, and returns its folder. */
  Path make() throws IOException, HostException {
    Path runtime = folder.resolve("java");
    String key =
        KeptFiles.sha256(out -> {
          out.write((version + CtlModule.REQUIRED + TRAINING).getBytes(StandardCharsets.UTF_8));
          out.write(Files.readAllBytes(ImageRuntime.java("release")));
          out.write(Files.readAllBytes(options()));
          for (Path jar : jars) {
            Files.copy(jar, out);
          }
        });
    if (!key.equals(KeptFiles.keyOf(runtime))) {
      System.err.println("coxswain: linking a run-time image of Java for ctl");
      link(runtime);
      archive(runtime, classes(runtime));
      KeptFiles.setKey(runtime, key);
    }
    return runtime;
  }

  private void link(Path runtime) throws IOException, HostException {
    KeptFiles.delete(runtime);
    Path module = folder.resolve("module");
    KeptFiles.delete(module);
    CtlModule.write(jars, version, Files.createDirectories(module));
    Program.output(
        tree.limit(),
        ImageRuntime.java("bin/jlink").toString(),
        "--module-path=" + module,
        "--add-modules=" + CtlModule.NAME,
        "--strip-debug",
        "--no-header-files",
        "--no-man-pages",
        "--compress=zip-0", // what is compressed twice is larger: the archive compresses all of it
        "--output=" + runtime);
  }

  /** Returns the list of the classes that the commands load, in the format of the JVM. */
  private Path classes(Path runtime) throws IOException, HostException {
    TreeSet<String> classes = new TreeSet<>();
    Path loaded = folder.resolve("loaded.txt");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = RESPONSE.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    Path token = Files.writeString(folder.resolve("token"), "training");
    try {
      for (List<String> arguments : TRAINING) {
        List<String> command =
            command(runtime, SHARED + "off", "-XX:DumpLoadedClassList=" + loaded);
        command.addAll(arguments);
        command.add("--server=http://localhost:" + server.getAddress().getPort());
        command.add("--token-file=" + token);
        Program.output(tree.limit(), command);
        for (String line : Files.readAllLines(loaded)) {
          // Numbers of classes depend on their order, and resolved constants (@cp) on the moment.
          if (!line.startsWith("#") && !line.startsWith("@cp ")) {
            classes.add(line.replaceFirst(" id: \\d+$", ""));
          }
        }
      }
    } finally {
      server.stop(0);
    }
    return Files.write(folder.resolve("classes.txt"), classes);
  }

  private void archive(Path runtime, Path classes) throws HostException {
    List<String> command =
        command(
            runtime,
            SHARED + "dump",
            "-XX:SharedClassListFile=" + classes,
            "-XX:SharedArchiveFile=" + runtime.resolve("lib/server/classes.jsa"));
    Program.output(tree.limit(), command);
  }

  private List<String> command(Path runtime, String... flags) {
    List<String> command =
        new ArrayList<>(List.of(runtime.resolve("bin/java").toString(), "@" + options()));
    command.addAll(List.of(flags));
    command.addAll(List.of("-m", CtlModule.MAIN));
    return command;
  }

  private Path options() {
    return tree.bin().resolve("ctl.options");
  }
}
