// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.ProcessFigures;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The Kubernetes API server of a run, an embedded one in a process of its own. It ends with this
 * process, also when this one is killed.
 *
 * <p>Thread rule: one thread, but for {@link #destroy}; calls block.
 */
public final class ApiServer implements AutoCloseable {
  private static final List<String> JVM =
      List.of(
          "-XX:+UseSerialGC",
          "-Dvertx.disableDnsResolver=true",
          "-Dlogback.configurationFile=bench-logback.xml");
  private static final long END_SECONDS = 60;
  private static final String ADDRESS = "127.0.0.1";
  private static final int HISTORY = 50_000;
  private static final String NO_DATA = "";

  /** The property of the process that has it select what lists and watches send. */
  private static final String SELECTS = "coxswain.bench.shardedListAndWatch";

  private final String address;
  private final List<Object> rest;
  private final List<String> flags;
  private int port;
  private volatile Process process;

  /** What it has from its start on; an implementation has a public constructor without arguments. */
  public interface Content {
    void fill(EmbeddedApiServer server, String amount);
  }

  private ApiServer(String address, List<String> flags, List<Object> rest) throws IOException {
    this.address = address;
    this.flags = List.copyOf(flags);
    this.rest = List.copyOf(rest);
    this.process = launch();
  }

  /**
   * Starts one that keeps its objects in a folder; accepts requests when this returns.
   *
   * @param selects whether it has {@code ShardedListAndWatch}
   */
  public static ApiServer withData(String address, Path folder, boolean selects)
      throws IOException {
    return new ApiServer(
        address, flags("-Xmx512m", selects), List.of(folder.resolve("api-server")));
  }

  /** Starts one that has all of the content when this returns. */
  public static ApiServer with(String heap, Class<? extends Content> content, String... amounts)
      throws IOException {
    List<Object> rest = new ArrayList<>(List.of(NO_DATA, content.getName()));
    rest.addAll(List.of(amounts));
    return new ApiServer(ADDRESS, List.of(heap), rest);
  }

  /**
   * Starts an empty one that keeps nothing.
   *
   * @param selects whether it has {@code ShardedListAndWatch}
   */
  public static ApiServer empty(String heap, boolean selects) throws IOException {
    return new ApiServer(ADDRESS, flags(heap, selects), List.of(NO_DATA));
  }

  private static List<String> flags(String heap, boolean selects) {
    return List.of(heap, "-D" + SELECTS + "=" + selects);
  }

  /** Returns letters for the content of an object. */
  public static String text(int length, Random random) {
    return random
        .ints(length, 'a', 'z' + 1)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private Process launch() throws IOException {
    List<String> jvm = new ArrayList<>(JVM);
    jvm.addAll(flags);
    List<Object> arguments = new ArrayList<>(List.of(address, port));
    arguments.addAll(rest);
    Process started = Commands.java(jvm, ApiServer.class, arguments.toArray()).start();
    String line = started.inputReader(StandardCharsets.UTF_8).readLine();
    if (line == null) {
      throw new IOException("the API server did not start at " + address);
    }
    port = Integer.parseInt(line);
    return started;
  }

  /** The process: address, port (0 for any), data directory, content, its amounts. */
  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    EmbeddedApiServerOptions options =
        EmbeddedApiServerOptions.defaults()
            .withHost(args[0])
            .withPort(Integer.parseInt(args[1]))
            .withWatchHistory(HISTORY)
            .withWatchBuffer(HISTORY)
            .withShardedListAndWatch(Boolean.getBoolean(SELECTS));
    EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            args[2].equals(NO_DATA) ? options : options.withDataDirectory(Path.of(args[2])));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    for (int i = 4; i < args.length; i++) {
      Class.forName(args[3])
          .asSubclass(Content.class)
          .getDeclaredConstructor()
          .newInstance()
          .fill(server, args[i]);
    }
    System.out.println(server.port());
    while (System.in.read() >= 0) {
      // nothing is sent: this waits for the end of the parent
    }
    System.exit(0);
  }

  public URI uri() {
    return URI.create("http://" + address + ":" + port);
  }

  /** Returns what its process uses. */
  public ProcessFigures figures() {
    return new ProcessFigures(process.pid());
  }

  /** Stops it in order: everything that it acknowledged is in its data directory. */
  public void stop() throws IOException {
    process.destroy();
    if (!Commands.await(process, END_SECONDS)) {
      throw new IOException("the API server did not end within " + END_SECONDS + " s");
    }
  }

  /** Starts it again at the same address with the objects that it had. */
  public void restart() throws IOException {
    process = launch();
  }

  /** Ends it without waiting. */
  public void destroy() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    destroy();
  }
}
