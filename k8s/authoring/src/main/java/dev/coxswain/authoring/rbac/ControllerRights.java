// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.rbac;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.KubernetesRuntime.AccessObserver;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import java.lang.reflect.Field;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rights of one controller. A definition does not list the resources that it uses, so its {@code
 * create} is run, and what it selects and accesses is recorded. Verbs on accessed resources are those
 * of the methods that its classes refer to, for each of its resources: rather too many than too few.
 *
 * <p>Not found are resources that are first accessed while the controller runs, and requests through
 * {@link Kubernetes#transport}.
 *
 * <p>Thread rule: immutable.
 *
 * @param controller the name of the controller
 * @param rules one rule for each resource
 */
public record ControllerRights(String controller, List<AccessRule> rules) {

  /** Copies the list. */
  public ControllerRights {
    rules = List.copyOf(rules);
  }

  /**
   * Builds a controller once and returns its rights.
   *
   * @param definition the definition, of which only {@code name} and {@code create} are called
   * @param calls the calls of the classes that belong to it
   * @param environment the environment of the controller, which has {@link Kubernetes}
   * @throws Exception when the controller cannot be built
   */
  public static ControllerRights of(
      ControllerDefinition definition, ClientCalls calls, ControllerEnvironment environment)
      throws Exception {
    Set<ResourceType<?>> selected = new LinkedHashSet<>();
    Set<ResourceType<?>> accessed = new LinkedHashSet<>();
    AccessObserver observer =
        new AccessObserver() {
          @Override
          public void selected(ResourceType<?> type) {
            selected.add(type);
          }

          @Override
          public void accessed(ResourceType<?> type) {
            accessed.add(type);
          }
        };
    definition.create(new ObservedEnvironment(environment, observer));
    return new ControllerRights(definition.name(), rules(selected, accessed, calls));
  }

  private record ObservedEnvironment(ControllerEnvironment environment, AccessObserver observer)
      implements ControllerEnvironment {
    @Override
    public <T> T get(Class<T> type) {
      T service = environment.get(type);
      return service instanceof Kubernetes kubernetes
          ? type.cast(KubernetesRuntime.of(kubernetes).observedBy(observer))
          : service;
    }

    @Override
    public Map<String, Object> config() {
      return environment.config();
    }

    @Override
    public <T extends Record> T config(T defaults) {
      return environment.config(defaults);
    }

    @Override
    public Clock clock() {
      return environment.clock();
    }
  }

  private static List<AccessRule> rules(
      Set<ResourceType<?>> selected, Set<ResourceType<?>> accessed, ClientCalls calls) {
    Map<String, AccessRule> rules = new TreeMap<>();
    for (ResourceType<?> type : selected) {
      add(rules, type, "", List.of("list", "watch"));
      if (calls.owns() && type.type().isAnnotationPresent(KubernetesResource.class)) {
        // Where the server checks who may block the deletion of an owner.
        add(rules, type, "/finalizers", List.of("update"));
      }
    }
    for (ResourceType<?> type : accessed) {
      add(rules, type, "", calls.on(""));
      if (hasStatus(type.type())) {
        add(rules, type, "/status", calls.on("status"));
        add(rules, type, "/scale", calls.on("scale"));
      }
      if (type.kind().equals("Pod")) {
        add(rules, type, "/eviction", calls.on("eviction"));
      }
    }
    if (calls.recordsEvents()) {
      rules.put(
          "events", new AccessRule("events.k8s.io", "events", true, List.of("create", "patch")));
    }
    return rules.values().stream().sorted().toList();
  }

  private static void add(
      Map<String, AccessRule> rules,
      ResourceType<?> type,
      String subresource,
      Iterable<String> verbs) {
    AccessRule former = rules.get(type + subresource);
    Set<String> all = new TreeSet<>(former == null ? List.of() : former.verbs());
    verbs.forEach(all::add);
    if (!all.isEmpty()) {
      rules.put(
          type + subresource,
          new AccessRule(
              type.group(), type.plural() + subresource, type.namespaced(), List.copyOf(all)));
    }
  }

  /** A class without the field has no status; one of any JSON may have it. */
  private static boolean hasStatus(Class<?> type) {
    for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        if (field.getName().equals("status")) {
          return true;
        }
      }
    }
    return type.getSimpleName().equals("Unstructured");
  }
}
