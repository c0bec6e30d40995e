// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.cli;

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
 * The standard output. It knows why it cannot be written, which a print stream does not tell.
 *
 * <p>Thread rule: the main thread.
 */
public final class Results extends PrintStream {

  private static final int BUFFER = 64 * 1024;

  private final Remembering to;

  /** Prints there what is handed over. */
  public Results(OutputStream to) {
    this(new Remembering(to));
  }

  /** Returns the standard output of this process. */
  public static Results standard() {
    return new Results(new FileOutputStream(FileDescriptor.out));
  }

  private Results(Remembering to) {
    super(new BufferedOutputStream(to, BUFFER), false, StandardCharsets.UTF_8);
    this.to = to;
  }

  /** Hands over what was printed; ends the command when that cannot be done. */
  public void deliver() {
    if (checkError()) {
      throw new LostException(to.failure);
    }
  }

  /** Ends a command whose results cannot be written. */
  public static final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LostException(@Nullable IOException cause) {
      super(
          "the output cannot be written: "
              + (cause == null ? "closed" : CtlException.reason(cause)));
    }

    /** Returns whether nobody wants to read on, as in {@code dump | head -1}. */
    public boolean unread() {
      return String.valueOf(getMessage()).contains("Broken pipe");
    }
  }

  private static final class Remembering extends FilterOutputStream {
    private @Nullable IOException failure;

    Remembering(OutputStream to) {
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
