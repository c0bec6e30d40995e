// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import com.google.gson.JsonParser;
import dev.coxswain.bench.failures.recorder.RecordedObject;
import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.host.ReplicaGroup;
import dev.coxswain.testing.process.ProcessFigures;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The API server with the objects: an embedded one in a process of its own, or one that is there
 * already, of which everything that was made is deleted again.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class ShareServer implements AutoCloseable {
  private static final Request DEFINITION = Request.of("recordedobjects.bench.coxswain.dev");

  /** Of this run only: an earlier one may be going away still. */
  private static final String PREFIX =
      "share-" + Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);

  private final SharePlan plan;
  private final @Nullable ApiServer embedded;
  private final Path kubeconfig;
  private final Kubernetes kubernetes;
  private final Resource<V1Namespace> namespaces;
  private final Resource<Unstructured> definitions;
  private final ObjectWrites writes;
  private boolean defined;

  private ShareServer(SharePlan plan, @Nullable ApiServer embedded, Path kubeconfig)
      throws IOException {
    this.plan = plan;
    this.embedded = embedded;
    this.kubeconfig = kubeconfig;
    kubernetes = Kubernetes.fromKubeconfig(kubeconfig, KubernetesOptions.DEFAULT);
    namespaces = kubernetes.resource(V1Namespace.class);
    definitions =
        kubernetes.resource(
            ResourceType.unstructured(
                "apiextensions.k8s.io",
                "v1",
                "customresourcedefinitions",
                "CustomResourceDefinition",
                false));
    writes =
        new ObjectWrites(
            plan,
            kubernetes.resource(
                ResourceType.unstructured(
                    "bench.coxswain.dev", "v1", "recordedobjects", "RecordedObject", true)),
            number -> PREFIX + "-" + number);
  }

  /** Starts an embedded one and creates the objects. */
  static ShareServer embedded(SharePlan plan, ShareSubject mode) throws IOException {
    ApiServer started = ApiServer.empty("-Xmx2g", mode.selects());
    Path file = plan.setup().folder().resolve("kubeconfig");
    Files.writeString(file, ReplicaGroup.kubeconfig(started.uri()));
    return new ShareServer(plan, started, file).filled();
  }

  /** Creates the objects in one that is there already. */
  static ShareServer given(SharePlan plan, Path kubeconfig) throws IOException {
    return new ShareServer(plan, null, kubeconfig).filled();
  }

  private ShareServer filled() throws IOException {
    try {
      plan.tell(
          "creating %d objects in %d namespaces".formatted(plan.objects(), plan.namespaces()));
      defined = define();
      names()
          .forEach(
              name -> namespaces.create(new V1Namespace().metadata(new V1ObjectMeta().name(name))));
      writes.create();
      return this;
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Returns whether the definition of the objects was not there. */
  private boolean define() {
    try {
      definitions.create(
          Unstructured.of(JsonParser.parseString(RecordedObject.DEFINITION).getAsJsonObject()));
      return true;
    } catch (ApiStatusException e) {
      if (e.isAlreadyExists()) {
        return false;
      }
      throw e;
    }
  }

  /** Returns the namespaces of the objects, and that of the replicas. */
  private Stream<String> names() {
    return Stream.concat(
        IntStream.range(0, plan.namespaces()).mapToObj(number -> PREFIX + "-" + number),
        Stream.of(control()));
  }

  /** Returns the namespace of the Leases and slot maps of the replicas. */
  String control() {
    return PREFIX;
  }

  ObjectWrites writes() {
    return writes;
  }

  Path kubeconfig() {
    return kubeconfig;
  }

  URI uri() {
    return URI.create(kubernetes.address());
  }

  /** Returns the processor time of its process so far, in seconds; NaN when that is not known. */
  double cpuSeconds() {
    return Optional.ofNullable(embedded)
        .map(ApiServer::figures)
        .or(() -> Optional.of(new ProcessFigures(plan.serverPid())).filter(one -> one.pid() > 0))
        .map(ProcessFigures::cpuSeconds)
        .orElse(Double.NaN);
  }

  @Override
  public void close() {
    try (kubernetes) {
      if (embedded != null) {
        embedded.close();
        return;
      }
      plan.tell("deleting what this run has made");
      if (defined) {
        definitions.delete(DEFINITION);
      }
      names().forEach(name -> namespaces.delete(Request.of(name)));
    }
  }
}
