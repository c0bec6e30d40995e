// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.host.Version;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.host.tracing.Tracing;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

/** Factory of the client of the configured API server, or of the one of the pod. */
final class KubernetesAccess {
  private KubernetesAccess() {}

  /**
   * Begins to load what takes longest of the client on a thread of its own, while the configuration
   * is read. The client may be used only when this has ended, so that two threads never initialise
   * its classes at once; a failure then occurs again and is reported.
   */
  static CompletableFuture<Void> loadAhead() {
    return CompletableFuture.runAsync(
            () -> {
              new OkHttpClient();
              new JSON();
            },
            task -> Thread.ofPlatform().daemon().name("coxswain-load").start(task))
        .exceptionally(_ -> null);
  }

  static Kubernetes open(
      CoxswainConfiguration.Kubernetes configuration, HostMetrics metrics, Tracing tracing)
      throws HostException {
    KubernetesOptions options =
        KubernetesOptions.DEFAULT.withUserAgent("coxswain/" + Version.text());
    String file = configuration.kubeconfig();
    if (file == null && System.getenv("KUBERNETES_SERVICE_HOST") == null) {
      throw new HostException(
          "no Kubernetes API server is configured and this is not a pod: give --kubeconfig"
              + " FILE, or set kubernetes.kubeconfig in the configuration, or use \"coxswain"
              + " dev\"");
    }
    try {
      ApiClient client = file == null ? ClientBuilder.cluster().build() : fromFile(Path.of(file));
      HttpUrl address = HttpUrl.get(client.getBasePath());
      OkHttpClient.Builder http =
          client
              .getHttpClient()
              .newBuilder()
              .addInterceptor(metrics.restClient(address.host() + ":" + address.port()));
      tracing.requests().ifPresent(http::addInterceptor);
      client.setHttpClient(http.build());
      return Kubernetes.of(client, options);
    } catch (IOException | RuntimeException e) {
      String why = why(e);
      throw new HostException(
          (file == null ? "the service account of this pod" : "kubeconfig " + file)
              + " cannot be used: "
              + why.lines().findFirst().orElse(""),
          e);
    }
  }

  /**
   * Returns the cause; the loader of the client throws exceptions of its YAML library and of casts.
   */
  private static String why(Exception e) {
    if (e instanceof ClassCastException
        || e instanceof NullPointerException
        || e instanceof CharacterCodingException
        || e.getCause() instanceof CharacterCodingException) {
      return "not a kubeconfig file in YAML";
    }
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private static ApiClient fromFile(Path file) throws IOException, HostException {
    if (!Files.isRegularFile(file)) {
      throw new HostException("kubeconfig " + file + ": no such file");
    }
    try (Reader reader = Files.newBufferedReader(file)) {
      KubeConfig config = KubeConfig.loadKubeConfig(reader);
      config.setFile(file.toFile()); // the base of relative paths in it
      return ClientBuilder.kubeconfig(config).build();
    }
  }
}
