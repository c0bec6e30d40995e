// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request with a long text had an id that was shown and never found again. */
class ItemIdTest {

  private final ControllerTestKit<String> kit =
      ControllerTestKit.of(
          Controller.named("c", RequestFormat.of(Function.identity(), Function.identity()))
              .reconciles((request, context) -> Result.done()));

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 767, 768, 2_302, 2_303, 2_304, 3_000, 100_000})
  void theShownId_findsTheRequest_howeverLongItIs(int length) {
    for (String letter : new String[] {"k", "\u00e9", "\ud83d\ude00"}) {
      String key = letter.repeat(length);
      kit.sink().addAfter(key, Duration.ofHours(1), 0, Trigger.EVENT);
      kit.time().settle();
      QueuedItem shown =
          kit.await(kit.handle().list(ItemFilter.ALL, null, 500)).items().stream()
              .filter(item -> item.name().equals(key))
              .findFirst()
              .orElseThrow();

      assertThat(shown.id()).hasSizeLessThanOrEqualTo(3_072);
      ItemId id = ItemId.decode(shown.id()).orElseThrow();
      Optional<QueuedItem> found = kit.await(kit.handle().item(id));
      assertThat(found.map(QueuedItem::name)).contains(key);
      kit.await(kit.handle().drop(id, null));
      assertThat(kit.await(kit.handle().item(id))).isEmpty();
    }
  }

  @Test
  void aShortenedId_namesOneRequestOnly() {
    ItemId one = new ItemId("ns", "k".repeat(5_000));
    ItemId other = new ItemId("ns", "k".repeat(5_001));
    assertThat(one.encoded()).isNotEqualTo(other.encoded());
    assertThat(one.shortened().namespace()).isEqualTo("ns");
    assertThat(ItemId.decode(one.encoded())).contains(one.shortened());
    assertThat(one.fits()).isFalse();
    assertThat(one.shortened().fits()).isTrue();
  }
}
