// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import dev.coxswain.k8s.internal.resource.RandomTrees.Node;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Random changes of nodes: fields, and elements that are removed, added, moved, copied and reordered. */
final class RandomChanges {

  private final Random random;
  private final RandomTrees trees;

  /** Elements that were taken out of a list without keys, to be put into another one. */
  private final List<Node> moving = new ArrayList<>();

  private final Set<Node> changed = Collections.newSetFromMap(new IdentityHashMap<>());

  RandomChanges(Random random, RandomTrees trees) {
    this.random = random;
    this.trees = trees;
  }

  void change(Node node) {
    if (!changed.add(node)) {
      return; // was moved here
    }
    fields(node);
    if (random.nextInt(6) == 0) {
      node.inner = random.nextBoolean() || node.inner == null ? null : copy(node.inner);
    }
    if (node.parts != null) {
      node.parts = list(node.parts, true);
    }
    if (node.loose != null) {
      node.loose = list(node.loose, false);
    }
    if (node.array != null) {
      node.array = list(java.util.Arrays.asList(node.array), false).toArray(new Node[0]);
    }
    if (node.set != null) {
      List<Node> changed = list(new ArrayList<>(node.set), false);
      changed.removeIf(Objects::isNull);
      node.set = new LinkedHashSet<>(changed);
    }
    if (node.grid != null) {
      // The rows have no identity: one that is moved and changed is another one at its index.
      boolean reordered = random.nextInt(3) == 0;
      List<@Nullable List<Node>> rows = new ArrayList<>();
      for (List<Node> row : node.grid) {
        rows.add(row == null || reordered ? row : list(row, false));
      }
      if (reordered) {
        Collections.shuffle(rows, random);
        if (!rows.isEmpty() && random.nextBoolean()) {
          rows.remove(random.nextInt(rows.size()));
        }
      }
      node.grid = rows;
    }
    if (node.named != null) {
      map(node.named);
    }
    if (node.groups != null) {
      node.groups.replaceAll((_, group) -> list(group, false));
      node.groups.keySet().removeIf(_ -> random.nextInt(6) == 0);
    }
    if (node.maps != null) {
      node.maps.forEach(this::map);
      if (random.nextInt(3) == 0) {
        Collections.shuffle(node.maps, random);
      }
      if (!node.maps.isEmpty() && random.nextInt(3) == 0) {
        node.maps.remove(random.nextInt(node.maps.size()));
      }
    }
    children(node).forEach(this::change);
  }

  private void fields(Node node) {
    switch (random.nextInt(8)) {
      case 0 -> node.size = random.nextInt(5);
      case 1 -> node.size = null;
      case 2 -> node.weight = random.nextDouble();
      case 3 -> node.tags = new ArrayList<>(List.of("t" + random.nextInt(3), "t9"));
      case 4 -> {
        if (node.free != null) {
          node.free.put("f" + random.nextInt(5), (1L << 53) + random.nextInt(3));
        }
      }
      case 5 -> {
        if (node.free != null) {
          node.free.remove("f" + random.nextInt(5));
        }
      }
      case 6 -> {
        if (node.numbers != null) {
          node.numbers.add(7L);
        }
      }
      default -> {}
    }
  }

  private <N extends @Nullable Node> List<N> list(List<N> nodes, boolean keyed) {
    List<N> changed = new ArrayList<>(nodes);
    int removed = -1;
    if (!changed.isEmpty() && random.nextInt(3) == 0) {
      removed = random.nextInt(changed.size());
      N taken = changed.remove(removed);
      if (!keyed && taken != null && random.nextBoolean()) {
        moving.add(taken);
      }
    }
    if (random.nextInt(4) == 0) {
      Collections.shuffle(changed, random);
    }
    if (random.nextInt(3) == 0) {
      @SuppressWarnings("unchecked") // N is Node
      N added = (N) (!keyed && !moving.isEmpty() ? moving.removeFirst() : fresh(keyed));
      int index = random.nextInt(changed.size() + 1);
      // At the index of the one that was removed it would be that one, changed.
      if (index != removed) {
        changed.add(index, added);
      }
    }
    if (keyed && !changed.isEmpty() && random.nextInt(3) == 0) {
      @SuppressWarnings("unchecked") // N is Node
      N copied = (N) copy(Objects.requireNonNull(changed.getFirst()));
      changed.set(0, copied);
    }
    return changed;
  }

  private void map(Map<String, Node> nodes) {
    nodes.keySet().removeIf(_ -> random.nextInt(6) == 0);
    if (random.nextInt(3) == 0) {
      nodes.putIfAbsent("added", fresh(false));
    }
    nodes.replaceAll((_, node) -> random.nextInt(4) == 0 ? copy(node) : node);
  }

  private Node fresh(boolean keyed) {
    Node node = new Node();
    node.no = trees.nextNumber();
    node.name = keyed ? "n" + node.no : null;
    node.size = random.nextInt(5);
    return node;
  }

  /** Another Java object with the same key; what it contains is the same. */
  private static Node copy(Node node) {
    Node copy = new Node();
    copy.no = node.no;
    copy.name = node.name;
    copy.size = 99;
    copy.weight = node.weight;
    copy.inner = node.inner;
    copy.parts = node.parts;
    copy.loose = node.loose;
    copy.array = node.array;
    copy.set = node.set;
    copy.grid = node.grid;
    copy.named = node.named == null ? null : new LinkedHashMap<>(node.named);
    copy.groups = node.groups;
    copy.maps = node.maps;
    copy.tags = node.tags;
    copy.numbers = node.numbers;
    copy.free = node.free;
    return copy;
  }

  private static List<Node> children(Node node) {
    List<@Nullable Node> all = new ArrayList<>();
    all.add(node.inner);
    addAll(all, node.parts);
    addAll(all, node.loose);
    addAll(all, node.array == null ? null : java.util.Arrays.asList(node.array));
    addAll(all, node.set);
    if (node.grid != null) {
      node.grid.forEach(row -> addAll(all, row));
    }
    addAll(all, node.named == null ? null : node.named.values());
    if (node.groups != null) {
      node.groups.values().forEach(group -> addAll(all, group));
    }
    if (node.maps != null) {
      node.maps.forEach(map -> addAll(all, map.values()));
    }
    return all.stream().filter(Objects::nonNull).toList();
  }

  private static void addAll(
      List<@Nullable Node> all, @Nullable Collection<? extends @Nullable Node> some) {
    if (some != null) {
      all.addAll(some);
    }
  }
}
