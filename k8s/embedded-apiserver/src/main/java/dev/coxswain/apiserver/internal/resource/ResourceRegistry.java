// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.resource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All resources by group, version and name; confined to the server's event loop. */
public final class ResourceRegistry {
  private final Map<String, ResourceType> types = new LinkedHashMap<>();
  private final Set<String> builtinGroups = new LinkedHashSet<>();

  /** Creates a registry that holds the built-in resources. */
  public ResourceRegistry() {
    for (ResourceType type : BuiltinResources.all()) {
      put(type);
      builtinGroups.add(type.group());
    }
    builtinGroups.add("autoscaling");
  }

  /** Adds or replaces a resource. */
  public void put(ResourceType type) {
    types.put(key(type.group(), type.plural()), type);
  }

  /** Removes a resource. */
  public void remove(String group, String plural) {
    types.remove(key(group, plural));
  }

  public @Nullable ResourceType type(String group, String plural) {
    return types.get(key(group, plural));
  }

  /** Returns a resource in a served version, or null. */
  public @Nullable ServedResource find(String group, String version, String plural) {
    ResourceType type = type(group, plural);
    ResourceType.Version found = type == null ? null : type.version(version);
    return type == null || found == null ? null : new ServedResource(type, found);
  }

  /** Returns the resource of a kind, in the version given, or null. */
  public @Nullable ServedResource findKind(String apiVersion, String kind) {
    int slash = apiVersion.indexOf('/');
    String group = slash < 0 ? "" : apiVersion.substring(0, slash);
    for (ResourceType type : types.values()) {
      if (type.group().equals(group) && type.kind().equals(kind)) {
        ResourceType.Version version = type.version(apiVersion.substring(slash + 1));
        if (version != null) {
          return new ServedResource(type, version);
        }
      }
    }
    return null;
  }

  public Collection<ResourceType> all() {
    return types.values();
  }

  /** True for groups that exist without any definition. */
  public boolean builtin(String group) {
    return builtinGroups.contains(group);
  }

  /** Returns the groups with at least one resource, core first. */
  public Collection<String> groups() {
    Set<String> groups = new LinkedHashSet<>();
    for (ResourceType type : types.values()) {
      groups.add(type.group());
    }
    return groups;
  }

  /** Returns the versions of a group, preferred first; empty when the group does not exist. */
  public List<String> versions(String group) {
    Set<String> versions = new LinkedHashSet<>();
    for (ResourceType type : types.values()) {
      if (type.group().equals(group)) {
        type.versions().forEach(v -> versions.add(v.name()));
      }
    }
    List<String> sorted = new ArrayList<>(versions);
    sorted.sort(VersionOrder.NEWEST_FIRST);
    return sorted;
  }

  private static String key(String group, String plural) {
    return group + "/" + plural;
  }
}
