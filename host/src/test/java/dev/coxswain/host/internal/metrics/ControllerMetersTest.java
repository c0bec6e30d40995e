// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerMetersTest {

  private final HostMetrics host = new HostMetrics("test");
  private final ControllerMeters orders = meters("orders");

  @AfterEach
  void close() {
    host.close();
  }

  private ControllerMeters meters(String controller) {
    ControllerMeters meters = host.ownMeters(controller);
    meters.begin();
    return meters;
  }

  private String scraped() {
    return host.scrape(null).text();
  }

  private long lines(String begin) {
    return scraped().lines().filter(line -> line.startsWith(begin)).count();
  }

  @Test
  void aMeterOfAController_isServedWithItsName_whateverTheControllerSays() {
    orders.registry().counter("shop.orders.shipped", "carrier", "sea").increment(3);
    orders.registry().counter("shop.orders.lost", "controller", "another").increment();
    assertThat(scraped())
        .contains("shop_orders_shipped_total{carrier=\"sea\",controller=\"orders\"} 3.0")
        .contains("shop_orders_lost_total{controller=\"orders\"} 1.0");
  }

  @Test
  void twoControllers_mayHaveOneName_withSeriesOfTheirOwn() {
    ControllerMeters others = meters("others");
    orders.registry().counter("shop.seen").increment();
    others.registry().counter("shop.seen").increment(2);
    assertThat(lines("shop_seen_total{")).isEqualTo(2);
    others.end();
    assertThat(lines("shop_seen_total{controller=\"orders\"} 1.0")).isOne();
    assertThat(lines("shop_seen_total{")).isOne();
  }

  @Test
  void whenTheControllerIsNotBuiltAnyMore_nothingOfItsMetersIsLeft() {
    MeterRegistry registry = orders.registry();
    registry.counter("shop.shipped", "carrier", "sea").increment();
    registry.timer("shop.call").record(() -> {});
    Gauge.builder("shop.boats", new AtomicInteger(4), AtomicInteger::get)
        .strongReference(true)
        .register(registry);
    assertThat(lines("shop_")).isPositive();
    int before = host.registry().getMeters().size();
    orders.end();
    assertThat(lines("shop_")).isZero();
    assertThat(host.registry().getMeters()).hasSize(before - 3);
    assertThat(registry.getMeters()).isEmpty();
    registry.counter("shop.shipped", "carrier", "sea").increment(); // an abandoned attempt
    assertThat(lines("shop_")).isZero();
    orders.begin(); // built again
    registry.counter("shop.shipped", "carrier", "sea").increment();
    assertThat(lines("shop_shipped_total{carrier=\"sea\",controller=\"orders\"} 1.0")).isOne();
  }

  @Test
  void aControllerThatClosesTheRegistry_closesOnlyItsOwn() {
    meters("others").registry().counter("shop.others").increment();
    orders.registry().counter("shop.shipped").increment();
    orders.registry().close();
    assertThat(lines("shop_shipped")).isZero();
    assertThat(lines("shop_others_total{controller=\"others\"} 1.0")).isOne();
    assertThat(lines("coxswain_build_info")).isOne();
    assertThat(host.registry().isClosed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "coxswain.mine",
        "controller_runtime_mine",
        "workqueue.depth",
        "jvm.mine",
        "Process_x"
      })
  void theNamesOfTheHost_areRefused(String name) {
    assertThatThrownBy(() -> orders.registry().counter(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a meter cannot be called \"" + name + "\"");
    assertThat(orders.registry().getMeters()).isEmpty();
  }

  @Test
  void seriesAreBounded_andThoseThatAreThereGoOn() {
    for (int i = 0; i < 2 * ControllerMeters.MAX_SERIES; i++) {
      orders.registry().counter("shop.by.object", "name", "o-" + i).increment();
    }
    assertThat(lines("shop_by_object_total{")).isEqualTo(ControllerMeters.MAX_SERIES);
    orders.registry().counter("shop.by.object", "name", "o-0").increment();
    assertThat(lines("shop_by_object_total{controller=\"orders\",name=\"o-0\"} 2.0")).isOne();
    meters("others").registry().counter("shop.others").increment();
    assertThat(lines("shop_others_total{")).isOne();
  }

  /** Prometheus wants one set of labels for a name. */
  @Test
  void aNameWithOtherLabels_isReported_andTheFirstOneGoesOn() {
    orders.registry().counter("shop.seen", "color", "red").increment();
    meters("others").registry().counter("shop.seen", "size", "big").increment();
    assertThat(lines("shop_seen_total{color=\"red\",controller=\"orders\"} 1.0")).isOne();
    assertThat(lines("shop_seen_total{")).isOne();
  }
}
