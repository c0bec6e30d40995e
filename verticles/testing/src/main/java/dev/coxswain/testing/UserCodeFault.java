// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.io.IOError;
import java.io.IOException;
import java.util.ServiceConfigurationError;

/** What user code may do at a boundary besides returning. */
public enum UserCodeFault {
  /** An error that is no {@link LinkageError}. */
  SERVICE_CONFIGURATION_ERROR,
  /** Another one. */
  IO_ERROR,
  /** A checked exception that is not declared, as other languages throw them. */
  SNEAKY_CHECKED,
  /** An undeclared {@link InterruptedException}, without a flag. */
  SNEAKY_INTERRUPTED,
  /** Neither an exception nor an error. */
  CUSTOM_THROWABLE,
  /** Recursion without an end. */
  STACK_OVERFLOW,
  /** A failure that cannot even be described. */
  UNPRINTABLE,
  /** Code that returns and leaves the interrupt flag of the thread set. */
  INTERRUPT_FLAG,
  /** Code that throws and leaves the interrupt flag of the thread set. */
  INTERRUPT_FLAG_AND_ERROR;

  /** Returns whether {@link #run} throws. */
  public boolean isThrowing() {
    return this != INTERRUPT_FLAG;
  }

  /** Does it. */
  public void run() {
    switch (this) {
      case SERVICE_CONFIGURATION_ERROR -> throw new ServiceConfigurationError("on purpose");
      case IO_ERROR -> throw new IOError(new IOException("on purpose"));
      case SNEAKY_CHECKED -> sneak(new IOException("on purpose"));
      case SNEAKY_INTERRUPTED -> sneak(new InterruptedException("on purpose"));
      case CUSTOM_THROWABLE -> sneak(new Custom());
      case STACK_OVERFLOW -> throw new StackOverflowError();
      case UNPRINTABLE -> throw new Unprintable();
      case INTERRUPT_FLAG -> Thread.currentThread().interrupt();
      case INTERRUPT_FLAG_AND_ERROR -> {
        Thread.currentThread().interrupt();
        throw new ServiceConfigurationError("on purpose");
      }
    }
  }

  @SuppressWarnings("unchecked") // that is the point: the compiler must not notice
  private static <E extends Throwable> void sneak(Throwable e) throws E {
    throw (E) e;
  }

  private static final class Custom extends Throwable {
    private static final long serialVersionUID = 1;
  }

  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("on purpose");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("on purpose");
    }
  }
}
