// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.host.internal.config.WebhookSettings;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * The addresses of the webhook server, and the names in its certificate.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the host of this replica, for a server that listens on every address
 */
record WebhookEndpoints(WebhookSettings settings, String replica) {

  private static final Set<String> EVERY_ADDRESS = Set.of("0.0.0.0", "::", "[::]");
  private static final String LOCAL = "localhost";

  /** Returns where the API server reaches the server, unless by a Service. */
  String server(int port) {
    String url = settings.url();
    return url == null ? own(port) : url;
  }

  /** Returns where other replicas reach the server. */
  String own(int port) {
    String host = host();
    return "https://%s:%s".formatted(host.contains(":") ? "[" + host + "]" : host, port);
  }

  private String host() {
    String host = settings.listener().host();
    return EVERY_ADDRESS.contains(host) ? replica : host;
  }

  /** Returns the host at which API servers reach the server, unless by a Service. */
  private String called() {
    String url = settings.url();
    String host = url == null ? host() : Objects.requireNonNull(URI.create(url).getHost());
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** Returns the names and addresses that a certificate of the host must have. */
  List<String> names() {
    Set<String> names = new TreeSet<>();
    String service = settings.service();
    if (service != null) {
      // The same for all replicas, which share the Secret.
      names.add(name(service));
      names.add(name(service) + ".cluster.local");
    } else {
      names.add(called());
      names.add(LOCAL);
      names.add("127.0.0.1");
    }
    return List.copyOf(names);
  }

  /** Returns a name that the certificates of all replicas have. */
  String common() {
    String service = settings.service();
    if (service != null) {
      return name(service);
    }
    return settings.tls() == null ? LOCAL : called();
  }

  private static String name(String service) {
    int slash = service.indexOf('/');
    return service.substring(slash + 1) + "." + service.substring(0, slash) + ".svc";
  }
}
