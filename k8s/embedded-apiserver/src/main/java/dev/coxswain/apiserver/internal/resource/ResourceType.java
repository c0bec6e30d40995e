// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.resource;

import dev.coxswain.apiserver.internal.schema.Schema;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.webhook.WebhookTarget;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One kind of object and how it is served; immutable, any thread.
 *
 * @param group API group, empty for core
 * @param kind kind of one object
 * @param listKind kind of a list
 * @param plural name in paths
 * @param singular name for people
 * @param shortNames abbreviations that kubectl accepts
 * @param categories groups that kubectl expands, as in {@code all}
 * @param namespaced whether objects live in a namespace
 * @param custom whether a custom resource definition made it
 * @param stored false for kinds that only answer a create, as reviews do
 * @param generation whether {@code metadata.generation} is kept
 * @param storage key of the collection that holds the objects; two types may share one
 * @param selectable paths beyond name and namespace that field selectors may use
 * @param versions served versions, preferred first
 * @param conversion how objects are converted between versions; null when only their apiVersion
 *     changes
 */
public record ResourceType(
    String group,
    String kind,
    String listKind,
    String plural,
    String singular,
    List<String> shortNames,
    List<String> categories,
    boolean namespaced,
    boolean custom,
    boolean stored,
    boolean generation,
    String storage,
    List<String> selectable,
    List<Version> versions,
    @Nullable Conversion conversion) {

  /**
   * Conversion between versions by a webhook; immutable.
   *
   * @param stored the version in which objects are stored, which need not be served
   * @param webhook where it is
   */
  public record Conversion(Version stored, WebhookTarget webhook) {}

  /**
   * One served version; immutable.
   *
   * @param name as in {@code v1}
   * @param schema shape of its objects
   * @param status whether {@code /status} exists
   * @param scale where the scale subresource reads and writes, or null
   * @param columns table columns of a custom resource
   * @param deprecation warning for every request, or null
   */
  public record Version(
      String name,
      Schema schema,
      boolean status,
      @Nullable Scale scale,
      List<Column> columns,
      @Nullable String deprecation) {}

  /**
   * Paths of a scale subresource, dotted, as in {@code spec.replicas}; immutable.
   *
   * @param spec path of the wanted number
   * @param status path of the current number
   * @param selector path of the selector, empty = none
   */
  public record Scale(String spec, String status, String selector) {}

  /**
   * A printer column; immutable.
   *
   * @param name heading
   * @param type as in {@code string} or {@code date}
   * @param format as declared, mostly empty
   * @param description help text
   * @param priority 0 = always shown
   * @param path JSONPath of the value
   */
  public record Column(
      String name, String type, String format, String description, int priority, String path) {}

  /** Returns the resource with another conversion. */
  public ResourceType converting(@Nullable Conversion other) {
    return new ResourceType(
        group,
        kind,
        listKind,
        plural,
        singular,
        shortNames,
        categories,
        namespaced,
        custom,
        stored,
        generation,
        storage,
        selectable,
        versions,
        other);
  }

  /** Returns a version by name, or null. */
  public @Nullable Version version(String name) {
    for (Version version : versions) {
      if (version.name().equals(name)) {
        return version;
      }
    }
    return null;
  }

  /** Returns {@code group/version} as objects name it. */
  public String apiVersion(Version version) {
    return group.isEmpty() ? version.name() : group + "/" + version.name();
  }

  /** Names by resource, as most failures use. */
  public ApiException.Names names() {
    return new ApiException.Names(group, plural);
  }

  /** Names by kind, as validation failures use. */
  public ApiException.Names kindNames() {
    return new ApiException.Names(newEvents() ? "" : group, kind);
  }

  /** True for events seen through {@code events.k8s.io}. */
  public boolean newEvents() {
    return group.equals("events.k8s.io") && plural.equals("events");
  }

  /** True when this is the named resource. */
  public boolean is(String group, String plural) {
    return this.group.equals(group) && this.plural.equals(plural);
  }
}
