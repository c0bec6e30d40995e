// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.SessionFile;
import dev.coxswain.ctl.internal.print.Console;
import java.io.File;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Factory of clients, which locates the admin API. In this order: the given address; the cluster
 * (or session of {@code coxswain dev}) of the given kubeconfig; the only session of {@code dev} on
 * this machine; the cluster of the default kubeconfig.
 */
public final class ClientFactory {

  static final String SERVER_VARIABLE = "COXSWAIN_SERVER";
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
  private static final int DEFAULT_PORT = 8090;
  private static final int MAX_PORT = 65_535;

  private ClientFactory() {}

  /** Returns a client for the admin API selected by arguments and variables. */
  public static AdminClient open(Arguments arguments, Console console) {
    Tls tls =
        new Tls(
            arguments.value(ConnectionFlags.CERTIFICATE_AUTHORITY),
            arguments.on(ConnectionFlags.INSECURE));
    if (arguments.on(ConnectionFlags.INSECURE)) {
      console.warn(
          "certificates are not checked: the token can be intercepted on the way to the server");
    }
    return new AdminClient(
        route(arguments, console),
        new AdminClient.Settings(
            tls,
            arguments.duration(ConnectionFlags.REQUEST_TIMEOUT, DEFAULT_TIMEOUT),
            ScopeFlags.parameters(arguments)),
        console);
  }

  private static Endpoint route(Arguments arguments, Console console) {
    Supplier<String> token = TokenSource.given(arguments, console);
    String server =
        arguments.value(
            ConnectionFlags.SERVER, console.environment().getOrDefault(SERVER_VARIABLE, ""));
    boolean clusterNamed =
        arguments.has(ConnectionFlags.KUBECONFIG) || arguments.has(ConnectionFlags.CONTEXT);
    if (arguments.has(ConnectionFlags.SERVER) || (!server.isEmpty() && !clusterNamed)) {
      return direct(server, token);
    }
    String kubeconfig =
        arguments.value(
            ConnectionFlags.KUBECONFIG, console.environment().getOrDefault("KUBECONFIG", ""));
    if (!kubeconfig.isEmpty() && !kubeconfig.contains(File.pathSeparator)) {
      Endpoint session = DevSessions.beside(Path.of(kubeconfig), token);
      if (session != null) {
        return session;
      }
      if (!Files.exists(Path.of(kubeconfig))) { // kubectl takes it for an empty one
        throw new CommandException(
            (arguments.has(ConnectionFlags.KUBECONFIG) ? "--kubeconfig" : "KUBECONFIG")
                + ": there is no file "
                + kubeconfig
                + (kubeconfig.contains(SessionFile.FOLDER_PREFIX)
                    ? "; the session of coxswain dev that wrote it has ended"
                    : ""));
      }
    }
    if (kubeconfig.isEmpty() && !clusterNamed) {
      Endpoint session = DevSessions.only(Path.of(System.getProperty("java.io.tmpdir")), token);
      if (session != null) {
        return session;
      }
    }
    return cluster(arguments, console, token);
  }

  private static Endpoint direct(String text, @Nullable Supplier<String> token) {
    URI server = server(text);
    if (token == null) {
      throw new CommandException(
          "no token for %s: give a file with --token-file, or set %s or %s"
              .formatted(server, TokenSource.VARIABLE, TokenSource.FILE_VARIABLE));
    }
    return new DirectEndpoint(List.of(server), token);
  }

  /** Parses an address such as {@code https://coxswain.example.com:8090}. */
  public static URI server(String text) {
    URI uri;
    try {
      uri = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    } catch (IllegalArgumentException e) {
      throw wrongServer(text);
    }
    String path = uri.getPath();
    if (uri.getScheme() == null
        || !Set.of("http", "https").contains(uri.getScheme())
        || uri.getHost() == null
        || uri.getUserInfo() != null
        || uri.getQuery() != null
        || uri.getFragment() != null
        || path == null
        || path.contains(AdminClient.API)) {
      throw wrongServer(text);
    }
    if (uri.getScheme().equals("http") && !loopback(uri.getHost())) {
      throw new CommandException(
          "the token is not sent to "
              + uri
              + ": the connection is not encrypted; use https, or a port-forward to 127.0.0.1");
    }
    return uri;
  }

  private static CommandException wrongServer(String text) {
    int at = text.lastIndexOf('@');
    return new CommandException(
        "--server (or "
            + SERVER_VARIABLE
            + "): expected an address such as http://127.0.0.1:8090, found \""
            + (at < 0 ? text : "..." + text.substring(at)) // may follow a password
            + "\"");
  }

  private static boolean loopback(String host) {
    if (host.equals("localhost")) {
      return true;
    }
    boolean literal =
        host.startsWith("[") || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    try {
      return literal && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static Endpoint cluster(
      Arguments arguments, Console console, @Nullable Supplier<String> token) {
    PodEndpoint.Settings settings =
        new PodEndpoint.Settings(
            arguments.has(ConnectionFlags.HOST_NAMESPACE)
                ? arguments.value(ConnectionFlags.HOST_NAMESPACE)
                : console.variable("COXSWAIN_HOST_NAMESPACE"),
            arguments.value(ConnectionFlags.POD_SELECTOR, "app.kubernetes.io/name=coxswain"),
            arguments.number(ConnectionFlags.POD_PORT, DEFAULT_PORT, 1, MAX_PORT),
            arguments.has(ConnectionFlags.CERTIFICATE_AUTHORITY)
                || arguments.on(ConnectionFlags.INSECURE),
            arguments.has(ConnectionFlags.SERVICE_ACCOUNT)
                ? arguments.value(ConnectionFlags.SERVICE_ACCOUNT)
                : console.variable("COXSWAIN_SERVICE_ACCOUNT"),
            arguments.value(ConnectionFlags.AUDIENCE, "coxswain-admin"));
    return new PodEndpoint(
        new Kubectl(
            "kubectl",
            arguments.value(ConnectionFlags.KUBECONFIG),
            arguments.value(ConnectionFlags.CONTEXT),
            Kubectl.PATIENCE),
        settings,
        token);
  }
}
