// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A mapping in a kubeconfig file. A value of another type than expected, or a field that is not
 * supported, is refused with the file and the place. Paths are relative to the file.
 *
 * <p>Thread rule: immutable.
 *
 * @param file the file
 * @param place the place in it, such as {@code user "admin"}; empty for the file as a whole
 * @param values the values
 */
record KubeconfigSection(Path file, String place, Map<?, ?> values) {

  AccessException error(String what) {
    return new AccessException(
        "kubeconfig " + file + (place.isEmpty() ? "" : ", " + place) + ": " + what);
  }

  /** Refuses all fields but these: they could change the identity or the route of requests. */
  void only(Set<String> known) throws AccessException {
    for (Map.Entry<?, ?> each : values.entrySet()) {
      if (!(each.getKey() instanceof String name && known.contains(name))
          && each.getValue() != null) {
        throw error("the field " + each.getKey() + " is not supported");
      }
    }
  }

  /** Returns whether there is a value other than null. */
  boolean has(String name) {
    return values.get(name) != null;
  }

  /** Returns a text; empty when there is none. */
  String text(String name) throws AccessException {
    Object value = values.get(name);
    return value == null ? "" : text(name, value);
  }

  private String text(String name, @Nullable Object value) throws AccessException {
    if (value instanceof String text) {
      return text;
    }
    throw error(name + " must be a text; is it without quotes?");
  }

  boolean flag(String name) throws AccessException {
    Object value = values.get(name);
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw error(name + " must be true or false");
  }

  List<String> texts(String name) throws AccessException {
    List<String> texts = new ArrayList<>();
    for (Object each : list(name, values.get(name))) {
      texts.add(text(name, each));
    }
    return texts;
  }

  /** Returns the lists of texts in a mapping, such as {@code as-user-extra}. */
  Map<String, List<String>> textLists(String name) throws AccessException {
    Map<String, List<String>> lists = new LinkedHashMap<>();
    KubeconfigSection inner = section(name);
    if (inner != null) {
      for (Object key : inner.values.keySet()) {
        String named = text("a key of " + name, key);
        lists.put(named, inner.texts(named));
      }
    }
    return lists;
  }

  private List<?> list(String name, @Nullable Object value) throws AccessException {
    if (value == null) {
      return List.of();
    }
    if (value instanceof List<?> list) {
      return list;
    }
    throw error(name + " must be a list");
  }

  /** Returns a mapping in this one, or null. */
  @Nullable KubeconfigSection section(String name) throws AccessException {
    Object value = values.get(name);
    return value == null ? null : section(place, name, value);
  }

  private KubeconfigSection section(String at, String name, @Nullable Object value)
      throws AccessException {
    if (value instanceof Map<?, ?> map) {
      return new KubeconfigSection(file, at, map);
    }
    throw error(name + " must be a mapping");
  }

  /** Returns the mappings in a list. */
  List<KubeconfigSection> sections(String name) throws AccessException {
    List<KubeconfigSection> sections = new ArrayList<>();
    for (Object each : list(name, values.get(name))) {
      sections.add(section(place, "an entry of " + name, each));
    }
    return sections;
  }

  /** Returns a mapping in this one at another place; an absent one is empty. */
  KubeconfigSection at(String otherPlace, String name) throws AccessException {
    Object value = values.get(name);
    return value == null
        ? new KubeconfigSection(file, otherPlace, Map.of())
        : section(otherPlace, name, value);
  }

  /** Returns a path relative to the folder of the file. */
  Path path(String text) {
    return file.toAbsolutePath().resolveSibling(text).normalize();
  }

  /**
   * Returns a document that the file contains as base64, or has in a file of its own; null for
   * neither.
   *
   * @param name the field of the path; the one with the content ends in {@code -data}
   */
  @Nullable ConfiguredFile document(String name) throws AccessException {
    String data = text(name + "-data");
    String path = text(name);
    if (!data.isEmpty() && !path.isEmpty()) {
      throw error(name + "-data and " + name + " are both given; remove one");
    }
    if (!data.isEmpty()) {
      return ConfiguredFile.ofBase64(this::error, name + "-data", data);
    }
    return path.isEmpty() ? null : ConfiguredFile.ofPath(this::error, name, path(path));
  }

  /** Hides the values, some of which are secret. */
  @Override
  public String toString() {
    return file + " " + place;
  }
}
