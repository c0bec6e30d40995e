// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The server of all tests of a class, and a client of it. */
final class ClassServer implements AfterAllCallback {
  final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  final Http http = new Http(server);

  @Override
  public void afterAll(ExtensionContext context) {
    http.close();
    server.close();
  }
}
