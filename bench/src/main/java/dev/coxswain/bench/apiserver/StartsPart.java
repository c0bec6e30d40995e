// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import dev.coxswain.apiserver.EmbeddedApiServer;

/**
 * Starts and stops servers in this process: a line is a folder to keep objects in, or empty; the
 * answer is the milliseconds from the call until the server listens.
 */
final class StartsPart implements Part {

  @Override
  public String ask(String folder) {
    long begin = System.nanoTime();
    try (EmbeddedApiServer server = ServerPart.start(folder)) {
      double millis = (System.nanoTime() - begin) / 1e6;
      return millis + " " + server.resumedObjects();
    }
  }

  @Override
  public void close() {
    // every server is stopped at once
  }
}
