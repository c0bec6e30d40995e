// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The standard output, with the cause of a failed write, which {@link PrintStream} discards.
 *
 * <p>Thread rule: the main thread.
 */
public final class StandardOutput extends PrintStream {

  private static final int BUFFER = 64 * 1024;

  private final FailureKeeper to;
  private final boolean terminal;

  /** Creates an output that prints to a stream. */
  public StandardOutput(OutputStream to) {
    this(to, false);
  }

  /**
   * Creates an output that prints to a stream.
   *
   * @param terminal whether a terminal shows it
   */
  public StandardOutput(OutputStream to, boolean terminal) {
    this(new FailureKeeper(to), terminal);
  }

  /** Returns the standard output of this process. */
  public static StandardOutput standard() {
    return new StandardOutput(
        new FileOutputStream(FileDescriptor.out),
        Boolean.getBoolean("coxswain.terminal")); // set by the launcher, as coxswain.interactive
  }

  private StandardOutput(FailureKeeper to, boolean terminal) {
    super(new BufferedOutputStream(to, BUFFER), false, StandardCharsets.UTF_8);
    this.to = to;
    this.terminal = terminal;
  }

  /** Returns whether a terminal shows it. */
  public boolean isTerminal() {
    return terminal;
  }

  /**
   * Flushes what was printed.
   *
   * @throws OutputException when it cannot be written
   */
  public void deliver() {
    if (checkError()) {
      throw new OutputException(to.failure);
    }
  }

  /** A failed write of results. */
  public static final class OutputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutputException(@Nullable IOException cause) {
      super(
          "the output cannot be written: "
              + (cause == null ? "closed" : CommandException.reason(cause)));
    }

    /** Returns whether the reader has closed the pipe, as in {@code dump | head -1}. */
    public boolean unread() {
      return String.valueOf(getMessage()).contains("Broken pipe");
    }
  }

  private static final class FailureKeeper extends FilterOutputStream {
    private @Nullable IOException failure;

    FailureKeeper(OutputStream to) {
      super(to);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      try {
        out.write(bytes, from, count);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }
}
