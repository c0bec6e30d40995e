// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.junit5.internal.run.TestServer;

/**
 * An embedded API server in this process, and virtual time.
 *
 * <p>Thread rule: the thread of the tests.
 */
final class VirtualGround implements Ground {

  private final TestServer server = new TestServer();

  @Override
  public TestRun begin() {
    return new VirtualRun(server);
  }

  @Override
  public void close() {
    server.close();
  }
}
