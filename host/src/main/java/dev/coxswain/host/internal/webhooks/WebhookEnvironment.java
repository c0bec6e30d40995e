// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.spi.Clock;
import java.util.Map;

/** The environment of the webhooks of one controller. */
record WebhookEnvironment(Map<Class<?>, Object> services, Map<String, Object> config, Clock clock)
    implements ControllerEnvironment {

  @Override
  public <T> T get(Class<T> type) {
    Object service = services.get(type);
    if (service == null) {
      throw new IllegalStateException(
          "this host has no %s for webhooks; it has %s"
              .formatted(
                  type.getName(),
                  services.keySet().stream().map(Class::getName).sorted().toList()));
    }
    return type.cast(service);
  }
}
