// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;

/** Something that takes part in a measurement, here or in a process of its own. One thread. */
interface Part extends AutoCloseable {

  /** Does what a line says, and answers with a line. */
  String ask(String command) throws IOException;

  @Override
  void close() throws IOException;
}
