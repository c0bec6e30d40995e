// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import dev.coxswain.host.HostException;

/** Stands in until the embedded API server is there. */
final class DevApiServer implements AutoCloseable {

  private final int port;

  private DevApiServer(int port) {
    this.port = port;
  }

  static DevApiServer start(int port) throws HostException {
    if (port >= 0) {
      throw new HostException("the embedded API server is not part of this build yet");
    }
    return new DevApiServer(port);
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  String kubeconfig() {
    return "";
  }

  void apply(String file, String yaml) {}

  @Override
  public void close() {}
}
