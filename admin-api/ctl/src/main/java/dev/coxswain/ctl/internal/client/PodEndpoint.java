// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint in a ready pod of the host: kubectl forwards a local port, and requests a token for
 * the audience of the admin API. Both happen on first use.
 */
public final class PodEndpoint implements Endpoint {

  private static final Pattern FORWARDING =
      Pattern.compile("Forwarding from 127\\.0\\.0\\.1:(\\d+) -> .*");
  private static final String TOKEN_LIFE = "10m"; // the minimum of API servers

  private final Kubectl kubectl;
  private final Settings settings;
  private final @Nullable Supplier<String> givenToken;
  private @Nullable String namespace;
  private @Nullable String pod;
  private Kubectl.@Nullable Running forward;
  private @Nullable URI server;
  private @Nullable String token;

  /**
   * The location of the pods.
   *
   * @param namespace of the host, or null for the one of the context
   * @param selector labels of its pods
   * @param port of the admin API in them
   * @param secure whether it uses TLS
   * @param serviceAccount the account of the requested token, or null
   * @param audience the audience of the requested token
   */
  public record Settings(
      @Nullable String namespace,
      String selector,
      long port,
      boolean secure,
      @Nullable String serviceAccount,
      String audience) {}

  public PodEndpoint(Kubectl kubectl, Settings settings, @Nullable Supplier<String> givenToken) {
    this.kubectl = kubectl;
    this.settings = settings;
    this.givenToken = givenToken;
  }

  @Override
  public List<URI> servers() {
    if (server == null) {
      server = forward(choose());
    }
    return List.of(server);
  }

  @Override
  public String token() {
    if (token == null) {
      token = givenToken != null ? givenToken.get() : requested();
    }
    return token;
  }

  @Override
  public boolean renew() {
    token = null;
    close(); // a port-forward to a deleted pod may still accept connections
    return true;
  }

  @Override
  public String failure() {
    String ended = forward == null ? "" : forward.ended();
    return ended.isEmpty() ? "" : "kubectl port-forward to pod " + pod + " " + ended;
  }

  @Override
  public String itemNamespace() {
    try {
      String found =
          kubectl.run("config", "view", "--minify", "-o", "jsonpath={..namespace}").strip();
      return found.isEmpty() ? "default" : found;
    } catch (CommandException e) {
      throw new CommandException(
          e.getMessage()
              + "\nno host was found: no session of coxswain dev runs on this machine, and kubectl has"
              + " no cluster;\nstart a session, choose a cluster"
              + " with --kubeconfig or --context, or give --server and a token",
          e);
    }
  }

  @Override
  public void close() {
    if (forward != null) {
      forward.process().destroy();
    }
    forward = null;
    server = null;
  }

  private String hostNamespace() {
    if (namespace == null) {
      namespace = settings.namespace() != null ? settings.namespace() : itemNamespace();
    }
    return namespace;
  }

  /** Selects a ready pod; after a loss a different one, if possible. */
  private String choose() {
    List<String> ready = ready();
    if (ready.isEmpty()) {
      throw new CommandException(
          ("no ready pod with the labels %s in namespace %s; see --host-namespace and "
                  + "--pod-selector")
              .formatted(settings.selector(), hostNamespace()));
    }
    String before = pod;
    String chosen =
        ready.stream().filter(name -> !name.equals(before)).findFirst().orElse(ready.getFirst());
    pod = chosen;
    return chosen;
  }

  private List<String> ready() {
    String list =
        kubectl.run("get", "pods", "-n", hostNamespace(), "-l", settings.selector(), "-o", "json");
    try {
      return Json.parse(list).list("items").stream()
          .filter(PodEndpoint::isReady)
          .map(one -> one.get("metadata").text("name"))
          .toList();
    } catch (IOException e) {
      throw new CommandException("kubectl get pods printed something else than JSON", e);
    }
  }

  private static boolean isReady(Json one) {
    return !one.get("metadata").has("deletionTimestamp")
        && one.get("status").list("conditions").stream()
            .anyMatch(condition ->
                condition.text("type").equals("Ready") && condition.text("status").equals("True"));
  }

  private URI forward(String podName) {
    Kubectl.Running running;
    try {
      running =
          kubectl.begin(
              "port-forward",
              "-n",
              hostNamespace(),
              "pod/" + podName,
              ":" + settings.port(),
              "--address",
              "127.0.0.1");
    } catch (CommandException e) {
      if (!String.valueOf(e.getMessage()).contains("embedded API server")) {
        throw e;
      }
      throw new CommandException(
          e.getMessage()
              + "\nthe embedded API server of coxswain dev cannot forward ports; use the"
              + " KUBECONFIG that it prints, or --server",
          e);
    }
    forward = running;
    // Ends the port-forward with this process, unless that is killed.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(running.process()::destroy, "end-port-forward"));
    Matcher matcher = FORWARDING.matcher(running.line());
    if (!matcher.matches()) {
      throw new CommandException("kubectl port-forward printed: " + running.line());
    }
    return URI.create((settings.secure() ? "https" : "http") + "://127.0.0.1:" + matcher.group(1));
  }

  private String requested() {
    if (settings.serviceAccount() == null) {
      throw new CommandException(
          "the admin API needs a token: give a service account with --service-account (or"
              + " COXSWAIN_SERVICE_ACCOUNT),\nor a token with --token-file;"
              + " docs/guides/deploying.md lists the rights that it needs");
    }
    return TokenSource.checked(
        "what kubectl create token printed",
        kubectl.run(
            "create",
            "token",
            settings.serviceAccount(),
            "-n",
            hostNamespace(),
            "--audience",
            settings.audience(),
            "--duration",
            TOKEN_LIFE));
  }
}
