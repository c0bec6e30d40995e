// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import java.io.IOError;
import java.io.IOException;
import java.util.ServiceConfigurationError;

/** Faults of user code; each throws another branch of {@link Throwable}, or sets the interrupt flag. */
enum UserCodeFault {
  SERVICE_CONFIGURATION_ERROR,
  IO_ERROR,
  SNEAKY_CHECKED,
  CUSTOM_THROWABLE,
  STACK_OVERFLOW,
  OUT_OF_MEMORY,
  INTERRUPT_FLAG;

  void run() {
    switch (this) {
      case SERVICE_CONFIGURATION_ERROR -> throw new ServiceConfigurationError("on purpose");
      case IO_ERROR -> throw new IOError(new IOException("on purpose"));
      case SNEAKY_CHECKED ->
          UserCodeFault.<RuntimeException>sneaky(new IOException("on purpose, not declared"));
      case CUSTOM_THROWABLE -> UserCodeFault.<RuntimeException>sneaky(new Custom());
      case STACK_OVERFLOW -> throw new StackOverflowError("on purpose");
      case OUT_OF_MEMORY -> throw new OutOfMemoryError("on purpose");
      case INTERRUPT_FLAG -> Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneaky(Throwable e) throws T {
    throw (T) e;
  }

  private static final class Custom extends Throwable {
    private static final long serialVersionUID = 1;
  }
}
