// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.EventsV1Event;
import java.time.Instant;
import java.util.Map;

/**
 * Writes the Events of a recorder to the API server.
 *
 * <p>Thread rule: for the thread that writes, one at a time; the next one starts after it under the lock of the
 * recorder.
 */
final class EventWriter {

  private static final ResourceType<EventsV1Event> EVENTS = ResourceType.of(EventsV1Event.class);

  private final ApiTransport transport;
  private final String controller;
  private final String instance;
  private final Clock clock;
  private Instant lastName = Instant.MIN;

  EventWriter(ApiTransport transport, String controller, String instance, Clock clock) {
    this.transport = transport.unbound(); // the writer's thread belongs to no attempt
    this.controller = controller;
    this.instance = instance;
    this.clock = clock;
  }

  /**
   * Writes how often an Event has occurred: into the stored one, or a new one when there is none.
   *
   * @param stored the name of the stored Event; empty without one
   * @return the name under which it is stored now
   * @throws ApiStatusException when the server refuses it
   */
  String write(EventKey event, String note, long count, String stored) {
    String namespace = event.namespace().isEmpty() ? "default" : event.namespace();
    if (!stored.isEmpty() && isCounted(namespace, stored, count)) {
      return stored;
    }
    String name = EventJson.name(event.name(), uniqueTime());
    JsonObject json = EventJson.fresh(namespace, name, clock.instant(), count);
    event.describe(json);
    json.addProperty("note", note);
    json.addProperty("reportingController", controller);
    json.addProperty("reportingInstance", instance);
    transport.write("POST", EVENTS.path(namespace), Map.of(), json, ApiTransport.JSON);
    return name;
  }

  /** Writes the count of a stored Event; returns false when it is gone from the server. */
  private boolean isCounted(String namespace, String stored, long count) {
    try {
      transport.write(
          "PATCH",
          EVENTS.path(namespace, stored),
          Map.of(),
          EventJson.series(count, clock.instant()),
          ApiTransport.MERGE_PATCH);
      return true;
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return false;
      }
      throw e;
    }
  }

  /** Two Events about an object in one tick of the clock need different names. */
  private Instant uniqueTime() {
    Instant now = clock.instant();
    lastName = now.isAfter(lastName) ? now : lastName.plusNanos(1);
    return lastName;
  }
}
