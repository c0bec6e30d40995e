// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** Factory of the clients of the configured API servers; that of the host may be the one of its pod. */
public final class KubernetesAccess {
  private KubernetesAccess() {}

  /** Loads what takes longest of the client, which may be used only when this has ended. */
  static void loadAhead() {
    try {
      KubernetesRuntime.loadAhead(inPod());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean inPod() {
    return System.getenv("KUBERNETES_SERVICE_HOST") != null;
  }

  /**
   * Opens the clients of the host's cluster and of all others. None has to be reachable.
   *
   * @throws HostException when a file cannot be used; the message names its key
   */
  public static Kubernetes open(
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
    Kubernetes own = open(file, options, "the API server", metrics, tracing);
    List<Kubernetes> clusters = new ArrayList<>();
    try {
      for (Map.Entry<String, String> one : new TreeMap<>(configuration.clusters()).entrySet()) {
        clusters.add(
            open(
                one.getValue(),
                options.withCluster(one.getKey()),
                "the API server of kubernetes.clusters." + one.getKey(),
                metrics,
                tracing));
      }
    } catch (HostException e) {
      clusters.forEach(Kubernetes::close);
      own.close();
      throw e;
    }
    return KubernetesRuntime.of(own).withClusters(clusters);
  }

  private static Kubernetes open(
      @Nullable String file,
      KubernetesOptions options,
      String what,
      HostMetrics metrics,
      Tracing tracing)
      throws HostException {
    try {
      ServerAccess server =
          file == null ? Kubernetes.accessInCluster() : Kubernetes.accessByKubeconfig(files(file));
      HttpUrl address = HttpUrl.get(server.address());
      OkHttpClient.Builder http =
          server
              .http()
              .newBuilder()
              .addInterceptor(
                  metrics.restClient(address.host() + ":" + address.port(), options.cluster()));
      tracing.requests().ifPresent(http::addInterceptor);
      Kubernetes kubernetes = Kubernetes.of(server.withHttp(http.build()), options);
      KubernetesRuntime.of(kubernetes).transport().connectAhead();
      return kubernetes;
    } catch (IOException | RuntimeException e) {
      // The message names the file and what is wrong, and has no secret; a cause might have one.
      throw new HostException(
          what
              + " cannot be used: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }

  /** Returns one file, or those of a list as {@code KUBECONFIG} has it. */
  private static List<Path> files(String text) {
    if (Files.exists(Path.of(text))) {
      return List.of(Path.of(text));
    }
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(text)
        .filter(Predicate.not(String::isBlank))
        .map(Path::of)
        .toList();
  }
}
