// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.reconcile.TerminalException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FailureTest {

  private final TerminalException terminal = new TerminalException("no retry");
  private final RetryAfterException later = new RetryAfterException(Duration.ofSeconds(3), "later");

  private static Throwable wrapped(Throwable cause, int times) {
    Throwable wrapped = cause;
    for (int i = 0; i < times; i++) {
      wrapped = new IllegalStateException("wrapper " + i, wrapped);
    }
    return wrapped;
  }

  @Test
  void aTerminalException_andAHint_areFoundHoweverDeepTheyAre() {
    for (int depth : new int[] {0, 1, 7, 8, 9, 100}) {
      assertThat(Failure.of(wrapped(terminal, depth)).terminal()).as("%d", depth).isTrue();
      assertThat(Failure.of(wrapped(later, depth)).ownDelay().nanos())
          .as("%d", depth)
          .isEqualTo(3_000_000_000L);
    }
  }

  @Test
  void wrappersOfFutures_areLookedInto_alsoWhereTheyAreSuppressed() {
    Exception primary = new IOException("first");
    primary.addSuppressed(new CompletionException(terminal));
    assertThat(Failure.of(primary).terminal()).isTrue();

    ExecutionException wrapper = new ExecutionException(new IOException("first"));
    wrapper.addSuppressed(later);
    assertThat(Failure.of(wrapper).ownDelay().nanos()).isEqualTo(3_000_000_000L);

    Exception closed = new IOException("first");
    closed.addSuppressed(terminal); // of a close() beside it: not a cause of the failure
    assertThat(Failure.of(closed).terminal()).isFalse();
  }

  private static final class Endless extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      return new Endless();
    }
  }

  @Test
  void causesInACycle_orWithoutAnEnd_areNotFollowedForEver() {
    Exception one = new IllegalStateException("one");
    Exception two = new IllegalStateException("two", one);
    one.initCause(two);
    assertThat(Failure.of(two).terminal()).isFalse();
    two.addSuppressed(new CompletionException(wrapped(terminal, 2)));
    assertThat(Failure.of(two).terminal()).isTrue();
    assertThat(Failure.of(new Endless()).terminal()).isFalse();
  }

  @Test
  void theClassOfAnException_isNeverEmpty() {
    Exception anonymous =
        new IllegalStateException("broken") {
          private static final long serialVersionUID = 1;
        };
    Exception silent =
        new IllegalStateException() {
          private static final long serialVersionUID = 1;
        };
    assertThat(Failure.of(anonymous).text()).matches("FailureTest\\$\\d+: broken");
    assertThat(Failure.of(silent).text()).matches("FailureTest\\$\\d+");
    assertThat(Failure.of(terminal).text()).isEqualTo("TerminalException: no retry");
  }

  @Test
  void aHugeHint_isCut() {
    Exception huge = new RetryAfterException(Duration.ofSeconds(Long.MAX_VALUE), "later");
    assertThat(Failure.of(huge).ownDelay().nanos()).isEqualTo(Long.MAX_VALUE / 4);
  }
}
