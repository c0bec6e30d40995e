// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.host.internal.logging.LoggingSetup;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * The shutdown hook of the process: stops the host on a signal, then ends with the exit code of the
 * stop. A second signal has no effect, because the JVM runs its hooks once.
 *
 * <p>Thread rule: any thread.
 */
public final class Shutdown {

  /** How the command has ended; a stop that works does not make a failure a success. */
  private static volatile int commandCode = CommandLine.OK;

  private final IntSupplier stop;
  private final AtomicBoolean begun = new AtomicBoolean();

  /** The exit code when the process ends without a signal; -1 until then. */
  private final AtomicInteger exitCode = new AtomicInteger(-1);

  private Shutdown(IntSupplier stop) {
    this.stop = stop;
  }

  /**
   * Installs the hook.
   *
   * @param stop stops the host within a limit, and returns the exit code
   */
  public static Shutdown install(IntSupplier stop) {
    Shutdown shutdown = new Shutdown(stop);
    Runtime.getRuntime().addShutdownHook(new Thread(shutdown::hook, "shutdown"));
    return shutdown;
  }

  /**
   * Runs a command. The process ends with its exit code, or with a failure when it throws, unless it keeps running in the
   * background.
   */
  static void exitAfter(IntSupplier command) {
    int code;
    try {
      code = command.getAsInt();
    } catch (Throwable e) {
      commandCode = CommandLine.FAILED;
      throw e;
    }
    if (code != CommandLine.STILL_RUNNING) {
      commandCode = code;
      System.exit(code);
    }
  }

  /** Returns whether the process is being stopped by a signal. */
  public boolean begun() {
    return begun.get();
  }

  /** Records that the host has been stopped; returns the exit code. */
  public int ended(int code) {
    exitCode.set(code);
    return code;
  }

  /** Ends the process when its standard input ends, because its parent has ended then. */
  void whenInputEnds() {
    Thread watcher =
        new Thread(
            () -> {
              try {
                System.in.transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                // A broken pipe means the same as its end.
              }
              System.exit(0);
            },
            "parent-watch");
    watcher.setDaemon(true);
    watcher.start();
  }

  private void hook() {
    begun.set(true);
    int code = exitCode.get();
    if (code < 0) {
      try {
        code = stop.getAsInt();
      } catch (Throwable e) { // otherwise the process would neither end nor say why
        System.err.println("coxswain: the host could not be stopped: " + e);
        code = CommandLine.FAILED;
      }
    }
    if (code == CommandLine.OK) {
      code = commandCode;
    }
    LoggingSetup.flush();
    // Without this the JVM would report the signal instead of a clean end.
    Runtime.getRuntime().halt(code);
  }
}
