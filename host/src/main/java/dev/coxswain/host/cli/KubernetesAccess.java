// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.host.Version;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.host.tracing.Tracing;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

/** Factory of the client of the configured API server, or of the one of the pod. */
final class KubernetesAccess {
  private KubernetesAccess() {}

  /** Loads what takes longest of the client, which may be used only when this has ended. */
  static void loadAhead() {
    try {
      Kubernetes.loadAhead(inPod());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean inPod() {
    return System.getenv("KUBERNETES_SERVICE_HOST") != null;
  }

  static Kubernetes open(
      CoxswainConfiguration.Kubernetes configuration, HostMetrics metrics, Tracing tracing)
      throws HostException {
    KubernetesOptions options =
        KubernetesOptions.DEFAULT.withUserAgent("coxswain/" + Version.text());
    String file = configuration.kubeconfig();
    if (file == null && !inPod()) {
      throw new HostException(
          "no Kubernetes API server is configured and this is not a pod: give --kubeconfig"
              + " FILE, or set kubernetes.kubeconfig in the configuration, or use \"coxswain"
              + " dev\"");
    }
    try {
      ServerAccess server = file == null ? Kubernetes.accessInCluster() : fromFile(Path.of(file));
      HttpUrl address = HttpUrl.get(server.address());
      OkHttpClient.Builder http =
          server
              .http()
              .newBuilder()
              .addInterceptor(metrics.restClient(address.host() + ":" + address.port()));
      tracing.requests().ifPresent(http::addInterceptor);
      Kubernetes kubernetes = Kubernetes.of(server.withHttp(http.build()), options);
      kubernetes.transport().connectAhead();
      return kubernetes;
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

  private static ServerAccess fromFile(Path file) throws IOException, HostException {
    if (!Files.isRegularFile(file)) {
      throw new HostException("kubeconfig " + file + ": no such file");
    }
    return Kubernetes.accessByKubeconfig(file);
  }
}
