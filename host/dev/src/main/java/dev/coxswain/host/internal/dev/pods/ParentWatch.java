// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A small process that ends a pod when this process ends without having done so, as after {@code kill -9}: its
 * input ends then.
 *
 * <p>Thread rule: any thread.
 *
 * @param watch the process
 */
record ParentWatch(Process watch) implements AutoCloseable {

  /** A signal of the terminal goes to all processes; this one has to stay as long as the pod. */
  private static final String SCRIPT = "trap '' INT HUP TERM; read -r _; kill -TERM \"$1\"";

  /** Starts one for a process. */
  static ParentWatch start(long pid) throws IOException {
    return new ParentWatch(
        new ProcessBuilder("/bin/sh", "-c", SCRIPT, "coxswain-pod-watch", Long.toString(pid))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** Ends it, before the id of the pod can belong to another process. */
  @Override
  public void close() {
    watch.destroyForcibly();
    try (OutputStream _ = watch.getOutputStream()) {
      // Only closed.
    } catch (IOException e) {
      // It has ended already.
    }
  }
}
