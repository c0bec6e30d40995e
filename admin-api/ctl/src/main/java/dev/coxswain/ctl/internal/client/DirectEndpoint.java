// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An endpoint that is reached directly. */
final class DirectEndpoint implements Endpoint {

  private final List<URI> servers;
  private final Supplier<String> tokens;
  private @Nullable String token;

  /**
   * Creates an endpoint.
   *
   * @param tokens reads the token; called again when one was refused
   */
  DirectEndpoint(List<URI> servers, Supplier<String> tokens) {
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
  public String itemNamespace() {
    return "default";
  }
}
