// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Yaml;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The current context of a kubeconfig: address, authority, token or client certificate. What else a
 * kubeconfig can hold is refused, never ignored. Immutable; any thread.
 */
final class Kubeconfig {
  private static final List<String> UNKNOWN_OF_CLUSTER = List.of("proxy-url", "tls-server-name");
  private static final List<String> UNKNOWN_OF_USER =
      List.of("exec", "auth-provider", "username", "password", "as", "as-groups");
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(30);

  private final Path file;
  private final JsonNode cluster;
  private final JsonNode user;

  private Kubeconfig(Path file, JsonNode cluster, JsonNode user) {
    this.file = file;
    this.cluster = cluster;
    this.user = user;
  }

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException when it cannot be used; says why and what would help
   */
  static Kubeconfig read(Path file) throws IOException {
    JsonNode all = Yaml.parse(Files.readString(file));
    String name = all.path("current-context").asText();
    JsonNode context = named(file, all, "contexts", "context", name);
    JsonNode cluster = named(file, all, "clusters", "cluster", context.path("cluster").asText());
    JsonNode user = named(file, all, "users", "user", context.path("user").asText());
    refuse(file, cluster, UNKNOWN_OF_CLUSTER, "use a context that reaches the server directly");
    refuse(
        file,
        user,
        UNKNOWN_OF_USER,
        "write a kubeconfig with a token, as of \"kubectl create token NAME\", or a client"
            + " certificate");
    if (cluster.path("server").asText().isEmpty()) {
      throw new IllegalArgumentException("%s: the cluster has no \"server\"".formatted(file));
    }
    return new Kubeconfig(file, cluster, user);
  }

  private static JsonNode named(Path file, JsonNode all, String list, String field, String name) {
    for (JsonNode entry : all.path(list)) {
      if (entry.path("name").asText().equals(name)) {
        return entry.path(field);
      }
    }
    throw new IllegalArgumentException(
        "%s: nothing is named \"%s\" in \"%s\"".formatted(file, name, list));
  }

  private static void refuse(Path file, JsonNode part, List<String> fields, String hint) {
    for (String field : fields) {
      if (part.has(field)) {
        throw new IllegalArgumentException(
            "%s: \"%s\" is not supported here: %s".formatted(file, field, hint));
      }
    }
  }

  /**
   * Returns this when the cluster is meant: when it is at a loopback address, or named.
   *
   * @param host the host of the cluster's address, as the one who started the run gave it
   * @throws IllegalArgumentException when it is not
   */
  Kubeconfig confirmedBy(String host) {
    String found = URI.create(address()).getHost();
    if (!isLoopback(found) && !found.equals(host)) {
      throw new IllegalArgumentException(
          "%s points at %s, and the scenarios write there: confirm with".formatted(file, address())
              + " -Dcoxswain.it.confirm=%s (found: \"%s\")".formatted(found, host));
    }
    return this;
  }

  /** Asks no name service: what a name stands for can change between the question and the run. */
  private static boolean isLoopback(String host) {
    try {
      return host.equals("localhost") || InetAddress.ofLiteral(host).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false; // a name
    }
  }

  private String address() {
    return cluster.path("server").asText().replaceFirst("/+$", "");
  }

  /** Returns the server; the caller closes it. */
  ContractServer server(Optional<String> limitedToken) throws IOException {
    Optional<Buffer> certificate = content(user, "client-certificate");
    Optional<Buffer> key = content(user, "client-key");
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          "%s: a client certificate needs its key, and a key its certificate".formatted(file));
    }
    boolean insecure = cluster.path("insecure-skip-tls-verify").asBoolean();
    Tls tls = new Tls(content(cluster, "certificate-authority"), insecure);
    SSLContext nobody = tls.anonymous();
    SSLContext administrator =
        certificate.isPresent() ? tls.with(certificate.orElseThrow(), key.orElseThrow()) : nobody;
    return new ContractServer(
        "%s, from the kubeconfig %s".formatted(address(), file.getFileName()),
        address(),
        client(administrator),
        client(nobody),
        token(),
        limitedToken);
  }

  private static HttpClient client(SSLContext context) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT_LIMIT)
        .sslContext(context)
        .build();
  }

  /** A file wins over what is written in the kubeconfig, as for the official clients. */
  private Optional<String> token() throws IOException {
    if (user.has("tokenFile")) {
      return Optional.of(Files.readString(path(user.path("tokenFile").asText())).strip());
    }
    return user.has("token") ? Optional.of(user.path("token").asText()) : Optional.empty();
  }

  /** Content in the kubeconfig wins over a file, as for the official clients. */
  private Optional<Buffer> content(JsonNode part, String field) throws IOException {
    if (part.has(field + "-data")) {
      byte[] data = Base64.getMimeDecoder().decode(part.path(field + "-data").asText());
      return Optional.of(Buffer.buffer(data));
    }
    return part.has(field)
        ? Optional.of(Buffer.buffer(Files.readAllBytes(path(part.path(field).asText()))))
        : Optional.empty();
  }

  private Path path(String name) {
    return file.toAbsolutePath().resolveSibling(name);
  }
}
