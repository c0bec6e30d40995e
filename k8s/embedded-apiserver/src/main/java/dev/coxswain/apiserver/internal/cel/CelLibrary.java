// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import dev.cel.bundle.CelBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.runtime.CelFunctionBinding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects functions that the Kubernetes API server adds to the language; confined to one thread. */
final class CelLibrary {
  /** What a function computes; throws {@link IllegalArgumentException} when it cannot. */
  @FunctionalInterface
  interface Body {
    Object apply(Object[] arguments);
  }

  private final Map<String, List<CelOverloadDecl>> declared = new LinkedHashMap<>();
  private final Map<String, List<CelFunctionBinding>> bound = new LinkedHashMap<>();
  private int count;

  /** Adds a function that is called by name; {@code types} are those of its arguments. */
  void function(String name, CelType result, List<CelType> types, Body body) {
    String id = name.replace('.', '_') + "_k8s_" + count++;
    add(name, CelOverloadDecl.newGlobalOverload(id, result, types), body);
  }

  /** Adds a function that is called on a value, which is of the first type. */
  void method(String name, CelType result, List<CelType> types, Body body) {
    String id = name + "_k8s_" + count++;
    add(name, CelOverloadDecl.newMemberOverload(id, result, types), body);
  }

  @SuppressWarnings("Immutable") // all bodies are functions of their arguments alone
  private void add(String name, CelOverloadDecl overload, Body body) {
    declared.computeIfAbsent(name, n -> new ArrayList<>()).add(overload);
    List<Class<?>> classes = new ArrayList<>();
    overload.parameterTypes().forEach(type -> classes.add(CelShape.javaType(type)));
    bound
        .computeIfAbsent(name, n -> new ArrayList<>())
        .add(CelFunctionBinding.from(overload.overloadId(), classes, body::apply));
  }

  /**
   * Adds everything to an environment.
   *
   * @param shared names for which the language has functions of its own, under which nothing is found by the classes of
   *     arguments at run time
   */
  void addTo(CelBuilder environment, List<String> shared) {
    declared.forEach((name, overloads) ->
        environment.addFunctionDeclarations(
            CelFunctionDecl.newFunctionDeclaration(name, overloads)));
    bound.forEach((name, bindings) ->
        environment.addFunctionBindings(
            shared.contains(name) ? bindings : CelFunctionBinding.fromOverloads(name, bindings)));
  }
}
