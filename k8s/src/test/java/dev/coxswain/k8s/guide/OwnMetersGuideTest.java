// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.spi.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OwnMetersGuideTest {

  @Test
  void theSnippetOfTheGuide_makesItsMeters() {
    MeterRegistry registry = new SimpleMeterRegistry();
    Harbour harbour = new Harbour(4);
    Harbour.count(new Environment(registry), "sea", harbour);
    assertThat(registry.counter("shop.orders.shipped", "carrier", "sea").count()).isEqualTo(1);
    assertThat(registry.timer("shop.vendor.call").count()).isEqualTo(1);
    assertThat(registry.get("shop.boats.free").gauge().value()).isEqualTo(harbour.free());
  }

  private record Environment(MeterRegistry meters) implements ControllerEnvironment {
    @Override
    public <T> T get(Class<T> type) {
      return type.cast(meters);
    }

    @Override
    public Map<String, Object> config() {
      return Map.of();
    }

    @Override
    public Clock clock() {
      return Clock.system();
    }
  }
}
