// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.rbac;

import dev.coxswain.k8s.SimpleController;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which methods of the client some classes refer to, and the verbs for them. It is a fact about the
 * classes as a whole: it does not contain which method is called for which resource.
 *
 * <p>Thread rule: immutable.
 *
 * @param verbs the verbs by subresource, such as {@code status}; empty for the resource itself
 * @param owns whether owner references are set
 * @param recordsEvents whether Kubernetes Events are written
 */
public record ClientCalls(Map<String, Set<String>> verbs, boolean owns, boolean recordsEvents) {

  private static final String RESOURCE = Resource.class.getName().replace('.', '/');

  /** Methods that send nothing. */
  private static final Set<String> LOCAL =
      Set.of("<init>", "type", "key", "with", "dryRun", "writeOptions");

  private static final List<String> CHANGES = List.of("get", "patch", "status:patch");

  /**
   * The verbs of each method of {@link Resource}, those on subresources with their name. It may have
   * methods of other versions of the client: a controller is not always compiled against this one.
   */
  private static final Map<String, List<String>> VERBS =
      Map.ofEntries(
          Map.entry("get", List.of("get")),
          Map.entry("list", List.of("list")),
          Map.entry("page", List.of("list")),
          Map.entry("watch", List.of("watch")),
          Map.entry("scale", List.of("scale:get")),
          Map.entry("scaleTo", List.of("scale:patch")),
          Map.entry("evict", List.of("eviction:create")),
          Map.entry("deleteAll", List.of("list", "delete", "deletecollection")),
          Map.entry("strategicPatch", List.of("patch")),
          Map.entry("modifyJson", List.of("get", "patch")),
          Map.entry("modifyStatusJson", List.of("get", "status:patch")),
          Map.entry("createOrPatchJson", List.of("get", "create", "patch")),
          Map.entry("createOrPatchWithStatus", List.of("get", "create", "patch", "status:patch")),
          Map.entry("create", List.of("create")),
          Map.entry("update", List.of("update")),
          Map.entry("updateStatus", List.of("status:update")),
          Map.entry("patch", List.of("patch")),
          Map.entry("patchStatus", List.of("status:patch")),
          Map.entry("jsonPatch", List.of("patch")),
          Map.entry("apply", List.of("create", "patch")),
          Map.entry("applyStatus", List.of("status:patch")),
          Map.entry("delete", List.of("delete")),
          Map.entry("createOrPatch", List.of("get", "create", "patch")),
          Map.entry("modify", List.of("get", "patch")),
          Map.entry("modifyWithStatus", CHANGES),
          Map.entry("modifyStatus", List.of("get", "status:patch")));

  /** Those of a method that is not in the table. */
  private static final List<String> ALL =
      List.of(
          "get",
          "list",
          "watch",
          "create",
          "update",
          "patch",
          "delete",
          "status:update",
          "status:patch");

  /** Copies the map. */
  public ClientCalls {
    verbs =
        verbs.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(Map.Entry::getKey, e -> Set.copyOf(e.getValue())));
  }

  /** Returns the verbs on a subresource, or on the resource itself if it is empty. */
  public Set<String> on(String subresource) {
    return verbs.getOrDefault(subresource, Set.of());
  }

  /**
   * Returns the calls of a class and of those that it refers to, directly or not.
   *
   * @param classes the classes that are looked at; others, such as those of libraries, are not
   * @param first the name of the class to begin with
   */
  public static ClientCalls from(Collection<ClassModel> classes, String first) {
    Map<String, ClassModel> byName =
        classes.stream()
            .collect(
                Collectors.toMap(of -> of.thisClass().asInternalName(), of -> of, (a, _) -> a));
    Set<ClassModel> reached = new LinkedHashSet<>();
    Deque<String> next = new ArrayDeque<>(List.of(first.replace('.', '/')));
    while (!next.isEmpty()) {
      ClassModel model = byName.get(next.pop());
      if (model != null && reached.add(model)) {
        for (PoolEntry entry : model.constantPool()) {
          if (entry instanceof ClassEntry other) {
            next.push(other.asInternalName());
          }
        }
      }
    }
    return in(reached);
  }

  /** Returns whether the verbs of a method of {@link Resource} are known. */
  static boolean knows(String method) {
    return LOCAL.contains(method) || VERBS.containsKey(method);
  }

  /** Returns the calls of classes. */
  public static ClientCalls in(Collection<ClassModel> classes) {
    Set<String> verbs = new TreeSet<>();
    boolean owns = false;
    boolean events = false;
    for (ClassModel model : classes) {
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof MemberRefEntry member) {
          String method = member.name().stringValue();
          if (member.owner().asInternalName().equals(RESOURCE)) {
            verbs.addAll(LOCAL.contains(method) ? List.of() : VERBS.getOrDefault(method, ALL));
          } else if (changesFinalizers(member, method)) {
            verbs.addAll(List.of("get", "patch"));
          } else if (is(member, SimpleController.class)) {
            verbs.addAll(CHANGES);
          } else if (is(member, Dependants.class)) {
            verbs.addAll(List.of("get", "create", "patch", "delete"));
            owns = true;
          } else if (is(member, OwnerReferences.class)) {
            owns |= Set.of("add", "setController").contains(method);
          } else if (is(member, EventRecorder.class)) {
            events = true;
          }
        }
      }
    }
    Map<String, Set<String>> bySubresource = new TreeMap<>();
    for (String verb : verbs) {
      int colon = verb.indexOf(':');
      bySubresource
          .computeIfAbsent(verb.substring(0, Math.max(0, colon)), _ -> new TreeSet<>())
          .add(verb.substring(colon + 1));
    }
    return new ClientCalls(bySubresource, owns, events);
  }

  private static boolean changesFinalizers(MemberRefEntry member, String method) {
    return (is(member, Finalizers.class) && Set.of("add", "remove").contains(method))
        || (is(member, FinalizerRegistry.class) && method.equals("handle"));
  }

  private static boolean is(MemberRefEntry member, Class<?> type) {
    return member.owner().asInternalName().equals(type.getName().replace('.', '/'));
  }
}
