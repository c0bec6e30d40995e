// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.fault;

import java.util.Set;

/**
 * Which requests or watches a fault is for; immutable, any thread. Empty parts match everything.
 *
 * @param verbs verbs as roles name them: get, list, watch, create, update, patch, delete,
 *     deletecollection
 * @param resources plural resources: {@code pods}, {@code deployments.apps}, {@code pods/status}
 * @param path a part of the path with its query, as in {@code /namespaces/kube-system/}
 */
public record FaultFilter(Set<String> verbs, Set<String> resources, String path) {
  /** Matches everything. */
  public static final FaultFilter ALL = new FaultFilter(Set.of(), Set.of(), "");

  public FaultFilter {
    verbs = Set.copyOf(verbs);
    resources = Set.copyOf(resources);
  }

  public static FaultFilter verbs(String... verbs) {
    return ALL.withVerbs(verbs);
  }

  public static FaultFilter resources(String... resources) {
    return ALL.withResources(resources);
  }

  public static FaultFilter path(String path) {
    return ALL.withPath(path);
  }

  public FaultFilter withVerbs(String... verbs) {
    return new FaultFilter(Set.of(verbs), resources, path);
  }

  public FaultFilter withResources(String... resources) {
    return new FaultFilter(verbs, Set.of(resources), path);
  }

  public FaultFilter withPath(String path) {
    return new FaultFilter(verbs, resources, path);
  }

  /**
   * True for a request that this filter means.
   *
   * @param verb verb, or the HTTP method in lower case outside of resources
   * @param group API group, empty for core
   * @param resource plural resource with its subresource behind a slash, empty = no resource
   * @param uri path and query
   */
  public boolean matches(String verb, String group, String resource, String uri) {
    return (verbs.isEmpty() || verbs.contains(verb))
        && (path.isEmpty() || uri.contains(path))
        && matchesResource(group, resource);
  }

  /** True for a resource that this filter means; verbs and path are not looked at. */
  public boolean matchesResource(String group, String resource) {
    return resources.isEmpty()
        || resources.contains(resource)
        || (!group.isEmpty() && resources.contains(qualified(group, resource)));
  }

  private static String qualified(String group, String resource) {
    int slash = resource.indexOf('/');
    return slash < 0
        ? resource + "." + group
        : resource.substring(0, slash) + "." + group + resource.substring(slash);
  }
}
