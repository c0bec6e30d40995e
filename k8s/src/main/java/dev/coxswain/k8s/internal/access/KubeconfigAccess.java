// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.k8s.internal.route.ClientKeys;
import dev.coxswain.k8s.internal.route.ProxyEnvironment;
import dev.coxswain.k8s.internal.route.ProxySettings;
import dev.coxswain.k8s.internal.route.ServerRoute;
import dev.coxswain.k8s.internal.route.TlsSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The access to an API server by the current context of kubeconfig files. What is not supported is
 * refused; docs/reference/kubeconfig.md lists each field.
 *
 * <p>Thread rule: confined to the thread that reads the files, which blocks.
 */
public final class KubeconfigAccess {

  private static final Set<String> CLUSTER_FIELDS =
      Set.of(
          "server",
          "tls-server-name",
          "insecure-skip-tls-verify",
          "certificate-authority",
          "certificate-authority-data",
          "proxy-url",
          "disable-compression",
          "extensions");
  private static final Set<String> USER_FIELDS =
      Set.of(
          "client-certificate",
          "client-certificate-data",
          "client-key",
          "client-key-data",
          "token",
          "tokenFile",
          "username",
          "password",
          "as",
          "as-uid",
          "as-groups",
          "as-user-extra",
          "exec",
          "auth-provider",
          "extensions");

  /** The extension of a cluster whose content plug-ins receive. */
  private static final String EXEC_EXTENSION = "client.authentication.k8s.io/exec";

  private final KubeconfigSection cluster;
  private final KubeconfigSection user;
  private final Duration period;

  private KubeconfigAccess(KubeconfigSection cluster, KubeconfigSection user, Duration period) {
    this.cluster = cluster;
    this.user = user;
    this.period = period;
  }

  /**
   * Reads kubeconfig files. Credential plug-ins are not run yet.
   *
   * @param files at least one; of several, the first with an entry wins, and missing ones are skipped
   * @param environment the variables of the process, for proxies
   * @param period the time after which files of credentials are read again
   * @throws AccessException when the files cannot be used
   */
  public static ServerAccess of(List<Path> files, Map<String, String> environment, Duration period)
      throws AccessException {
    KubeconfigFiles.Selected selected = KubeconfigFiles.read(files);
    KubeconfigSection cluster = selected.cluster();
    KubeconfigSection user = selected.user();
    return new KubeconfigAccess(
            cluster,
            user == null ? new KubeconfigSection(cluster.file(), "no user", Map.of()) : user,
            period)
        .access(environment);
  }

  private ServerAccess access(Map<String, String> environment) throws AccessException {
    cluster.only(CLUSTER_FIELDS);
    user.only(USER_FIELDS);
    HttpUrl server = server();
    ConfiguredFile authority = cluster.document("certificate-authority");
    byte @Nullable [] authorities = authority == null ? null : authority.read();
    if (cluster.flag("insecure-skip-tls-verify") && authority != null) {
      throw cluster.error(
          "insecure-skip-tls-verify does not go with a certificate-authority; remove one");
    }
    ProxySettings proxy = proxy(server, environment);
    ServerRoute route =
        new ServerRoute(
            address(server),
            server.isHttps() || (proxy != null && proxy.isSecure()) ? tls(authorities) : null,
            proxy);
    Headers.Builder headers = ImpersonationHeaders.of(user).newBuilder();
    if (cluster.flag("disable-compression")) {
      headers.add("Accept-Encoding", "identity");
    }
    KubeconfigSection exec = user.section("exec");
    CredentialSource source = exec == null ? files(route) : plugin(exec, route, authorities);
    return AuthenticatedAccess.of(route, source, headers.build());
  }

  private HttpUrl server() throws AccessException {
    String server = cluster.text("server").strip();
    if (server.isEmpty()) {
      throw cluster.error("it has no server");
    }
    if (!server.contains("://")) {
      boolean secure =
          cluster.flag("insecure-skip-tls-verify")
              || cluster.document("certificate-authority") != null
              || user.document("client-certificate") != null;
      server = (secure ? "https://" : "http://") + server;
    }
    HttpUrl url = HttpUrl.parse(server);
    if (url == null) {
      throw cluster.error("server is no address with http:// or https://");
    }
    if (!url.encodedUsername().isEmpty() || !url.encodedPassword().isEmpty()) {
      throw cluster.error("server contains a user name or a password; they belong to the user");
    }
    if (url.encodedQuery() != null || url.encodedFragment() != null) {
      throw cluster.error("server contains a query or a fragment");
    }
    return url;
  }

  private static String address(HttpUrl server) {
    String text = server.toString();
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  private TlsSettings tls(byte @Nullable [] authorities) throws AccessException {
    String name = cluster.text("tls-server-name");
    if (cluster.flag("insecure-skip-tls-verify")) {
      return TlsSettings.insecure(name);
    }
    try {
      return TlsSettings.of(authorities, name);
    } catch (GeneralSecurityException e) {
      throw cluster.error("certificate-authority: " + e.getMessage());
    }
  }

  private @Nullable ProxySettings proxy(HttpUrl server, Map<String, String> environment)
      throws AccessException {
    String url = cluster.text("proxy-url");
    try {
      return url.isEmpty()
          ? ProxyEnvironment.proxy(environment, server.isHttps(), server.host(), server.port())
          : ProxySettings.parse(url);
    } catch (IllegalArgumentException e) {
      throw cluster.error((url.isEmpty() ? "" : "proxy-url: ") + e.getMessage());
    }
  }

  /** Refuses users that could be two. */
  private void checkWays() throws AccessException {
    if (user.has("auth-provider")) {
      throw user.error("auth-provider is not supported; use a credential plug-in, \"exec\"");
    }
    List<String> ways = new ArrayList<>();
    if (!user.text("token").isEmpty() || !user.text("tokenFile").isEmpty()) {
      ways.add("a token");
    }
    if (!user.text("username").isEmpty()) {
      ways.add("a user name");
    } else if (!user.text("password").isEmpty()) {
      throw user.error("it has a password and no username");
    }
    if (user.has("exec")) {
      ways.add("exec");
      if (user.document("client-certificate") != null) {
        ways.add("a client certificate");
      }
    }
    if (ways.size() > 1) {
      throw user.error(
          "it has several ways to authenticate, which may be different identities: "
              + String.join(", ", ways));
    }
  }

  private CredentialSource plugin(
      KubeconfigSection exec, ServerRoute route, byte @Nullable [] authorities)
      throws AccessException {
    checkWays();
    ExecCommand command =
        ExecCommand.of(user, exec, info(route, authorities), route, ExecCommand.LIMIT);
    return new ExecCredentials(command::run, InstantSource.system());
  }

  /** Returns the cluster as a plug-in receives it. */
  private JsonObject info(ServerRoute route, byte @Nullable [] authorities) throws AccessException {
    JsonObject info = new JsonObject();
    info.addProperty("server", route.address());
    if (!cluster.text("tls-server-name").isEmpty()) {
      info.addProperty("tls-server-name", cluster.text("tls-server-name"));
    }
    if (cluster.flag("insecure-skip-tls-verify")) {
      info.addProperty("insecure-skip-tls-verify", true);
    }
    if (authorities != null) {
      info.addProperty(
          "certificate-authority-data", Base64.getEncoder().encodeToString(authorities));
    }
    ProxySettings proxy = route.proxy();
    if (proxy != null) {
      String given = cluster.text("proxy-url");
      info.addProperty("proxy-url", given.isEmpty() ? proxy.url() : given);
    }
    if (cluster.flag("disable-compression")) {
      info.addProperty("disable-compression", true);
    }
    for (KubeconfigSection extension : cluster.sections("extensions")) {
      Object content = extension.values().get("extension");
      if (extension.text("name").equals(EXEC_EXTENSION) && content != null) {
        info.add("config", Json.GSON.toJsonTree(content));
      }
    }
    return info;
  }

  /** Returns the credential of everything but plug-ins. */
  private CredentialSource files(ServerRoute route) throws AccessException {
    checkWays();
    ConfiguredFile certificate = user.document("client-certificate");
    ConfiguredFile key = user.document("client-key");
    if ((certificate == null) != (key == null)) {
      throw user.error(
          certificate == null
              ? "it has a client-key and no client-certificate"
              : "it has a client-certificate and no client-key");
    }
    String path = user.text("tokenFile");
    String token = user.text("token");
    List<ConfiguredFile> files = new ArrayList<>();
    if (!path.isEmpty()) {
      files.add(ConfiguredFile.ofPath(user::error, "tokenFile", user.path(path)));
    }
    if (certificate != null && key != null) {
      if (!route.isSecure()) {
        throw user.error("its client certificate needs a server with https");
      }
      files.add(certificate);
      files.add(key);
    }
    Credential fixed = fixed(path.isEmpty() ? token : "");
    return FileCredentials.of(
        files,
        contents -> {
          Credential credential =
              path.isEmpty() ? fixed : bearer(contents.getFirst(), files.getFirst());
          int next = path.isEmpty() ? 0 : 1;
          return certificate == null
              ? credential
              : credential.withSockets(
                  sockets(route, certificate, contents.get(next), contents.get(next + 1)));
        },
        period);
  }

  private Credential fixed(String token) throws AccessException {
    String name = user.text("username");
    if (!name.isEmpty()) {
      return Credential.basic(name, user.text("password"));
    }
    if (token.isEmpty()) {
      return Credential.NONE;
    }
    try {
      return Credential.bearer(token);
    } catch (IllegalArgumentException e) {
      throw user.error("token: " + e.getMessage());
    }
  }

  static Credential bearer(byte[] content, ConfiguredFile file) throws AccessException {
    try {
      return Credential.bearer(new String(content, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw file.error(String.valueOf(e.getMessage()));
    }
  }

  private static SSLSocketFactory sockets(
      ServerRoute route, ConfiguredFile file, byte[] certificate, byte[] key)
      throws AccessException {
    try {
      return route.sockets(ClientKeys.of(certificate, key));
    } catch (GeneralSecurityException e) {
      throw file.error(String.valueOf(e.getMessage()));
    }
  }
}
