// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.spi.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvironmentGuideTest {

  private static final MeterRegistry NO_METERS = new SimpleMeterRegistry();

  @Test
  void theSnippetOfTheGuide_makesItsMeters() {
    MeterRegistry registry = new SimpleMeterRegistry();
    Harbour harbour = new Harbour(4);
    Harbour.count(new Environment(registry, Map.of()), "sea", harbour);
    assertThat(registry.counter("shop.orders.shipped", "carrier", "sea").count()).isEqualTo(1);
    assertThat(registry.timer("shop.vendor.call").count()).isEqualTo(1);
    assertThat(registry.get("shop.boats.free").gauge().value()).isEqualTo(harbour.free());
  }

  @Test
  void theConfigurationOfTheGuide_isRead_andRefusesWhatItsRecordRefuses() {
    Map<String, Object> config = Map.of("interval", "30s", "mode", "ship");
    Parcels.Settings settings = Parcels.settings(new Environment(NO_METERS, config));
    assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.mode()).isEqualTo(Parcels.Settings.Mode.SHIP);
    assertThat(settings.carriers()).containsExactly("sea");
    var never = new Environment(NO_METERS, Map.of("interval", 0));
    assertThatThrownBy(() -> Parcels.settings(never)).hasMessage("config: interval must not be 0");
  }

  private record Environment(MeterRegistry meters, Map<String, Object> config)
      implements ControllerEnvironment {
    @Override
    public <T> T get(Class<T> type) {
      return type.cast(meters);
    }

    @Override
    public Clock clock() {
      return Clock.system();
    }
  }
}
