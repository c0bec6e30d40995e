// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.PauseStore.Pause;
import dev.coxswain.view.FailurePattern;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica that has seen none of the failures reads what they have in common. */
class StoredPauseTest {

  private static final Instant SINCE = Instant.parse("2026-11-20T10:00:00Z");
  private static final Pause PAUSE = new Pause("INC-1", "bob", SINCE, SINCE.plusSeconds(60));
  private static final FailurePattern CAUSE =
      new FailurePattern(List.of("shop.Quota", "java.io.IOException"), "used up", "shop.Pay.run");

  private static StoredPause written(StoredPause pause, String key) {
    return Objects.requireNonNull(StoredPause.read(key, pause.write()), "an entry");
  }

  @Test
  void whatIsWritten_isRead() {
    StoredPause ofCause = new StoredPause(PAUSE, CAUSE);
    assertThat(written(ofCause, StoredPause.key("checkout", CAUSE.id()))).isEqualTo(ofCause);
    StoredPause whole = new StoredPause(new Pause("INC-2", "", SINCE, null), null);
    assertThat(written(whole, "checkout")).isEqualTo(whole);
  }

  @Test
  void causesOfAController_areNotThoseOfOneWithALongerName() {
    StoredPause pause = new StoredPause(PAUSE, CAUSE);
    Map<String, StoredPause> all =
        Map.of(
            StoredPause.key("pay", CAUSE.id()),
            pause,
            StoredPause.key("pay-later", CAUSE.id()),
            pause,
            "pay",
            new StoredPause(PAUSE, null));
    assertThat(StoredPause.ofCauses(all, "pay")).containsOnlyKeys(CAUSE);
    assertThat(StoredPause.ofCauses(all, "pa")).isEmpty();
  }

  /** Entries are changed by hand, and must not keep the others from being read. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"since\":null}",
        "{\"since\":7}",
        "{\"since\":\"yesterday\"}",
        "{\"since\":\"2026-11-20T10:00:00Z\"}",
        "{\"since\":\"2026-11-20T10:00:00Z\",\"types\":[null,1],\"message\":null}"
      })
  void whatIsNoPauseOfThisCause_isIgnored(String text) {
    assertThat(StoredPause.read(StoredPause.key("pay", CAUSE.id()), text)).isNull();
  }
}
