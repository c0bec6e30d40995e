// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An address that is reached as it is. */
final class DirectRoute implements Route {

  private static final String DEFAULT_NAMESPACE = "default";

  private final List<URI> servers;
  private final Supplier<String> tokens;
  private @Nullable String token;

  /**
   * Creates a route.
   *
   * @param tokens reads the token; called again when one was refused
   */
  DirectRoute(List<URI> servers, Supplier<String> tokens) {
    this.servers = servers;
    this.tokens = tokens;
  }

  @Override
  public List<URI> servers() {
    return servers;
  }

  @Override
  public String token() {
    if (token == null) {
      token = tokens.get();
    }
    return Objects.requireNonNull(token);
  }

  @Override
  public boolean renew() {
    String before = token;
    token = null;
    return !token().equals(before);
  }

  @Override
  public String trouble() {
    return ""; // there is nothing between here and the server that is ours
  }

  @Override
  public String itemNamespace() {
    return DEFAULT_NAMESPACE;
  }

  @Override
  public void close() {
    // Nothing is kept open.
  }
}
