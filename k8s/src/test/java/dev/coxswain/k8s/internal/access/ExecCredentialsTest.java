// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a plug-in runs again, in virtual time. */
class ExecCredentialsTest {

  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private volatile boolean failing;
  private volatile @Nullable Duration life;
  private volatile @Nullable Thread thread;
  private final AtomicInteger runs = new AtomicInteger();
  private final ExecCredentials credentials = new ExecCredentials(this::run, () -> now);

  private ExecCredential run() throws AccessException {
    thread = Thread.currentThread();
    int run = runs.incrementAndGet();
    if (failing) {
      throw new AccessException("failure " + run);
    }
    Duration lives = life;
    return new ExecCredential(
        Credential.bearer("t" + run), now, lives == null ? null : now.plus(lives));
  }

  private String token() throws AccessException {
    return credentials.current().authorization();
  }

  @Test
  void aCredentialWithoutAnEnd_isUsedForEver() throws AccessException {
    assertThat(token()).isEqualTo("Bearer t1");
    now = now.plus(Duration.ofDays(1000));
    assertThat(token()).isEqualTo("Bearer t1");
  }

  @Test
  void shortlyBeforeItsEnd_itIsRenewed_andNobodyWaits() throws AccessException {
    life = Duration.ofMinutes(10);
    token();
    now = now.plus(Duration.ofSeconds(539));
    assertThat(token()).isEqualTo("Bearer t1");
    assertThat(runs).hasValue(1);
    now = now.plus(Duration.ofSeconds(1));
    assertThat(token()).isEqualTo("Bearer t1");
    Await.until(
        "the new credential",
        () -> {
          try {
            return token().equals("Bearer t2");
          } catch (AccessException e) {
            throw new AssertionError(e);
          }
        });
    assertThat(runs).hasValue(2);
  }

  @Test
  void aRenewalThatFails_costsNothingUntilTheEnd_andThenIsAnError() throws Exception {
    life = Duration.ofMinutes(10);
    token();
    failing = true;
    now = now.plus(Duration.ofSeconds(550));
    token();
    Await.until("the failed run", () -> runs.get() == 2);
    Thread second = thread;
    assertThat(second != null && second.join(Duration.ofMinutes(1)))
        .as("its failure has its time")
        .isTrue();
    assertThat(token()).isEqualTo("Bearer t1");
    now = now.plus(Duration.ofSeconds(50));
    assertThatThrownBy(this::token).hasMessage("failure 3");
    failing = false;
    now = now.plus(Duration.ofSeconds(2));
    assertThat(token()).isEqualTo("Bearer t4");
  }

  @Test
  void aFailure_isNotRepeatedForEachRequest() throws AccessException {
    failing = true;
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(this::token).hasMessage("failure 1");
    }
    now = now.minus(Duration.ofDays(1)); // the clock is set back: not held for a day
    assertThatThrownBy(this::token).hasMessage("failure 2");
    failing = false;
    now = now.plusSeconds(1);
    assertThat(token()).isEqualTo("Bearer t3");
  }

  @Test
  void aCredentialThatIsIssuedAfterItsEnd_isNotInVain() throws AccessException {
    life = Duration.ofSeconds(-5);
    for (int i = 0; i < 10; i++) {
      assertThat(token()).isEqualTo("Bearer t1");
    }
    now = now.plusSeconds(1);
    assertThat(token()).isEqualTo("Bearer t2");
  }

  /** Each request would run the plug-in again, ahead of an end that has passed. */
  @Test
  void aCredentialThatIsIssuedAfterItsEnd_isNotOldAtOnce() {
    ExecCredential expired = new ExecCredential(Credential.bearer("t"), now, now.minusSeconds(5));

    assertThat(expired.isOld(now)).isFalse();
    assertThat(expired.isExpired(now)).isFalse();
    assertThat(expired.isExpired(now.plusSeconds(1))).isTrue();
  }

  @Test
  void aRefusedCredential_thatAnotherRequestHasRenewed_isNotRenewedAgain() throws AccessException {
    Credential first = credentials.current();
    credentials.accepted(first);
    Credential second = credentials.renewed(first);
    assertThat(credentials.renewed(first)).isSameAs(second);
    assertThat(runs).hasValue(2);
  }
}
