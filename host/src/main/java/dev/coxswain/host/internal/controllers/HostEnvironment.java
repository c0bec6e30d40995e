// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.spi.Clock;
import java.util.Map;

/** The environment of one controller. */
record HostEnvironment(Map<Class<?>, Object> services, Map<String, Object> config, Clock clock)
    implements ControllerEnvironment {

  @Override
  public <T> T get(Class<T> type) {
    Object service = services.get(type);
    if (service == null) {
      throw new IllegalStateException(
          "this host has no %s; it has %s"
              .formatted(
                  type.getName(),
                  services.keySet().stream().map(Class::getName).sorted().toList()));
    }
    return type.cast(service);
  }
}
