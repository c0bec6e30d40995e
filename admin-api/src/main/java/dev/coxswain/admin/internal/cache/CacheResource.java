// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cache;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.spi.ControllerDirectory.CacheInfo;
import java.time.Instant;
import java.util.List;

/**
 * A cache of one replica.
 *
 * @param phase such as {@code watching}
 * @param problem why it is not complete or not current; empty otherwise
 * @param selection who selects what its watch receives, such as {@code server}
 * @param namespaces how many are asked for; 0 for everything
 * @param ranges of their hashes; 0 for everything
 * @param droppedEvents of objects that the replica does not keep
 * @param fullFor the users that need all objects
 */
public record CacheResource(
    String kind,
    String name,
    String replica,
    String phase,
    String problem,
    boolean synced,
    long objects,
    long bytes,
    long users,
    Instant lastContact,
    String selection,
    long namespaces,
    long ranges,
    long events,
    long eventBytes,
    long droppedEvents,
    long droppedBytes,
    long listedObjects,
    long listedBytes,
    List<String> fullFor) {

  private static final double PERCENT = 100;

  static final Columns<CacheResource> COLUMNS =
      Columns.of(CacheResource::name)
          .name("NAME", "What it holds.", CacheResource::name)
          .text("REPLICA", "The replica that has it.", CacheResource::replica)
          .text("PHASE", "What it does.", CacheResource::phase)
          .integer("OBJECTS", "The objects in it.", CacheResource::objects)
          .text("SELECTED BY", "Who selects what its watch receives.", CacheResource::selection)
          .integer("EVENTS", "The events that its watches received.", CacheResource::events)
          .text("DROPPED", "The share of the events that were not kept.", CacheResource::dropped)
          .message("PROBLEM", "Why it is not complete or current.", CacheResource::problem)
          .wide()
          .integer("BYTES", "The size of its objects.", CacheResource::bytes)
          .integer("NAMESPACES", "The namespaces that are asked for.", CacheResource::namespaces)
          .integer("RANGES", "The ranges of their hashes.", CacheResource::ranges)
          .integer("RECEIVED", "The bytes of the events.", CacheResource::eventBytes)
          .integer("LISTED", "The objects that were listed.", CacheResource::listedObjects)
          .integer("LISTED BYTES", "The size of these.", CacheResource::listedBytes)
          .age("CONTACT", "The time since the last message.", CacheResource::lastContact)
          .text("FULL FOR", "Who needs all.", one -> String.join(", ", one.fullFor()))
          .build();

  static CacheResource of(CacheInfo cache, String replica) {
    return new CacheResource(
        "Cache",
        cache.name(),
        replica,
        cache.phase(),
        cache.problem(),
        cache.synced(),
        cache.objects(),
        cache.bytes(),
        cache.users(),
        cache.lastContact(),
        cache.selection(),
        cache.namespaces(),
        cache.ranges(),
        cache.events(),
        cache.eventBytes(),
        cache.droppedEvents(),
        cache.droppedBytes(),
        cache.listedObjects(),
        cache.listedBytes(),
        cache.fullFor());
  }

  private String dropped() {
    return events == 0 ? "" : Math.round(PERCENT * droppedEvents / events) + "%";
  }
}
