// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.cause;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures belong together when an operator would cure them together. */
class FailurePatternsTest {

  private static final ItemId NONE = new ItemId("", "");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          pods "web-17" is forbidden: exceeded quota, used: pods=10 | pods "<name>" is forbidden: exceeded quota, used: pods=#
          cannot read shop/web-17                                   | cannot read <namespace>/<name>
          secret web-17-tls not found in namespace shop             | secret <name>-tls not found in namespace <namespace>
          services "shop" not found, shop is closed                 | services "<namespace>" not found, shop is closed
          namespace shop is closed, shop is closed                  | namespace <namespace> is closed, shop is closed
          workshop is closed                                        | workshop is closed
          HTTP 503 from 10.1.2.3:8443                               | HTTP 503 from #
          status code: 429, try again in 12s                        | status code: 429, try again in #
          timeout after 1500 ms                                     | timeout after # ms
          conflict at 2026-11-29T10:00:00.123Z                      | conflict at #
          no object 550e8400-e29b-41d4-dead-446655440000            | no object #
          web-6d4cf56db6-x2k9p is not ready                         | web-# is not ready
          Cannot invoke "String.length()" because "x" is null       | Cannot invoke "String.length()" because "x" is null
          """)
  void variablePartsOfAMessage_areMarks(String message, String pattern) {
    assertThat(MessagePattern.of(message, "shop", "web-17")).isEqualTo(pattern);
  }

  @Test
  void aShortName_isAMarkOnlyBehindItsNamespace() {
    assertThat(MessagePattern.of("a secret of ns/a", "ns", "a"))
        .isEqualTo("a secret of <namespace>/<name>");
  }

  @Test
  void spacesAndControlCharacters_areOneSpace() {
    assertThat(MessagePattern.of(" a\n\tb\u0000  c ", "", "")).isEqualTo("a b c");
  }

  @Test
  void aLongMessage_isCut_withoutReadingAllOfIt() {
    FailurePattern pattern =
        FailurePatterns.of(new IllegalStateException("x y ".repeat(1_000_000)), NONE);
    assertThat(pattern.message()).hasSize(FailurePattern.MAX_TEXT);
  }

  @Test
  void equalFailuresOfOtherObjects_haveOneId() {
    assertThat(quota("shop", "web-1").id()).isEqualTo(quota("pay", "card").id());
    assertThat(quota("shop", "web-1").id()).matches("[0-9a-f]{12}");
  }

  private static FailurePattern quota(String namespace, String name) {
    return FailurePatterns.of(
        new IllegalStateException("no quota for " + name + " in namespace " + namespace),
        new ItemId(namespace, name));
  }

  @Test
  void anotherClass_messageOrPlace_isAnotherCause() {
    FailurePattern one = FailurePatterns.of(new IllegalStateException("no"), NONE);
    assertThat(FailurePatterns.of(new IllegalArgumentException("no"), NONE).id())
        .isNotEqualTo(one.id());
    assertThat(FailurePatterns.of(new IllegalStateException("never"), NONE).id())
        .isNotEqualTo(one.id());
    assertThat(elsewhere().id()).isNotEqualTo(one.id());
    assertThat(FailurePatterns.of(new IllegalStateException("no", new Error()), NONE).id())
        .isNotEqualTo(one.id());
  }

  private static FailurePattern elsewhere() {
    return FailurePatterns.of(new IllegalStateException("no"), NONE);
  }

  @Test
  void theIdOfACause_isThatOfEarlierVersions() {
    assertThat(new FailurePattern(List.of("a.B"), "no", "a.C.d").id())
        .as("links and pauses by cause stay valid over an upgrade")
        .isEqualTo("782028a15214");
  }

  @Test
  void theText_isThatOfTheLastError_withMarks() {
    assertThat(FailurePatterns.of(new Hostile(), NONE).text()).isEqualTo("Hostile");
    assertThat(FailurePatterns.of(new IllegalStateException("no 1"), NONE).text())
        .isEqualTo("IllegalStateException: no #");
    assertThat(new FailurePattern(List.of("a.B$1"), "", "").text()).isEqualTo("B$1");
    assertThat(FailurePattern.OTHER.text()).isEqualTo("more causes than are kept");
  }

  @Test
  void wrappersOfFutures_areLeftOut() {
    RuntimeException thrown = new IllegalStateException("no");
    assertThat(FailurePatterns.of(new CompletionException(new ExecutionException(thrown)), NONE))
        .isEqualTo(FailurePatterns.of(thrown, NONE));
    assertThat(FailurePatterns.of(new CompletionException("alone", null), NONE).types())
        .containsExactly(CompletionException.class.getName());
  }

  @Test
  void theFirstMethodOfTheAuthor_isWhere_withoutItsLineAndLambdaNumber() {
    RuntimeException thrown = new IllegalStateException("no");
    thrown.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement("java.util.Objects", "requireNonNull", "Objects.java", 1),
          new StackTraceElement("shop.Orders", "lambda$reconcile$3", "Orders.java", 17),
          new StackTraceElement("shop.Orders", "other", "Orders.java", 18)
        });
    assertThat(FailurePatterns.of(thrown, NONE).where()).isEqualTo("shop.Orders.reconcile");
  }

  @Test
  void withoutAMethodOfTheAuthor_theTopFrameIsWhere() {
    RuntimeException thrown = new IllegalStateException("no");
    thrown.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("java.net.Socket", "connect", "S.java", 1)});
    assertThat(FailurePatterns.of(thrown, NONE).where()).isEqualTo("java.net.Socket.connect");
  }

  @Test
  void anExceptionWhoseMethodsThrow_hasAPattern() {
    assertThat(FailurePatterns.of(new Hostile(), NONE).types())
        .containsExactly(Hostile.class.getName());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anExceptionWithoutAStackTrace_whateverThatMeans_hasAPattern(boolean isNull) {
    assertThat(FailurePatterns.of(new Stackless(isNull), NONE).types())
        .containsExactly(Stackless.class.getName());
  }

  @Test
  void aLetterOfTwoCharacters_isNotCut() {
    String text = "x".repeat(FailurePattern.MAX_TEXT - 1) + "\uD83D\uDE00";
    FailurePattern pattern = FailurePatterns.of(new IllegalStateException(text), NONE);
    assertThat(pattern.message()).hasSize(FailurePattern.MAX_TEXT - 1);
    assertThat(MessagePattern.of("a \uD83D\uDE00 \uD83D b", "", ""))
        .isEqualTo("a \uD83D\uDE00 ? b");
  }

  @Test
  void anEndlessChainOfCauses_isCut() {
    assertThat(FailurePatterns.of(new Endless(), NONE).types()).hasSize(FailurePattern.MAX_TYPES);
  }

  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("message");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("cause");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("stack");
    }
  }

  private static final class Endless extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      return new Endless();
    }
  }

  private static final class Stackless extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean isNull;

    Stackless(boolean isNull) {
      this.isNull = isNull;
    }

    @Override
    @SuppressWarnings("NullAway") // mocked exceptions return this
    public StackTraceElement[] getStackTrace() {
      return isNull ? null : new StackTraceElement[] {null};
    }
  }
}
