// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.ctl.internal.cli.SessionFile;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.dev.DevToken;
import dev.coxswain.host.internal.dev.FreePorts;
import dev.coxswain.host.internal.dev.SessionOwner;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.dev.project.ChartFile;
import dev.coxswain.host.internal.dev.project.ProjectManifests;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.ApiStatusException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a chart on this machine, from the start to the end: the API server unless there is one, the objects of
 * the chart, and the processes.
 *
 * <p>Thread rule: {@link #start} on one thread, which is blocked; {@link #close} on any, also during the start.
 */
final class PodsRun implements AutoCloseable {

  private static final String MEMBERS = "members";
  private static final String WEBHOOKS = "webhooks";

  /** A start ends at its next step when it is closed. */
  private static final Duration START_END_LIMIT = Duration.ofSeconds(10);

  private final PodsOptions options;
  private final SourceTree tree;
  private final Consumer<String> progress;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<LocalPod> pods = new ArrayList<>();
  private final CountDownLatch startEnded = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean closing;
  private @Nullable Path folder;
  private @Nullable PodApiServer server;
  private @Nullable WebhookRelay relay;
  private @Nullable PodAddresses held;
  private @Nullable FileChannel lock;
  private @Nullable PodCluster cluster;
  private @Nullable PodPlan plan;
  private @Nullable ChartFile chart;

  /**
   * Creates a run that is not started.
   *
   * @param progress receives a line when something changes, on several threads
   */
  PodsRun(PodsOptions options, SourceTree tree, Consumer<String> progress) {
    this.options = options;
    this.tree = tree;
    this.progress = progress;
  }

  /**
   * What runs.
   *
   * @param chart the chart
   * @param cluster its API server
   * @param ownNamespace whether this command has created the namespace
   * @param token the file of the token for the admin APIs
   * @param pods the pods
   */
  record Report(
      ChartFile chart,
      PodCluster cluster,
      boolean ownNamespace,
      DevToken token,
      List<LocalPod> pods) {
    Report {
      pods = List.copyOf(pods);
    }
  }

  /** Starts everything and waits until all pods are ready; returns null when it was closed before. */
  @Nullable Report start() throws HostException, IOException, InterruptedException {
    try {
      return startAll();
    } finally {
      startEnded.countDown();
    }
  }

  private @Nullable Report startAll() throws HostException, IOException, InterruptedException {
    FileChannel opened = lock();
    keep(() -> lock = opened);
    Path made = Files.createTempDirectory(SessionFile.FOLDER_PREFIX);
    keep(() -> folder = made);
    SessionOwner.write(made);
    SessionOwner.deleteAbandoned(made.toAbsolutePath().getParent(), DevSession::delete);
    ChartFile read =
        ChartFile.read(options.chart(), Files.createDirectory(made.resolve("chart")), tree.limit());
    ImageLayers image = new ImageLayers(options.image(), made, tree.limit());
    if (!image.references().contains(read.reference())) {
      throw new HostException(
          "%s is %s, and the chart runs %s: make both with the same --name and --version"
              .formatted(options.image(), image.references(), read.reference()));
    }
    progress.accept("unpacked " + read.reference());
    PodCluster api = cluster(made, read);
    keep(() -> {
      cluster = api;
      chart = read;
    });
    for (JsonObject definition : read.definitions()) {
      api.apply(definition);
    }
    boolean ownNamespace = api.createNamespace();
    JsonObject deployment = install(api, read);
    if (options.kubeconfig() != null) { // here, since this may be ended before all pods are ready
      progress.accept(
          "its objects stay until: "
              + PodsCommand.uninstall(read, api.namespace(), ownNamespace)
                  .strip()
                  .replace("\n", " && "));
    }
    DevToken token = DevToken.make(made);
    plan(made, api, image, deployment, token);
    List<LocalPod> started = startPods();
    for (LocalPod pod : started) {
      if (!pod.awaitReady()) {
        return null;
      }
    }
    SessionFile.write(
        made,
        started.stream().map(PodsRun::admin).toList(),
        String.valueOf(token.file().getFileName()));
    return new Report(read, api, ownNamespace, token, started);
  }

  /**
   * Returns a lock that the end of the process releases: two sessions of one chart would replace the pods, the webhooks
   * and the logs of each other.
   */
  private FileChannel lock() throws HostException, IOException {
    Files.createDirectories(options.logs());
    FileChannel channel =
        FileChannel.open(
            options.logs().resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      channel.close();
      throw new HostException(
          "another \"coxswain pods\" runs the pods of %s: end it first".formatted(options.chart()));
    }
    return channel;
  }

  /** Returns the address of the admin API of a pod. */
  static String admin(LocalPod pod) {
    return "http://%s:%d".formatted(pod.address(), CoxswainConfiguration.DEFAULT_ADMIN_PORT);
  }

  /** Stores something that has to be closed, unless that has begun. */
  private synchronized void keep(Runnable store) throws HostException {
    if (closing) {
      throw new HostException("stopped during the start");
    }
    store.run();
  }

  private PodCluster cluster(Path made, ChartFile read) throws HostException, IOException {
    Path given = options.kubeconfig();
    String namespace =
        options.namespace().isEmpty() ? read.name() + "-system" : options.namespace();
    if (given != null) {
      PodCluster api = new PodCluster(given, namespace, tree.limit().length());
      if (api.hasNodes()) {
        throw new HostException(
            "the cluster at %s has nodes, which run pods themselves: install the chart with Helm"
                .formatted(api.address()));
      }
      return api;
    }
    PodApiServer own = PodApiServer.start(made, tree.limit());
    try {
      keep(() -> server = own);
    } catch (HostException e) {
      own.close(); // it was opened during close()
      throw e;
    }
    return own.cluster(namespace);
  }

  /** Applies the objects of the chart, and returns the Deployment. */
  private JsonObject install(PodCluster api, ChartFile read) throws HostException, IOException {
    ProjectManifests manifests = read.manifests(tree, api.namespace());
    api.apply(config(api, read, manifests.config()));
    JsonObject deployment = null;
    for (JsonObject object : manifests.objects()) {
      if (ProjectManifests.kind(object).equals("Deployment")) {
        object.getAsJsonObject("spec").addProperty("replicas", options.replicas());
        deployment = object;
      }
      api.apply(object);
    }
    if (deployment == null) {
      throw new IllegalStateException("the chart has no Deployment");
    }
    progress.accept(
        "installed the chart into the namespace %s of %s"
            .formatted(api.namespace(), api.address()));
    return deployment;
  }

  /** Returns the ConfigMap of the configuration, by the name that the chart gives it. */
  private static JsonObject config(PodCluster api, ChartFile read, JsonObject config) {
    JsonObject object =
        PodCluster.object("v1", "ConfigMap", api.namespace(), read.name() + "-config");
    JsonObject labels = new JsonObject();
    labels.addProperty("app.kubernetes.io/name", "coxswain");
    labels.addProperty("app.kubernetes.io/instance", read.name());
    object.getAsJsonObject("metadata").add("labels", labels);
    JsonObject data = new JsonObject();
    data.addProperty("config.yaml", CrdYaml.write(config));
    object.add("data", data);
    return object;
  }

  private void plan(
      Path made, PodCluster api, ImageLayers image, JsonObject deployment, DevToken token)
      throws HostException, IOException {
    Map<String, Integer> ports = PodPlan.ports(deployment);
    List<Integer> used = new ArrayList<>(ports.values());
    used.add(CoxswainConfiguration.DEFAULT_ADMIN_PORT);
    PodAddresses found = PodAddresses.find(options.replicas(), used);
    keep(() -> held = found);
    List<String> addresses = found.pods();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("COXSWAIN_ADMIN__AUTH__MODE", "tokenFile");
    variables.put("COXSWAIN_ADMIN__AUTH__TOKEN_FILE", token.list().toString());
    List<Integer> members = FreePorts.find(options.replicas());
    if (ports.containsKey(MEMBERS)) {
      // There is no DNS of a cluster that has the headless Service.
      variables.put("COXSWAIN_SHARED_LIMITER__SERVICE", "null");
      variables.put(
          "COXSWAIN_SHARED_LIMITER__MEMBERS",
          members.stream()
              .map(port -> CoxswainConfiguration.LOOPBACK + ":" + port)
              .collect(Collectors.joining(", ", "[", "]")));
      // Hazelcast takes only addresses that an interface lists, and the loopback interface lists
      // one.
      variables.put("COXSWAIN_MEMBERSHIP__HOST", CoxswainConfiguration.LOOPBACK);
    }
    Integer webhooks = ports.get(WEBHOOKS);
    if (webhooks != null) {
      WebhookRelay opened = WebhookRelay.start(addresses, webhooks, tree.limit());
      keep(() -> relay = opened);
      variables.put("COXSWAIN_WEBHOOKS__SERVICE", "null");
      variables.put("COXSWAIN_WEBHOOKS__URL", opened.url());
    }
    PodPlan planned =
        new PodPlan(
            deployment,
            image,
            api,
            Files.createDirectory(made.resolve("pods")),
            options.logs(),
            variables,
            options.arguments());
    PodPlan.clearLogs(options.logs(), ProjectManifests.name(deployment));
    for (int i = 0; i < options.replicas(); i++) {
      api.requireOwnPod(planned.pod(i));
    }
    keep(() -> {
      for (int i = 0; i < options.replicas(); i++) {
        pods.add(
            new LocalPod(
                planned,
                new LocalPod.Place(planned.pod(i), addresses.get(i), members.get(i)),
                http,
                progress));
      }
      plan = planned;
    });
  }

  private synchronized List<LocalPod> startPods() throws HostException {
    if (closing) {
      throw new HostException("stopped during the start");
    }
    for (LocalPod pod : pods) {
      Thread.ofPlatform().name(pod.name()).start(pod::run); // it keeps this process alive
      progress.accept("pod %s is started, log %s".formatted(pod.name(), pod.log()));
    }
    return List.copyOf(pods);
  }

  /**
   * Ends the pods as a cluster does, and deletes what is not a part of the chart. May be called again, also at the same
   * time, by a signal during a failure: each call returns when all of it has been done.
   */
  @Override
  public void close() {
    boolean first;
    synchronized (this) {
      first = !closing;
      closing = true;
    }
    if (first) {
      try {
        closeAll();
      } finally {
        closed.countDown();
      }
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeAll() {
    PodPlan planned = plan;
    if (planned != null) {
      pods.forEach(LocalPod::stop);
      long deadline = System.nanoTime() + planned.grace().toNanos();
      pods.forEach(pod -> pod.awaitEnd(deadline));
    }
    if (server != null) {
      server.close();
    } else if (cluster != null && chart != null && relay != null) {
      deleteWebhooks(cluster, chart, relay.url());
    }
    if (relay != null) {
      relay.close();
    }
    if (held != null) {
      held.close();
    }
    http.shutdownNow();
    awaitEndOfStart(); // a start that goes on would write into the folder
    if (folder != null) {
      DevSession.delete(folder);
    }
    release();
  }

  private void release() {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      progress.accept("the lock cannot be released: " + e.getMessage());
    }
  }

  private void awaitEndOfStart() {
    try {
      startEnded.await(START_END_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Their address is this machine, where nothing responds from now on: writes would fail. */
  private void deleteWebhooks(PodCluster api, ChartFile read, String url) {
    try {
      read.webhooks().forEach(controller -> api.deleteWebhooks(controller, url));
    } catch (ApiStatusException e) {
      progress.accept("the webhooks cannot be deleted: " + e.getMessage());
    }
  }
}
