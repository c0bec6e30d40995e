// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.cluster;

import dev.coxswain.bench.run.Commands;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The Kubernetes API server of a run, a process of its own with a data directory. It ends with this
 * process, also when this one is killed.
 *
 * <p>Thread rule: one thread, but for {@link #destroy}; calls block.
 */
public final class ControlPlane implements AutoCloseable {
  private static final List<String> JVM =
      List.of(
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-Dvertx.disableDnsResolver=true",
          "-Dlogback.configurationFile=bench-logback.xml");

  private static final long END_SECONDS = 60;

  private final String address;
  private final Path data;
  private int port;
  private volatile Process process;

  private ControlPlane(String address, Path folder) throws IOException {
    this.address = address;
    this.data = folder.resolve("api-server");
    this.process = launch();
  }

  /**
   * Starts it on a free port and returns when it accepts requests.
   *
   * @param address the address to listen on
   * @param folder where it keeps its data
   */
  public static ControlPlane start(String address, Path folder) throws IOException {
    return new ControlPlane(address, folder);
  }

  private Process launch() throws IOException {
    Process started = Commands.java(JVM, ControlPlaneMain.class, address, port, data).start();
    BufferedReader output = started.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the API server did not start at " + address);
    }
    port = Integer.parseInt(line);
    return started;
  }

  /** Returns its address. */
  public URI uri() {
    return URI.create("http://" + address + ":" + port);
  }

  public long pid() {
    return process.pid();
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
