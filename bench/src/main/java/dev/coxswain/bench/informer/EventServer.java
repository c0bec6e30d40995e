// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.testing.SelfSigned;
import dev.coxswain.testing.process.Commands;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.PfxOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A server of one watch of pods in a process of its own. The benchmark decides when it sends how many events, which it
 * could not with an API server; and an API server takes more of the machine.
 *
 * <p>Thread rule: {@link #main} is the process; the rest on one thread.
 */
public final class EventServer implements AutoCloseable {
  /** The begin of the name of the pod that is added behind the events of one command. */
  static final String LAST = "last";

  private static final String PORTS = "ports ";
  private static final int PODS = 500;
  private static final int AT_ONCE = 16;
  private static final String STORE = "events.p12";

  private final Process process;
  final String url;
  final int commands;

  /** A watch, and what it has been sent. */
  private static final class Watch {
    private final HttpServerResponse response;
    private long bytes;

    Watch(HttpServerResponse response) {
      this.response = response;
    }

    void send(Buffer events) {
      bytes += events.length();
      response.write(events).await();
    }
  }

  private EventServer(Process process, String url, int commands) {
    this.process = process;
    this.url = url;
    this.commands = commands;
  }

  /** Starts one; with TLS it speaks HTTP/2 to clients that do. */
  static EventServer start(boolean tls) throws IOException {
    Process process =
        Commands.java(
                List.of(
                    "-XX:+UseSerialGC",
                    "-Xmx256m",
                    "--add-exports=java.base/sun.security.tools.keytool=ALL-UNNAMED",
                    "-Dvertx.disableDnsResolver=true",
                    "-Dlogback.configurationFile=bench-logback.xml"),
                EventServer.class,
                tls)
            .start();
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    String line = lines.readLine();
    while (line != null && !line.startsWith(PORTS)) {
      line = lines.readLine(); // what the tool for keys prints
    }
    if (line == null) {
      throw new IOException("the server of events did not start");
    }
    String[] ports = line.substring(PORTS.length()).split(" ", -1);
    return new EventServer(
        process, (tls ? "https" : "http") + "://127.0.0.1:" + ports[0], Integer.parseInt(ports[1]));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The process: whether it has TLS. Prints the ports of watches and of commands. */
  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    if (Boolean.parseBoolean(args[0])) {
      Path folder = Files.createTempDirectory("coxswain-bench");
      Path store = folder.resolve(STORE);
      SelfSigned.add(store, "server", "CN=127.0.0.1");
      options
          .setSsl(true)
          .setUseAlpn(true)
          .setKeyCertOptions(
              new PfxOptions()
                  .setValue(vertx.fileSystem().readFileBlocking(store.toString()))
                  .setPassword(SelfSigned.PASSWORD));
      Files.delete(store);
      Files.delete(folder);
    }
    List<Watch> watches = new ArrayList<>();
    HttpServer server =
        vertx
            .createHttpServer(options)
            .requestHandler(request -> answer(request, watches))
            .listen()
            .await();
    try (ServerSocket commands = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> awaitEndOfParent());
      System.out.println(PORTS + server.actualPort() + " " + commands.getLocalPort());
      List<String> pods = new ArrayList<>();
      for (int i = 0; i < PODS; i++) {
        pods.add(stored(PodJson.pod(i)));
      }
      while (true) {
        try (Socket socket = commands.accept()) {
          obey(socket, watches, pods);
        }
      }
    }
  }

  private static void awaitEndOfParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is sent
      }
    } catch (IOException _) {
      // as the end
    }
    System.exit(0);
  }

  private static void answer(HttpServerRequest request, List<Watch> watches) {
    HttpServerResponse response = request.response();
    if (!request.params().contains("watch")) {
      response.setStatusCode(404).end();
      return;
    }
    response.setChunked(true).putHeader("Content-Type", "application/json");
    response.write(
        """
        {"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1",\
        "annotations":{"k8s.io/initial-events-end":"true"}}}}
        """);
    synchronized (watches) {
      watches.clear();
      watches.add(new Watch(response));
    }
  }

  /** Carries out commands: how many events, and how many in a second or 0 for no pause. */
  private static void obey(Socket socket, List<Watch> watches, List<String> pods)
      throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    PrintStream out = new PrintStream(socket.getOutputStream(), true, StandardCharsets.US_ASCII);
    long version = 1;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] command = line.split(" ", -1);
      int events = Integer.parseInt(command[0]);
      int rate = Integer.parseInt(command[1]);
      Watch watch;
      synchronized (watches) {
        watch = watches.getFirst();
      }
      long before = watch.bytes;
      send(watch, pods, events, rate, version);
      version += events + 1;
      String last =
          PodJson.pod(0).replaceFirst("\"name\":\"[^\"]*", "\"name\":\"" + LAST + "-" + version);
      watch.send(Buffer.buffer(event(stored(last), version)));
      out.println(watch.bytes - before);
    }
  }

  private static void send(Watch watch, List<String> pods, int events, int rate, long version) {
    long begun = System.nanoTime();
    int atOnce = rate > 0 ? 1 : AT_ONCE;
    for (int i = 0; i < events; i += atOnce) {
      Buffer some = Buffer.buffer();
      for (int k = i; k < Math.min(events, i + atOnce); k++) {
        some.appendString(event(pods.get(k % PODS), version + k + 1));
      }
      if (rate > 0) {
        long due = begun + i * TimeUnit.SECONDS.toNanos(1) / rate;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
      }
      watch.send(some);
    }
  }

  private static String event(String pod, long version) {
    return "{\"type\":\"MODIFIED\",\"object\":"
        + pod.replace("VERSION", Long.toString(version))
        + "}\n";
  }

  /** Returns a pod as an API server sends it, with {@code VERSION} for its version. */
  private static String stored(String pod) {
    JsonObject object = JsonParser.parseString(pod).getAsJsonObject();
    JsonObject metadata = object.getAsJsonObject("metadata");
    String owner = metadata.get("name").getAsString().replaceFirst("-\\d+$", "");
    metadata.addProperty("uid", "b1d3f6a2-6f0e-4a53-8a59-" + metadata.get("name").hashCode());
    metadata.addProperty("resourceVersion", "VERSION");
    metadata.addProperty("creationTimestamp", "2026-11-01T08:00:02Z");
    JsonObject reference = new JsonObject();
    reference.addProperty("apiVersion", "apps/v1");
    reference.addProperty("kind", "ReplicaSet");
    reference.addProperty("name", owner);
    reference.addProperty("uid", "0c1e7c3e-5a0e-4c3f-9f61-3f2f6f7a1c55");
    reference.addProperty("controller", true);
    reference.addProperty("blockOwnerDeletion", true);
    JsonArray owners = new JsonArray();
    owners.add(reference);
    metadata.add("ownerReferences", owners);
    metadata.add(
        "managedFields",
        JsonParser.parseString(
            """
            [{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",
            "time":"2026-11-01T08:00:02Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{
            "f:annotations":{".":{},"f:checksum/config":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},
            "f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:pod-template-hash":{}},
            "f:ownerReferences":{".":{},"k:{\\"uid\\":\\"0c1e7c3e-5a0e-4c3f-9f61-3f2f6f7a1c55\\"}":{}}},
            "f:spec":{"f:containers":{"k:{\\"name\\":\\"app\\"}":{".":{},"f:args":{},"f:env":{},"f:image":{},
            "f:imagePullPolicy":{},"f:name":{},"f:ports":{},"f:readinessProbe":{},"f:resources":{}}},
            "f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:volumes":{}}}},
            {"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2026-11-01T08:00:09Z",
            "fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},
            "f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},
            "f:phase":{},"f:podIP":{},"f:startTime":{}}},"subresource":"status"}]
            """));
    return object.toString();
  }
}
