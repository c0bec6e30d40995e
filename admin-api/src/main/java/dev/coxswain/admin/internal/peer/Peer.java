// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Another replica.
 *
 * @param replica its name
 * @param address the address of its admin API, such as {@code https://10.0.0.7:8090}; empty when it
 *     publishes none
 */
public record Peer(String replica, String address) {

  /** A parsed address. */
  record Target(boolean tls, String host, int port) {}

  /** Returns the parsed address, or null when it is not the address of an admin API. */
  @Nullable Target target() {
    try {
      URI uri = new URI(address);
      String scheme = uri.getScheme();
      String host = uri.getHost();
      if (host == null || uri.getPort() < 1 || scheme == null) {
        return null;
      }
      String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
      return switch (scheme) {
        case "http" -> new Target(false, bare, uri.getPort());
        case "https" -> new Target(true, bare, uri.getPort());
        default -> null;
      };
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
