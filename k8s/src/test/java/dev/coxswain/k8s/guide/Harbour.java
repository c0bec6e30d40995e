// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.controller.ControllerEnvironment;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** What a controller counts by meters of its own. */
record Harbour(int free) {

  static void count(ControllerEnvironment environment, String carrier, Harbour harbour) {
    MeterRegistry meters = environment.get(MeterRegistry.class);
    Counter shipped = meters.counter("shop.orders.shipped", "carrier", carrier);
    Timer call = meters.timer("shop.vendor.call");
    Gauge.builder("shop.boats.free", harbour, Harbour::free).register(meters);
    call.record(() -> shipped.increment());
  }
}
