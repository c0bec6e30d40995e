// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.rbac;

import dev.coxswain.k8s.events.EventRecorder;
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
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which methods of the client some classes refer to, and the verbs for them. It is a fact about the
 * classes as a whole: it does not tell which method is called for which resource.
 *
 * <p>Thread rule: immutable.
 *
 * @param verbs the verbs on the resources themselves
 * @param statusVerbs the verbs on their status
 * @param owns whether owner references are set
 * @param recordsEvents whether Kubernetes Events are written
 */
public record ClientCalls(
    Set<String> verbs, Set<String> statusVerbs, boolean owns, boolean recordsEvents) {

  private static final List<String> ALL =
      List.of("get", "list", "create", "update", "patch", "delete");

  /** The verbs of each method of {@link Resource}; one that is not here may need all of them. */
  private static final Map<String, List<String>> VERBS =
      Map.ofEntries(
          Map.entry("<init>", List.of()),
          Map.entry("type", List.of()),
          Map.entry("key", List.of()),
          Map.entry("get", List.of("get")),
          Map.entry("list", List.of("list")),
          Map.entry("create", List.of("create")),
          Map.entry("update", List.of("update")),
          Map.entry("updateStatus", List.of()),
          Map.entry("patch", List.of("patch")),
          Map.entry("patchStatus", List.of()),
          Map.entry("jsonPatch", List.of("patch")),
          Map.entry("apply", List.of("create", "patch")),
          Map.entry("applyStatus", List.of()),
          Map.entry("delete", List.of("delete")),
          Map.entry("createOrPatch", List.of("get", "create", "patch")),
          Map.entry("modify", List.of("get", "patch")),
          Map.entry("modifyStatus", List.of("get")));

  private static final Map<String, String> STATUS_VERBS =
      Map.of(
          "updateStatus", "update",
          "patchStatus", "patch",
          "applyStatus", "patch",
          "modifyStatus", "patch");

  /** Copies the sets. */
  public ClientCalls {
    verbs = Set.copyOf(verbs);
    statusVerbs = Set.copyOf(statusVerbs);
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

  /** Returns the calls of classes. */
  public static ClientCalls in(Collection<ClassModel> classes) {
    Set<String> verbs = new TreeSet<>();
    Set<String> status = new TreeSet<>();
    boolean owns = false;
    boolean events = false;
    for (ClassModel model : classes) {
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof MemberRefEntry member) {
          String method = member.name().stringValue();
          if (is(member, Resource.class)) {
            verbs.addAll(VERBS.getOrDefault(method, ALL));
            if (STATUS_VERBS.containsKey(method)) {
              status.add(STATUS_VERBS.get(method));
            } else if (!VERBS.containsKey(method)) {
              status.addAll(List.of("update", "patch"));
            }
          } else if (is(member, Finalizers.class) && Set.of("add", "remove").contains(method)) {
            verbs.addAll(List.of("get", "patch"));
          } else if (is(member, OwnerReferences.class)) {
            owns |= Set.of("add", "setController").contains(method);
          } else if (is(member, EventRecorder.class)) {
            events = true;
          }
        }
      }
    }
    return new ClientCalls(verbs, status, owns, events);
  }

  private static boolean is(MemberRefEntry member, Class<?> type) {
    return member.owner().asInternalName().equals(type.getName().replace('.', '/'));
  }
}
